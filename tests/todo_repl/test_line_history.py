"""The lines of earlier sessions: kept by several programs at once, bounded, and never lost for a disk."""

import asyncio
import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from todo_context.paths import data_dir
from todo_repl.ui.history import FILE_NAME, MOST_BYTES, MOST_LINE_BYTES, OLDER, LineHistory, line_history
from todo_repl.ui.paste import Pastes


def lines_in(folder: Path) -> Sequence[str]:
    """What another program would find, the newest first."""
    return LineHistory(folder, str).newest_first()


def test_lines_come_back_newest_first_each_once(tmp_path: Path) -> None:
    history = LineHistory(tmp_path, str)
    for line in ("one", "two\nof two rows", "one", "+plus\n\n# hash", "\tblank "):
        history.append_string(line)

    assert lines_in(tmp_path) == ["\tblank ", "+plus\n\n# hash", "one", "two\nof two rows"]
    assert history.newest_first() == lines_in(tmp_path)
    assert history.get_strings() == list(reversed(lines_in(tmp_path)))


def test_what_prompt_toolkit_loads_is_the_same(tmp_path: Path) -> None:
    LineHistory(tmp_path, str).append_string("old")
    history = LineHistory(tmp_path, str)
    history.append_string("new")

    async def loaded() -> list[str]:
        return [line async for line in history.load()]

    assert asyncio.run(loaded()) == ["new", "old"]


def test_it_is_for_this_user_alone() -> None:
    line_history(is_kept=True, whole=str).append_string("mine")

    assert stat.S_IMODE((data_dir() / FILE_NAME).stat().st_mode) == 0o600
    assert stat.S_IMODE(data_dir().stat().st_mode) == 0o700


def test_without_a_session_nothing_is_kept() -> None:
    history = line_history(is_kept=False, whole=str)
    history.append_string("a secret")

    assert history.newest_first() == ["a secret"]
    assert not data_dir().exists()


def test_without_a_home_it_is_of_this_session(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TODO_CONTEXT_DATA_DIR", str(tmp_path / "file" / "below"))
    history = line_history(is_kept=True, whole=str)
    history.append_string("a line")

    assert history.newest_first() == ["a line"]


def test_a_paste_is_kept_whole_and_is_folded_in_this_session(tmp_path: Path) -> None:
    pastes = Pastes()
    history = LineHistory(tmp_path, pastes.expand)
    rows = "row\n" * 9
    folded = f"see {pastes.fold(rows)}"
    history.append_string(folded)

    assert history.newest_first() == [folded]
    assert lines_in(tmp_path) == [f"see {rows}"]


def test_a_line_that_the_door_of_the_backlog_refuses_is_of_this_session_alone(tmp_path: Path) -> None:
    pastes = Pastes()
    history = LineHistory(tmp_path, pastes.expand)
    token = "gh" + "p_" + "a1B2" * 9
    lines = [f"/backlog add key {token}", "/backlog add rotate the bearer token", f"use {pastes.fold(f'{token} ' * 9)}"]
    for line in lines:
        history.append_string(line)

    assert history.newest_first() == lines[::-1]
    assert lines_in(tmp_path) == [lines[1]]
    assert token.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_a_document_is_not_kept(tmp_path: Path) -> None:
    history = LineHistory(tmp_path, str)
    history.append_string("x" * MOST_LINE_BYTES)
    history.append_string("short")

    assert lines_in(tmp_path) == ["short"]
    assert len(history.newest_first()) == 2


def test_the_file_is_bounded_and_the_newest_stay(tmp_path: Path) -> None:
    history = LineHistory(tmp_path, str)
    count = 3 * MOST_BYTES // 1_000
    for number in range(count):
        history.append_string(f"{number:05} {'x' * 1_000}")

    found = lines_in(tmp_path)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 2 * (MOST_BYTES + 2_000)
    assert sorted(path.name for path in tmp_path.iterdir()) == [FILE_NAME, OLDER]
    assert [line[:5] for line in found] == [f"{n:05}" for n in range(count - 1, count - 1 - len(found), -1)]
    assert len(found) > MOST_BYTES // 1_100


def test_two_programs_at_once_lose_nothing(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from todo_repl.ui.history import LineHistory\n"
        "history = LineHistory(Path(sys.argv[1]), str)\n"
        "for n in range(300): history.append_string(f'{sys.argv[2]} {n}\\n' + 'x' * 1_500)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    writers = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path), name], env=environment) for name in ("a", "b")
    ]
    assert [writer.wait() for writer in writers] == [0, 0]

    assert {line.split("\n")[0] for line in lines_in(tmp_path)} == {f"{name} {n}" for name in "ab" for n in range(300)}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_a_full_disk_loses_no_line_of_this_session(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).symlink_to("/dev/full")
    history = LineHistory(tmp_path, str)
    history.append_string("a line")

    assert history.newest_first() == ["a line"]


@pytest.mark.parametrize("kind", ["folder", "pipe", "no folder"])
def test_what_is_no_file_is_passed_over(tmp_path: Path, kind: str) -> None:
    if kind == "folder":
        (tmp_path / FILE_NAME).mkdir()
    elif kind == "pipe":
        os.mkfifo(tmp_path / FILE_NAME)
    history = LineHistory(tmp_path / "gone" if kind == "no folder" else tmp_path, str)
    history.append_string("a line")

    assert history.newest_first() == ["a line"]


def test_a_torn_line_stays_apart_from_the_next(tmp_path: Path) -> None:
    LineHistory(tmp_path, str).append_string("first\nsecond é")
    file = tmp_path / FILE_NAME
    whole = file.read_bytes()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        LineHistory(tmp_path, str).append_string("next")

        assert lines_in(tmp_path)[0] == "next"
        assert len(lines_in(tmp_path)) <= 2


@given(st.binary(max_size=200))
def test_a_damaged_file_is_survived(tmp_path_factory: pytest.TempPathFactory, damaged: bytes) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    (folder / FILE_NAME).write_bytes(damaged)
    LineHistory(folder, str).append_string("next")

    assert lines_in(folder)[0] == "next"


def test_of_a_file_that_something_else_made_huge_the_end_is_read(tmp_path: Path) -> None:
    row = b"\n+" + b"y" * 998 + b"\n"
    (tmp_path / FILE_NAME).write_bytes(b"".join(row.replace(b"yyyyy", b"%05d" % n, 1) for n in range(5_000)))

    found = lines_in(tmp_path)
    assert found[0].startswith("04999")
    assert len(found) < 1_000
    assert {len(line) for line in found} == {998}


def test_bytes_that_are_no_text_are_kept_as_a_mark(tmp_path: Path) -> None:
    LineHistory(tmp_path, str).append_string("a\udcffb")

    assert lines_in(tmp_path) == ["a?b"]
