"""Whatever a tool does, there is a result, and the run goes on."""

import asyncio
from collections.abc import Callable
from typing import cast

import pytest

from tests.scripted_llm import ScriptedLlm
from tests.todo_repl.talk import ONE, TWO, echo, talk_with, tool, wire
from todo_context.pi import Tool, ToolResult
from todo_context.plan.model import Json
from todo_repl.agent_events import ToolStarted


def failing(raised: BaseException) -> Tool:
    async def execute(_: Json) -> ToolResult:
        raise raised

    return tool("echo", execute)


def answering(result: object) -> Tool:
    async def execute(_: Json) -> ToolResult:
        return cast("ToolResult", result)

    return tool("echo", execute)


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        pytest.param(failing(ValueError("no\n\x1b[31mway")), 'The tool "echo" failed: ValueError: no way', id="raises"),
        pytest.param(failing(OSError()), 'The tool "echo" failed: OSError', id="raises without words"),
        pytest.param(
            failing(RuntimeError("x" * 999)), f'The tool "echo" failed: RuntimeError: {"x" * 285}…', id="at length"
        ),
        pytest.param(
            failing(asyncio.CancelledError()),
            'The tool "echo" failed: CancelledError',
            id="cancels what is not cancelled",
        ),
        pytest.param(
            answering(None),
            'The tool "echo" failed: TypeError: its answer is no ToolResult but NoneType',
            id="no result",
        ),
        pytest.param(
            answering(ToolResult(text="ok", details=cast("dict[str, Json]", {"a": {1}}))),
            'The tool "echo" failed: TypeError: Object of type set is not JSON serializable',
            id="details that cannot be stored",
        ),
        pytest.param(
            tool("other", lambda _: asyncio.sleep(0, ToolResult(text=""))),
            'There is no tool "echo". Tools: other.',
            id="is not there",
        ),
    ],
)
def test_a_tool_that_fails_is_a_result_and_the_run_goes_on(broken: Tool, told: str) -> None:
    with ScriptedLlm([{"tool_calls": [ONE]}, {"text": "I see."}]) as server:
        talk = talk_with(server, broken)
        end = talk.say("go")
        sent = wire(server.bodies[1])

    assert end.reason == "stop"
    assert [(result.text, result.is_error) for result in talk.results] == [(told, True)]
    assert sent[-1] == f"tool ={talk.answers[0].calls[0].id}"
    assert talk.answers[-1].text == "I see."


def test_one_that_fails_leaves_the_other_alone() -> None:
    bad = tool("bad", _raise_value_error)
    with ScriptedLlm([{"tool_calls": [{"name": "bad", "arguments": {}}, TWO]}, {"text": "."}]) as server:
        talk = talk_with(server, bad, echo())
        talk.say("go")

    assert sorted(result.text for result in talk.results) == ['The tool "bad" failed: ValueError: no', "got {'n': 2}"]


async def _raise_value_error(_: Json) -> ToolResult:
    raise ValueError("no")


def _no_line(_: Json) -> str:
    raise KeyError("n")


@pytest.mark.parametrize(
    ("render_call", "line"),
    [
        pytest.param(lambda arguments: f"echo\x1b[2J {arguments}\n", "echo {'n': 1} ", id="safe for the screen"),
        pytest.param(_no_line, "Echo", id="one that raises"),
        pytest.param(None, "Echo", id="none"),
    ],
)
def test_the_line_of_a_call(render_call: Callable[[Json], str] | None, line: str) -> None:
    with ScriptedLlm([{"tool_calls": [ONE]}, {"text": "."}]) as server:
        shown = tool("echo", lambda _: asyncio.sleep(0, ToolResult(text="ok")), render_call)
        talk = talk_with(server, shown)
        talk.say("go")

    assert [event.label_line for event in talk.shown if isinstance(event, ToolStarted)] == [line]
