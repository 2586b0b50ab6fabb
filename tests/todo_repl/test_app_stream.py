"""The screen while the agent works, on a real terminal that wraps its rows anew: each line once, one panel, one prompt."""

import os
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_llm import Call, ScriptedLlm, Step
from tests.todo_repl.process import run
from tests.todo_repl.terminal import Terminal, online
from todo_repl.session import read_branch

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a pty")

ESCAPE, CTRL_C, CTRL_D = "\x1b", "\x03", "\x04"
CHANGES = 50
SIZES = [pytest.param(size, id=f"{size[0]}x{size[1]}") for size in ((200, 50), (80, 24), (40, 12), (20, 5))]


def ops(*found: dict[str, Any], call_id: str = "") -> Sequence[Call]:
    call: Call = {"name": "todo_write", "arguments": {"ops": list(found)}}
    if call_id:
        call["id"] = call_id
    return [call]


def init(*tasks: str) -> Sequence[Call]:
    return ops({"op": "init", "list": [{"phase": "Build", "items": list(tasks)}]})


def lines(first: int, count: int) -> str:
    return "".join(f"L{number:03d} some words\n" for number in range(first, first + count))


def numbers(terminal: Terminal) -> list[str]:
    return [row[:4] for row in terminal.lines if re.match(r"L\d{3}", row)]


def everything_once(count: int) -> list[str]:
    return [f"L{number:03d}" for number in range(count)]


def test_after_200_lines_50_changes_of_the_plan_and_3_resizes_all_stands_there_once(tmp_path: Path) -> None:
    gates = {step: threading.Event() for step in (12, 25, 38)}
    tasks = [f"Task {number}" for number in range(CHANGES - 1)]
    steps: list[Step] = [{"text": lines(0, 4), "tool_calls": init(*tasks)}]
    for step in range(1, CHANGES):
        one: Step = {"text": lines(4 * step, 4), "tool_calls": ops({"op": "done", "task": f"Task {step - 1}"})}
        if step in gates:
            one["hold"] = gates[step]
        steps.append(one)
    with ScriptedLlm([*steps, {"text": "The end."}]) as server:
        terminal = online(server, cwd=tmp_path)
        terminal.type("go\r")
        for (step, gate), size in zip(gates.items(), ((40, 24), (80, 24), (60, 16)), strict=True):
            terminal.wait_for(f"L{4 * step + 2:03d}")
            terminal.resize(*size)
            terminal.type("x")  # typed while it is drawn anew
            gate.set()
        terminal.wait_for("The end.")
        terminal.wait(lambda: terminal.last_row == "> xxx" and not terminal.is_busy)

        assert numbers(terminal) == everything_once(4 * CHANGES)
        assert sum(line.startswith("> ") for line in terminal.lines) == 2  # what was said, and the prompt
        assert not any(line.startswith("Plan ") for line in terminal.lines), "all is done, so the panel is put away"
        terminal.type(CTRL_C)
        terminal.leave()


def test_a_narrower_screen_keeps_one_panel_while_lines_stream(tmp_path: Path) -> None:
    gates = [threading.Event() for _ in range(4)]
    steps: list[Step] = [{"text": lines(0, 1), "tool_calls": init("One", "Two", "Three")}]
    for number, gate in enumerate(gates):
        done = ops({"op": "note", "task": "One", "text": f"note {number}"})
        steps.append({"text": lines(1 + 30 * number, 30), "tool_calls": done, "hold": gate})
    with ScriptedLlm([*steps, {"text": "The end."}]) as server:
        terminal = online(server, cwd=tmp_path)
        terminal.type("go\r")
        for number, (gate, columns) in enumerate(zip(gates, (40, 80, 30, 80), strict=True)):
            terminal.wait_for(f"L{30 * number + 20:03d}")
            terminal.resize(columns, 24)
            gate.set()
        terminal.wait_for("The end.")
        terminal.wait_for_prompt()

        assert numbers(terminal) == everything_once(121)
        assert sum(line.startswith("Plan ") for line in terminal.lines) == 1
        assert terminal.lines.count(">") == 1
        terminal.leave()


@pytest.mark.parametrize("size", SIZES)
def test_at_each_size_the_prompt_is_last_and_what_was_said_stays_in_sight(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    gate = threading.Event()
    steps: list[Step] = [
        {"text": "I plan.\n", "tool_calls": init("Wire config", "Port logger", "Run tests")},
        {"text": lines(0, 40), "hold": gate},
    ]
    with ScriptedLlm(steps) as server:
        terminal = online(server, cwd=tmp_path, size=size)
        terminal.type("go\r")
        terminal.wait_for("L020")
        terminal.type("/todo done Wire\r")
        terminal.wait_for('Done: "Wire')
        terminal.type("typed")
        terminal.wait(lambda: terminal.last_row == "> typed")
        panel = [row for row in terminal.rows if row.startswith("Plan 1/3")]
        assert len(panel) == 1
        assert any("Port logger" in row for row in terminal.rows), "the active task"
        assert not terminal.rows[0].startswith(("Plan", "> typed")), "a row of what was said"
        gate.set()
        terminal.wait_for("L039")
        terminal.type("\x15")
        terminal.wait_for_prompt()

        assert numbers(terminal) == everything_once(40)
        terminal.leave()


def test_an_unchanged_plan_writes_nothing_and_an_idle_screen_neither(tmp_path: Path) -> None:
    with ScriptedLlm([{"text": "Hello."}]) as server:
        terminal = online(server, "--no-session", cwd=tmp_path)
        for task in ("One", "Two", "Three"):
            terminal.type(f"/todo append Build {task}\r")
            terminal.wait_for(f'"{task}".')
        terminal.type("hello\r")
        terminal.wait_for("Hello.")
        terminal.wait_for_prompt()

        terminal.settle(1.0)
        terminal.leave()


def test_keys_that_are_typed_while_it_streams_stay_in_the_line(tmp_path: Path) -> None:
    steps: list[Step] = [{"text": lines(0, 150)}]
    typed = "".join(chr(ord("a") + number % 26) for number in range(60))
    with ScriptedLlm(steps) as server:
        terminal = online(server, "--no-session", cwd=tmp_path)
        terminal.type("go\r")
        for key in typed:
            terminal.type(key)
            terminal.settle(0)
        terminal.wait_for("L149")
        terminal.wait(lambda: terminal.last_row == f"> {typed}" and not terminal.is_busy)

        assert numbers(terminal) == everything_once(150)
        assert all(re.fullmatch(r"L\d{3} some words", line) for line in terminal.lines if line.startswith("L"))
        terminal.type(CTRL_C)
        terminal.leave()


def test_what_is_said_while_it_works_waits_in_sight_and_goes_along_with_the_next_request(tmp_path: Path) -> None:
    gate = threading.Event()
    noted = ops({"op": "note", "task": "One", "text": "look"})
    steps: list[Step] = [
        {"tool_calls": init("One")},
        {"text": "I begin.", "tool_calls": noted, "hold": gate},
        {"text": "As you say."},
    ]
    with ScriptedLlm(steps) as server:
        terminal = online(server, "--session", "s.jsonl", cwd=tmp_path)
        terminal.type("go\r")
        terminal.wait_for("I begin.")
        terminal.type("rather this\r")
        terminal.wait(lambda: "  waits: rather this" in terminal.rows)
        terminal.type("/todo append Build Mine\r")
        terminal.wait_for('Added to "Build"')
        gate.set()
        terminal.wait_for("As you say.")
        terminal.leave()
        sent = server.bodies[2]["messages"]

    said: list[Any] = [entry["message"] for entry in read_branch(tmp_path / "s.jsonl") if entry["type"] == "message"]
    roles = [message["role"] for message in said]
    assert roles == ["user", "assistant", "toolResult", "assistant", "toolResult", "user", "assistant"]
    assert "rather this" in str(said[5])
    assert str(said).count("rather this") == 1
    assert str(sent).count("rather this") == 1
    assert sum(line == "> rather this" for line in terminal.lines) == 1
    assert "waits:" not in terminal.text
    assert run("show", "s.jsonl", cwd=tmp_path).stdout.count("Mine") == 1


def test_what_waits_comes_back_to_the_line_when_the_run_is_stopped(tmp_path: Path) -> None:
    steps: list[Step] = [{"text": "I begin.", "hold": str(tmp_path / "never")}, {"text": "Well."}]
    with ScriptedLlm(steps) as server:
        terminal = online(server, "--session", "s.jsonl", cwd=tmp_path)
        terminal.type("go\r")
        terminal.wait_for("I begin.")
        terminal.type("one thing\rand another\rhalf")
        terminal.wait(lambda: terminal.last_row == "> half")
        terminal.type(ESCAPE)
        terminal.wait_for("Stopped.")
        terminal.wait(lambda: terminal.last_row.strip() == "half" and "> one thing" in terminal.rows)
        assert "  and another" in terminal.rows
        terminal.type("\r")
        terminal.wait_for("Well.")
        terminal.leave()
        assert "one thing\\n\\nand another\\n\\nhalf" in str(server.bodies[1]["messages"])

    said: list[Any] = [entry["message"] for entry in read_branch(tmp_path / "s.jsonl") if entry["type"] == "message"]
    assert [message["role"] for message in said] == ["user", "assistant", "user", "assistant"]
    assert str(said).count("one thing") == 1


def test_a_screen_that_is_drawn_anew_repeats_and_loses_no_line(tmp_path: Path) -> None:
    steps: list[Step] = [
        {"text": lines(0, 100), "tool_calls": init(*(f"Task {number}" for number in range(8)))},
        {"text": "Well."},
        {"text": lines(100, 200)},
    ]
    with ScriptedLlm(steps) as server:
        terminal = online(server, cwd=tmp_path)
        terminal.type("go\r")
        terminal.wait_for("Well.")
        terminal.wait_for_prompt()
        for _ in range(2):
            terminal.type("\x0c")
            terminal.settle()
            assert numbers(terminal) == everything_once(100)
        terminal.type("more\r")
        while f"L{299:03d}" not in terminal.text:
            terminal.type("\x0c")
            terminal.pause(0.02)
        terminal.wait_for_prompt()
        terminal.settle()
        assert numbers(terminal) == everything_once(300)
        terminal.leave()


@pytest.mark.parametrize("columns", ["0", "1", "nonsense", "300"])
def test_what_the_environment_says_of_the_width_hides_nothing(tmp_path: Path, columns: str) -> None:
    with ScriptedLlm([{"tool_calls": init("One")}, {"text": "word " * 30}]) as server:
        terminal = online(server, cwd=tmp_path, env={"COLUMNS": columns})
        terminal.type("go\r")
        terminal.wait_for("word word")
        terminal.wait_for_prompt()
        assert "• plan: init · 0 of 1 done, 1 open." in terminal.rows
        assert ("word " * 16).strip() in terminal.rows
        terminal.leave()


def test_who_comes_back_reads_what_was_said_last_and_who_goes_elsewhere_what_was_said_there(tmp_path: Path) -> None:
    long = "\n".join(f"line {number}" for number in range(20))
    with ScriptedLlm([{"text": "It is wired."}, {"text": long}]) as server:
        terminal = online(server, "--session", "s.jsonl", cwd=tmp_path)
        for said, answer in (("wire it", "It is wired."), ("and now?", "line 19")):
            terminal.type(f"{said}\r")
            terminal.wait_for(answer)
            terminal.wait_for_prompt()
        terminal.leave()
        again = online(server, "--session", "s.jsonl", cwd=tmp_path)
        at = again.rows.index("> and now?")
        assert again.rows[at + 1 : at + 8] == ["… 14 lines above", *(f"line {number}" for number in range(14, 20))]
        again.type("/rewind\r")
        again.wait(lambda: again.rows[-1].strip() == "" and "> wire it" in again.rows)
        again.wait_for("You are there now")
        at = again.rows.index("> wire it")
        assert again.rows[at + 1] == "It is wired."
        again.type("\x15")
        again.leave()


def test_a_list_of_the_agent_that_leaves_something_out_is_said_to_the_person(tmp_path: Path) -> None:
    with ScriptedLlm([{"tool_calls": init("One")}, {"text": "Planned."}]) as server:
        terminal = online(server, "--session", "s.jsonl", cwd=tmp_path)
        terminal.type('/todo append Ship "Write changelog"\r')
        terminal.wait_for("Added")
        terminal.wait_for_prompt()
        terminal.type("plan\r")
        terminal.wait_for("Planned.")
        assert 'leaves out what was not finished: "Write changelog".' in terminal.text
        terminal.leave()


def test_pasted_text_that_comes_back_is_folded_as_it_was(tmp_path: Path) -> None:
    pasted = "\n".join(f"pasted {number}" for number in range(500))
    with ScriptedLlm([{"text": "I begin.", "hold": str(tmp_path / "never")}, {"text": "Well."}]) as server:
        terminal = online(server, "--session", "s.jsonl", cwd=tmp_path)
        terminal.type("go\r")
        terminal.wait_for("I begin.")
        terminal.type("look at ")
        terminal.paste(pasted)
        terminal.type("\r")
        terminal.wait_for("waits: look at pasted 0")
        terminal.type(ESCAPE)
        terminal.wait_for("Stopped.")
        terminal.wait(lambda: terminal.last_row == "> look at [Pasted text #1 +500 lines]")
        terminal.type("\r")
        terminal.wait_for("Well.")
        terminal.leave()
        assert repr(f"look at {pasted}") in str(server.bodies[1]["messages"])


def test_a_tool_is_one_line_with_its_result_and_an_error_stands_in_full(tmp_path: Path) -> None:
    bad = [{"op": "done", "task": f"no such task {number}"} for number in range(30)]
    steps: list[Step] = [
        {"tool_calls": init("One", "Two")},
        {"tool_calls": ops(*bad)},
        {"tool_calls": ops({"op": "done", "task": "One"})},
        {"text": "Over."},
    ]
    with ScriptedLlm(steps) as server:
        terminal = online(server, "--no-session", cwd=tmp_path)
        terminal.type("go\r")
        terminal.wait_for("Over.")
        terminal.wait_for_prompt()
        assert "• plan: init · 0 of 2 done, 2 open." in terminal.lines
        assert "• plan: done One · 1 of 2 done, 1 open." in terminal.lines
        shown = "".join(terminal.text.split())
        assert all(f'notask"nosuchtask{number}"' in shown for number in range(10)), "more are not named"
        assert any(line.startswith("• plan: done no such task 0") and line.endswith("…") for line in terminal.lines)
        terminal.leave()


def test_without_the_panel_a_change_of_the_plan_is_a_checklist(tmp_path: Path) -> None:
    with ScriptedLlm([{"tool_calls": init("One", "Two")}, {"text": "Over."}]) as server:
        terminal = online(server, "--no-session", cwd=tmp_path, env={"TODO_CONTEXT_PANEL_SHOW": "false"})
        terminal.type("go\r")
        terminal.wait_for("Over.")
        terminal.leave()

    assert "# Build\n- [/] One\n- [ ] Two\n0 of 2 done, 2 open." in terminal.text


def test_an_answer_is_streamed_and_ends_as_markdown_once(tmp_path: Path) -> None:
    gate = threading.Event()
    text = "# A heading\n\nSome **strong** words.\nAnd a line of its own.\n\n1. one\n2. two\n\n```python\nx = 1\n```\n\nThe `end"
    with ScriptedLlm([{"text": text, "hold": gate}]) as server:
        terminal = online(server, "--no-session", cwd=tmp_path)
        terminal.type("go\r")
        terminal.wait_for("The `end")
        assert "Some strong words." in terminal.lines
        gate.set()
        terminal.leave()

    shown = terminal.lines[terminal.lines.index("# A heading") : terminal.lines.index("The `end") + 1]
    assert shown == [
        "# A heading",
        "",
        "Some strong words.",
        "And a line of its own.",
        "",
        " 1 one",
        " 2 two",
        "",
        "  x = 1",
        "",
        "The `end",
    ]


def test_a_paste_of_500_lines_is_one_message(tmp_path: Path) -> None:
    with ScriptedLlm([{"text": "Thank you."}]) as server:
        terminal = online(server, "--no-session", cwd=tmp_path)
        terminal.paste("\n".join(f"pasted {number}" for number in range(500)))
        terminal.wait_for("+500 lines")
        terminal.type("\r")
        terminal.wait_for("Thank you.")
        terminal.leave()
        (message,) = [message for message in server.bodies[0]["messages"] if message["role"] == "user"]  # type: ignore[attr-defined]

    assert all(f"pasted {number}" in str(message) for number in range(500))
    assert "pasted 250" not in terminal.text


def test_without_colours_nothing_is_coloured_and_nothing_moves(tmp_path: Path) -> None:
    gate = threading.Event()
    text = "# A\n\n```python\nx = 'y'\n```\n\n[a](b) **c** `d`\n"
    steps: list[Step] = [
        {"text": text, "tool_calls": init("One", "Two")},
        {"tool_calls": ops({"op": "done", "task": "nothing"})},
        {"text": "The end", "hold": gate},
    ]
    with ScriptedLlm(steps) as server:
        terminal = online(server, "--no-session", cwd=tmp_path, env={"NO_COLOR": "1"})
        terminal.type("go\r")
        terminal.wait_for("The end")
        terminal.settle(0.5)
        gate.set()
        terminal.leave()

    assert not re.search(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])m", terminal.raw)
