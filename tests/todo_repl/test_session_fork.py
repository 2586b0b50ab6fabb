"""A fork: a session of its own that begins as another's branch, while the other stays as it is."""

import json
from pathlib import Path

import pytest

from tests.todo_repl.session_kit import CWD, STAMP, append_as_another, file_of, ids, say, set_plan, tasks
from todo_context.plan.replay import history, latest
from todo_context.plan.sources import spelled_as_pi
from todo_repl.session import Session, SessionError, read_branch
from todo_repl.session_fork import fork_file
from todo_repl.session_list import sessions_here
from todo_repl.session_pick import lines_of
from todo_repl.session_read import read_session

SAMPLES = Path(__file__).parent / "samples"


def records(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_both_show_the_plan_and_go_their_own_ways_then(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        say(session, "Plan it.")
        set_plan(session, "one")
        set_plan(session, "one", "two")
        with session.fork(tmp_path / "fork.jsonl") as fork:
            assert fork.branch() == session.branch()
            assert tasks(fork.branch()) == tasks(session.branch()) == ["one", "two"]
            set_plan(fork, "fork's")
            set_plan(session, "one")
            set_plan(session, "session's")

            assert (tasks(fork.branch()), tasks(session.branch())) == (["fork's"], ["session's"])
            assert (latest(fork.branch()).seq, latest(session.branch()).seq) == (3, 4)
            assert [len(change.after.phases[0].tasks) for change in history(fork.branch()).done] == [1, 2, 1]
    assert (tasks(read_branch(file_of(fork))), tasks(read_branch(file_of(session)))) == (["fork's"], ["session's"])


def test_its_header_names_where_it_comes_from_as_pi_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Session.create(Path("s.jsonl"), CWD) as session:
        say(session, "hi")
        session.fork(tmp_path / "2026_01900000-0000-7000-8000-0000000000ff.jsonl").close()

    header = records(tmp_path / "2026_01900000-0000-7000-8000-0000000000ff.jsonl")[0]
    assert list(header) == ["type", "version", "id", "timestamp", "cwd", "parentSession", "todoContext"]
    assert header["id"] == "01900000-0000-7000-8000-0000000000ff"
    assert (header["cwd"], header["parentSession"]) == (CWD, str(tmp_path / "s.jsonl"))


def test_a_list_tells_it_from_where_it_comes_from(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        say(session, "hi")
        session.fork(tmp_path / "fork.jsonl").close()

    assert {one.path.name: one.is_fork for one in sessions_here(tmp_path)} == {"s.jsonl": False, "fork.jsonl": True}
    assert [line.split(" · ")[:2] for line in lines_of(sessions_here(tmp_path)) if "fork" in line] == [["hi", "fork"]]


def test_at_an_entry_it_has_that_branch_and_nothing_else(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        first = say(session, "a")
        second = set_plan(session, "one")
        session.move_to(first)
        say(session, "c")
        before = file_of(session).read_bytes()
        with session.fork(tmp_path / "fork.jsonl", at=second) as fork:
            assert ids(fork.entries()) == [first, second]
            assert (fork.leaf_id, tasks(fork.branch()), fork.notices) == (second, ["one"], ())

        assert file_of(session).read_bytes() == before
        assert (tmp_path / "fork.jsonl").stat().st_mode & 0o777 == 0o600
        with pytest.raises(SessionError, match=r"there is no entry nowhere\. Choose one of its tree"):
            session.fork(tmp_path / "fork2.jsonl", at="nowhere")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fork.jsonl", "s.jsonl"]


def test_a_branch_without_its_beginning_begins_in_the_fork(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with Session.create(path, CWD) as session:
        say(session, "a")
    append_as_another(path, "orphan", "gone")
    with Session.open(path) as session, session.fork(tmp_path / "fork.jsonl") as fork:
        assert (ids(fork.branch()), fork.branch()[0]["parentId"], fork.notices) == (["orphan"], None, ())


def test_before_anything_was_said_a_fork_is_an_empty_session(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session, session.fork(tmp_path / "fork.jsonl") as fork:
        say(fork, "hi")
        assert len(read_branch(tmp_path / "fork.jsonl")) == 1


def test_a_session_in_memory_can_be_kept(tmp_path: Path) -> None:
    with Session.memory(CWD) as session:
        set_plan(session, "one")
        with session.fork(tmp_path / "fork.jsonl") as fork:
            assert fork.branch() == session.branch()
    assert "parentSession" not in records(tmp_path / "fork.jsonl")[0]


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "fork.jsonl").write_text("somebody's")
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        say(session, "hi")
        for path in (tmp_path / "fork.jsonl", tmp_path / "s.jsonl"):
            with pytest.raises(SessionError, match=r"there is a file of this name already|another process has this"):
                session.fork(path)

    assert (tmp_path / "fork.jsonl").read_text() == "somebody's"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fork.jsonl", "s.jsonl"]


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_session_of_another_program_goes_on_in_a_fork(tmp_path: Path, sample: Path) -> None:
    before, theirs = sample.read_bytes(), read_session(sample)
    fork_file(sample, tmp_path / "fork.jsonl", cwd="/elsewhere")

    with Session.open(tmp_path / "fork.jsonl") as fork:
        assert fork.cwd == "/elsewhere"
        assert ids(fork.branch()) == ids(theirs.branch)
        assert latest(fork.branch()) == latest(theirs.branch)
        for entry in fork.branch():
            assert entry.get("message") is None or spelled_as_pi(entry["message"]) is entry["message"]
        seq = latest(fork.branch()).seq
        set_plan(fork, "ours")
        assert (tasks(fork.branch()), latest(fork.branch()).seq) == (["ours"], seq + 1)
    assert records(tmp_path / "fork.jsonl")[0]["version"] == 3
    assert records(tmp_path / "fork.jsonl")[0]["parentSession"] == str(sample)
    assert sample.read_bytes() == before


def test_a_file_of_another_program_can_be_forked_at_an_entry(tmp_path: Path) -> None:
    path = tmp_path / "pi.jsonl"
    path.write_text(json.dumps({"type": "session", "version": 3, "id": "x", "timestamp": STAMP, "cwd": "/"}) + "\n")
    append_as_another(path, "a", None)
    append_as_another(path, "b", "a")
    fork_file(path, tmp_path / "fork.jsonl", cwd=CWD, at="a")

    assert ids(read_branch(tmp_path / "fork.jsonl")) == ["a"]
    with pytest.raises(SessionError, match=r"pi\.jsonl: there is no entry c on its branch"):
        fork_file(path, tmp_path / "fork2.jsonl", cwd=CWD, at="c")
    with pytest.raises(SessionError, match="no session file"):
        fork_file(Path(__file__), tmp_path / "fork2.jsonl", cwd=CWD)
