"""`todo-context watch`: a file is followed as it is written, cut and replaced; on a real terminal, and through a pipe."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.plans import plan
from tests.todo_repl.terminal import Terminal
from tests.todo_repl.test_show import ROWS, SAMPLES
from todo_context.plan.load import plan_to_json
from todo_context.plan.markdown import to_markdown
from todo_context.plan.replay import latest
from todo_repl.cli import main
from todo_repl.session import Session
from todo_repl.session_folder import new_session_path
from todo_repl.session_read import read_session
from todo_repl.watch import TURN_WITHIN, NewestHere, Watch, branch_of

FIRST = "# Build\n- [/] Wire config\n- [ ] Port logger\n"
SECOND = "# Build\n- [x] Wire config\n- [/] Port logger\n"

needs_a_pty = pytest.mark.skipif(os.name == "nt", reason="needs a pty")


class Writer:
    """A session of an agent that keeps a plan."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.session = Session.create(path, str(path.parent))
        self.path = path
        self.seq = 0

    def put(self, markdown: str) -> None:
        self.seq += 1
        phases = plan_to_json(plan(markdown))
        data: dict[str, Any] = {"v": 1, "seq": self.seq, "phases": phases, "by": "model", "action": "init"}
        self.session.append_custom("todo_write", data)


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    made = Writer(tmp_path / "s.jsonl")
    made.put(FIRST)
    return made


def seen(watch: Watch) -> str | None:
    """The plan or the line of a look, None if there is nothing new."""
    sight = watch.look()
    return None if sight is None else sight.line or to_markdown(sight.plan)


@pytest.mark.parametrize("name", [name for name, _, _ in ROWS])
def test_the_plan_is_the_one_that_show_finds(name: str) -> None:
    path = SAMPLES / name

    assert latest(branch_of(path)).plan == latest(read_session(path).branch).plan


def test_after_each_line_of_a_growing_file_the_plan_is_the_one_that_show_finds(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    watch = Watch(lambda: path)
    for name, _, _ in ROWS:
        content = (SAMPLES / name).read_bytes()
        path.unlink(missing_ok=True)
        for end in [at + 1 for at, byte in enumerate(content) if byte == ord("\n")]:
            with path.open("ab") as file:
                file.write(content[file.tell() : end])
            sight = watch.look()
            assert sight is not None
            if not sight.line:
                assert sight.plan == latest(read_session(path).branch).plan


def test_a_look_at_what_has_not_changed_reads_nothing(writer: Writer) -> None:
    watch = Watch(lambda: writer.path)

    assert seen(watch) == FIRST
    assert seen(watch) is None
    writer.put(SECOND)
    assert [seen(watch), seen(watch)] == [SECOND, None]


def test_of_a_long_file_only_the_end_is_read(writer: Writer, bytes_read: list[int]) -> None:
    with writer.path.open("ab") as file:
        file.write(b"x" * 4_000_000 + b"\n")
    writer.session.close()
    with Session.open(writer.path) as session:
        for number in range(TURN_WITHIN):
            session.append_custom("other", {"number": number})
        phases = plan_to_json(plan(SECOND))
        session.append_custom("todo_write", {"v": 1, "seq": 2, "phases": phases, "by": "model", "action": "done"})
    bytes_read.clear()

    assert seen(Watch(lambda: writer.path)) == SECOND
    assert sum(bytes_read) < 600_000


def test_a_file_that_is_not_there_yet_goes_away_is_cut_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    watch = Watch(lambda: path)

    assert seen(watch) == f"Waiting for {path}."
    assert seen(watch) is None
    made = Writer(path)
    made.put(FIRST)
    made.put(SECOND)
    made.session.close()
    assert seen(watch) == SECOND
    whole = path.read_bytes()
    path.write_bytes(whole[: -len(whole.splitlines()[-1]) + 20])  # the last line is torn
    assert seen(watch) == FIRST
    path.write_bytes(b"{}\n")
    assert str(seen(watch)).startswith(f"{path}: no session file")
    other = tmp_path / "other.jsonl"
    other.write_bytes(whole)
    other.replace(path)
    assert seen(watch) == SECOND
    path.unlink()
    assert seen(watch) == f"Waiting for {path}."


def test_a_session_that_goes_back_shows_the_plan_of_where_it_is(writer: Writer) -> None:
    first = writer.session.leaf_id
    writer.put(SECOND)
    watch = Watch(lambda: writer.path)
    assert seen(watch) == SECOND
    lines = writer.path.read_bytes().splitlines()
    entry = {"type": "custom", "customType": "todo_leaf", "id": "0badcafe", "parentId": first}
    writer.session.close()
    writer.path.write_bytes(b"\n".join([*lines, json.dumps(entry).encode()]) + b"\n")

    assert seen(watch) == FIRST


def test_the_newest_session_is_picked_and_then_each_that_is_begun_later(tmp_path: Path) -> None:
    root = tmp_path / "sessions"
    pick = NewestHere("/work", root)
    assert pick() is None

    first = Writer(new_session_path("/work", root=root))
    first.put(FIRST)
    assert [pick(), pick()] == [first.path, first.path]
    second = Writer(new_session_path("/work", root=root))
    second.put(FIRST)
    os.utime(second.path, (2_000_000_000, 2_000_000_000))
    assert pick() == second.path
    # Somebody else goes on with the first: who looks at the second is not taken away from it.
    os.utime(first.path, (2_100_000_000, 2_100_000_000))
    (first.path.parent / "x.lock").touch()
    assert pick() == second.path


def test_a_session_without_a_line_yet_is_looked_at_again(tmp_path: Path) -> None:
    path = new_session_path("/work", root=tmp_path)
    path.parent.mkdir(parents=True)
    path.touch()
    pick = NewestHere("/work", tmp_path)
    assert pick() is None
    path.unlink()
    made = Writer(path)
    made.put(FIRST)
    os.utime(path.parent, ns=(0, 0))

    assert pick() == path


def test_a_folder_and_what_is_no_session_are_refused_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("notes")

    assert main(["watch", str(tmp_path)]) == 1
    assert main(["watch", str(tmp_path / "notes.txt")]) == 1
    errors = capsys.readouterr().err
    assert "is a folder" in errors
    assert "no session file" in errors


def test_without_a_terminal_each_change_is_printed_as_a_checklist(writer: Writer) -> None:
    """As plain lines, without one control code."""
    with subprocess.Popen(
        [sys.executable, "-m", "todo_repl", "watch", str(writer.path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ) as process:
        assert process.stdout
        first = [process.stdout.readline() for _ in range(4)]
        writer.put(SECOND)
        second = [process.stdout.readline() for _ in range(5)]
        process.terminate()
        assert process.stdout.read() == b""

    assert b"".join(first).decode() == f"{FIRST}0 of 2 done, 2 open.\n"
    assert b"".join(second).decode() == f"\n{SECOND}1 of 2 done, 1 open.\n"


class Pane(Terminal):
    """A terminal in which a session is watched."""

    def __init__(self, path: Path, size: tuple[int, int] = (80, 24), **env: str) -> None:
        super().__init__("watch", str(path), cwd=path.parent, size=size, env=env)

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def wait_for_row(self, row: str) -> None:
        self.wait(lambda: row in self.rows)


@needs_a_pty
def test_the_panel_follows_the_file_until_q(writer: Writer) -> None:
    pane = Pane(writer.path)
    pane.wait_for_row("▸ Wire config")
    assert pane.rows[0] == "Plan 0/2 done ────────────────────"
    assert pane.rows[23] == "q leaves · t unfolds · s.jsonl"

    writer.put(SECOND)
    pane.wait_for_row("▸ Port logger")
    assert pane.rows[:3] == ["Plan 1/2 done ━━━━━━━━━━──────────", "✓ Wire config", "▸ Port logger"]
    pane.type("q")

    assert pane.wait_for_end() == 0
    assert pane.rows == [""] * 24
    assert pane.raw.endswith(b"\x1b[?25h")


@needs_a_pty
@pytest.mark.parametrize(
    ("leave", "code"),
    [
        pytest.param(lambda pane: pane.type("\x03"), 0, id="Ctrl-C"),
        pytest.param(lambda pane: pane.child.kill(signal.SIGTERM), 128 + signal.SIGTERM, id="SIGTERM"),
        pytest.param(lambda pane: pane.child.kill(signal.SIGHUP), 128 + signal.SIGHUP, id="SIGHUP"),
    ],
)
def test_every_way_out_leaves_the_terminal_as_it_was(writer: Writer, leave: Callable[[Pane], None], code: int) -> None:
    pane = Pane(writer.path)
    pane.wait_for_row("▸ Wire config")
    leave(pane)

    assert pane.wait_for_end() == code
    assert pane.raw.count(b"\x1b[?1049h") == pane.raw.count(b"\x1b[?1049l") == 1


@needs_a_pty
@pytest.mark.parametrize("size", [(200, 50), (80, 24), (40, 12), (20, 5)])
def test_it_fits_every_size_and_follows_a_resize(writer: Writer, size: tuple[int, int]) -> None:
    writer.put("# Build\n" + "".join(f"- [ ] Task 漢字 {n} {'word ' * 9}\n" for n in range(60)))
    pane = Pane(writer.path, size)
    pane.wait(lambda: any("+" in row and "more" in row for row in pane.rows))
    assert pane.rows[0].startswith("Plan 0/60 done")

    for columns, rows in ((30, 9), size):
        pane.resize(columns, rows)
        pane.wait(lambda: sum(row.startswith("Plan 0/60 done") for row in pane.rows) == 1)
        height = rows - (rows >= 6)
        pane.wait(lambda height=height: pane.rows[height - 1].startswith("+"))  # type: ignore[misc]
    pane.type("q")
    assert pane.wait_for_end() == 0


@needs_a_pty
def test_one_task_that_closes_rewrites_its_row_and_the_heading(writer: Writer) -> None:
    tasks = [f"- [ ] Task {n} of many\n" for n in range(18)]
    writer.put("".join(tasks))
    pane = Pane(writer.path)
    pane.wait_for_row("○ Task 17 of many")
    before = len(pane.raw)

    writer.put("".join([tasks[0], tasks[1].replace("[ ]", "[x]"), *tasks[2:]]))
    pane.wait_for_row("✓ Task 1 of many")
    pane.type("t")  # a key that changes the last row, when all strokes are drawn
    pane.wait(lambda: "folds" in pane.rows[23] and "unfolds" not in pane.rows[23])

    written = pane.raw[before:]
    assert not [n for n in range(2, 18) if f"Task {n} of".encode() in written]
    pane.type("q")
    assert pane.wait_for_end() == 0


@needs_a_pty
def test_nothing_is_written_while_nothing_changes(writer: Writer) -> None:
    pane = Pane(writer.path, NO_COLOR="1")
    pane.wait_for_row("▸ Wire config")
    writer.put(SECOND)
    pane.wait_for_row("▸ Port logger")
    before = len(pane.raw)
    # Its looks go on: what is written next is the next change, and nothing came between.
    writer.put(FIRST + "- [ ] Run tests\n")
    pane.wait_for_row("○ Run tests")

    assert len(pane.raw) - before < 600
    assert b"38;5" not in pane.raw
    assert b"\x1b[32m" not in pane.raw
    pane.type("q")
    assert pane.wait_for_end() == 0


@needs_a_pty
def test_a_long_plan_unfolds_and_scrolls(writer: Writer) -> None:
    writer.put("".join(f"- [{'/' if n == 20 else ' '}] Task {n}\n" for n in range(60)))
    pane = Pane(writer.path)
    pane.wait_for_row("▸ Task 20")

    pane.type("t")
    pane.wait_for_row("q leaves · t folds · s.jsonl")
    pane.type("\x1b[6~" * 5)
    pane.wait_for_row("○ Task 59")
    pane.type("\x1b[5~" * 9)
    pane.wait_for_row("○ Task 0")
    pane.type("\x1b[B")
    pane.wait(lambda: "○ Task 0" not in pane.rows and "○ Task 1" in pane.rows)
    pane.type("q")
    assert pane.wait_for_end() == 0


@needs_a_pty
def test_what_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    pane = Pane(tmp_path / "later.jsonl")
    pane.wait(lambda: pane.rows[0].startswith("Waiting for "))

    made = Writer(tmp_path / "later.jsonl")
    made.session.append_custom("other", {})
    pane.wait_for_row("No plan yet.")
    made.put(FIRST)
    pane.wait_for_row("▸ Wire config")
    pane.type("q")
    assert pane.wait_for_end() == 0
