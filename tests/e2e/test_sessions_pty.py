"""One person at one terminal, through all that can become of a session: the plan follows each time.

The model is a script behind a real server, the terminal a real pty. After each step three views are held against each
other: what /todo prints, what another process reads from the file, and what the next request tells the model.
"""

import os
import re
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_llm import Call, ScriptedLlm, Step
from tests.todo_repl.process import run
from tests.todo_repl.session_kit import append_as_another
from tests.todo_repl.terminal import Terminal
from todo_repl.session import read_branch

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name == "nt", reason="needs a pty")]

KEEP_TOKENS = {"TODO_CONTEXT_REPL_KEEP_RECENT_TOKENS": "60"}
ESCAPE = "\x1b"
LONG = "This answer is long enough to be worth a summary. " * 12

PLAN = ["- [/] Wire config", "- [ ] Port logger", "- [ ] Run tests"]
WIRED = ["- [x] Wire config", "- [/] Port logger", "- [ ] Run tests"]
PORTED = ["- [x] Wire config", "- [x] Port logger", "- [/] Run tests"]


def call(**op: Any) -> Sequence[Call]:
    return [{"name": "todo_write", "arguments": {"ops": [op]}}]


INIT = call(op="init", list=[{"phase": "Build", "items": ["Wire config", "Port logger", "Run tests"]}])


class Desk:
    """The person, their terminal, and the server they talk to."""

    def __init__(self, server: ScriptedLlm, here: Path, *flags: str, env: Mapping[str, str] | None = None) -> None:
        self.server, self.here = server, here
        model = ("--model", "openai:scripted", "--base-url", server.base_url)
        self.terminal = Terminal(*model, *flags, cwd=here, size=(100, 30), env={**KEEP_TOKENS, **(env or {})})

    def type(self, line: str) -> str:
        """Type a line and wait for the next prompt; what was shown between."""
        terminal = self.terminal
        terminal.wait_for_prompt()
        begun = len(re.findall(r"(?m)^> \S", terminal.text))
        terminal.type(f"{line}\r")
        terminal.wait(lambda: len(re.findall(r"(?m)^> \S", terminal.text)) > begun)
        terminal.wait_for_prompt()
        return re.split(r"(?m)^> \S.*$", terminal.text)[begun + 1]

    def choose(self, line: str, answer: str) -> None:
        """Type a command that asks, and answer it."""
        self.terminal.wait_for_prompt()
        self.terminal.type(f"{line}\r")
        self.terminal.wait(lambda: self.terminal.last_row.endswith("Esc leaves:"))
        self.terminal.type(answer if answer == ESCAPE else f"{answer}\r")
        self.terminal.wait(lambda: self.terminal.last_row[:1] == ">")

    @property
    def sent(self) -> str:
        """The messages of the newest request."""
        return str(self.server.bodies[-1]["messages"])

    def agrees(self, tasks: Sequence[str], *, says: str) -> None:
        """What /todo prints, what the file says, and what the request tells that `says` sets in motion."""
        assert _tasks(self.type("/todo")) == list(tasks)
        assert _tasks(run("show", cwd=self.here).stdout) == list(tasks)
        before = len(self.server.bodies)
        self.type(says)
        told = _reminder(self.server.bodies[before])
        assert _tasks(told) == [task for task in tasks if "[x]" not in task]
        assert f"{sum('[x]' in task for task in tasks)} of {len(tasks)} done" in told


def _tasks(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.startswith("- [")]


def _reminder(body: Any) -> str:
    """The reminder of a request, which is in it once."""
    parts: list[str] = []
    for message in body["messages"]:
        content = message["content"]
        parts += [content] if isinstance(content, str) else [part.get("text", "") for part in content or []]
    (found,) = (part[part.index("<system-reminder>") :] for part in parts if "<system-reminder>" in part)
    return found


def test_the_plan_follows_through_all_of_it(tmp_path: Path) -> None:
    steps: list[Step] = [
        {"tool_calls": INIT},
        {"text": f"Planned. {LONG}"},
        {"tool_calls": call(op="done", task="Wire config")},
        {"text": f"Wired. {LONG}"},
        {"tool_calls": call(op="done", task="Port logger")},
        {"text": f"Ported. {LONG}"},
    ]
    steps.extend({"text": f"Answer {number}. {LONG}"} for number in range(20))
    with ScriptedLlm(steps, asides=[{"text": "First summary."}, {"text": "Second summary."}]) as server:
        desk = Desk(server, tmp_path)
        for line in ("plan it", "wire it", "port it"):
            desk.type(line)
        desk.agrees(PORTED, says="and now?")
        _back_and_forth(desk)
        _fork(desk)
        _compact_twice(desk)
        _hand_over(desk)
        desk.terminal.leave()
        assert "Session kept: " in desk.terminal.text
        _come_back(Desk(server, tmp_path, "--resume"))


def _back_and_forth(desk: Desk) -> None:
    desk.terminal.wait_for_prompt()
    desk.terminal.type("/rewind 3\r")
    desk.terminal.wait_for('You are there now, before "wire it". Plan: 0 of 3 done, 3 open.')
    # What was said there is the next line, if the person wants it.
    desk.terminal.wait(lambda: desk.terminal.last_row == "> wire it")
    desk.terminal.type("\x03")
    desk.agrees(PLAN, says="what is left?")
    assert "Wired." not in desk.sent
    assert "wire it" not in desk.sent

    desk.choose("/tree", _number(desk, "agent: Answer 0."))
    assert "2 of 3 done, 1 open." in desk.terminal.text
    desk.agrees(PORTED, says="here again")
    assert "Wired." in desk.sent
    assert "what is left?" not in desk.sent


def _fork(desk: Desk) -> None:
    (first,) = _files()
    before = first.read_bytes()
    assert "A session of its own" in desk.type("/fork")
    desk.agrees(PORTED, says="in the fork")
    assert first.read_bytes() == before
    assert len(_files()) == 2


def _compact_twice(desk: Desk) -> None:
    assert "Compacted: " in desk.type("/compact the names")
    assert "the names" in desk.sent
    desk.agrees(PORTED, says="after the first")
    assert "First summary." in desk.sent
    desk.type("one more")
    assert "Compacted: " in desk.type("/compact")
    desk.agrees(PORTED, says="after the second")
    assert "Second summary." in desk.sent


def _hand_over(desk: Desk) -> None:
    assert "The plan came along." in desk.type("/handoff ship it")
    desk.agrees(PORTED, says="who are you?")
    assert "ship it" in desk.sent
    assert "Second summary." not in desk.sent


def _come_back(desk: Desk) -> None:
    desk.terminal.wait(lambda: desk.terminal.last_row.endswith("Esc leaves:"))
    assert "1. ship it" in desk.terminal.text
    desk.terminal.type("nothing of this kind\r")
    desk.terminal.wait_for(" has that.")
    desk.terminal.type("\x151\r")
    desk.agrees(PORTED, says="back")
    assert "who are you?" in desk.sent
    desk.choose("/resume", "1")
    desk.agrees(PORTED, says="in the fork again")
    assert "Second summary." in desk.sent
    desk.terminal.leave()


def test_a_summary_can_be_stopped_and_nothing_changed(tmp_path: Path) -> None:
    gate = threading.Event()
    steps: list[Step] = [{"tool_calls": INIT}, {"text": f"Planned. {LONG}"}, {"text": f"Yes. {LONG}"}, {"text": "Yes."}]
    with ScriptedLlm(steps, asides=[{"text": "Never.", "gate": gate}]) as server:
        desk = Desk(server, tmp_path)
        desk.type("plan it")
        desk.type("and?")
        desk.terminal.wait_for_prompt()
        desk.terminal.type("/compact\r")
        desk.terminal.wait_for("Compacting about ")
        server.wait_for(4)
        desk.terminal.type("\x03")
        desk.terminal.wait_for("Not compacted: it was stopped.")
        gate.set()
        desk.agrees(PLAN, says="go on")
        assert "Planned." in desk.sent
        desk.terminal.leave()


def test_the_person_is_asked_where_another_program_went_on(tmp_path: Path) -> None:
    steps: list[Step] = [{"tool_calls": INIT}, {"text": "Planned."}, {"text": "Yes."}, {"text": "Yes."}]
    with ScriptedLlm(steps) as server:
        desk = Desk(server, tmp_path)
        desk.type("plan it")
        (path,) = _files()
        leaf = str(read_branch(path)[-1]["id"])
        phases: Any = [{"name": "A", "tasks": [{"content": "Theirs", "status": "in_progress"}]}]
        append_as_another(path, "theirs", leaf, customType="todo_write", data={"v": 1, "seq": 2, "phases": phases})
        desk.choose("go on", ESCAPE)
        assert "another program went on with this session, up to entry theirs." in desk.terminal.flowing
        desk.terminal.wait(lambda: desk.terminal.last_row == "> go on")
        desk.terminal.type("\r")
        desk.terminal.wait(lambda: desk.terminal.last_row.endswith("Esc leaves:"))
        desk.terminal.type("1\r")
        desk.terminal.wait_for("Yes.")
        desk.agrees(["- [/] Theirs"], says="and now?")
        desk.terminal.leave()
        assert len(_files()) == 1


def _files() -> list[Path]:
    return sorted(Path(os.environ["HOME"]).rglob("sessions/*/*.jsonl"))


def _number(desk: Desk, words: str) -> str:
    """The number of the point whose line holds these words, as another process lists them."""
    path = _files()[-1].with_name("copy.jsonl")
    path.write_bytes(_files()[0].read_bytes())
    try:
        listed = run("--session", str(path), "-p", "/tree", cwd=desk.here).stdout
    finally:
        path.unlink()
    (number,) = re.findall(rf"(?m)^ *(\d+)\..*{re.escape(words)}", listed)
    return str(number)
