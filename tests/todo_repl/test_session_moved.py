"""Another program at a session that is open here: noticed before anything is written, and never written over."""

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.todo_repl.session_kit import CWD, append_as_another, file_of, ids, say, set_plan, tasks
from todo_repl.session import Session, SessionError, SessionMovedError, read_branch
from todo_repl.session_tail import BLOCK_BYTES


def begun(path: Path) -> Session:
    session = Session.create(path, CWD)
    say(session, "hi")
    set_plan(session, "one")
    return session


def test_it_is_told_before_anything_is_written_until_it_is_answered(tmp_path: Path) -> None:
    with begun(tmp_path / "s.jsonl") as session:
        leaf = session.leaf_id
        append_as_another(file_of(session), "theirs", leaf)
        before = file_of(session).read_bytes()

        with pytest.raises(SessionMovedError):
            say(session, "ours")
        with pytest.raises(SessionMovedError):
            session.look()
        with pytest.raises(SessionMovedError) as caught:
            say(session, "ours")
        assert (caught.value.path, caught.value.their_leaf) == (file_of(session), "theirs")
        assert str(caught.value) == (
            f"{file_of(session)}: another program went on with this session, up to entry theirs. "
            "/fork takes what is here into a session of its own; started again, the program goes on there."
        )
        assert (session.leaf_id, file_of(session).read_bytes()) == (leaf, before)
        assert len(session.branch()) == 2


def test_to_go_on_there_takes_their_leaf_and_appends_after_it(tmp_path: Path) -> None:
    with begun(tmp_path / "s.jsonl") as session:
        before = ids(session.branch())
        append_as_another(file_of(session), "theirs", session.leaf_id)
        with pytest.raises(SessionMovedError):
            session.look()
        session.go_on_there()

        assert session.leaf_id == "theirs"
        ours = say(session, "ours")
        assert ids(session.branch()) == [*before, "theirs", ours]
    assert read_branch(file_of(session)) == tuple(session.branch())


def test_what_is_on_their_branch_counts_then(tmp_path: Path) -> None:
    with begun(tmp_path / "s.jsonl") as session:
        first = session.branch()[0]["id"]
        append_as_another(file_of(session), "theirs", str(first))
        with pytest.raises(SessionMovedError):
            set_plan(session, "one", "two")
        session.go_on_there()

        assert tasks(session.branch()) == []


def test_who_forks_has_what_was_here_and_the_file_is_theirs(tmp_path: Path) -> None:
    with begun(tmp_path / "s.jsonl") as session:
        append_as_another(file_of(session), "theirs", session.leaf_id)
        with pytest.raises(SessionMovedError):
            say(session, "ours")
        before = file_of(session).read_bytes()
        with session.fork(tmp_path / "fork.jsonl") as fork:
            ours = say(fork, "ours")

        assert ids(fork.branch()) == [*ids(session.branch()), ours]
        assert file_of(session).read_bytes() == before


def test_it_may_go_on_once_more_while_the_person_is_asked(tmp_path: Path) -> None:
    with begun(tmp_path / "s.jsonl") as session:
        append_as_another(file_of(session), "theirs", session.leaf_id)
        with pytest.raises(SessionMovedError):
            session.look()
        append_as_another(file_of(session), "more", "theirs")
        session.go_on_there()

        assert ids(session.branch())[-2:] == ["theirs", "more"]
        say(session, "ours")
        assert len(read_branch(file_of(session))) == 5


def test_to_go_on_where_the_file_cannot_be_read_leaves_all_as_it_was(tmp_path: Path) -> None:
    with begun(tmp_path / "s.jsonl") as session:
        before = session.branch()
        append_as_another(file_of(session), "theirs", session.leaf_id)
        with pytest.raises(SessionMovedError):
            session.look()
        away = file_of(session).rename(tmp_path / "away")
        with pytest.raises(SessionError, match="cannot be read"):
            session.go_on_there()

        assert (session.branch(), session.leaf_id) == (before, before[-1]["id"])
        with session.fork(tmp_path / "fork.jsonl") as fork:
            assert ids(fork.branch()) == ids(before)
        away.rename(file_of(session))
        session.go_on_there()
        assert ids(session.branch()) == [*ids(before), "theirs"]


def test_to_go_on_where_nobody_else_was_changes_nothing(tmp_path: Path) -> None:
    with begun(tmp_path / "s.jsonl") as session:
        before = session.branch()
        session.go_on_there()

        assert session.branch() == before
        session.look()


@pytest.mark.parametrize(
    "added",
    [
        pytest.param(b"{garbage\n", id="no entry"),
        pytest.param(b"\n \n", id="blank lines"),
        pytest.param(b'{"type":"leaf","id":"l","parentId":"x","targetId":"LEAF"}\n', id="a leaf that points to ours"),
    ],
)
def test_what_does_not_move_the_leaf_is_no_question(tmp_path: Path, added: bytes) -> None:
    with begun(tmp_path / "s.jsonl") as session:
        with file_of(session).open("ab") as file:
            file.write(added.replace(b"LEAF", str(session.leaf_id).encode()))
        say(session, "ours")

        assert read_branch(file_of(session)) == tuple(session.branch())
        assert file_of(session).read_bytes().count(added[:5]) >= 1


def test_a_file_that_was_only_touched_is_the_same(tmp_path: Path) -> None:
    with begun(tmp_path / "s.jsonl") as session:
        os.utime(file_of(session))
        session.look()
        say(session, "ours")

        assert len(read_branch(file_of(session))) == 3


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 10)


def grow_anew(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"one", b"two") + b"{}\n" * 9)


def change(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"one", b"two"))
    os.utime(path, (1, 1))


def replace(path: Path) -> None:
    other = path.with_suffix(".other")
    other.write_bytes(path.read_bytes())
    other.rename(path)


@pytest.mark.parametrize(
    ("do", "fact"),
    [
        (cut, r"cut it \(\d+ bytes are left of \d+\)"),
        (grow_anew, "wrote it anew"),
        (change, "wrote it anew"),
        (replace, "put another file in its place"),
    ],
)
def test_a_file_that_is_not_as_it_was_takes_nothing_more(tmp_path: Path, do: Callable[[Path], None], fact: str) -> None:
    with begun(tmp_path / "s.jsonl") as session:
        do(file_of(session))
        before = file_of(session).read_bytes()

        for store in (lambda: say(session, "ours"), session.look):
            with pytest.raises(
                SessionError, match=f"another program {fact}. /fork takes what is here into a session of its own; .*$"
            ):
                store()
        assert file_of(session).read_bytes() == before
        assert len(session.entries()) == 2
        with session.fork(tmp_path / "fork.jsonl") as fork:
            assert fork.branch() == session.branch()


def test_a_line_that_another_program_is_writing_is_waited_for(tmp_path: Path) -> None:
    with begun(tmp_path / "s.jsonl") as session:
        line = append_as_another(tmp_path / "line", "theirs", session.leaf_id)
        with file_of(session).open("ab", buffering=0) as file:
            file.write(line[:20])
            timer = threading.Timer(0.03, file.write, (line[20:],))
            timer.start()

            with pytest.raises(SessionMovedError, match="up to entry theirs"):
                say(session, "ours")
            timer.join()
    assert not (tmp_path / "s.jsonl.torn").exists()


def test_a_line_that_another_program_died_over_is_ended_and_nothing_is_cut_off(tmp_path: Path) -> None:
    with begun(tmp_path / "s.jsonl") as session:
        with file_of(session).open("ab") as file:
            file.write(b'{"type":"custom","id":"th')
        ours = say(session, "ours")

        assert list(tmp_path.glob("*.torn")) == []
        assert file_of(session).read_bytes().splitlines()[-2] == b'{"type":"custom","id":"th'
        assert session.notices == ("s.jsonl: line 4: no JSON object, skipped",)
        assert read_branch(file_of(session)) == tuple(session.branch())
        assert session.leaf_id == ours


def test_a_whole_line_without_its_end_is_theirs(tmp_path: Path) -> None:
    with begun(tmp_path / "s.jsonl") as session:
        with file_of(session).open("ab") as file:
            file.write(b'{"type":"custom","id":"theirs"}')
        with pytest.raises(SessionMovedError, match="up to entry theirs"):
            say(session, "ours")


def test_a_relative_name_means_the_same_file_wherever_the_process_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with begun(Path("s.jsonl")) as session:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        append_as_another(tmp_path / "s.jsonl", "theirs", session.leaf_id)
        with pytest.raises(SessionMovedError, match=r"^s\.jsonl: another program went on"):
            say(session, "ours")
        session.fork(Path("fork.jsonl")).close()

    header = json.loads((tmp_path / "elsewhere" / "fork.jsonl").read_bytes().splitlines()[0])
    assert header["parentSession"] == str(tmp_path / "s.jsonl")


def test_a_long_session_is_read_again_from_its_end_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with Session.create(path, CWD) as session:
        for _ in range(3):
            say(session, "x" * BLOCK_BYTES)
    with Session.open(path) as session:
        append_as_another(path, "theirs", session.leaf_id)
        with pytest.raises(SessionMovedError):
            say(session, "ours")
        session.go_on_there()
        say(session, "ours")
        assert len(session.branch()) == len(session.entries()) == 5


@pytest.mark.parametrize("is_first", [True, False], ids=["before ours", "after ours"])
def test_what_another_program_writes_between_our_look_and_our_write_is_noticed_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_first: bool
) -> None:
    write = os.write

    def write_beside(fd: int, content: bytes) -> int:
        monkeypatch.undo()
        if is_first:
            append_as_another(tmp_path / "s.jsonl", "theirs", None)
        written = write(fd, content)
        if not is_first:
            append_as_another(tmp_path / "s.jsonl", "theirs", None)
        return written

    with begun(tmp_path / "s.jsonl") as session:
        monkeypatch.setattr(os, "write", write_beside)
        ours = say(session, "ours")
        if is_first:
            # The line stored last is ours, so this is where the session stands for everybody.
            last = say(session, "more")
            assert ids(session.entries())[-3:] == ["theirs", ours, last]
        else:
            with pytest.raises(SessionMovedError, match="up to entry theirs"):
                say(session, "more")
            assert ids(session.entries())[-2:] == [ours, "theirs"]
        assert "theirs" not in ids(session.branch())
    with Session.open(tmp_path / "s.jsonl") as again:
        assert again.entries() == session.entries()


def test_two_that_write_in_the_same_moment_lose_nothing(tmp_path: Path) -> None:
    """The other program knows of no lock, and may write between our look and our write."""
    path = tmp_path / "s.jsonl"
    ended = threading.Event()
    theirs: list[str] = []

    def other() -> None:
        while not ended.is_set():
            append_as_another(path, f"theirs{len(theirs)}", None)
            theirs.append(f"theirs{len(theirs)}")
            time.sleep(0)

    ours: list[str] = []
    with begun(path) as session:
        thread = threading.Thread(target=other)
        thread.start()
        try:
            while len(ours) < 300:
                try:
                    ours.append(say(session, str(len(ours))))
                except SessionMovedError:
                    session.go_on_there()
        finally:
            ended.set()
            thread.join()
    with Session.open(path) as again:
        found = ids(again.entries())
        assert set(found) >= {*ours, *theirs}
        assert len(found) == len(set(found)) == len(ours) + len(theirs) + 2
        assert again.notices == ()
