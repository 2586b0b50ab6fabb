"""Group S, the person's edits beside the tool's, calls at once, children: public reports about other tools.

Requests carry a reminder: what they are held against here is what the person and the model said, and what it says.
"""

import asyncio
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases.host import Host, calling, changes, read_by_model, run
from tests.plans import INIT
from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_repl.stage import manifest
from todo_context import activate, plan_of, to_markdown
from todo_context.awaiting import awaited
from todo_context.pi import Answer, Context, Pi, Tool, ToolResult
from todo_context.plan.load import plan_to_json
from todo_context.plan.model import Json
from todo_repl.manifest import own_manifest
from todo_repl.runtime import Submitted
from todo_repl.session import read_branch

BEGUN = "# Build\n- [/] Wire config\n- [ ] Port logger\n\n# Verify\n- [ ] Run tests\n"


def done(task: str) -> dict[str, Any]:
    return {"ops": [{"op": "done", "task": task}]}


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Opened by the test, or at its end."""
    made = threading.Event()
    yield made
    made.set()


def another_component(kind: str) -> Any:
    """A second extension, whose command /other stores an entry with a task more."""

    def activate_other(pi: Pi) -> None:
        async def other(_args: str, _ctx: Context) -> Answer:
            phases: Any = plan_to_json(plan_of(await awaited(pi.branch())))
            phases[1]["tasks"].append({"content": "User item", "status": "pending"})
            entry: dict[str, Any] = {"phases": phases}
            if kind == "todo_write":
                entry |= {"v": 1, "seq": 2, "by": "user", "action": "append"}
            pi.append_entry(kind, entry)
            return Answer(text="stored")

        pi.register_command("other", description="Store an entry", handler=other)

    return manifest(commands=["other"]), activate_other


@pytest.mark.parametrize("kind", ["todo_write", "user_todo_edit"])
def test_s01_what_another_component_stored_is_there_after_the_next_call(kind: str, tmp_path: Path) -> None:
    """The tool starts from the branch, not from what it remembers: file, screen and reply all have the item."""
    steps: list[Step] = [*calling(INIT), *calling(done("Wire config"))]

    async def job(host: Host) -> None:
        assert await host.runtime.submit("Plan it.") is Submitted.DONE
        assert await host.type("/other") == "stored"
        shown = await host.type("Go on.")
        assert await host.agreed() == (
            "# Build\n- [x] Wire config\n- [/] Port logger\n\n# Verify\n- [ ] Run tests\n- [ ] User item\n"
        )
        for text in (shown, read_by_model(host.server.bodies[-1])[-1]):
            assert "- [ ] User item" in text
        assert host.results[-1]["details"]["phases"][1]["tasks"][1]["content"] == "User item"

    run(tmp_path / "s.jsonl", steps, job, extensions=[another_component(kind)])


def test_s03_two_whole_lists_in_one_message_are_taken_in_the_order_of_the_calls(tmp_path: Path) -> None:
    """Neither raises; the second replaces the first and says what of it was unfinished."""
    lists = [{"todos": [{"content": name, "status": "pending"} for name in names]} for names in ("ABC", "CD")]
    steps: list[Step] = [
        {"tool_calls": [{"name": "todo_write", "arguments": todos} for todos in lists]},
        {"text": "Both sent."},
    ]

    async def job(host: Host) -> None:
        assert await host.runtime.submit("Plan it.") is Submitted.DONE
        first, second = read_by_model(host.server.bodies[-1])
        assert [result["isError"] for result in host.results] == [False, False]
        assert [change["seq"] for change in host.changes] == [1, 2]
        assert first.startswith("0 of 3 done")
        assert second.startswith('Your list replaced the plan; unfinished and gone from it: "A", "B".')
        assert await host.agreed() == "# Tasks\n- [/] C\n- [ ] D\n"

    run(tmp_path / "s.jsonl", steps, job)


def test_s06_a_narrower_list_names_what_it_dropped_and_undo_brings_it_back(tmp_path: Path) -> None:
    """To replace all is its contract; but the model reads which four are gone, and the person has them back."""
    five = [{"content": f"Item {n}", "status": "pending"} for n in range(1, 6)]
    narrower = {"todos": [{"content": "Item 2", "status": "completed"}]}

    async def job(host: Host) -> None:
        assert await host.runtime.submit("Plan it.") is Submitted.DONE
        assert await host.agreed() == "# Tasks\n- [x] Item 2\n"
        assert read_by_model(host.server.bodies[-1])[-1].startswith(
            'Your list replaced the plan; unfinished and gone from it: "Item 1", "Item 3", "Item 4", "Item 5". '
        )
        assert (await host.type("/todo undo")).startswith("Undone: replace by the agent (4 back")
        assert await host.agreed() == "# Tasks\n- [/] Item 1\n" + "".join(f"- [ ] Item {n}\n" for n in range(2, 6))

    run(tmp_path / "s.jsonl", calling({"todos": five}, narrower), job)


def a_child(path: Path, server: ScriptedLlm) -> Any:
    """An extension of the parent, whose tool `child` runs an agent of its own that has `todo_write` too."""

    async def execute(_call: str, _arguments: Json, _ctx: Context) -> ToolResult:
        child = Host(path, server)
        await child.runtime.load(own_manifest(), activate)
        await child.runtime.start("startup")
        assert await child.runtime.submit("Be a child.") is Submitted.DONE
        shown = await child.agreed()
        await child.runtime.close()
        return ToolResult(text=shown)

    schema: dict[str, Json] = {"type": "object", "properties": {}}
    tool = Tool(name="child", label="Child", description="Run a child.", parameters=schema, execute=execute)
    return manifest(tools=["child"]), lambda pi: pi.register_tool(tool)


def test_s08_a_child_that_has_the_tool_has_a_plan_of_its_own(tmp_path: Path) -> None:
    """What the child plans and finishes is in its session; the parent's plan waits for the parent."""
    childs_list = {"ops": [{"op": "init", "list": [{"phase": "Child", "items": ["Run tests", "Report"]}]}]}
    steps: list[Step] = [
        *calling(INIT)[:-1],
        {"tool_calls": [{"name": "child", "arguments": {}}]},
        {"text": "The child is done."},
    ]

    async def job(host: Host) -> None:
        assert await host.runtime.submit("Plan it, then have a child run the tests.") is Submitted.DONE
        assert read_by_model(host.server.bodies[-1])[-1] == "# Child\n- [x] Run tests\n- [x] Report\n"
        assert await host.agreed() == BEGUN
        assert [change["action"] for change in host.changes] == ["init"]

    with ScriptedLlm(calling(childs_list, {"ops": [{"op": "done"}]})) as server:
        run(tmp_path / "parent.jsonl", steps, job, extensions=[a_child(tmp_path / "child.jsonl", server)])
        names = {tool["function"]["name"] for body in server.bodies for tool in _list(body["tools"])}

    assert names == {"todo_write", "todo"}
    assert len(changes(read_branch(tmp_path / "child.jsonl"))) == 2


def _list(value: Any) -> list[Any]:
    return list(value)


def test_s08_two_runs_at_the_same_time_share_nothing(tmp_path: Path) -> None:
    """In one process, each with calls of its own."""
    ended: list[str] = []

    async def both(servers: list[ScriptedLlm]) -> None:
        hosts = [Host(tmp_path / f"{n}.jsonl", server) for n, server in enumerate(servers)]
        for host in hosts:
            await host.runtime.load(own_manifest(), activate)
        await asyncio.gather(*(host.runtime.submit("Plan it.") for host in hosts))
        for host in hosts:
            ended.append(await host.agreed())
            await host.runtime.close()

    with ScriptedLlm(calling(INIT, done("Wire config"))) as one, ScriptedLlm(calling(INIT, done("Run tests"))) as two:
        asyncio.run(both([one, two]))

    assert ended == [
        "# Build\n- [x] Wire config\n- [/] Port logger\n\n# Verify\n- [ ] Run tests\n",
        BEGUN.replace("[ ] Run tests", "[x] Run tests"),
    ]


def test_s04_a_list_that_the_person_cleared_is_told_as_cleared_in_that_run_and_in_no_other(tmp_path: Path) -> None:
    """Not as an empty list, which a model fills again."""
    plan = calling(INIT)
    steps: list[Step] = [*plan, *calling({"ops": [{"op": "view"}]}), {"text": "Yes."}]
    cleared = (
        "The user cleared the plan on purpose, with /todo; it held "
        '"Wire config", "Port logger", "Run tests". Do not recreate it unless the user asks for it.'
    )

    async def job(host: Host) -> None:
        assert await host.runtime.submit("Plan it.") is Submitted.DONE
        await host.type("/todo rm")
        assert await host.runtime.submit("What now?") is Submitted.DONE
        assert await host.runtime.submit("And now?") is Submitted.DONE
        told = [cleared in str(body["messages"]) for body in host.server.bodies]
        assert told == [False, False, True, True, False]

    run(tmp_path / "s.jsonl", steps, job)

    assert cleared not in (tmp_path / "s.jsonl").read_text()


def test_s09_after_an_abort_another_topic_is_asked_as_it_was_typed(tmp_path: Path, gate: threading.Event) -> None:
    """What is added behind it says that the run was interrupted, and gives no order to go on."""
    steps: list[Step] = [*calling(INIT)[:-1], {"text": "I wire the", "hold": gate}, {"text": "It is Paris."}]

    async def job(host: Host) -> None:
        running = asyncio.create_task(host.runtime.submit("Plan it."))
        await asyncio.to_thread(host.server.wait_for, 2)
        host.runtime.abort()
        assert await running is Submitted.ABORTED
        assert await host.runtime.submit("What is the capital of France?") is Submitted.DONE
        before: Any = host.server.bodies[1]["messages"]
        asked: Any = host.server.bodies[2]["messages"]
        assert asked[: len(before)] == before
        assert [message["role"] for message in asked[len(before) :]] in (["user"], ["assistant", "user"])
        question, reminder = (part["text"] for part in asked[-1]["content"])
        assert question == "What is the capital of France?"
        assert "An earlier run was interrupted while this plan was open. It may no longer be wanted" in reminder
        assert not re.search(r"\b(continue|go on|proceed|keep working|start)\b", reminder, re.IGNORECASE)
        assert await host.agreed() == BEGUN

    run(tmp_path / "s.jsonl", steps, job)


def test_s11_a_plan_that_is_given_up_is_settled_without_another_call(tmp_path: Path, gate: threading.Event) -> None:
    """All abandoned, then an abort: whoever comes back finds nothing open, in the file and in every view."""
    path = tmp_path / "s.jsonl"
    steps: list[Step] = [*calling(INIT, {"ops": [{"op": "drop"}]})[:-1], {"text": "Given up, for", "hold": gate}]

    async def give_up(host: Host) -> None:
        running = asyncio.create_task(host.runtime.submit("Plan it, or give it up."))
        await asyncio.to_thread(host.server.wait_for, 3)
        host.runtime.abort()
        assert await running is Submitted.ABORTED

    async def come_back(host: Host) -> None:
        assert "Plan: All 3 closed: 3 dropped." in host.screen.getvalue()
        assert await host.agreed() == "# Build\n- [-] Wire config\n- [-] Port logger\n\n# Verify\n- [-] Run tests\n"
        assert await host.type("/todo done") == "No change: nothing is open."
        assert await host.runtime.submit("How is it?") is Submitted.DONE
        assert read_by_model(host.server.bodies[-1])[-1].startswith("All 3 closed: 3 dropped.\n")
        assert host.results[-1]["details"]["activeTask"] is None
        assert len(host.changes) == 2

    run(path, steps, give_up)
    run(path, calling({"ops": [{"op": "view"}]}), come_back, has_person=True)
    assert "[ ]" not in to_markdown(plan_of(read_branch(path)))
