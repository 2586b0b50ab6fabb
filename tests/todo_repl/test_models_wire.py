"""What is sent to a provider: valid in its protocol, and no more than it should see."""

import pytest

from tests.scripted_llm import ScriptedLlm
from tests.todo_repl.asking import HI, KEY, ask, assistant, result, sent, spec
from tests.todo_repl.talk import BOTH, echo
from todo_context.pi import Tool
from todo_context.plan.model import Json
from todo_repl.messages import TextPart, ThinkingPart, ToolCall
from todo_repl.models import PROVIDERS, ModelSpec, ProviderName

SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"ops": {"type": "array", "items": {"anyOf": [{"type": "string"}, {}]}}},
    "required": ["ops"],
}


@BOTH
def test_thinking_goes_to_no_other_model(provider: ProviderName) -> None:
    before = assistant(ThinkingPart("secret", "reasoning_content"), TextPart("Yes."), provider=provider, model="other")

    assert "secret" not in str(sent(provider, HI, before, HI))


@BOTH
def test_thinking_that_broke_off_is_not_sent(provider: ProviderName) -> None:
    before = assistant(ThinkingPart("unsigned"), TextPart("Yes."), provider=provider)

    assert "unsigned" not in str(sent(provider, HI, before, HI))


def test_openai_gets_results_as_messages_of_their_own() -> None:
    calls = (ToolCall("a", "echo", {"n": 1}), ToolCall("b", "echo", {}, "{oops"))
    before = assistant(TextPart("Now."), *calls, provider="openai")

    assert sent("openai", HI, before, result("a", "1"), result("b", "no", is_error=True), HI)["messages"] == [
        {"role": "system", "content": "You plan."},
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {
            "role": "assistant",
            "content": "Now.",
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "echo", "arguments": '{"n":1}'}},
                {"id": "b", "type": "function", "function": {"name": "echo", "arguments": '{"INVALID_JSON":"{oops"}'}},
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "no"},
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
    ]


MARK = {"type": "ephemeral", "ttl": "5m"}


def test_anthropic_gets_results_and_what_follows_in_one_turn() -> None:
    before = assistant(TextPart(" "), ToolCall("functions.echo:0", "echo", {"n": 1}), provider="openai")
    body = sent("anthropic", HI, before, result("functions.echo:0", "no", is_error=True), HI)

    assert body["system"] == [{"type": "text", "text": "You plan.", "cache_control": MARK}]
    assert body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": MARK}]},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "functions_echo_0", "name": "echo", "input": {"n": 1}}],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "functions_echo_0",
                    "content": [{"type": "text", "text": "no"}],
                    "is_error": True,
                },
                {"type": "text", "text": "hi", "cache_control": MARK},
            ],
        },
    ]


@pytest.mark.parametrize(("provider", "key"), [("openai", "parameters"), ("anthropic", "input_schema")])
def test_the_schema_of_a_tool_goes_out_as_it_is(provider: ProviderName, key: str) -> None:
    tool = Tool(name="t", label="T", description="Does.", parameters=SCHEMA, execute=echo().execute)
    with ScriptedLlm([]) as server:
        ask(spec(server, provider), tools=[tool])
        tools = server.bodies[0]["tools"]

    assert isinstance(tools, list)
    offered = tools[0].get("function", tools[0])
    assert (offered["name"], offered["description"], offered[key]) == ("t", "Does.", SCHEMA)


@BOTH
def test_a_key_is_not_needed_where_a_server_is_named(provider: ProviderName) -> None:
    with ScriptedLlm([{"text": "x"}]) as server:
        assert ask(ModelSpec(provider=provider, name="m", base_url=server.base_url))


@BOTH
def test_address_and_key_come_from_the_environment(provider: ProviderName, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedLlm([{"text": "x"}]) as server:
        monkeypatch.setenv(PROVIDERS[provider].url_variable, server.base_url)
        monkeypatch.setenv(PROVIDERS[provider].key_variable, KEY)

        assert ask(ModelSpec(provider=provider, name="m"))
