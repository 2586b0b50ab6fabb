"""A disk that takes nothing: the session goes on in memory, says so once, and is written as soon as that works."""

import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.todo_repl.session_kit import CWD, append_as_another, file_of, ids, say, set_plan, tasks
from todo_repl.session import Session, SessionError, SessionMovedError, read_branch
from todo_repl.session_pick import opened

IS_ROOT = os.geteuid() == 0
NOBODY = 65534
"""The number of a user without rights. Source: the kernel's overflow id."""


def listened(session: Session) -> list[str]:
    told: list[str] = []
    session.on_trouble = told.append
    return told


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not IS_ROOT or shutil.which("mount") is None:
        pytest.skip("only root can mount a small file system")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.decode().strip()}")
    yield folder
    while folder.is_mount():
        subprocess.run(["umount", "-l", str(folder)], check=True)


def mount(folder: Path, *options: str) -> None:
    subprocess.run(["mount", *options, str(folder)], check=True)


def make_read_only(folder: Path) -> None:
    """As a system does with a disk that fails, whoever has files open in it."""
    mount(folder, "--bind", str(folder))
    mount(folder, "-o", "remount,bind,ro")


def fill(folder: Path) -> Path:
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            return ballast
    return ballast


def test_a_full_disk(small_disk: Path) -> None:
    with Session.create(small_disk / "s.jsonl", CWD) as session:
        told = listened(session)
        set_plan(session, "one")
        ballast = fill(small_disk)
        stored = file_of(session).read_bytes()
        for n in range(5):
            say(session, f"{n}" * 3000)
            set_plan(session, "one", f"task {n}")

        assert re.fullmatch(
            r".*/s\.jsonl: cannot be written \((No space left on device|\d+ of \d+ bytes fit)\)\. "
            r"The session goes on in memory alone\. .*",
            told[0],
        )
        assert (len(told), session.storage, len(session.entries())) == (1, "memory", 11)
        assert tasks(session.branch()) == ["one", "task 4"]
        # What still fits into the last page of the file may be there, but in whole lines.
        assert file_of(session).read_bytes().startswith(stored)
        assert file_of(session).read_bytes().endswith(b"\n")

        ballast.unlink()
        say(session, "more")
        assert told[1:] == [f"{file_of(session)}: written again, and nothing is missing."]
        assert session.storage == "session"
        say(session, "and more")
        assert len(told) == 2
    assert read_branch(file_of(session)) == tuple(session.branch())
    with Session.open(file_of(session)) as again:
        assert again.entries() == session.entries()


def test_a_disk_that_becomes_read_only(small_disk: Path) -> None:
    with Session.create(small_disk / "s.jsonl", CWD) as session:
        told = listened(session)
        say(session, "a")
        make_read_only(small_disk)
        say(session, "b")
        assert "cannot be written (Read-only file system)" in told[0]
        subprocess.run(["umount", str(small_disk)], check=True)
        say(session, "c")
        assert len(told) == 2
        make_read_only(small_disk)
    assert len(read_branch(file_of(session))) == 3


def test_a_new_session_on_a_read_only_disk(small_disk: Path) -> None:
    make_read_only(small_disk)
    with Session.create(small_disk / "sub" / "s.jsonl", CWD) as session:
        told = listened(session)
        say(session, "a")
        say(session, "b")
        assert (session.storage, len(told)) == ("memory", 1)
        assert "cannot be locked (Read-only file system). The session goes on in memory alone." in told[0]
        subprocess.run(["umount", str(small_disk)], check=True)
        say(session, "c")
    assert read_branch(file_of(session)) == tuple(session.branch())


@pytest.fixture
def bound_by_rights() -> Iterator[Path]:
    """A folder of a user who is not root, who this process is meanwhile."""
    with tempfile.TemporaryDirectory() as name:
        if IS_ROOT:
            os.chown(name, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield Path(name)
        finally:
            os.seteuid(os.getuid())


def test_a_folder_that_is_not_ours_to_write(bound_by_rights: Path) -> None:
    bound_by_rights.chmod(0o500)
    with Session.create(bound_by_rights / "s.jsonl", CWD) as session:
        told = listened(session)
        say(session, "a")
        assert "cannot be locked (Permission denied). The session goes on in memory alone." in told[0]
        bound_by_rights.chmod(0o700)
        say(session, "b")
        assert session.storage == "session"
        file_of(session).chmod(0o400)
        say(session, "c")
        assert "cannot be written (Permission denied)" in told[2]
        file_of(session).chmod(0o600)
    assert len(read_branch(file_of(session))) == 3


@pytest.mark.parametrize("name", ["file/s.jsonl", "file/folder/s.jsonl", "x" * 300 + ".jsonl"])
def test_a_place_that_cannot_hold_a_session_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with Session.create(tmp_path / name, CWD) as session:
        told = listened(session)
        say(session, "a")

        assert (session.storage, len(session.branch())) == ("memory", 1)
        assert told[0].startswith(f"{tmp_path / name}: cannot be locked (")
    assert told[1] == f"{tmp_path / name}: 1 entry was kept nowhere: " + told[1].partition("nowhere: ")[2]


def test_without_a_listener_it_is_among_the_notices(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with Session.create(tmp_path / "file" / "s.jsonl", CWD) as session:
        say(session, "a")

        assert [notice.split(" (")[0] for notice in session.notices] == ["s.jsonl: cannot be locked"]


def test_a_folder_that_was_removed_and_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    with Session.create(folder / "s.jsonl", CWD) as session:
        told = listened(session)
        set_plan(session, "one")
        folder.rename(tmp_path / "away")
        set_plan(session, "one", "two")
        assert (
            "s.jsonl: is gone (No such file or directory). The session goes on in memory alone. Put it back" in told[0]
        )
        assert (session.storage, tasks(session.branch())) == ("memory", ["one", "two"])
        (tmp_path / "away").rename(folder)
        set_plan(session, "one", "two", "three")
        assert session.storage == "session"
    assert tasks(read_branch(file_of(session))) == ["one", "two", "three"]


def test_a_file_that_was_removed_is_not_begun_again_but_can_be_forked(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        told = listened(session)
        say(session, "a")
        file_of(session).unlink()
        say(session, "b")

        assert (len(told), session.storage) == (1, "memory")
        assert not file_of(session).exists()
        with session.fork(tmp_path / "fork.jsonl") as fork:
            assert ids(fork.branch()) == ids(session.branch())
        say(session, "c")
    begun, ended = told
    assert begun == (
        f"{file_of(session)}: is gone (No such file or directory). The session goes on in memory alone. Put it back, or "
        "/fork takes all into a new file: what is missing is written with what comes next."
    )
    assert ended == (
        f"{file_of(session)}: 1 entry was kept nowhere: is gone (No such file or directory); nothing was stored."
    )


def test_what_waits_is_written_when_the_session_is_closed(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        say(session, "a")
        file_of(session).rename(tmp_path / "away")
        say(session, "b")
        (tmp_path / "away").rename(file_of(session))
    assert len(read_branch(file_of(session))) == 2


def test_what_waits_is_read_like_all_else(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        first = say(session, "a")
        file_of(session).rename(tmp_path / "away")
        waiting = set_plan(session, "one")
        session.move_to(first)
        last = say(session, "c")
        session.move_to(waiting)

        assert tasks(session.branch()) == ["one"]
        assert ids(session.branch_to(last))[0] == first
        (tmp_path / "away").rename(file_of(session))
        say(session, "d")
    with Session.open(file_of(session)) as again:
        assert again.entries() == session.entries()
        assert tasks(again.branch()) == ["one"]


def test_what_waits_comes_after_what_another_program_wrote_meanwhile(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        told = listened(session)
        first = say(session, "a")
        file_of(session).rename(tmp_path / "away")
        waiting = [say(session, "b"), say(session, "c")]
        (tmp_path / "away").rename(file_of(session))
        append_as_another(file_of(session), "theirs", first)
        with pytest.raises(SessionMovedError):
            say(session, "d")
        assert (session.storage, ids(session.branch())) == ("memory", [first, *waiting])

        session.go_on_there()
        assert ids(session.branch()) == [first, "theirs", *waiting]
        last = say(session, "d")
        assert (session.storage, len(told)) == ("session", 2)
    assert ids(read_branch(file_of(session))) == [first, "theirs", *waiting, last]
    with Session.open(file_of(session)) as again:
        assert again.branch() == session.branch()


def test_a_change_before_a_line_that_did_not_fit_is_noticed_when_there_is_room(small_disk: Path) -> None:
    with Session.create(small_disk / "s.jsonl", CWD) as session:
        first = set_plan(session, "one")
        append_as_another(file_of(session), "theirs", first)
        before = file_of(session).read_bytes()
        append_as_another(file_of(session), "torn", "theirs")
        ballast = fill(small_disk)
        # The line that they did not finish ends where the disk did.
        room = 4096 - len(before) % 4096
        file_of(session).write_bytes(before + b'{"type":"custom","x":"'.ljust(room, b"x"))
        say(session, "ours")
        assert session.is_waiting

        ballast.unlink()
        with pytest.raises(SessionMovedError):
            say(session, "more")
        session.go_on_there()
        assert "theirs" in ids(session.branch())
        say(session, "more")
    assert ids(read_branch(file_of(session))) == ids(session.branch())


def test_a_torn_tail_that_no_disk_takes_leaves_a_way_on(small_disk: Path) -> None:
    path = small_disk / "s.jsonl"
    with Session.create(path, CWD) as session:
        say(session, "a")
    with path.open("ab") as file:
        file.write(b'{"torn')
    ballast = fill(small_disk)

    with opened(path) as session:
        assert "cannot be written (No space left on device). The session goes on in memory alone." in session.notices[0]
        say(session, "b")
        assert (session.storage, len(session.branch())) == ("memory", 2)
        ballast.unlink()
        say(session, "c")
        assert session.storage == "session"

    assert ids(read_branch(path)) == ids(session.branch())
    assert (small_disk / "s.jsonl.torn").read_bytes() == b'{"torn'


def test_a_session_that_nobody_may_write_now_goes_on_in_memory_and_is_written_when_somebody_may(
    bound_by_rights: Path,
) -> None:
    path = bound_by_rights / "s.jsonl"
    with Session.create(path, CWD) as session:
        say(session, "a")
    for leftover in bound_by_rights.glob("*.lock"):
        leftover.unlink()
    bound_by_rights.chmod(0o500)

    with opened(path) as session:
        assert session.notices[0].startswith(
            "s.jsonl: cannot be locked (Permission denied). The session goes on in memory"
        )
        assert "/fork takes it into a new file." in session.notices[0]
        say(session, "b")
        assert session.unsaved
        bound_by_rights.chmod(0o700)
        append_as_another(path, "theirs", ids(session.branch())[0])
        with pytest.raises(SessionMovedError):
            say(session, "c")
        session.go_on_there()
        say(session, "c")

    assert len(read_branch(path)) == 4


def test_a_fork_that_does_not_fit_is_not_there(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        for _ in range(3):
            say(session, "x" * 1000)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
        try:
            with pytest.raises(SessionError, match=r"fork\.jsonl: cannot be written \(File too large\)"):
                session.fork(tmp_path / "fork.jsonl")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, ignored)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["s.jsonl", "s.jsonl.lock"]
        session.fork(tmp_path / "fork.jsonl").close()
