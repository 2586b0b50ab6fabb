"""A person at a real terminal, with extensions that ask, hang, and cannot be loaded."""

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_repl.terminal import Terminal, online

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a pty")

CTRL_C = "\x03"

ASKS = """
def activate(pi):
    async def ask(event, ctx):
        if not await ctx.ui.confirm("Run " + event["toolCallId"] + "?", ""):
            return {"block": True, "reason": "The person said no."}
    pi.on("tool_call", ask)
"""

HANGS = """
import asyncio
def activate(pi):
    async def hang(event, ctx):
        ctx.ui.notify("waiting in " + event["type"])
        await asyncio.Event().wait()
    pi.on("{event}", hang)
"""


def calls() -> list[Step]:
    view = {"ops": [{"op": "view"}]}
    return [
        {"tool_calls": [{"name": "todo_write", "arguments": view, "id": name} for name in ("first", "second")]},
        {"text": "Done."},
    ]


def test_an_extension_may_ask_before_each_call_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "asks.py").write_text(ASKS)
    with ScriptedLlm(calls()) as server:
        terminal = online(server, "--no-session", "-e", "asks.py", cwd=tmp_path)
        terminal.type("go\r")
        terminal.wait_for("Run first?")
        terminal.wait(lambda: terminal.last_row == "y/N, then Enter:")
        assert "Run second?" not in terminal.text
        terminal.type("y\r")
        terminal.wait_for("Run second?")
        terminal.type("n\r")
        terminal.wait_for("Done.")
        terminal.leave()
        bodies: list[Any] = server.bodies
        results = [message["content"] for message in bodies[1]["messages"] if message["role"] == "tool"]

    assert results == ["The plan is empty.", "The person said no."]


CHOOSES = """
def activate(pi):
    async def ask(event, ctx):
        chosen = await ctx.ui.select("Which?", ["work", "workshop", "other"])
        ctx.ui.notify(f"chosen: {chosen}")
    pi.on("tool_call", ask)
"""


def test_what_is_typed_on_while_a_question_comes_belongs_to_the_line(tmp_path: Path) -> None:
    (tmp_path / "chooses.py").write_text(CHOOSES)
    gate = threading.Event()
    steps: list[Step] = [
        {"text": "A moment.", "hold": gate, "tool_calls": calls()[0].get("tool_calls", ())[:1]},
        {"text": "Done."},
    ]
    with ScriptedLlm(steps) as server:
        terminal = online(server, "--no-session", "-e", "chooses.py", cwd=tmp_path)
        terminal.type("go\r")
        terminal.wait_for("A moment.")
        terminal.type("do some w")
        terminal.wait(lambda: terminal.last_row == "> do some w")
        gate.set()
        terminal.wait_for("Which?")
        terminal.type("ork\r")
        terminal.wait(lambda: terminal.last_row == "Enter chooses, Esc leaves:")
        assert "chosen" not in terminal.text
        terminal.type("other\r")
        terminal.wait_for("chosen: other")
        terminal.wait_for("Done.")
        terminal.wait(lambda: terminal.last_row == "> do some work")
        terminal.type("\x15/quit\r")
        assert terminal.wait_for_end() == 0


@pytest.mark.parametrize("event", ["input", "context", "agent_end", "session_shutdown"])
def test_ctrl_c_ends_what_hangs(event: str, tmp_path: Path) -> None:
    (tmp_path / "hangs.py").write_text(HANGS.format(event=event))
    with ScriptedLlm([{"text": "Hello."}]) as server:
        terminal = online(server, "--no-session", "-e", "hangs.py", cwd=tmp_path)
        terminal.type("/reload\r" if event == "session_shutdown" else "go\r")
        terminal.wait_for(f"waiting in {event}")
        terminal.type(CTRL_C)
        terminal.wait_for("Stopped.")
        terminal.wait_for_prompt()
        terminal.type("/help\r")
        terminal.wait_for("Extensions: todo-context, hangs (undeclared)")
        terminal.wait_for_prompt()
        terminal.type("/quit\r")
        if event == "session_shutdown":
            terminal.wait(lambda: terminal.text.count("waiting in") == 2)
            terminal.type(CTRL_C)
        terminal.wait_for_end()


def test_a_start_with_one_that_hangs_can_be_left(tmp_path: Path) -> None:
    (tmp_path / "hangs.py").write_text(HANGS.format(event="session_start"))
    terminal = Terminal("--no-session", "-e", "hangs.py", cwd=tmp_path)
    terminal.wait_for("waiting in session_start")
    terminal.type(CTRL_C)

    assert terminal.wait_for_end() == 130


def test_one_that_cannot_be_loaded_is_a_line_above_the_prompt(tmp_path: Path) -> None:
    terminal = Terminal("--no-session", "-e", "nothing.py", cwd=tmp_path)
    terminal.wait_for_prompt()

    assert "nothing.py: cannot be read: No such file or directory." in terminal.flowing
    terminal.leave()
