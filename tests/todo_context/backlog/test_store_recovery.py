"""What a wrong clock, a wrong path, a full disk or a recovery may not take: held against both adapters."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from tests.todo_context.backlog.kit import DAY, EVERYWHERE, PERSON, S1, Kit, add
from todo_context.backlog.copies import KEPT
from todo_context.backlog.lock import StoreLock
from todo_context.backlog.opening import open_store
from todo_context.backlog.shapes import Prune
from todo_context.backlog.store import Store, StoreError

AHEAD = 365 * 4 * DAY


def test_a_clock_that_was_wrong_once_costs_no_backup_of_a_right_day(kit: Kit, store: Store) -> None:
    add(store, "first")
    kit.clock.pass_by(AHEAD)
    add(store, "ahead")
    kit.clock.pass_by(-AHEAD)
    for day in range(3):
        kit.clock.pass_by(DAY)
        for number in range(4):
            add(store, f"day {day}, {number}")

    right, wrong = store.backups()[:-1], store.backups()[-1]

    assert [backup.items for backup in right] == [10, 6, 2]
    assert wrong.at > kit.clock.now
    for _ in range(KEPT):
        kit.clock.pass_by(DAY)
        add(store, f"later {kit.clock.now}")
    assert all(backup.at < kit.clock.now for backup in store.backups())


def test_the_backup_of_a_hard_prune_stays_also_behind_a_week_to_come(kit: Kit, store: Store) -> None:
    kit.clock.pass_by(AHEAD)
    for day in range(KEPT + 1):
        add(store, f"day {day}")
        kit.clock.pass_by(DAY)
    kit.clock.pass_by(-AHEAD - 30 * DAY)
    ids = add(store, "closed")
    store.complete(ids, S1)
    every = Prune(older_than=None)
    store.prune(every, S1)

    store.hard_prune(every, PERSON, token=store.hard_prune(every, PERSON).token)

    assert abs(store.backups()[0].at - kit.clock.now) < timedelta(seconds=1)
    assert store.backups()[0].items == KEPT + 2


@pytest.mark.parametrize("kit", ["sqlite"], indirect=True)
def test_a_journal_that_was_left_is_not_played_into_what_was_recovered(kit: Kit, store: Store) -> None:
    for number in range(60):
        add(store, f"item {number}", notes="n" * 3000)
    kit.clock.pass_by(2 * DAY)
    add(store, "after the backup")
    for number in range(140):
        add(store, f"more {number}", notes="m" * 3000)
    store.close()
    if os.fork() == 0:  # pragma: no cover (the process that is cut off)
        cut_off = sqlite3.connect(kit.path, isolation_level=None)
        cut_off.execute("PRAGMA cache_size = 5")
        cut_off.execute("BEGIN IMMEDIATE")
        cut_off.execute("UPDATE item SET notes = 'z' || notes")
        os._exit(0)
    os.wait()
    kit.path.rename(kit.folder / "moved by hand")
    assert kit.path.with_name(f"{kit.path.name}-journal").stat().st_size

    assert kit.open().recover(kit.open().backups()[0]) == 60

    assert len(kit.open().list(EVERYWHERE).items) == 60
    with closing(sqlite3.connect(kit.path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("text", ["my notes, a text of some length, and no store at all\n" * 9, "x", "# Title\n"])
def test_a_text_of_something_else_is_refused_untouched(kit: Kit, text: str) -> None:
    kit.folder.mkdir()
    kit.path.write_text(text)

    refuses_all(kit.place)

    assert kit.path.read_text() == text


def test_a_store_of_the_other_kind_is_refused_untouched(kit: Kit, store: Store) -> None:
    add(store, "one")
    store.close()
    whole = kit.path.read_bytes()

    refuses_all(f"json:{kit.path}" if kit.kind == "sqlite" else str(kit.path))

    assert kit.path.read_bytes() == whole
    assert [item.text for item in kit.open().list(EVERYWHERE).items] == ["one"]


def refuses_all(place: str) -> None:
    store = open_store(place)
    for use in (lambda: store.list(EVERYWHERE), lambda: add(store, "a"), lambda: store.recover(None)):
        with pytest.raises(StoreError) as caught:
            use()
        assert caught.value.trouble == "foreign"


def test_what_another_program_holds_is_not_replaced(kit: Kit, store: Store) -> None:
    add(store, "one")
    hurried = open_store(kit.place, now=kit.clock, wait_s=0.05)
    with StoreLock(kit.path).held(exclusive=True), pytest.raises(StoreError) as caught:
        hurried.recover(None)

    assert caught.value.trouble == "busy"
    assert len(store.list(EVERYWHERE).items) == 1


@pytest.mark.parametrize("kit", ["sqlite"], indirect=True)
def test_what_a_program_without_our_lock_holds_is_not_replaced(kit: Kit, store: Store) -> None:
    add(store, "one")
    store.close()
    hurried = open_store(kit.place, now=kit.clock, wait_s=0.05)
    with closing(sqlite3.connect(kit.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError) as caught:
            hurried.recover(None)

    assert caught.value.trouble == "busy"
    assert len(kit.open().list(EVERYWHERE).items) == 1


def test_a_recovery_that_the_disk_does_not_take_leaves_what_is_there(kit: Kit, store: Store) -> None:
    add(store, "large", notes="x" * 500_000)
    kit.clock.pass_by(2 * DAY)
    add(store, "after the backup")
    store.close()
    whole = kit.path.read_bytes()
    code = (
        "import resource, signal\n"
        "from todo_context.backlog.opening import open_store\n"
        "from todo_context.backlog.store import StoreError\n"
        f"store = open_store({kit.place!r})\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "for backup, limit in ((store.backups()[0], 250_000), (None, 10)):\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))\n"
        "    try: store.recover(backup)\n"
        "    except StoreError as error: print(error.trouble in {'full', 'io'}, 'nothing was changed' in str(error))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)

    assert done.stdout.splitlines() == ["True True"] * 2, done.stderr
    assert kit.path.read_bytes() == whole
    assert [path.name for path in kit.folder.iterdir() if ".aside-" in path.name or ".new-" in path.name] == []


def test_the_backup_of_a_day_takes_no_room_that_a_change_needs(tmp_path: Path) -> None:
    """On a real file system of 1 MB, in a name space of its own, where the machine allows one."""
    script = tmp_path / "room.py"
    script.write_text(
        "import sys\n"
        "from datetime import timedelta\n"
        "from todo_context.backlog.opening import clock, open_store\n"
        "from todo_context.backlog.shapes import Draft\n"
        "from todo_context.backlog.moves import Who\n"
        "for place in (f'{sys.argv[1]}/backlog.db', f'json:{sys.argv[1]}/todo.json'):\n"
        "    open_store(place).add([Draft(text='a', notes='x' * 150_000)], Who('S1'))\n"
        "    later = open_store(place, now=lambda: clock() + timedelta(days=2))\n"
        "    print(len(later.add([Draft(text='b')], Who('S1')).changes), len(later.backups()))\n"
    )
    root = tmp_path / "disk"
    root.mkdir()
    command = f"mount -t tmpfs -o size=1m none {root} && exec {sys.executable} {script} {root}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", command], env=environment, capture_output=True, text=True, check=False
    )
    if "unshare:" in done.stderr or "mount:" in done.stderr:
        pytest.skip(done.stderr.strip().splitlines()[0])

    assert done.stdout.splitlines() == ["1 0"] * 2, done.stderr


def test_what_is_named_like_a_store_is_not_swept_away(kit: Kit) -> None:
    kit.folder.mkdir()
    near = open_store(kit.place.replace(kit.path.name, f"{kit.path.name}.work"), now=kit.clock)
    theirs = [f"{kit.path.name}.new-ideas.md", f"{kit.path.name}-list.new-2026", f"{kit.path.name}.work.new-by-7"]
    for name in theirs:
        (kit.folder / name).write_text("mine")
    left = kit.folder / f"{kit.path.name}.new-by-7"
    left.write_text("half of a store, of a process that was killed")

    for store in (kit.open(), near):
        add(store, "a")
    kit.clock.pass_by(2 * DAY)
    add(kit.open(), "b")

    assert len(kit.open().backups()) == 1
    assert not left.exists()
    assert [name for name in theirs if (kit.folder / name).exists()] == theirs


@pytest.mark.parametrize("kit", ["sqlite"], indirect=True)
def test_a_backup_that_a_later_version_wrote_is_not_offered(kit: Kit, store: Store) -> None:
    for text in ("a", "b", "c"):
        add(store, text)
        kit.clock.pass_by(2 * DAY)
    store.close()
    with closing(sqlite3.connect(store.backups()[0].path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    kit.path.unlink()

    assert [backup.items for backup in kit.open().backups()] == [1]
    assert kit.open().recover(kit.open().backups()[0]) == 1


@pytest.mark.parametrize("kit", ["sqlite"], indirect=True)
@pytest.mark.parametrize("version", [0, -3])
def test_a_store_of_a_version_that_nobody_wrote_is_refused_untouched(kit: Kit, store: Store, version: int) -> None:
    add(store, "a")
    store.close()
    with closing(sqlite3.connect(kit.path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    whole = kit.path.read_bytes()

    refuses_all(kit.place)

    assert kit.path.read_bytes() == whole
