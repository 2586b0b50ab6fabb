"""What killed programs left in a folder of sessions goes, and nothing that anybody may still want."""

import os
from pathlib import Path

import pytest

from tests.todo_repl.process import run, start
from tests.todo_repl.session_kit import CWD, say
from todo_repl.session import Session
from todo_repl.session_lock import Lock
from todo_repl.session_sweep import YOUNG_S, sweep

OLD_S = 1000.0
NOW_S = OLD_S + YOUNG_S + 1


def left(path: Path, *, mtime_s: float = OLD_S) -> Path:
    path.write_text("half")
    os.utime(path, (mtime_s, mtime_s))
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_half_a_fork_and_the_lock_of_no_file_go(tmp_path: Path) -> None:
    for name in ("a.jsonl.part", "a.jsonl.part-2", "a.jsonl.lock", "b.jsonl.lock"):
        left(tmp_path / name)
    sweep(tmp_path, now_s=NOW_S)

    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "name",
    [
        "a.jsonl",
        "a.jsonl.torn",
        "b.jsonl.parts.zip",
        "b.jsonl.part.my-notes.txt",
        "a.jsonl.lock",
        "notes.part",
        "c.jsonl.partly/x",
    ],
)
def test_all_else_stays(name: str, tmp_path: Path) -> None:
    left(tmp_path / "a.jsonl")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    left(tmp_path / name)
    before = names(tmp_path)
    sweep(tmp_path, now_s=NOW_S)

    assert names(tmp_path) == before


def test_what_is_young_or_held_stays(tmp_path: Path) -> None:
    left(tmp_path / "young.jsonl.part", mtime_s=OLD_S + 2)
    lock = Lock(tmp_path / "held.jsonl")
    lock.take()
    left(tmp_path / "held.jsonl.part")
    os.utime(tmp_path / "held.jsonl.lock", (OLD_S, OLD_S))
    sweep(tmp_path, now_s=NOW_S)

    assert names(tmp_path) == ["held.jsonl.lock", "held.jsonl.part", "young.jsonl.part"]
    lock.release()


def test_no_folder_is_no_trouble(tmp_path: Path) -> None:
    sweep(tmp_path / "none")
    sweep(left(tmp_path / "file"))


def test_a_start_removes_what_a_kill_left(tmp_path: Path) -> None:
    with start("--session-dir", "kept", cwd=tmp_path) as process:
        process.type("/todo append A one")
        process.line()
        process.popen.kill()
    (folder,) = (tmp_path / "kept").iterdir()
    (session,) = folder.glob("*.jsonl")
    left(folder / "2020_x.jsonl.part")
    left(folder / "2020_x.jsonl.lock")

    assert run("--session-dir", "kept", "-p", "/todo", cwd=tmp_path).returncode == 0
    assert [name for name in names(folder) if name.startswith("2020")] == []
    assert session.exists()


def test_a_session_that_is_open_is_not_taken_for_left_over(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        say(session, "hi")
        sweep(tmp_path, now_s=NOW_S + 10**10)
        say(session, "still here")
    assert len(Session.open(tmp_path / "s.jsonl").branch()) == 2
