import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from todo_context.hosts.memory import MemoryPi
from todo_context.pi import Answer, Context, Tool, ToolResult
from todo_context.plan.model import Json


def at_noon() -> datetime:
    return datetime(2026, 11, 30, 12, 0, 0, 5000, tzinfo=UTC)


def test_entries_hang_on_each_other_as_pi_writes_them() -> None:
    pi = MemoryPi(now=at_noon)

    first = pi.append("message", {"message": {"role": "user", "content": "hi"}})
    second = pi.append_entry("todo_write", {"v": 1})

    assert pi.branch() == (
        {
            "type": "message",
            "message": {"role": "user", "content": "hi"},
            "id": first,
            "parentId": None,
            "timestamp": "2026-11-30T12:00:00.005Z",
        },
        {
            "type": "custom",
            "customType": "todo_write",
            "data": {"v": 1},
            "id": second,
            "parentId": first,
            "timestamp": "2026-11-30T12:00:00.005Z",
        },
    )


def test_after_a_cut_the_next_entry_hangs_on_the_new_leaf_and_ids_stay_unique() -> None:
    pi = MemoryPi()
    root = pi.append_entry("a", {})
    left = pi.append_entry("b", {})

    del pi.path[1:]
    new = pi.append_entry("c", {})

    assert [entry["id"] for entry in pi.branch()] == [root, new]
    assert [entry["id"] for entry in pi.stored] == [root, left, new]
    assert pi.branch()[-1]["parentId"] == root


def test_what_was_stored_shares_nothing_with_the_caller() -> None:
    pi = MemoryPi()
    phases: list[Json] = ["Build"]

    pi.append_entry("todo_write", {"phases": phases})
    phases.append("Verify")

    assert pi.branch()[0]["data"] == {"phases": ["Build"]}


def test_what_is_no_json_is_refused_and_nothing_is_stored() -> None:
    pi = MemoryPi()

    with pytest.raises(TypeError, match="not JSON serializable"):
        pi.append_entry("todo_write", {"when": at_noon()})  # type: ignore[dict-item]

    assert pi.stored == []


def test_without_a_person_there_is_nobody_to_ask() -> None:
    ctx = MemoryPi(cwd="/project").context()

    assert (ctx.has_ui, ctx.cwd) == (False, "/project")
    with pytest.raises(RuntimeError, match="check has_ui first"):
        _ = ctx.ui


def test_a_message_of_an_extension_is_an_entry_and_may_want_a_turn() -> None:
    pi = MemoryPi()

    pi.send_message("one", custom_type="note")
    pi.send_message("two", custom_type="note", display=False, trigger_turn=True)

    assert [(entry["type"], entry["content"], entry["display"]) for entry in pi.branch()] == [
        ("custom_message", "one", True),
        ("custom_message", "two", False),
    ]
    assert pi.turns_wanted == 1


def test_handlers_are_told_in_order_and_may_be_awaited() -> None:
    pi = MemoryPi()

    async def slow(event: Mapping[str, Json], _: Context) -> str:
        await asyncio.sleep(0)
        return f"slow {event['type']} {event['reason']}"

    pi.on("session_start", slow)
    pi.on("session_start", lambda _event, _ctx: "quick")

    assert asyncio.run(pi.emit("session_start", {"reason": "new"})) == ["slow session_start new", "quick"]
    assert asyncio.run(pi.emit("turn_end")) == []


def test_tools_and_commands_are_called_with_what_was_sent() -> None:
    pi = MemoryPi()

    async def execute(call_id: str, arguments: Json, ctx: Context) -> ToolResult:
        return ToolResult(text=f"{call_id} {arguments} {ctx.cwd}")

    async def handler(args: str, _: Context) -> Answer:
        return Answer(text=args.upper())

    pi.register_tool(Tool(name="t", label="T", description="", parameters={}, execute=execute))
    pi.register_command("c", description="says it louder", handler=handler)

    assert asyncio.run(pi.call_tool("t", [1], "call_7")) == ToolResult(text="call_7 [1] /")
    assert asyncio.run(pi.run_command("c", "hi")) == Answer(text="HI")
    assert pi.commands["c"].description == "says it louder"
    assert pi.storage == "memory"
