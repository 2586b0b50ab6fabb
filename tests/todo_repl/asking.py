"""Ask an online model one thing, behind the scripted server."""

import asyncio
from collections.abc import Sequence

import pytest

from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_repl.talk import echo
from todo_context.pi import Tool
from todo_repl.connect import online_model
from todo_repl.messages import (
    AssistantMessage,
    Message,
    TextPart,
    ThinkingPart,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from todo_repl.models import Delta, Finished, ModelError, ModelSpec, ProviderName, Request

KEY = "sk-secret"
HI = UserMessage("hi", 1)


def spec(server: ScriptedLlm, provider: ProviderName) -> ModelSpec:
    return ModelSpec(provider=provider, name="m", base_url=server.base_url, api_key=KEY)


def ask(asked: ModelSpec, *messages: Message, tools: Sequence[Tool] = ()) -> list[Delta]:
    async def collect() -> list[Delta]:
        request = Request(system="You plan.", messages=messages or (HI,), tools=tuple(tools) or (echo(),))
        return [delta async for delta in online_model(asked).stream(request)]

    return asyncio.run(collect())


def answer(step: Step, provider: ProviderName) -> AssistantMessage:
    with ScriptedLlm([step]) as server:
        last = ask(spec(server, provider))[-1]
    assert isinstance(last, Finished)
    return last.message


def error(step: Step, provider: ProviderName) -> ModelError:
    with ScriptedLlm([step]) as server, pytest.raises(ModelError) as raised:
        ask(spec(server, provider))
    return raised.value


def sent(provider: ProviderName, *messages: Message) -> dict[str, object]:
    with ScriptedLlm([]) as server:
        ask(spec(server, provider), *messages)
        return server.bodies[0]


def assistant(*parts: TextPart | ThinkingPart | ToolCall, provider: str, model: str = "m") -> AssistantMessage:
    return AssistantMessage(parts=parts, provider=provider, model=model, api="a", timestamp_ms=1)


def result(call_id: str, text: str, *, is_error: bool = False) -> ToolResultMessage:
    return ToolResultMessage(call_id=call_id, tool_name="echo", text=text, is_error=is_error, timestamp_ms=1)
