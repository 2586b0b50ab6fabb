"""What ends, stops or takes the terminal while the agent works: Esc, an editor, a signal, the shell's Ctrl-Z."""

import os
import signal
import termios
import threading
import time
from pathlib import Path

import pytest

from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_repl.process import run
from tests.todo_repl.terminal import Terminal, online
from tests.todo_repl.test_app_stream import CTRL_C, ESCAPE, everything_once, init, lines, numbers, ops

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a pty")

SLOW_TOOL = """
import asyncio
from todo_context.pi import Tool, ToolResult

def activate(pi):
    async def execute(call_id, arguments, ctx):
        if arguments.get("ask") and not await ctx.ui.confirm("Really?", ""):
            return ToolResult(text="The person said no.")
        ctx.ui.notify("it runs")
        await asyncio.Event().wait()

    pi.register_tool(Tool(name="slow", label="Slow", description="", parameters={"type": "object"}, execute=execute))
"""

SHELL = """
import os, signal, sys
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
while os.WIFSTOPPED(status := os.waitpid(child, os.WUNTRACED)[1]):
    os.tcsetpgrp(0, os.getpgid(0))
    print("STOPPED", flush=True)
    sys.stdin.readline()
    os.tcsetpgrp(0, child)
    os.killpg(child, signal.SIGCONT)
sys.exit(os.waitstatus_to_exitcode(status))
"""
"""What a shell does with a job that stops and is brought back."""


def editor(tmp_path: Path, gate: Path) -> dict[str, str]:
    """An editor that adds a task, and does not end before the gate is there."""
    script = tmp_path / "editor.sh"
    script.write_text(f'printf "EDITING\\n"; while [ ! -e {gate} ]; do sleep 0.02; done; echo "- [ ] Mine" >> "$1"\n')
    return {"EDITOR": f"sh {script}"}


def test_an_editor_has_the_terminal_while_the_agent_goes_on_and_both_are_kept(tmp_path: Path) -> None:
    hold, gate = threading.Event(), tmp_path / "gate"
    theirs = ops({"op": "append", "phase": "Build", "items": ["Theirs"]})
    steps: list[Step] = [
        {"tool_calls": init("One")},
        {"text": lines(0, 5), "hold": hold},
        {"text": lines(5, 40), "tool_calls": theirs},
        {"text": lines(45, 5)},
    ]
    steps[1]["tool_calls"] = ops({"op": "note", "task": "One", "text": "look"})
    with ScriptedLlm(steps) as server:
        terminal = online(server, "--session", "s.jsonl", cwd=tmp_path, env=editor(tmp_path, gate))
        terminal.type("go\r")
        terminal.wait_for("L003")
        terminal.type("/todo edit\r/todo edit\r")
        terminal.wait_for("EDITING")
        hold.set()
        server.wait_for(4)
        terminal.settle()
        assert not any("L010" in line for line in terminal.lines), "what is said meanwhile waits"
        gate.touch()
        terminal.wait_for("L049")
        terminal.wait_for("Edited: 1 added")
        terminal.wait_for("An editor is open already. Save or leave it first.")
        terminal.wait_for_prompt()
        assert numbers(terminal) == everything_once(50)
        assert sum(line.startswith("Plan 0/3") for line in terminal.lines) == 1
        terminal.leave()

    shown = run("show", "s.jsonl", cwd=tmp_path).stdout.splitlines()
    assert shown[:3] == ["# Build", "- [/] One", "  > look"]
    assert sorted(shown[3:]) == ["- [ ] Mine", "- [ ] Theirs"]


@pytest.mark.parametrize("key", [ESCAPE, CTRL_C])
def test_a_tool_is_stopped(tmp_path: Path, key: str) -> None:
    (tmp_path / "slow.py").write_text(SLOW_TOOL)
    steps: list[Step] = [{"tool_calls": [{"name": "slow", "arguments": {}}]}, {"text": "Well."}]
    with ScriptedLlm(steps) as server:
        terminal = online(server, "--no-session", "-e", "slow.py", cwd=tmp_path)
        terminal.type("go\r")
        terminal.wait_for("it runs")
        terminal.wait(lambda: any("slow" in row.casefold() and row.endswith("…") for row in terminal.rows))
        terminal.type(key)
        terminal.wait_for("Stopped.")
        terminal.type("and now\r")
        terminal.wait_for("Well.")
        terminal.leave()


def test_escape_closes_a_dialog_of_a_tool_and_the_next_one_stops_the_run(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW_TOOL)
    steps: list[Step] = [
        {"tool_calls": [{"name": "slow", "arguments": {"ask": True}}]},
        {"text": "I see.", "hold": str(tmp_path / "never")},
    ]
    with ScriptedLlm(steps) as server:
        terminal = online(server, "--no-session", "-e", "slow.py", cwd=tmp_path)
        terminal.type("go\r")
        terminal.wait(lambda: terminal.last_row == "y/N, then Enter:")
        terminal.type(ESCAPE)
        terminal.wait_for("I see.")
        assert "Really? no" in terminal.lines
        terminal.type(ESCAPE)
        terminal.wait_for("Stopped.")
        terminal.leave()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_told_to_end_while_it_streams_it_leaves_the_terminal_as_it_was(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    steps: list[Step] = [{"tool_calls": init("One")}, {"text": lines(0, 5), "hold": str(tmp_path / "never")}]
    with ScriptedLlm(steps) as server:
        terminal = Terminal("--session", "s.jsonl", "--model", "openai:m", "--base-url", server.base_url, cwd=tmp_path)
        before = termios.tcgetattr(terminal.child.child_fd)
        terminal.wait_for_prompt()
        terminal.type("go\r")
        terminal.wait_for("L003")
        terminal.type("half a")
        terminal.wait(lambda: terminal.last_row == "> half a")
        terminal.child.kill(number)
        terminal.wait(lambda: not terminal.child.isalive())

        assert termios.tcgetattr(terminal.child.child_fd) == before
        assert terminal.wait_for_end() == code

    sent = terminal.raw
    assert sent.rindex(b"\x1b[?2004l") > sent.rindex(b"\x1b[?2004h")
    assert sent.rindex(b"\x1b[?25h") > sent.rindex(b"\x1b[?25l")
    assert not any(row.startswith(("Plan ", "> half")) for row in terminal.rows), "nothing of the screen stays"
    assert "Traceback" not in terminal.text
    assert "Not sent: half a" in terminal.lines
    assert "L003 some words" in (tmp_path / "s.jsonl").read_text()


def test_what_waits_when_the_person_leaves_is_said_to_be_not_sent(tmp_path: Path) -> None:
    with ScriptedLlm([{"text": "I begin.", "hold": str(tmp_path / "never")}]) as server:
        terminal = online(server, "--session", "s.jsonl", cwd=tmp_path)
        terminal.type("go\r")
        terminal.wait_for("I begin.")
        terminal.type("and this\r")
        terminal.wait(lambda: "  waits: and this" in terminal.rows)
        terminal.type("/quit\r")
        assert terminal.wait_for_end() == 0

    assert "Not sent: and this" in terminal.lines
    assert "and this" not in (tmp_path / "s.jsonl").read_text()


def test_a_dialog_is_left_by_a_signal_too(tmp_path: Path) -> None:
    terminal = Terminal("--no-session", cwd=tmp_path)
    before = termios.tcgetattr(terminal.child.child_fd)
    terminal.wait_for_prompt()
    for task in ("Write tests", "Run tests"):
        terminal.type(f'/todo append Build "{task}"\r')
        terminal.wait_for(f'"{task}".')
    terminal.type("/todo done tests\r")
    terminal.wait(lambda: terminal.last_row == "Enter chooses, Esc leaves:")
    terminal.child.kill(signal.SIGTERM)
    terminal.wait(lambda: not terminal.child.isalive())

    assert termios.tcgetattr(terminal.child.child_fd) == before
    assert terminal.wait_for_end() == 143


def test_ctrl_z_stops_it_and_it_comes_back(tmp_path: Path) -> None:
    shell = tmp_path / "shell.py"
    shell.write_text(SHELL)
    terminal = Terminal("--no-session", cwd=tmp_path, through=[str(shell)])
    before = termios.tcgetattr(terminal.child.child_fd)
    terminal.wait_for_prompt()
    terminal.type("half a line")
    terminal.wait(lambda: terminal.last_row == "> half a line")
    terminal.type("\x1a")
    terminal.wait(lambda: terminal.last_row == "STOPPED")
    assert termios.tcgetattr(terminal.child.child_fd) == before
    terminal.type("fg\r")
    terminal.wait(lambda: terminal.last_row == "> half a line")
    terminal.type("s")
    terminal.wait(lambda: terminal.last_row == "> half a lines")
    terminal.type(CTRL_C)
    terminal.leave()


def test_ctrl_z_stops_the_editor_of_our_own_too(tmp_path: Path) -> None:
    shell = tmp_path / "shell.py"
    shell.write_text(SHELL)
    terminal = Terminal("--no-session", cwd=tmp_path, through=[str(shell)])
    terminal.wait_for_prompt()
    terminal.type("/todo edit\r")
    terminal.wait_for("Ctrl-S saves · Esc cancels")
    terminal.type("\x1a")
    terminal.wait(lambda: terminal.last_row == "STOPPED")
    terminal.type("fg\r")
    terminal.wait_for("Ctrl-S saves · Esc cancels")
    terminal.type("- [ ] One")
    terminal.wait_for("- [ ] One")
    assert "^Z" not in terminal.text
    terminal.type("\x13")
    terminal.wait_for("Edited: 1 added.")
    terminal.leave()


def test_the_line_is_edited_in_the_persons_editor(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    gate.touch()
    with ScriptedLlm([{"text": "Thank you."}]) as server:
        terminal = online(server, "--no-session", cwd=tmp_path, env=editor(tmp_path, gate))
        terminal.type("a line")
        terminal.wait(lambda: terminal.last_row == "> a line")
        terminal.type("\x18")
        time.sleep(0.3)  # a hand between two keys: longer than Esc alone is waited for
        terminal.type("\x05")
        terminal.wait(lambda: terminal.last_row == "  - [ ] Mine")
        terminal.type("\r")
        terminal.wait_for("Thank you.")
        terminal.leave()
        assert "a line\\n- [ ] Mine" in str(server.bodies[0]["messages"])


def test_a_program_that_waits_for_the_screen_costs_nothing_at_all_in_a_pipe(tmp_path: Path) -> None:
    """Without a terminal lines go in and out, and none of the libraries for a screen is loaded."""
    (tmp_path / "loaded.py").write_text(
        "import sys\nfrom todo_context.pi import Answer\n"
        "def activate(pi):\n"
        "    async def loaded(args, ctx):\n"
        "        return Answer(text=str(sorted({'rich', 'prompt_toolkit', 'markdown_it'} & set(sys.modules))))\n"
        "    pi.register_command('loaded', description='', handler=loaded)\n"
    )
    typed = "/todo append Build One\n/loaded\n"
    for flags in ((), ("-p", "/loaded")):
        done = run("--no-session", "-e", "loaded.py", *flags, cwd=tmp_path, lines=typed)
        assert done.stdout.splitlines()[-1] == "[]"
        assert "\x1b" not in done.stdout
