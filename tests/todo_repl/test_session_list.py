"""The sessions of a folder, for a picker."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.todo_repl.session_kit import CWD, append_as_another, say, set_plan
from todo_repl.session import Session
from todo_repl.session_list import Listed, sessions_here

SAMPLES = Path(__file__).parent / "samples"


def made(path: Path, *said: str, tasks: int = 0, name: str = "", mtime_s: int = 100) -> Path:
    with Session.create(path, CWD) as session:
        for text in said:
            say(session, text)
        if tasks:
            set_plan(session, *(f"task {n}" for n in range(tasks)))
        if name:
            session.rename(name)
    os.utime(path, (mtime_s, mtime_s))
    return path


def test_the_one_written_last_comes_first(tmp_path: Path) -> None:
    made(tmp_path / "b.jsonl", "Old words", "more", tasks=3, mtime_s=100)
    made(tmp_path / "a.jsonl", "New words\nin two lines", name="Named", mtime_s=200)

    new, old = sessions_here(tmp_path)
    assert new == Listed(
        path=tmp_path / "a.jsonl",
        id=new.id,
        name="Named",
        first_words="New words\nin two lines",
        modified=datetime.fromtimestamp(200, UTC),
        open_tasks=0,
    )
    assert (old.path.name, old.name, old.first_words, old.open_tasks) == ("b.jsonl", "", "Old words", 3)
    with Session.open(new.path) as session:
        assert session.id == new.id


def test_what_is_no_session_of_ours_or_holds_nothing_is_passed_over(tmp_path: Path) -> None:
    made(tmp_path / "ours.jsonl", "hi")
    for sample in SAMPLES.glob("*.jsonl"):
        (tmp_path / sample.name).write_bytes(sample.read_bytes())
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "torn.jsonl").write_bytes(b'{"type":"session","version":3')
    (tmp_path / "notes.jsonl").write_bytes(b"notes\xff\n")
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "gone.jsonl").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.jsonl")
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        session.fork(tmp_path / "nothing.jsonl").close()

    assert [listed.path.name for listed in sessions_here(tmp_path)] == ["ours.jsonl"]
    assert sessions_here(tmp_path / "no folder") == []


def test_the_plan_is_that_of_the_branch(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        two = set_plan(session, "one", "two")
        set_plan(session, "one")
        session.move_to(two)

    assert sessions_here(tmp_path)[0].open_tasks == 2


def test_a_session_that_is_open_elsewhere_or_torn_is_listed(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        say(session, "hi")
        with (tmp_path / "s.jsonl").open("ab") as file:
            file.write(b'{"type":"mess')

        assert [listed.first_words for listed in sessions_here(tmp_path)] == ["hi"]


def test_of_a_long_session_only_the_ends_are_looked_at(tmp_path: Path) -> None:
    path = made(tmp_path / "s.jsonl", "First words", tasks=2, name="Named")
    with Session.open(path) as session:
        for _ in range(200):
            say(session, "x" * 1000)
        session.append_message({"role": "assistant", "content": "long " * 100_000})
    listed = sessions_here(tmp_path)[0]
    assert (listed.name, listed.first_words, listed.open_tasks) == ("Named", "First words", None)

    with Session.open(path) as session:
        set_plan(session, "one")
        session.rename("Named anew")
    listed = sessions_here(tmp_path)[0]
    assert (listed.name, listed.first_words, listed.open_tasks) == ("Named anew", "First words", 1)


def test_words_of_an_extension_are_not_the_persons(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with Session.create(path, CWD) as session:
        session.append_custom_message("x", "not these")
        say(session, "nor these", role="assistant")
        say(session, "x" * 500)
    append_as_another(path, "a", session.leaf_id, type="message", message={"role": "user", "content": "nor these"})

    assert sessions_here(tmp_path)[0].first_words == "x" * 200


@pytest.mark.slow
def test_of_a_thousand_sessions_little_is_read(tmp_path: Path, bytes_read: list[int]) -> None:
    content = made(tmp_path / "0.jsonl", *("x" * 800 for _ in range(300)), tasks=3).read_bytes()
    for n in range(1, 1_000):
        (tmp_path / f"{n}.jsonl").write_bytes(content)
    bytes_read.clear()

    assert {listed.open_tasks for listed in sessions_here(tmp_path)} == {3}
    assert sum(bytes_read) < 1_000 * 140 * 1024


def test_a_time_that_python_has_not_hides_nothing(tmp_path: Path) -> None:
    made(tmp_path / "a.jsonl", "hi")
    far = made(tmp_path / "b.jsonl", "there")
    try:
        os.utime(far, (400_000_000_000, 400_000_000_000))
    except (OSError, OverflowError):
        pytest.skip("this disk has no such time")

    assert {one.first_words for one in sessions_here(tmp_path)} == {"hi", "there"}
