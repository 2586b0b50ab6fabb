"""Messages are written as pi writes them, and read whatever is there."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from todo_context.plan.model import Json
from todo_repl.arguments import MAX_DEPTH, arguments_of
from todo_repl.messages import (
    AssistantMessage,
    Message,
    TextPart,
    ThinkingPart,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    message_from_json,
)
from todo_repl.session import Session, read_branch
from todo_repl.usage import Cost, Usage

SAMPLES = Path(__file__).parent / "samples"

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(), json_values, max_size=3)
names = st.text(min_size=1, max_size=8)
times = st.integers(0, 2**41)
calls = st.builds(ToolCall, names, names, objects) | st.builds(ToolCall, names, names, st.just({}), st.text())
parts = st.builds(TextPart, st.text()) | st.builds(ThinkingPart, st.text(), st.none() | names, st.booleans()) | calls
costs = st.builds(Cost, input=st.floats(0, 9), total=st.floats(0, 9))
usages = st.builds(
    Usage,
    input=st.integers(0, 99),
    output=st.integers(0, 99),
    cache_read=st.integers(0, 99),
    cache_write=st.integers(0, 99),
    cost=costs,
)
messages = (
    st.builds(UserMessage, st.text(), times)
    | st.builds(
        AssistantMessage,
        parts=st.lists(parts, max_size=4).map(tuple),
        provider=names,
        model=names,
        api=names,
        usage=usages,
        stop_reason=st.sampled_from(["stop", "toolUse", "length", "error", "aborted"]),
        error_message=st.none() | st.text(),
        timestamp_ms=times,
    )
    | st.builds(
        ToolResultMessage,
        call_id=names,
        tool_name=names,
        text=st.text(),
        details=st.none() | objects,
        is_error=st.booleans(),
        timestamp_ms=times,
    )
)


@given(messages)
def test_a_message_is_read_as_it_was_written(message: Message) -> None:
    assert message_from_json(json.loads(json.dumps(message.to_json()))) == message


def test_what_pi_wrote_is_written_again_with_the_same_keys() -> None:
    of_pi = [
        stored
        for name in ("pi-1.6.0-session.jsonl", "handwritten-minimal.jsonl")
        for entry in read_branch(SAMPLES / name)
        if isinstance(stored := entry.get("message"), dict) and stored["role"] != "system"
    ]
    # What newer versions of pi add for statistics. They read files without it.
    extra = {"durationMs", "responseId", "rawStopReason", "thinkingLevel"}

    assert len(of_pi) == 6
    for stored in of_pi:
        message = message_from_json(stored)
        assert message is not None
        kept: dict[str, Json] = {key: value for key, value in stored.items() if key not in extra}
        usage = kept.get("usage")
        if isinstance(usage, dict):
            cost = usage["cost"]
            assert isinstance(cost, dict)
            kept["usage"] = {
                **{key: value for key, value in usage.items() if key != "reasoning"},
                "cost": {key: value for key, value in cost.items() if key != "totalFromProvider"},
            }
        assert message.to_json() == kept


def test_the_shape_of_an_answer() -> None:
    call = ToolCall("c1", "todo_write", {"ops": []})
    message = AssistantMessage(
        parts=(ThinkingPart("hm", "sig"), TextPart("yes"), call),
        provider="p",
        model="m",
        api="a",
        usage=Usage(input=1, output=2, cache_read=3, cache_write=4),
        stop_reason="toolUse",
        timestamp_ms=5,
    )

    assert message.to_json() == {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "thinkingSignature": "sig"},
            {"type": "text", "text": "yes"},
            {"type": "toolCall", "id": "c1", "name": "todo_write", "arguments": {"ops": []}},
        ],
        "api": "a",
        "provider": "p",
        "model": "m",
        "usage": {
            "input": 1,
            "output": 2,
            "cacheRead": 3,
            "cacheWrite": 4,
            "totalTokens": 10,
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
        },
        "stopReason": "toolUse",
        "timestamp": 5,
    }


def test_details_that_are_not_there_are_left_out() -> None:
    message = ToolResultMessage(call_id="c", tool_name="t", text="ok", timestamp_ms=1)

    assert "details" not in message.to_json()


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        pytest.param({"role": "user", "content": "hi", "timestamp": 1}, UserMessage("hi", 1), id="text as a string"),
        pytest.param(
            {"role": "user", "content": [{"type": "image", "data": "…"}, {"type": "text", "text": "see"}, 7]},
            UserMessage("see", 0),
            id="parts of other types are passed over",
        ),
        pytest.param({"role": "user"}, UserMessage("", 0), id="no content"),
        pytest.param({"role": "user", "content": 5, "timestamp": "now"}, UserMessage("", 0), id="wrong types"),
        pytest.param({"role": "system", "content": "x"}, None, id="another role"),
        pytest.param({"role": ["user"]}, None, id="a role that is no text"),
        pytest.param({"content": "x"}, None, id="no role"),
        pytest.param("x", None, id="no object"),
        pytest.param(None, None, id="nothing"),
        pytest.param({"role": "toolResult", "content": []}, None, id="a result of no call"),
        pytest.param(
            {"role": "toolResult", "toolCallId": "c", "details": [1], "isError": "yes"},
            ToolResultMessage(call_id="c", tool_name="", text="", timestamp_ms=0),
            id="a result of wrong types",
        ),
    ],
)
def test_reading_bears_anything(stored: Json, read: Message | None) -> None:
    assert message_from_json(stored) == read


def test_an_answer_of_wrong_types_keeps_what_can_be_read() -> None:
    content: Json = [
        {"type": "text"},
        {"type": "toolCall", "id": "", "name": "t"},
        {"type": "toolCall", "id": "c", "name": "t", "arguments": "x"},
        {"type": "server_tool"},
        "text",
        {"type": "text", "text": "ok"},
    ]
    message = message_from_json(
        {"role": "assistant", "content": content, "usage": {"input": "5", "cost": 3}, "stopReason": "refused"}
    )

    assert isinstance(message, AssistantMessage)
    assert message.parts == (ToolCall("c", "t", {}), TextPart("ok"))
    assert (message.usage, message.stop_reason, message.error_message) == (Usage(), "stop", None)


@given(json_values)
def test_no_json_value_is_an_exception(value: Json) -> None:
    for stored in (value, {"role": "user", "content": value}, {"role": "assistant", "content": value, "usage": value}):
        message_from_json(stored)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('{"ops": []}', {"ops": []}),
        ("", {}),
        (" \n", {}),
        ('[{"op": "view"}]', None),
        ('"done"', None),
        ('{"ops": [', None),
        ("{'ops': []}", None),
        ('{"n": NaN}', None),
        ("[" * 100_000, None),
        ('{"a":' * MAX_DEPTH + "1" + "}" * MAX_DEPTH, "deep"),
        ('{"a":' * (MAX_DEPTH + 2) + "1" + "}" * (MAX_DEPTH + 2), None),
        ('{"n": ' + "9" * 5000 + "}", None),
    ],
)
def test_arguments_are_a_json_object_or_none(text: str, arguments: object) -> None:
    read = arguments_of(text)

    assert read == arguments or (arguments == "deep" and read is not None)


@given(st.text() | json_values.map(json.dumps))
def test_a_tool_gets_what_was_sent_and_a_session_gives_it_back(text: str) -> None:
    call = ToolCall.from_text("c", "t", text)
    session = Session.memory("/")
    session.append_message(AssistantMessage(parts=(call,), provider="p", model="m", api="a", timestamp_ms=1).to_json())
    stored = message_from_json(session.branch()[0]["message"])

    assert isinstance(stored, AssistantMessage)
    assert stored.calls[0].sent == call.sent
    assert call.sent == (text if call.raw is not None else arguments_of(text))


def test_raw_arguments_stand_beside_empty_ones() -> None:
    call = ToolCall.from_text("c", "t", "{oops")
    message = AssistantMessage(parts=(call,), provider="p", model="m", api="a", timestamp_ms=1)

    assert message.to_json()["content"] == [
        {"type": "toolCall", "id": "c", "name": "t", "arguments": {}, "rawArguments": "{oops"}
    ]
