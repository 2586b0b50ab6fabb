"""A session and real processes: killed, locked out, out of space."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from todo_repl.session import Session, SessionError, read_branch

CWD = "/home/user/project"
IMPORTS = """
import resource
import sys
from pathlib import Path
from todo_repl.session import Session, SessionError

path = Path(sys.argv[1])
most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]

def limit(file_bytes):
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, most))
"""


@contextmanager
def child(code: str, path: Path) -> Generator[subprocess.Popen[str]]:
    """A Python process that runs `code` on the session at `path`; it is killed in the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORTS + code, str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[str]) -> str:
    """The next line that the process writes."""
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def texts_in(path: Path) -> list[object]:
    return [entry["data"]["text"] for entry in read_branch(path) if isinstance(entry["data"], dict)]


CREATE_AND_WAIT = """
session = Session.create(path, "/")
session.append_custom("t", {"text": "first"})
session.append_custom("t", {"text": "stored"})
print("stored", flush=True)
sys.stdin.read()
"""

OPEN_AND_WAIT = """
session = Session.open(path)
print("open", flush=True)
sys.stdin.read()
"""


def test_what_was_appended_survives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with child(CREATE_AND_WAIT, path) as process:
        assert said(process) == "stored"
        kill(process)

    assert texts_in(path) == ["first", "stored"]
    with Session.open(path) as session:
        session.append_custom("t", {"text": "next"})
        assert session.notices == ()
    assert texts_in(path) == ["first", "stored", "next"]


@pytest.mark.parametrize("code", [CREATE_AND_WAIT, OPEN_AND_WAIT], ids=["by writing", "by opening"])
def test_a_session_open_in_another_process_is_refused_until_that_one_ends(tmp_path: Path, code: str) -> None:
    path = tmp_path / "s.jsonl"
    if code == OPEN_AND_WAIT:
        with Session.create(path, CWD) as session:
            session.append_custom("t", {"text": "first"})
    with child(code, path) as process:
        said(process)
        before = path.read_bytes()

        with pytest.raises(SessionError) as caught:
            Session.open(path)
        assert str(caught.value) == (
            f"{path}: another process has this session open. Close it there, or begin another session."
        )
        with Session.create(path, CWD) as other, pytest.raises(SessionError, match="another process"):
            other.append_custom("t", {})
        assert path.read_bytes() == before
        assert len(read_branch(path)) >= 1
        kill(process)

    with Session.open(path) as session:
        session.append_custom("t", {"text": "next"})
    assert texts_in(path)[-1] == "next"


def test_closing_frees_the_session_for_another_process(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with Session.create(path, CWD) as session:
        session.append_custom("t", {"text": "first"})

    with child(OPEN_AND_WAIT, path) as process:
        assert said(process) == "open"


def test_a_session_that_stored_nothing_holds_nothing(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD), Session.create(tmp_path / "s.jsonl", CWD) as second:
        second.append_custom("t", {"text": "first"})

    assert texts_in(tmp_path / "s.jsonl") == ["first"]


def test_a_link_to_a_session_meets_the_same_lock(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.jsonl"
    link.symlink_to(path)
    with Session.create(path, CWD) as session:
        session.append_custom("t", {"text": "first"})

        with pytest.raises(SessionError, match="another process has this session open"):
            Session.open(link)
    with Session.open(link) as again:
        again.append_custom("t", {"text": "second"})
    assert texts_in(path) == ["first", "second"]


IN_TURNS = """
print("ready", flush=True)
sys.stdin.readline()
n = 0
while n < 150:
    try:
        with Session.open(path) as session:
            session.append_custom("t", {"text": f"{sys.argv[0]} {n}"})
        n += 1
    except SessionError as error:
        if "another process" not in error.fact:
            raise
print("stored", flush=True)
"""


def test_processes_that_race_for_a_session_take_turns_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.touch()
    with ExitStack() as stack:
        racers = [stack.enter_context(child(f"sys.argv[0] = '{name}'" + IN_TURNS, path)) for name in "abc"]
        assert [said(process) for process in racers] == ["ready"] * 3
        for process in racers:
            assert process.stdin is not None
            print(file=process.stdin, flush=True)
        assert [said(process) for process in racers] == ["stored"] * 3

    assert sorted(map(str, texts_in(path))) == sorted(f"{name} {n}" for name in "abc" for n in range(150))


LIMIT_BYTES = 700
"""Enough for a header and two entries, and not for the long one.

A write that goes past the limit is cut short there, and one that begins at it fails, as on a full disk.
"""

FILL_UP = f"""
limit({LIMIT_BYTES})
session = Session.create(path, "/")
session.on_trouble = lambda line: print(line, flush=True)
session.append_custom("t", {{"text": "first"}})
session.append_custom("t", {{"text": "long " * 200}})
print(session.storage, len(session.entries()), path.stat().st_size, flush=True)
session.append_custom("t", {{"text": "small"}})
print(session.storage, len(session.entries()), path.stat().st_size, flush=True)
limit(most)
session.append_custom("t", {{"text": "last"}})
print(session.storage, flush=True)
"""


def test_an_entry_that_does_not_fit_waits_in_memory_and_is_written_with_the_next_that_does(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with child(FILL_UP, path) as process:
        line = said(process)
        assert line.startswith(f"{path}: cannot be written (")
        assert line.endswith(
            " bytes fit). The session goes on in memory alone. Make room or check the rights of its folder: what is "
            "missing is written with what comes next."
        )
        storage, entries, size = said(process).split()
        assert (storage, entries) == ("memory", "2")
        assert said(process) == f"memory 3 {size}"
        assert said(process) == f"{path}: written again, and nothing is missing."
        assert said(process) == "session"

    assert path.read_bytes()[: int(size)].endswith(b"\n")
    assert texts_in(path) == ["first", "long " * 200, "small", "last"]
    with Session.open(path) as session:
        assert session.notices == ()


FIRST_DOES_NOT_FIT = f"""
limit({LIMIT_BYTES})
session = Session.create(path, "/")
session.on_trouble = lambda line: print(line, flush=True)
session.append_custom("t", {{"text": "long " * 200}})
print(path.stat().st_size, flush=True)
limit(most)
session.append_custom("t", {{"text": "small"}})
print(len(session.entries()), flush=True)
"""


def test_a_first_entry_that_does_not_fit_takes_its_header_back(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with child(FIRST_DOES_NOT_FIT, path) as process:
        assert f"{LIMIT_BYTES} of" in said(process)
        assert said(process) == "0"
        assert "written again" in said(process)
        assert said(process) == "2"

    assert texts_in(path) == ["long " * 200, "small"]


OPEN_TORN = """
limit(0)
with Session.open(path) as session:
    limit(most)
    print(session.notices[0], flush=True)
"""


@pytest.mark.parametrize("cut", [1, 9], ids=["only the line feed is missing", "the record is torn"])
def test_a_torn_line_that_cannot_be_set_aside_stays_where_it_is(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "s.jsonl"
    with Session.create(path, CWD) as session:
        session.append_custom("t", {"text": "first"})
        session.append_custom("t", {"text": "second"})
    torn = path.read_bytes()[:-cut]
    path.write_bytes(torn)
    with child(OPEN_TORN, path) as process:
        assert said(process).startswith(
            "s.jsonl: cannot be written (File too large). The session goes on in memory alone."
        )
        assert process.wait(30) == 0

    assert path.read_bytes() == torn
    assert list(tmp_path.iterdir()) == [path]
