"""The marks for Anthropic's cache: what is written anew with a request is what is new in it."""

from itertools import pairwise
from typing import Any, cast

import pytest

from bench.cache_rules import Block, explicit
from bench.parts import parts_of
from tests.scripted_llm import Call, ScriptedLlm, Step
from tests.todo_repl.asking import HI, assistant, result, sent
from tests.todo_repl.talk import echo, talk_with
from todo_repl.messages import Message, TextPart, ToolCall, UserMessage

REMINDER = "<system-reminder>\nFrom the todo extension, not from the user.\n</system-reminder>"
BEFORE = assistant(ToolCall("c", "echo", {"n": 1}), provider="anthropic")
DONE = assistant(TextPart("Done."), provider="anthropic")


def marked(body: Any) -> list[str]:
    """The blocks of the messages that have a mark: their text, or their type."""
    blocks = [block for message in body["messages"] for block in message["content"]]
    return [block.get("text", block["type"]) for block in blocks if "cache_control" in block]


@pytest.mark.parametrize(
    ("messages", "marks"),
    [
        pytest.param([UserMessage("hi", 0, (REMINDER,))], ["hi"], id="behind the person's words"),
        pytest.param([HI, BEFORE, result("c", "ok"), UserMessage(REMINDER, 0)], ["hi", "tool_result"], id="a result"),
        pytest.param([HI, BEFORE, result("c", "ok")], ["hi", "tool_result"], id="without a reminder"),
        pytest.param(
            [HI, BEFORE, result("c", "ok"), DONE, UserMessage("and?", 0, (REMINDER,))],
            ["tool_result", "and?"],
            id="the last two turns of three",
        ),
    ],
)
def test_a_mark_stands_before_what_is_sent_this_once_and_one_where_it_stood_before(
    messages: list[Message], marks: list[str]
) -> None:
    assert marked(sent("anthropic", *messages)) == marks


@pytest.mark.parametrize("count", [1, 9, 12, 40])
def test_an_answer_of_many_calls_has_nothing_written_twice(count: int) -> None:
    """A provider looks for what it has over some 20 blocks from a mark; twelve calls and their results are more."""
    calls: list[Call] = [{"name": "echo", "arguments": {"n": number}} for number in range(count)]
    steps: list[Step] = [{"text": "So.", "tool_calls": calls}] * 3
    with ScriptedLlm([*steps, {"text": "Done."}]) as server:
        talk_with(server, echo(), provider="anthropic").say("go")
        requests = [parts_of(cast("Any", body)) for body in server.bodies]

    blocks = [[Block(f"{part.kind} {part.text}", 1, part.is_marked) for part in request] for request in requests]
    assert len(blocks) == 4
    written = [cost.written for cost in explicit(blocks)]
    assert written[1:] == [len(after) - len(before) for before, after in pairwise(blocks)]
