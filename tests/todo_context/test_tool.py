"""The tool as a host sees it: words, details, and what it never does."""

import asyncio
import subprocess
import sys
from typing import Any

import pytest

from tests.plans import INIT
from todo_context import activate
from todo_context.hosts.memory import MemoryPi
from todo_context.pi import ToolResult
from todo_context.tool import call_card


@pytest.fixture
def pi() -> MemoryPi:
    host = MemoryPi()
    activate(host)
    return host


def call(pi: MemoryPi, *calls: Any) -> ToolResult:
    async def go() -> ToolResult:
        results = [await pi.call_tool("todo_write", arguments) for arguments in calls]
        return results[-1]

    return asyncio.run(go())


def test_the_details_carry_the_plan_and_its_place_in_the_order(pi: MemoryPi) -> None:
    result = call(pi, INIT, {"ops": [{"op": "done", "task": "Wire config"}, {"op": "start", "task": "nix"}]})

    assert result.details == {
        "phases": [
            {
                "name": "Build",
                "tasks": [
                    {"content": "Wire config", "status": "completed"},
                    {"content": "Port logger", "status": "in_progress"},
                ],
            },
            {"name": "Verify", "tasks": [{"content": "Run tests", "status": "pending"}]},
        ],
        "storage": "memory",
        "seq": 2,
        "activeTask": "Port logger",
        "completedTasks": [{"phase": "Build", "content": "Wire config"}],
        "errors": [
            {
                "op": "start",
                "code": "not_found",
                "message": 'no task "nix". There is "Wire config", "Port logger", "Run tests". '
                "Use the text of a task as it stands.",
            }
        ],
    }
    assert not result.is_error


@pytest.mark.parametrize(
    ("arguments", "is_error"),
    [
        pytest.param({"ops": [{"op": "done", "task": "nix"}]}, True, id="nothing applied"),
        pytest.param({"ops": 5}, True, id="nothing could be read"),
        pytest.param('{"todos": "Check A"}, {"content": "Check B"}]}', True, id="A06 unbalanced text"),
        pytest.param({"ops": [{"op": "append", "phase": "Build", "items": ["Run tests"]}]}, False, id="already there"),
        pytest.param({"ops": [{"op": "done", "task": "nix"}, {"op": "view"}]}, False, id="something applied"),
        pytest.param({"ops": []}, False, id="nothing asked"),
    ],
)
def test_it_is_an_error_only_if_all_was_refused_for_another_reason_than_being_there(
    pi: MemoryPi, arguments: Any, is_error: bool
) -> None:
    assert call(pi, INIT, arguments).is_error is is_error
    assert len(pi.stored) == 1


@pytest.mark.parametrize(
    ("arguments", "card"),
    [
        pytest.param(INIT, "plan: init", id="init"),
        pytest.param({"ops": [{"op": "done", "task": "A"}]}, "plan: done A", id="a task"),
        pytest.param({"ops": [{"op": "done", "task": f"t{n}"} for n in range(5)]}, "plan: done t0, done t1, done t2 and 2 more", id="many"),
        pytest.param({}, "plan", id="A07 nothing"),
        pytest.param({"todos": None}, "plan", id="A07 null"),
        pytest.param({"todos": 5}, "plan", id="A07 a number"),
        pytest.param({"ops": [None]}, "plan: ?", id="A07 null in the list"),
        pytest.param('{"ops', "plan", id="text"),
        pytest.param({"ops": [{"op": "done", "task": "\x1b[2J\nx" + "y" * 99}]}, "plan: done  x" + "y" * 58 + "…", id="P06 hostile and long"),
    ],
)  # fmt: skip
def test_the_card_of_a_call_bears_anything(arguments: Any, card: str) -> None:
    assert call_card(arguments) == card


PROBE = """
import asyncio, json, sys
from todo_context import activate
from todo_context.hosts.memory import MemoryPi
pi = MemoryPi()
activate(pi)
tool = pi.tools["todo_write"]
seen = []
asyncio.run(asyncio.sleep(0))
sys.addaudithook(lambda event, args: seen.append([event, str(args[0])[:200]]) if event.split(".")[0] in
                 {"open", "subprocess", "socket", "os", "shutil", "urllib"} else None)
async def go():
    start = len(seen)
    for arguments in ({"ops": [{"op": "init", "list": [{"phase": "A", "items": ["x"]}]}]}, {"ops": [{"op": "done"}]}, {"ops": 5}):
        await tool.execute("c", arguments, pi.context())
    return seen[start:]
print(json.dumps(asyncio.run(go())))
"""


def test_it_opens_no_file_starts_no_process_and_uses_no_network() -> None:
    ran = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == "[]"
