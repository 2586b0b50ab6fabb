"""An edit at any moment is told in every request of the run in which it became due, and in no other run.

Through a whole host: a model that pauses inside its stream, a tool that takes its time, and a person who types /todo
in each gap there is, another gap in each run of one session. What is told stands in the bodies of the requests; what
was due, on the stored branch.
"""

import asyncio
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.cases.host import Host, run, until
from tests.cases.test_attention import reminders
from tests.plans import INIT
from tests.scripted_llm import Step
from todo_context.pi import Context, Pi, Tool, ToolResult
from todo_context.plan.model import Json
from todo_repl.manifest import Manifest
from todo_repl.runtime import Submitted
from todo_repl.session import read_branch

EVENTS = (
    *("input", "before_agent_start", "agent_start", "turn_start", "message_end", "context"),
    *("tool_call", "tool_result", "turn_end", "agent_end"),
)
"""Where a handler of another extension may hold the host up while the person types."""

NOTHING: dict[str, Json] = {"type": "object", "properties": {}}
MANIFEST = Manifest.model_validate(
    {"name": "probe", "version": "1", "entrypoint": "probe:activate", "tools": [{"name": "look"}], "hooks": EVENTS}
)

LOOK: Step = {"text": "I look around a bit.", "tool_calls": [{"name": "look", "arguments": {}}]}
TWICE: Step = {
    "text": "I look in two places.",
    "tool_calls": [{"name": "look", "arguments": {}}, {"name": "look", "arguments": {}}],
}
NOTED: Step = {
    "text": "I write it down first.",
    "tool_calls": [
        {"name": "todo_write", "arguments": {"ops": [{"op": "note", "task": "Wire config", "text": "seen"}]}}
    ],
}
REPLACED: Step = {"text": "A plan comes first.", "tool_calls": [{"name": "todo_write", "arguments": INIT}]}
WORDS: Step = {"text": "That is all for now."}
"""Answers of three pieces of text each."""


class Gate(threading.Event):
    """A pause in a stream, and whether the server has come to it."""

    is_reached = False

    def is_set(self) -> bool:
        self.is_reached = True
        return super().is_set()


@dataclass
class Run:
    """One run: its answers, and where the person types: the `nth` time the host is at `place`, or at the gate.

    `turns`: they do not wait there, but type so many turns of the loop later.
    """

    answers: Sequence[Step]
    place: str = ""
    nth: int = 1
    gate: Gate | None = None
    turns: int | None = None
    is_exact: bool = True
    """Whether nothing else can happen meanwhile."""


def in_stream(answers: Sequence[Step], which: int) -> list[Run]:
    """A run for each gap in the stream of one of these answers: before the first event, and after each."""
    # The role, three pieces, three for each call; the reason, the usage, the end.
    count = 1 + 3 + 3 * len(answers[which].get("tool_calls", ())) + 3
    runs: list[Run] = []
    for number in range(count + 1):
        gate, paused = Gate(), list(answers)
        paused[which] = {**answers[which], "pauses": {number: gate}}
        # After the last event, the client may be gone already.
        runs.append(Run(paused, gate=gate, is_exact=number < count))
    return runs


@dataclass
class Session:
    """What happens in one session: `edits` has for each the number of requests before it, None while there is none."""

    runs: Sequence[Run]
    edits: list[int | None] = field(default_factory=list[int | None])
    tasks: "list[asyncio.Task[None]]" = field(default_factory=list["asyncio.Task[None]"])
    _host: Host | None = None
    _now: Run = field(default_factory=lambda: Run(()))
    _times: int = 0

    async def job(self, host: Host) -> None:
        """All runs, the plan first and a last word in the end."""
        self._host = host
        assert await host.runtime.submit("Plan it.") is Submitted.DONE
        for number, one in enumerate(self.runs):
            self.edits.append(None)
            self._now, self._times = one, 0
            await self.at("idle")
            waiting = asyncio.create_task(self._wait(one.gate)) if one.gate else None
            assert await host.runtime.submit(f"Run {number}.") is Submitted.DONE
            for task in (waiting, *self.tasks):
                if task is not None:
                    await task
        self._now = Run(())
        assert await host.runtime.submit("Thanks.") is Submitted.DONE
        assert None not in self.edits

    async def at(self, place: str) -> None:
        """The host is here."""
        self._times += place == self._now.place
        if place != self._now.place or self._times != self._now.nth:
            return
        if self._now.turns is None:
            await self._type()
        else:
            self.tasks.append(asyncio.create_task(self._later(self._now.turns)))

    async def _later(self, turns: int) -> None:
        for _ in range(turns):
            await asyncio.sleep(0)
        await self._type()

    async def _wait(self, gate: Gate) -> None:
        await until(lambda: gate.is_reached)
        await self._type()
        gate.set()

    async def _type(self) -> None:
        assert self._host
        self.edits[-1] = len(self._host.server.bodies)
        await self._host.type(f'/todo append Build "Task {len(self.edits) - 1}."')

    def probe(self, pi: Pi) -> None:
        """Another extension, with a tool."""

        async def look(_call: str, _arguments: Json, _ctx: Context) -> ToolResult:
            await self.at("look")
            return ToolResult(text="A wall.")

        async def heard(event: Mapping[str, Json], _ctx: Context) -> None:
            await self.at(str(event["type"]))

        for event in EVENTS:
            pi.on(event, heard)
        pi.register_tool(Tool(name="look", label="Look", description="Look.", parameters=NOTHING, execute=look))


def check(path: Path, runs: Sequence[Run]) -> None:
    """Play them, and compare what was told with what was due, edit by edit."""
    session = Session(runs)
    lengths = [2, *(len(one.answers) for one in runs), 1]
    bodies: list[Any] = []

    async def job(host: Host) -> None:
        await session.job(host)
        bodies.extend(host.server.bodies)

    steps = [REPLACED, WORDS, *(step for one in runs for step in one.answers), WORDS]
    run(path, steps, job, extensions=[(MANIFEST, session.probe)])

    assert len(bodies) == sum(lengths)
    run_of = [number for number, length in enumerate(lengths) for _ in range(length)]
    knows = known(path)
    assert len(knows) == len(runs)
    for number, one in enumerate(runs):
        first = knows[number].index(True)
        due = [request for request in range(first, len(bodies)) if run_of[request] == run_of[first]]
        told = re.compile(f'^The user edited the plan with /todo.*: added .*"Task {number}\\."', re.MULTILINE)
        assert [at for at, body in enumerate(bodies) if told.search("".join(reminders(body)))] == due, number
        if one.is_exact:
            # The request of a `context` is built already: ours was asked before.
            assert first == (session.edits[number] or 0) + (one.place == "context"), number


def known(path: Path) -> list[list[bool]]:
    """For each edit, in order, whether each of the requests was built from a branch that held it."""
    branch: list[Any] = list(read_branch(path))
    places = {entry["id"]: place for place, entry in enumerate(branch)}
    edits = [
        place
        for place, entry in enumerate(branch)
        if entry.get("customType") == "todo_write" and entry["data"]["by"] == "user"
    ]
    answers = [entry["message"] for entry in branch if entry.get("message", {}).get("role") == "assistant"]
    return [[places[answer["todoLeaf"]] >= edit for answer in answers] for edit in edits]


STREAMS = [
    pytest.param((LOOK, LOOK, WORDS), 0, id="the first of three answers"),
    pytest.param((TWICE, WORDS), 0, id="one with two calls at once"),
    pytest.param((NOTED, WORDS), 0, id="one that calls todo_write"),
    pytest.param((REPLACED, WORDS), 0, id="one that replaces the plan, not knowing of the edit"),
    pytest.param((LOOK, WORDS), 1, id="the last of a run"),
    pytest.param((WORDS,), 0, id="the only one of a run"),
]


@pytest.mark.parametrize(("answers", "which"), STREAMS)
def test_in_each_gap_of_the_stream_of(answers: Sequence[Step], which: int, tmp_path: Path) -> None:
    check(tmp_path / "s.jsonl", in_stream(answers, which))


def test_between_two_runs_in_a_slow_tool_and_wherever_the_host_waits_for_another_extension(tmp_path: Path) -> None:
    """So also between a result and the next request, and before the first request of a run."""
    often = {"idle": 1, "input": 1, "before_agent_start": 1, "agent_start": 1, "agent_end": 1, "look": 2}
    places = [(place, nth) for place in ("idle", "look", *EVENTS) for nth in range(1, 1 + often.get(place, 3))]

    check(tmp_path / "s.jsonl", [Run((NOTED, TWICE, WORDS), place, nth) for place, nth in places])


@pytest.mark.parametrize("place", ["look", "input"])
def test_at_each_turn_of_the_loop_while_a_request_is_put_together(place: str, tmp_path: Path) -> None:
    """Nobody waits for this person."""
    runs = [Run((LOOK, WORDS), place, turns=turns, is_exact=False) for turns in range(30)]

    check(tmp_path / "s.jsonl", runs)
