"""The main job: a model plans, a person edits, the session keeps it. After each step all views agree.

The model is a script behind a real server; it is held before each answer while file, reply and /todo are compared.
"""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.plans import phases
from tests.scripted_llm import ScriptedLlm, Step
from todo_context import activate, plan_of, to_markdown
from todo_context.pi import Context, Pi, Tool, ToolResult
from todo_context.plan.model import Json
from todo_repl.connect import online_model
from todo_repl.manifest import Manifest, own_manifest
from todo_repl.models import ModelSpec
from todo_repl.runtime import Runtime, Submitted
from todo_repl.session import Session, read_branch
from todo_repl.ui.lines import LinesFront
from todo_repl.ui.output import Output

pytestmark = pytest.mark.e2e

INIT: dict[str, Any] = {
    "op": "init",
    "list": [
        {"phase": "Build", "items": ["Wire config", "Port logger"]},
        {"phase": "Verify", "items": ["Run tests"]},
        {"phase": "Ship", "items": ["Write notes", "Tag it"]},
    ],
}


def calls(*ops: Any) -> list[Any]:
    """One call of the tool for each list of operations, or operation."""
    return [{"name": "todo_write", "arguments": {"ops": op if isinstance(op, list) else [op]}} for op in ops]


class Desk:
    """A session on disk, a scripted model, and the person at it."""

    def __init__(self, path: Path, server: ScriptedLlm) -> None:
        self.path = path
        self.server = server
        self.out, self.err = StringIO(), StringIO()
        session = Session.open(path) if path.exists() else Session.create(path, "/work")
        self.runtime = Runtime(
            session=session,
            model=online_model(ModelSpec(provider="openai", name="scripted", base_url=server.base_url, api_key="x")),
            front=LinesFront(Output(self.out), Output(self.err)),
            system_prompt="Plan.",
            max_rounds=50,
        )

    async def shown(self) -> str:
        """What /todo prints now."""
        start = len(self.out.getvalue())
        assert await self.runtime.submit("/todo") is Submitted.DONE
        return self.out.getvalue()[start:].strip()

    async def agreed(self) -> str:
        """The plan in the file, which must be the one that /todo shows and that the newest result carries."""
        branch = read_branch(self.path)
        plan = plan_of(branch)
        assert await self.shown() == (to_markdown(plan).strip() or "The plan is empty. /todo append <task> starts one.")
        return to_markdown(plan)

    def results(self) -> list[Any]:
        """The stored results of tools, in the order stored."""
        messages: list[Any] = [entry.get("message") for entry in read_branch(self.path) if entry["type"] == "message"]
        return [message for message in messages if message["role"] == "toolResult"]

    def entries(self) -> list[Any]:
        return [entry["data"] for entry in read_branch(self.path) if entry.get("customType") == "todo_write"]


@pytest.fixture
def gates() -> Iterator[list[threading.Event]]:
    made = [threading.Event() for _ in range(12)]
    yield made
    for gate in made:
        gate.set()


def run(path: Path, steps: Sequence[Step], job: Callable[[Desk], Awaitable[None]], *extensions: Any) -> None:
    async def go(server: ScriptedLlm) -> None:
        desk = Desk(path, server)
        await desk.runtime.load(own_manifest(), activate)
        for manifest, function in extensions:
            await desk.runtime.load(manifest, function)
        await desk.runtime.start("startup")
        try:
            await job(desk)
        finally:
            await desk.runtime.close()

    with ScriptedLlm(steps) as server:
        asyncio.run(go(server))


def test_a_whole_run_after_each_step_file_reply_and_todo_agree(tmp_path: Path, gates: list[threading.Event]) -> None:
    ops: list[Any] = [
        INIT,
        {"op": "start", "task": "Run tests"},
        {"op": "note", "task": "Run tests", "text": "two fail\nsee log"},
        {"op": "block", "task": "Run tests", "reason": "no runner"},
        [{"op": "done", "task": "Wire config"}, {"op": "done", "task": "Port logger"}],
        {"op": "unblock", "task": "Run tests"},
        {"op": "done", "phase": "Verify"},
        {"op": "drop", "task": "Tag it"},
        {"op": "done"},
    ]
    steps: list[Step] = [{"tool_calls": calls(op), "gate": gate} for op, gate in zip(ops, gates, strict=False)]
    steps.append({"text": "All done.", "gate": gates[len(ops)]})
    seen: list[str] = []

    async def job(desk: Desk) -> None:
        running = asyncio.create_task(desk.runtime.submit("Do it."))
        for number in range(len(steps)):
            await asyncio.to_thread(desk.server.wait_for, number + 1)
            seen.append(await desk.agreed())
            if number:
                assert phases(plan_of(read_branch(desk.path))) == _phases(desk.results()[-1]["details"]["phases"])
            gates[number].set()
        assert await running is Submitted.DONE
        assert [entry["seq"] for entry in desk.entries()] == list(range(1, len(ops) + 1))
        assert [entry["by"] for entry in desk.entries()] == ["model"] * len(ops)

    run(tmp_path / "s.jsonl", steps, job)

    assert seen == [
        "",
        "# Build\n- [/] Wire config\n- [ ] Port logger\n\n# Verify\n- [ ] Run tests\n\n# Ship\n- [ ] Write notes\n- [ ] Tag it\n",
        "# Build\n- [ ] Wire config\n- [ ] Port logger\n\n# Verify\n- [/] Run tests\n\n# Ship\n- [ ] Write notes\n- [ ] Tag it\n",
        "# Build\n- [ ] Wire config\n- [ ] Port logger\n\n# Verify\n- [/] Run tests\n  > two fail\n  > see log\n\n# Ship\n- [ ] Write notes\n- [ ] Tag it\n",
        "# Build\n- [/] Wire config\n- [ ] Port logger\n\n# Verify\n- [!] Run tests <!-- blocker: no runner -->\n  > two fail\n  > see log\n\n# Ship\n- [ ] Write notes\n- [ ] Tag it\n",
        "# Build\n- [x] Wire config\n- [x] Port logger\n\n# Verify\n- [!] Run tests <!-- blocker: no runner -->\n  > two fail\n  > see log\n\n# Ship\n- [/] Write notes\n- [ ] Tag it\n",
        "# Build\n- [x] Wire config\n- [x] Port logger\n\n# Verify\n- [ ] Run tests\n  > two fail\n  > see log\n\n# Ship\n- [/] Write notes\n- [ ] Tag it\n",
        "# Build\n- [x] Wire config\n- [x] Port logger\n\n# Verify\n- [x] Run tests\n  > two fail\n  > see log\n\n# Ship\n- [/] Write notes\n- [ ] Tag it\n",
        "# Build\n- [x] Wire config\n- [x] Port logger\n\n# Verify\n- [x] Run tests\n  > two fail\n  > see log\n\n# Ship\n- [/] Write notes\n- [-] Tag it\n",
        "# Build\n- [x] Wire config\n- [x] Port logger\n\n# Verify\n- [x] Run tests\n  > two fail\n  > see log\n\n# Ship\n- [x] Write notes\n- [-] Tag it\n",
    ]  # fmt: skip


def _phases(raw: list[Any]) -> list[Any]:
    return [{"name": phase["name"], "tasks": phase["tasks"]} for phase in raw]


def test_two_calls_in_one_message_both_count(tmp_path: Path) -> None:
    """S03."""
    steps: list[Step] = [
        {"tool_calls": calls(INIT)},
        {
            "tool_calls": calls(
                {"op": "done", "task": "Wire config"}, {"op": "append", "phase": "Ship", "items": ["Tell"]}
            )
        },
        {"text": "Both done."},
    ]

    async def job(desk: Desk) -> None:
        assert await desk.runtime.submit("Do it.") is Submitted.DONE
        plan = await desk.agreed()
        assert "- [x] Wire config" in plan
        assert "- [ ] Tell" in plan
        assert [entry["seq"] for entry in desk.entries()] == [1, 2, 3]
        assert [result["details"]["seq"] for result in desk.results()] == [1, 2, 3]
        sent: Any = desk.server.bodies[2]["messages"]
        assert [message["role"] for message in sent][-3:] == ["assistant", "tool", "tool"]

    run(tmp_path / "s.jsonl", steps, job)


def test_an_edit_between_a_call_and_the_late_result_of_another_tool_stays(tmp_path: Path) -> None:
    entered, may_end = asyncio.Event(), asyncio.Event()
    manifest = Manifest(name="slow", version="1", entrypoint="x:y", tools=({"name": "slow"},))  # type: ignore[arg-type]

    def slow(pi: Pi) -> None:
        async def execute(_call: str, _arguments: Json, _ctx: Context) -> ToolResult:
            entered.set()
            await may_end.wait()
            return ToolResult(text="at last")

        schema: dict[str, Json] = {"type": "object", "properties": {}}
        pi.register_tool(Tool(name="slow", label="Slow", description="Wait.", parameters=schema, execute=execute))

    steps: list[Step] = [
        {"tool_calls": calls(INIT)},
        {"tool_calls": [{"name": "slow", "arguments": {}}, *calls({"op": "done", "task": "Wire config"})]},
        {"tool_calls": calls({"op": "done", "task": "Port logger"})},
        {"text": "Done."},
    ]

    async def job(desk: Desk) -> None:
        running = asyncio.create_task(desk.runtime.submit("Do it."))
        await entered.wait()
        assert await desk.runtime.submit('/todo append Ship "Tell the users"') is Submitted.DONE
        assert await desk.runtime.submit("/todo drop tag") is Submitted.DONE
        await desk.agreed()
        may_end.set()
        assert await running is Submitted.DONE
        assert await desk.agreed() == (
            "# Build\n- [x] Wire config\n- [x] Port logger\n\n# Verify\n- [/] Run tests\n\n"
            "# Ship\n- [ ] Write notes\n- [-] Tag it\n- [ ] Tell the users\n"
        )
        assert sorted(entry["by"] for entry in desk.entries()) == ["model"] * 3 + ["user"] * 2

    run(tmp_path / "s.jsonl", steps, job, (manifest, slow))


def test_an_abort_keeps_what_was_planned_and_the_next_run_goes_on(tmp_path: Path, gates: list[threading.Event]) -> None:
    steps: list[Step] = [
        {"tool_calls": calls(INIT)},
        {"text": "Now I will", "hold": gates[0]},
        {"tool_calls": calls({"op": "done", "task": "Wire config"})},
        {"text": "Done."},
    ]

    async def job(desk: Desk) -> None:
        running = asyncio.create_task(desk.runtime.submit("Do it."))
        await asyncio.to_thread(desk.server.wait_for, 2)
        assert desk.runtime.abort()
        assert await running is Submitted.ABORTED
        assert (await desk.agreed()).startswith("# Build\n- [/] Wire config\n")
        assert await desk.runtime.submit("Go on.") is Submitted.DONE
        assert (await desk.agreed()).startswith("# Build\n- [x] Wire config\n- [/] Port logger\n")

    run(tmp_path / "s.jsonl", steps, job)


def test_malformed_arguments_are_an_error_for_the_model_and_change_nothing(tmp_path: Path) -> None:
    """A06."""
    text = '{"todos": "Check A", "status": "in_progress"}, {"content": "Check B"}]}'
    steps: list[Step] = [
        {"tool_calls": calls(INIT)},
        {"tool_calls": [{"name": "todo_write", "arguments": text}]},
        {"text": "I see."},
    ]

    async def job(desk: Desk) -> None:
        assert await desk.runtime.submit("Do it.") is Submitted.DONE
        assert len(desk.entries()) == 1
        assert desk.results()[-1]["isError"]
        sent: Any = desk.server.bodies[2]["messages"]
        assert "is no JSON. Send an object such as" in json.dumps(sent[-1]["content"])

    run(tmp_path / "s.jsonl", steps, job)
