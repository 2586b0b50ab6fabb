"""Models at a provider: our messages to its protocol, its stream to our deltas.

The one module over pydantic_ai, and loaded late (`connect.py`). Its types do not leave this file, nor do its
errors: whatever goes wrong between here and the provider is a `ModelError`.
"""

import importlib
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from typing import cast

from pydantic_ai import messages as wire
from pydantic_ai.direct import model_request_stream
from pydantic_ai.models import Model as WireModel
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from todo_context.pi import Tool
from todo_repl.messages import (
    AssistantMessage,
    Message,
    Part,
    StopReason,
    TextPart,
    ThinkingPart,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    now_ms,
)
from todo_repl.models import PROVIDERS, Delta, Finished, ModelSpec, ProviderName, Request, TextDelta, ThinkingDelta
from todo_repl.online_errors import broke_off, model_error, stopped_by_filter
from todo_repl.usage import Cost, Usage

MAX_RETRIES = 0
"""Repetitions by the provider's library, of a request that failed. None: they would be silent, for half a
minute and more, while the person can see the error and send the message again."""

NO_KEY = "none"
"""In place of a key, for a server that wants none; the library refuses to send no key at all."""

REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Fields in which OpenAI-compatible servers send thinking, and some want it back."""

REDACTED = "redacted_thinking"
"""How the library marks thinking that came encrypted."""

_NOT_IN_ID = re.compile("[^A-Za-z0-9_-]")


def load(provider: ProviderName) -> None:
    """Import what speaks to this provider. It takes up to a second, and is quick the second time.

    Raises:
        ImportError: that is not installed.
    """
    importlib.import_module(f"pydantic_ai.models.{provider}")


async def stream(spec: ModelSpec, request: Request) -> AsyncGenerator[Delta, None]:
    """Ask the model. See `models.Model.stream`."""
    asked = [*_requests(spec, request.messages)]
    parameters = _parameters(request)
    settings = ModelSettings(timeout=spec.timeout_s)
    if spec.provider == "anthropic" and asked:
        from todo_repl import cache_marks  # noqa: PLC0415 - the other provider's library may be missing

        asked = cache_marks.marked(asked)
        settings = cast("ModelSettings", {**settings, **cache_marks.SETTINGS})
    try:
        async with (
            _model(spec) as model,
            model_request_stream(
                model, asked, model_settings=settings, model_request_parameters=parameters, instrument=False
            ) as answer,
        ):
            async for event in answer:
                delta = _delta(event)
                if delta is not None:
                    yield delta
            response = answer.get()
    # A stream that is JSON, but not what the protocol says, fails in the library with errors of any type.
    except Exception as error:
        raise model_error(spec, error) from error
    yield Finished(_message(spec, response))


async def context_window(spec: ModelSpec) -> int | None:
    """How many tokens the model takes, by the library's own table; None if it is not in there."""
    try:
        async with _model(spec) as model:
            return model.context_window
    # An address that is none, and whatever else a request will say better.
    except Exception:  # noqa: BLE001
        return None


@asynccontextmanager
async def _model(spec: ModelSpec) -> AsyncGenerator[WireModel, None]:
    # A client for each request: it ends with the request, also with one that is cancelled, and needs no care
    # across event loops. It costs 20 ms and a handshake, where a model takes seconds.
    key = spec.key or NO_KEY
    match spec.provider:
        case "openai":
            from openai import AsyncOpenAI  # noqa: PLC0415 - the other provider's library may be missing
            from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
            from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

            async with AsyncOpenAI(base_url=spec.url, api_key=key, max_retries=MAX_RETRIES) as openai:
                yield OpenAIChatModel(spec.name, provider=OpenAIProvider(openai_client=openai))
        case "anthropic":
            from anthropic import AsyncAnthropic  # noqa: PLC0415
            from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
            from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

            async with AsyncAnthropic(base_url=spec.url, api_key=key, max_retries=MAX_RETRIES) as anthropic:
                yield AnthropicModel(spec.name, provider=AnthropicProvider(anthropic_client=anthropic))


def _parameters(request: Request) -> ModelRequestParameters:
    tools = [_tool(tool) for tool in request.tools]
    system = [wire.InstructionPart(content=request.system)] if request.system else []
    return ModelRequestParameters(function_tools=tools, allow_text_output=True, instruction_parts=system)


def _tool(tool: Tool) -> ToolDefinition:
    # Not strict: else the library rewrites a schema for OpenAI, and an object of any keys becomes one of none.
    schema = dict(tool.parameters)
    return ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=schema, strict=False)


def _requests(spec: ModelSpec, messages: Sequence[Message]) -> Iterator[wire.ModelMessage]:
    # Results and the user's words that follow them go out as one turn.
    for is_answer, group in groupby(messages, lambda message: isinstance(message, AssistantMessage)):
        if is_answer:
            yield from (_response(spec, message) for message in group if isinstance(message, AssistantMessage))
        else:
            yield wire.ModelRequest(
                parts=[_request_part(spec, message) for message in group if not isinstance(message, AssistantMessage)]
            )


def _request_part(spec: ModelSpec, message: UserMessage | ToolResultMessage) -> wire.ModelRequestPart:
    if isinstance(message, UserMessage):
        # As parts, though it is only one: text that is added to a last message must not change its beginning,
        # or no cache of the provider would know it again.
        return wire.UserPromptPart(content=list(message.texts))
    # OpenAI has no mark for errors; the library would wrap the text in JSON instead.
    is_marked = message.is_error and spec.provider == "anthropic"
    return wire.ToolReturnPart(
        tool_name=message.tool_name,
        content=message.text,
        tool_call_id=_wire_id(spec, message.call_id),
        outcome="failed" if is_marked else "success",
    )


def _response(spec: ModelSpec, message: AssistantMessage) -> wire.ModelResponse:
    is_own = (message.provider, message.model) == (spec.provider, spec.name)
    parts = [wired for part in message.parts if (wired := _response_part(spec, part, is_own=is_own)) is not None]
    return wire.ModelResponse(parts=parts, provider_name=spec.provider)


def _response_part(spec: ModelSpec, part: Part, *, is_own: bool) -> wire.ModelResponsePart | None:
    match part:
        case TextPart(text):
            # Anthropic refuses text that is nothing but white space.
            return wire.TextPart(content=text) if text.strip() else None
        case ThinkingPart():
            return _thinking(spec, part) if is_own else None
        case ToolCall():
            arguments = dict(part.arguments) if part.raw is None else part.raw
            return wire.ToolCallPart(tool_name=part.name, args=arguments, tool_call_id=_wire_id(spec, part.id))


def _thinking(spec: ModelSpec, part: ThinkingPart) -> wire.ThinkingPart | None:
    # Thinking goes back only to the model it came from, and only with what proves or places it.
    if spec.provider == "anthropic" and part.signature:
        mark = REDACTED if part.redacted else None
        return wire.ThinkingPart(part.text, id=mark, signature=part.signature, provider_name=spec.provider)
    if spec.provider == "openai" and part.signature in REASONING_FIELDS:
        return wire.ThinkingPart(part.text, id=part.signature, provider_name=spec.provider)
    return None


def _wire_id(spec: ModelSpec, call_id: str) -> str:
    # Anthropic takes no other characters, and a session may hold calls of a model that used some.
    return _NOT_IN_ID.sub("_", call_id) if spec.provider == "anthropic" else call_id


def _delta(event: wire.ModelResponseStreamEvent) -> Delta | None:
    match event:
        case wire.PartStartEvent(part=wire.TextPart(content=text)) if text:
            return TextDelta(text)
        case wire.PartDeltaEvent(delta=wire.TextPartDelta(content_delta=text)) if text:
            return TextDelta(text)
        case wire.PartStartEvent(part=wire.ThinkingPart(content=text)) if text:
            return ThinkingDelta(text)
        case wire.PartDeltaEvent(delta=wire.ThinkingPartDelta(content_delta=str(text))) if text:
            return ThinkingDelta(text)
        case _:
            return None


def _message(spec: ModelSpec, response: wire.ModelResponse) -> AssistantMessage:
    if response.finish_reason == "content_filter":
        raise stopped_by_filter(spec)
    if spec.provider == "anthropic" and not (response.provider_details or {}).get("finish_reason"):
        # The connection was closed in good order, but before the message was.
        raise broke_off(spec, "the message has no end")
    parts = tuple(_parts(response))
    return AssistantMessage(
        parts=parts,
        provider=spec.provider,
        model=spec.name,
        api=PROVIDERS[spec.provider].api,
        usage=_usage(response),
        stop_reason=_stop_reason(response, parts),
        timestamp_ms=now_ms(),
    )


def _stop_reason(response: wire.ModelResponse, parts: Sequence[Part]) -> StopReason:
    if response.finish_reason == "length":
        return "length"
    return "toolUse" if any(isinstance(part, ToolCall) for part in parts) else "stop"


def _parts(response: wire.ModelResponse) -> Iterator[Part]:
    ids: set[str] = set()
    for part in response.parts:
        match part:
            case wire.TextPart(content=text) if text:
                yield TextPart(text)
            case wire.ThinkingPart() if part.content or part.signature:
                signature = part.signature or (part.id if part.id in REASONING_FIELDS else None)
                yield ThinkingPart(part.content, signature, redacted=part.id == REDACTED)
            case wire.ToolCallPart():
                # Some servers give all calls of a message the same id, or an empty one.
                call_id = part.tool_call_id or "call"
                while call_id in ids:
                    call_id = f"{call_id}_{len(ids) + 1}"
                ids.add(call_id)
                yield _call(call_id, part)
            case _:
                pass


def _call(call_id: str, part: wire.ToolCallPart) -> ToolCall:
    if isinstance(part.args, dict):
        return ToolCall(call_id, part.tool_name, part.args)
    return ToolCall.from_text(call_id, part.tool_name, part.args or "")


def _usage(response: wire.ModelResponse) -> Usage:
    used = response.usage
    # The library counts what the cache gave and took as input; pi does not.
    fresh = used.input_tokens - used.cache_read_tokens - used.cache_write_tokens
    return Usage(
        input=max(0, fresh),
        output=used.output_tokens,
        cache_read=used.cache_read_tokens,
        cache_write=used.cache_write_tokens,
        cost=Cost(total=float(used.cost or 0)),
    )
