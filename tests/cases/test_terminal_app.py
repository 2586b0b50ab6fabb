"""Group P, the screen of the prompt: what streams, what tools answer, what becomes narrower."""

import os
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cases.host import changes
from tests.scripted_llm import Call, ScriptedLlm, Step
from tests.todo_repl.process import run
from tests.todo_repl.terminal import online
from todo_context import plan_of, to_markdown
from todo_repl.session import read_branch

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a pty")

HOSTILE = "\x1b[2J\x1b]52;c;ZXZpbA==\x07ok\u202e \x9b31m\rred\x9d0;title\x9c"
NOT_SHOWN = set("\x07\x9b\x9d\x9c\u202e")

SAYS = """
from todo_context.pi import Answer, Tool, ToolResult
HOSTILE = {hostile!r}

def activate(pi):
    async def execute(call_id, arguments, ctx):
        ctx.ui.notify("note " + HOSTILE)
        ctx.ui.set_widget("its", ["widget " + HOSTILE])
        return ToolResult(text="result " + HOSTILE + "\\nsecond", is_error=bool(arguments.get("fails")))

    async def ask(args, ctx):
        return Answer(text=await ctx.ui.select("title " + HOSTILE, ["option " + HOSTILE]) or "")

    pi.register_tool(Tool(name="says", label="Says", description="", parameters={{"type": "object"}}, execute=execute))
    pi.register_command("ask", description="Ask " + HOSTILE, handler=ask)
"""


def write(*ops: dict[str, Any]) -> Sequence[Call]:
    return [{"name": "todo_write", "arguments": {"ops": list(ops)}}]


INIT = write(
    {
        "op": "init",
        "list": [
            {"phase": "Build", "items": ["Wire config", "Port logger"]},
            {"phase": "Verify", "items": ["Run tests"]},
        ],
    }
)


def test_p01_while_text_streams_and_the_plan_changes_the_screen_is_erased_only_where_it_is_drawn_anew(
    tmp_path: Path,
) -> None:
    """40 tasks with long texts at 80x12: rows of one line, and no frame that shows half of the screen."""
    tasks = [f"Task {number} {'with a long text ' * 12}" for number in range(40)]
    steps: list[Step] = [{"tool_calls": write({"op": "init", "list": [{"phase": "A", "items": tasks}]})}]
    for number in range(39):
        done = write({"op": "done", "task": tasks[number]})
        steps.append({"text": f"Line {number}.\n", "tool_calls": done})
    with ScriptedLlm([*steps, {"text": "The end."}]) as server:
        terminal = online(server, "--no-session", cwd=tmp_path, size=(80, 12))
        terminal.type("go\r")
        terminal.wait_for("The end.")
        terminal.wait_for_prompt()

        panel = next(at for at, row in enumerate(terminal.rows) if row.startswith("Plan "))
        assert [row for row in terminal.rows[panel:] if row][-1] == ">"
        assert len([row for row in terminal.rows[panel:] if row]) <= 4 + 2  # a third of the screen, status, prompt
        assert [line for line in terminal.lines if re.match(r"Line \d", line)] == [f"Line {n}." for n in range(39)]
        frames = terminal.raw.split(b"\x1b[?2026h")[1:]
        for frame in frames:
            assert frame.split(b"\x1b[?2026l")[0].count(b"\x1b[J") <= 2
        # What is not such a frame erases no more than to the end of a row.
        assert all(frame.partition(b"\x1b[?2026l")[2].count(b"\x1b[J") == 0 for frame in frames)
        terminal.leave()


def test_p06_hostile_text_of_a_model_a_tool_and_an_extension_is_only_read(tmp_path: Path) -> None:
    (tmp_path / "says.py").write_text(SAYS.format(hostile=HOSTILE))
    steps: list[Step] = [
        {"text": f"# {HOSTILE}\n\n- {HOSTILE}\n\n```{HOSTILE}\n{HOSTILE}\n```\n\n[a]({HOSTILE}) {HOSTILE[:7]}"},
        {"text": f"Now {HOSTILE}", "tool_calls": [{"name": "says", "arguments": {"x": HOSTILE}}]},
        {"tool_calls": [{"name": "says", "arguments": {"fails": True}}]},
        {"text": "The end."},
    ]
    with ScriptedLlm(steps) as server:
        terminal = online(server, "--no-session", "-e", "says.py", cwd=tmp_path)
        terminal.type("first\r")
        terminal.wait_for("[a](ok")
        terminal.wait_for_prompt()
        terminal.type("second\r")
        terminal.wait_for("The end.")
        terminal.wait_for("note ok")
        terminal.wait_for("result ok")
        assert any(row.startswith("widget ok") for row in terminal.rows)
        terminal.type("/as")
        terminal.wait_for("Ask ok")
        terminal.type("k\r")
        terminal.wait_for("title ok")
        terminal.wait_for("1. option ok")
        terminal.type("\r")
        terminal.leave()

    sent = terminal.raw.decode()
    assert not set(sent) & NOT_SHOWN
    assert "\x1b]" not in sent
    assert "\x1b[2J" not in sent
    assert "Traceback" not in terminal.text


def test_p07_what_the_panel_shows_is_what_is_stored_also_while_it_streams(tmp_path: Path) -> None:
    gate = threading.Event()
    steps: list[Step] = [
        {"tool_calls": INIT},
        {"text": "I look.", "tool_calls": write({"op": "done", "phase": "Build"}), "hold": gate},
        {"text": "The end."},
    ]
    path = tmp_path / "s.jsonl"

    def stored() -> str:
        return to_markdown(plan_of(read_branch(path)))

    with ScriptedLlm(steps) as server:
        terminal = online(server, "--session", "s.jsonl", cwd=tmp_path)
        terminal.type("go\r")
        terminal.wait_for("I look.")
        for line, count in (("/todo done Wire", "1/3"), ("/todo undo", "0/3"), ("/todo append Build More", "0/4")):
            terminal.type(f"{line}\r")
            terminal.wait(lambda count=count: any(row.startswith(f"Plan {count} ") for row in terminal.rows))  # type: ignore[misc]
            done, total = count.split("/")
            assert (stored().count("[x]"), len(re.findall(r"(?m)^- ", stored()))) == (int(done), int(total))
        gate.set()
        terminal.wait_for("The end.")
        terminal.wait_for_prompt()
        assert any(row.startswith("Plan 3/4 ") for row in terminal.rows)
        assert stored().count("[x]") == 3
        assert "3 of 4 done" in str(server.bodies[2]["messages"])
        terminal.leave()
    assert [change["by"] for change in changes(read_branch(path))] == ["model", "user", "user", "user", "model"]


def test_p08_a_result_is_one_line_where_the_panel_stands_and_an_error_is_told_in_full(tmp_path: Path) -> None:
    steps: list[Step] = [
        {"tool_calls": INIT},
        {"tool_calls": write({"op": "done", "task": "Wire config"})},
        {"tool_calls": write({"op": "done", "task": "nothing like it"})},
        {"text": "The end."},
    ]
    with ScriptedLlm(steps) as server:
        terminal = online(server, "--no-session", cwd=tmp_path)
        terminal.type("go\r")
        terminal.wait_for("The end.")
        terminal.leave()

    said = terminal.lines[terminal.lines.index("> go") : terminal.lines.index("The end.")]
    assert said[1:4] == [
        "• plan: init · 0 of 3 done, 3 open.",
        "• plan: done Wire config · 1 of 3 done, 2 open.",
        "• plan: done nothing like it",
    ]
    assert said[4] == "Applied 0 of 1."
    assert 'no task "nothing like it"' in " ".join(said)
    with ScriptedLlm(steps) as server:
        where = ("--model", "openai:m", "--base-url", server.base_url)
        hidden = run("--no-session", *where, cwd=tmp_path, lines="go\n").stdout
    assert "- [x] Wire config\n- [/] Port logger\n" in hidden, "where no panel stands, the checklist"


def test_p11_a_resize_leaves_one_prompt_and_one_panel_and_a_line_feed_shows_as_a_blank(tmp_path: Path) -> None:
    gates = [threading.Event() for _ in range(2)]
    name = {"op": "init", "list": [{"phase": "A", "items": ["two\nlines", "b"]}]}
    steps: list[Step] = [
        {"tool_calls": write(name)},
        {"text": "".join(f"L{n:02d}\n" for n in range(30)), "hold": gates[0], "tool_calls": write({"op": "view"})},
        {"text": "".join(f"L{n:02d}\n" for n in range(30, 60)), "hold": gates[1]},
    ]
    with ScriptedLlm(steps) as server:
        terminal = online(server, "--no-session", cwd=tmp_path)
        terminal.type("go\r")
        for gate, last, columns in zip(gates, ("L25", "L55"), (40, 80), strict=True):
            terminal.wait_for(last)
            terminal.resize(columns, 24)
            terminal.wait(lambda: terminal.last_row == ">")
            gate.set()
        terminal.wait_for("L59")
        terminal.wait_for_prompt()

        assert [line for line in terminal.lines if re.fullmatch(r"L\d\d", line)] == [f"L{n:02d}" for n in range(60)]
        assert sum(line.startswith("Plan ") for line in terminal.lines) == 1
        assert terminal.lines.count(">") == 1
        assert "▸ two lines" in terminal.rows
        terminal.leave()
