"""What an online model answers: deltas as they come, then the whole message."""

import json

import pytest

from tests.scripted_llm import Call, ScriptedLlm, Step
from tests.todo_repl.asking import HI, answer, ask, sent, spec
from tests.todo_repl.talk import BOTH
from todo_repl.messages import TextPart, ThinkingPart, UserMessage
from todo_repl.models import PROVIDERS, Finished, ProviderName, TextDelta, ThinkingDelta
from todo_repl.usage import Usage


@BOTH
def test_text_comes_in_pieces_and_the_whole_at_the_end(provider: ProviderName) -> None:
    with ScriptedLlm([{"text": "A sentence of some length."}]) as server:
        *deltas, last = ask(spec(server, provider))

    assert len(deltas) > 1
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == "A sentence of some length."
    assert isinstance(last, Finished)
    assert last.message.parts == (TextPart("A sentence of some length."),)
    names = (last.message.provider, last.message.model, last.message.api)
    assert names == (provider, "m", PROVIDERS[provider].api)


@BOTH
def test_calls_come_whole(provider: ProviderName) -> None:
    step: Step = {
        "text": "Both.",
        "tool_calls": [{"name": "echo", "arguments": {"n": 1}}, {"name": "b", "arguments": ""}],
    }
    message = answer(step, provider)

    assert message.text == "Both."
    assert [(call.name, call.sent) for call in message.calls] == [("echo", {"n": 1}), ("b", {})]
    assert len({call.id for call in message.calls}) == 2
    assert message.stop_reason == "toolUse"


@BOTH
@pytest.mark.parametrize("text", ['{"n": ', "[1]", '"x"', "{'n': 1}"])
def test_arguments_that_are_no_json_object_come_as_they_are(text: str, provider: ProviderName) -> None:
    message = answer({"tool_calls": [{"name": "echo", "arguments": text}]}, provider)

    assert (message.calls[0].raw, message.calls[0].arguments) == (text, {})


def test_calls_of_one_id_get_one_each() -> None:
    call: Call = {"name": "echo", "arguments": {}, "id": "same"}
    message = answer({"tool_calls": [call, call]}, "openai")

    assert [call.id for call in message.calls] == ["same", "same_2"]


@BOTH
def test_usage_counts_the_cache_apart(provider: ProviderName) -> None:
    message = answer({"text": "x", "usage": {"input": 50, "output": 7, "cache_read": 30}}, provider)

    assert message.usage == Usage(input=50, output=7, cache_read=30)


@pytest.mark.parametrize(
    ("provider", "finish", "reason"),
    [
        ("openai", "stop", "stop"),
        ("openai", "length", "length"),
        ("openai", "something new", "stop"),
        ("anthropic", "end_turn", "stop"),
        ("anthropic", "max_tokens", "length"),
        ("anthropic", "something new", "stop"),
    ],
)
def test_why_it_ended(provider: ProviderName, finish: str, reason: str) -> None:
    assert answer({"text": "x", "finish": finish}, provider).stop_reason == reason


@pytest.mark.parametrize(("provider", "signature"), [("openai", "reasoning_content"), ("anthropic", "c2ln")])
def test_thinking_is_shown_kept_and_sent_back(provider: ProviderName, signature: str) -> None:
    steps: list[Step] = [{"thinking": "Let me see.", "signature": "c2ln", "text": "Yes."}]
    with ScriptedLlm(steps) as server:
        deltas = ask(spec(server, provider))
        last = deltas[-1]
        assert isinstance(last, Finished)
        ask(spec(server, provider), HI, last.message, UserMessage("and?", 1))
        again = str(server.bodies[1]["messages"])

    assert "".join(delta.text for delta in deltas if isinstance(delta, ThinkingDelta)) == "Let me see."
    assert last.message.parts == (ThinkingPart("Let me see.", signature), TextPart("Yes."))
    assert "Let me see." in again
    assert signature in again


def test_thinking_that_came_encrypted_is_kept_and_sent_back() -> None:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message_start = {"id": "1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    events: list[dict[str, object]] = [
        {"type": "message_start", "message": message_start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "redacted_thinking", "data": "RU5D"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "Yes."}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    raw = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    message = answer({"raw": raw}, "anthropic")
    messages = sent("anthropic", HI, message, HI)["messages"]

    assert message.parts == (ThinkingPart("", "RU5D", redacted=True), TextPart("Yes."))
    assert isinstance(messages, list)
    assert messages[1]["content"] == [{"data": "RU5D", "type": "redacted_thinking"}, {"text": "Yes.", "type": "text"}]
