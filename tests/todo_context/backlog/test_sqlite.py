"""What is so of the SQLite store alone: how much it reads, and how it comes to another version."""

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.todo_context.backlog.kit import EVERYWHERE, LEASE, NOW, S1, S2, Clock, Kit, add, an_item, days_ago, the
from tests.todo_context.backlog.processes import SECOND
from todo_context.backlog import sqlite_file
from todo_context.backlog.backlog import Backlog
from todo_context.backlog.item import Box, Priority, Status
from todo_context.backlog.opening import random_id
from todo_context.backlog.shapes import Draft, Query
from todo_context.backlog.sqlite import SqliteShelf
from todo_context.backlog.sqlite_ledger import SqliteLedger
from todo_context.backlog.sqlite_query import boxed
from todo_context.backlog.sqlite_schema import CURRENT, Schema, Step
from todo_context.backlog.store import Store, StoreError

COUNTED_FROM = 10
"""Steps of SQLite's machine between two looks at the count."""


PARKED = frozenset({Box.PARKED})
OF_A_SESSION = Query(boxes=frozenset({Box.ACTIVE, Box.PARKED}), origin="plan:pi:11111111:", limit=None)


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit("sqlite", tmp_path / "backlog")


def filled(active: int, archived: int) -> SqliteLedger:
    """A store with so many active items of five projects, most of them waiting for none, and so many archived ones."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    sqlite_file.prepare(connection)
    sqlite_file.create(connection, CURRENT)
    connection.execute("BEGIN")
    ledger = SqliteLedger(connection)
    for number in range(active):
        ledger.put(
            an_item(
                f"td-{number:06d}",
                project=f"p{number % 5}",
                priority=Priority.LOW if number % 100 else Priority.CRITICAL,
                blocked_by=(f"td-{number - 1:06d}",) if number % 7 == 6 else (),
                created_at=days_ago(number / 1_000),
            )
        )
    ledger.put(an_item("td-rare", project="rare", created_at=days_ago(0)))
    for number in range(archived):
        closed = {"status": Status.DONE, "closed_at": days_ago(9), "archived_at": days_ago(2)}
        ledger.put(
            an_item(f"td-z{number:06d}", project=f"p{number % 5}", updated_at=days_ago(number / 1_000), **closed)
        )
    connection.execute("COMMIT")
    return ledger


def steps_of(ledger: SqliteLedger, ask: Callable[[SqliteLedger], object]) -> int:
    """How many steps SQLite's machine takes for it; reading a row is one, and so is each thing done with it."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += COUNTED_FROM
        return 0

    ledger._connection.set_progress_handler(count, COUNTED_FROM)
    ask(ledger)
    ledger._connection.set_progress_handler(None, 0)
    return taken


@pytest.fixture(scope="module")
def small() -> SqliteLedger:
    return filled(100, 100)


@pytest.fixture(scope="module")
def full() -> SqliteLedger:
    return filled(5_000, 5_000)


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda ledger: ledger.find(Query(), NOW), id="list"),
        pytest.param(lambda ledger: ledger.find(Query(project="p1"), NOW), id="list of a project"),
        pytest.param(lambda ledger: ledger.find(Query(project="rare"), NOW), id="list of a project with one item"),
        pytest.param(lambda ledger: ledger.find(Query(ready=True), NOW), id="ready"),
        pytest.param(lambda ledger: ledger.find(Query(ready=True, limit=1), NOW), id="the next one"),
        pytest.param(lambda ledger: ledger.find(Query(ready=True, project="p2"), NOW), id="ready in a project"),
        pytest.param(lambda ledger: ledger.find(Query(statuses=(Status.IN_PROGRESS,)), NOW), id="what others hold"),
        pytest.param(
            lambda ledger: ledger.find(Query(boxes=frozenset({Box.ARCHIVE}), newest_first=True), NOW),
            id="the newest of the archive",
        ),
        pytest.param(lambda ledger: ledger.get("td-000077"), id="get"),
        pytest.param(lambda ledger: ledger.beginning("td-0000", 5), id="get by a beginning"),
        pytest.param(lambda ledger: ledger.twin("p1", "item td-000001"), id="add"),
        pytest.param(lambda ledger: ledger.waiting_for(["td-000005"]), id="who waits"),
        pytest.param(lambda ledger: ledger.expired(NOW), id="leases that are over"),
        pytest.param(lambda ledger: ledger.changes(since=0, limit=5), id="changes"),
        pytest.param(lambda ledger: ledger.counts(frozenset({Box.PARKED, Box.CLOSED}), NOW), id="counts of the small"),
        pytest.param(lambda ledger: ledger.count(Query(project="rare"), NOW), id="count of a project with one item"),
        pytest.param(lambda ledger: ledger.count(Query(boxes=PARKED, project="p1"), NOW), id="count of what is parked"),
        pytest.param(lambda ledger: ledger.find(OF_A_SESSION, NOW), id="what a session has parked"),
    ],
)
def test_10_000_items_are_not_read_for_what_a_few_are_asked(
    small: SqliteLedger, full: SqliteLedger, ask: Callable[[SqliteLedger], object]
) -> None:
    of_few, of_many = steps_of(small, ask), steps_of(full, ask)

    # A row that is found takes some 30 steps; looking at all of them would take 10,000 at the least.
    assert of_many <= of_few * 1.5 + 200
    assert of_many < 2_500


def test_what_is_urgent_elsewhere_is_read_without_what_is_not(full: SqliteLedger) -> None:
    query = Query(elsewhere="p0", at_least=Priority.CRITICAL, limit=15)

    assert steps_of(full, lambda ledger: ledger.find(query, NOW)) < 50 * 60
    assert len(full.find(Query(at_least=Priority.CRITICAL, limit=None), NOW)) == 50


def test_counts_are_read_off_an_index_of_what_is_active() -> None:
    few_archived, many_archived = filled(100, 0), filled(100, 3_000)

    def counts(ledger: SqliteLedger) -> object:
        return ledger.counts(frozenset({Box.ACTIVE, Box.PARKED}), NOW)

    assert steps_of(many_archived, counts) <= steps_of(few_archived, counts) * 1.1
    program = few_archived._connection.execute(
        f"EXPLAIN SELECT project, count(*) FROM item WHERE {boxed(Box.ACTIVE)} GROUP BY project",  # noqa: S608 (ours)
        {"now": ""},
    ).fetchall()
    opened = {cursor: root for _, code, cursor, root, *_ in program if code == "OpenRead"}
    read_from = {opened[cursor] for _, code, cursor, *_ in program if code == "Column" and cursor in opened}
    (table,) = few_archived._connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'item'").fetchone()
    assert read_from
    assert table not in read_from


def second(kit: Kit, schema: Schema = SECOND) -> Store:
    return Backlog(SqliteShelf(kit.path, now=kit.clock, schema=schema), now=kit.clock, make_id=random_id)


def test_a_migration_keeps_the_old_file_and_all_items(kit: Kit) -> None:
    store = kit.open()
    ids = add(store, "a", "b")
    store.complete([ids[0]], S1)
    items, log = store.list(EVERYWHERE).items, store.log(50)
    store.close()
    old = kit.path.read_bytes()

    # Reading is enough.
    assert second(kit).list(EVERYWHERE).items == items

    assert kit.path.with_name("backlog.db.v1").read_bytes() == old
    assert second(kit).log(50) == log
    assert second(kit).undo(S1).changes
    with closing(sqlite3.connect(kit.path)) as connection:
        assert connection.execute("SELECT DISTINCT colour FROM item").fetchall() == [("red",)]
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    assert kit.path.stat().st_mode & 0o777 == 0o600


def loses(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO gone SELECT id FROM item LIMIT 1")
    connection.execute("DELETE FROM item WHERE id IN (SELECT id FROM gone)")


def fails(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE item SET text = 'half'")
    connection.execute("ALTER TABLE nothing ADD COLUMN x")


@pytest.mark.parametrize(("step", "trouble"), [(loses, "dropped"), (fails, "io")])
def test_a_migration_that_goes_wrong_changes_nothing(kit: Kit, step: Step, trouble: str) -> None:
    store = kit.open()
    add(store, "a", "b")
    store.close()
    old = kit.path.read_bytes()

    with pytest.raises(StoreError) as caught:
        second(kit, Schema(version=2, steps={1: step})).list(Query())

    assert caught.value.trouble == trouble
    assert kit.path.read_bytes() == old
    assert sorted(path.name for path in kit.folder.iterdir()) == ["backlog.db", "backlog.db.lock"]
    assert len(kit.open().list(Query()).items) == 2


def test_who_has_the_store_open_while_it_is_migrated_does_not_write_into_the_old_file(kit: Kit) -> None:
    store = kit.open()
    add(store, "a")

    add(second(kit), "b")

    with pytest.raises(StoreError) as caught:
        add(store, "c")
    assert caught.value.trouble == "newer"
    assert len(second(kit).list(Query()).items) == 2


def test_two_migrations_keep_both_old_files(kit: Kit) -> None:
    store = kit.open()
    add(store, "a")
    store.close()
    old = kit.path.read_bytes()
    second(kit).list(Query())

    # The file was put back by hand, changed, and migrated again.
    kit.path.write_bytes(old)
    add(kit.open(), "b")
    second(kit).list(Query())

    assert kit.path.with_name("backlog.db.v1").read_bytes() == old
    assert kit.path.with_name("backlog.db.v1-2").exists()


def test_d03_a_program_that_holds_the_database_is_waited_for_and_named(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_S", 0.1)
    store = kit.open()
    add(store, "a")

    with closing(sqlite3.connect(kit.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        store.close()
        with pytest.raises(StoreError) as caught:
            add(store, "b")
        other.execute("ROLLBACK")

    assert caught.value.trouble == "busy"
    add(store, "b")


def test_a_store_is_used_by_many_threads_at_once(kit: Kit) -> None:
    store = kit.open()
    threads = [
        threading.Thread(target=lambda n=number: [add(store, f"{n} {i}") for i in range(10)]) for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert store.count(Query()) == 80


def test_a_store_that_a_fork_brought_along_is_opened_anew(kit: Kit) -> None:
    store = kit.open()
    (id_,) = add(store, "a")
    pid = os.fork()
    if pid == 0:
        try:
            store.claim(id_, S2, lease=LEASE)
            store.close()
        finally:
            os._exit(0)
    os.waitpid(pid, 0)

    assert the(store, id_).owner == "S2"
    add(store, "b")


def test_a_store_that_another_made_in_write_ahead_mode_is_brought_back_to_one_file(kit: Kit) -> None:
    store = kit.open()
    add(store, "a")
    store.close()
    with closing(sqlite3.connect(kit.path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")

    add(kit.open(), "b")

    assert not [path.name for path in kit.folder.iterdir() if "-wal" in path.name or "-shm" in path.name]


def test_a_file_that_was_made_and_never_filled_is_a_new_store(kit: Kit) -> None:
    kit.folder.mkdir()
    kit.path.touch()

    assert kit.open().list(Query()).items == ()
    add(kit.open(), "a")


def test_sqlite_is_not_imported_before_a_store_is_opened() -> None:
    code = (
        "import sys; from todo_context.backlog import opening, backlog, health; "
        "print([m for m in ('sqlite3', 'prompt_toolkit') if m in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_the_first_second_of_a_day_of_a_wrong_clock_makes_no_more_backups_than_a_right_one(kit: Kit) -> None:
    store = kit.open()
    add(store, "a")
    kit.clock = Clock(NOW.replace(year=2099))
    late = kit.open()
    add(late, "b")
    kit.clock = Clock(NOW)
    add(kit.open(), "c")

    assert len(store.backups()) == 2
    assert store.changes(0).is_cut is False


def test_a_draft_may_be_anything_in_one_transaction(kit: Kit) -> None:
    store = kit.open()
    with pytest.raises(AttributeError):
        store.add([Draft(text="a"), None], S1)  # type: ignore[list-item]  # a mistake of ours in the middle

    assert store.list(EVERYWHERE).items == ()
    assert store.seq() == 0
