"""/todo copy, /todo export and /todo import at a real terminal."""

import base64
import os
from pathlib import Path

import pytest

from tests.todo_repl.process import run
from tests.todo_repl.terminal import Terminal

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a pty")

PLAN = "# Build\n- [/] 漢字 two\n"
SEQUENCE = b"\x1b]52;c;" + base64.b64encode(PLAN.encode()) + b"\x07"


@pytest.mark.parametrize(
    ("env", "sent"),
    [
        pytest.param({"TMUX": "", "STY": ""}, SEQUENCE, id="a terminal"),
        pytest.param(
            {"TMUX": "/tmp/tmux-0/default,1,0", "STY": ""}, b"\x1bPtmux;\x1b" + SEQUENCE + b"\x1b\\", id="tmux"
        ),
    ],
)
def test_e11_the_terminal_gets_the_plan_and_the_answer_says_so(
    env: dict[str, str], sent: bytes, tmp_path: Path
) -> None:
    terminal = Terminal("--no-session", cwd=tmp_path, env={**env, "DISPLAY": "", "PATH": "/nowhere"})
    terminal.wait_for_prompt()
    terminal.type('/todo append Build "漢字 two"\r')
    terminal.wait_for("Added")
    terminal.wait_for_prompt()

    terminal.type("/todo copy\r")
    terminal.wait_for("Copied 1 task through the terminal (OSC 52).")
    terminal.leave()

    assert (terminal.raw.count(sent), terminal.raw.count(b"\x1b]52")) == (1, 1)
    assert "Traceback" not in terminal.text


def test_what_is_too_long_for_a_terminal_is_printed(tmp_path: Path) -> None:
    (tmp_path / "TODO.md").write_text("".join(f"- [ ] {number} {'x' * 990}\n" for number in range(100)))
    terminal = Terminal("--no-session", cwd=tmp_path)
    terminal.wait_for_prompt()
    terminal.type("/todo import\r")
    terminal.wait_for("100 tasks")
    terminal.wait_for_prompt()

    terminal.type("/todo copy\r")
    terminal.wait_for("Printed, not copied")
    terminal.wait_for("- [ ] 99 x")
    terminal.leave()

    assert b"\x1b]52" not in terminal.raw


def test_e11_without_a_terminal_the_text_is_printed(tmp_path: Path) -> None:
    (tmp_path / "TODO.md").write_text(PLAN, encoding="utf-8")

    done = run("--no-session", cwd=tmp_path, lines="/todo import\n/todo copy\n")

    assert done.returncode == 0
    assert done.stdout.endswith(f"Printed, not copied: there is no terminal here that takes it.\n\n{PLAN}")


def test_overwriting_is_asked_at_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "my notes.md"
    file.write_text("prose\n")
    terminal = Terminal("--no-session", cwd=tmp_path, size=(100, 24))
    terminal.wait_for_prompt()
    terminal.type("/todo append Build One\r")
    terminal.wait_for("Added")
    for answer, text in (("n", "Export cancelled"), ("y", "Exported 1 task to")):
        terminal.wait_for_prompt()
        terminal.type("/todo export my notes.md\r")
        terminal.wait(lambda: terminal.last_row == "y/N, then Enter:")
        terminal.type(f"{answer}\r")
        terminal.wait_for(text)
    terminal.leave()

    assert file.read_text() == "# Build\n- [/] One\n"


def test_a_path_is_completed_at_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "my notes.md").write_text("- [ ] One\n")
    terminal = Terminal("--no-session", cwd=tmp_path, size=(100, 24))
    terminal.wait_for_prompt()
    terminal.type("/todo import my")
    terminal.wait_for("my notes.md")
    terminal.type("\t")
    terminal.wait_for("> /todo import my notes.md")
    terminal.type("\r")
    terminal.wait_for("1 phase, 1 task")
    terminal.leave()
