"""The messages of a conversation as values, and as JSON in pi's shapes.

Pure, but for `now_ms`. What is written has pi's keys, and one of our own, `rawArguments`. Reading bears
anything: a part that is not understood is passed over, and what is no message at all is None.
Source: pi session format, version 3.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from todo_context.attention import LEAF_KEY
from todo_context.plan.model import Json
from todo_repl.arguments import arguments_of
from todo_repl.usage import NO_USAGE, Usage, usage_from_json

StopReason = Literal["stop", "toolUse", "length", "error", "aborted"]

RAW_ARGUMENTS = "rawArguments"
"""The key beside empty `arguments` that keeps what a model sent when that was no JSON object."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """What the model said."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingPart:
    """What the model thought.

    `signature` is what its provider wants back with it: a signature, or the name of the field it came in.
    A redacted part has no text, only the signature.
    """

    text: str
    signature: str | None = None
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool. `raw` is what the model sent if that was no JSON object; `arguments` is empty then."""

    id: str
    name: str
    arguments: Mapping[str, Json]
    raw: str | None = None

    @classmethod
    def from_text(cls, call_id: str, name: str, text: str) -> "ToolCall":
        """Read arguments as a model sent them."""
        value = arguments_of(text)
        return cls(call_id, name, {}, text) if value is None else cls(call_id, name, value)

    @property
    def sent(self) -> Json:
        """The arguments for the tool: the object, or the raw text."""
        return dict(self.arguments) if self.raw is None else self.raw


Part = TextPart | ThinkingPart | ToolCall


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the person said, or an extension in their place. `added` are further parts, such as a reminder behind it."""

    text: str
    timestamp_ms: int
    added: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """All parts, in their order."""
        return (self.text, *self.added)

    def to_json(self) -> dict[str, Json]:
        """Give pi's shape."""
        content = [part for text in self.texts for part in _text_content(text)]
        return {"role": "user", "content": content, "timestamp": self.timestamp_ms}


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantMessage:
    """One answer of the model, whole or as far as it came. `error_message` goes with the reason "error".

    `leaf_id` is the leaf that its request was built from: what the branch held by then, the model was told.
    """

    parts: tuple[Part, ...]
    provider: str
    model: str
    api: str
    usage: Usage = NO_USAGE
    stop_reason: StopReason = "stop"
    error_message: str | None = None
    leaf_id: str | None = None
    timestamp_ms: int

    @property
    def text(self) -> str:
        """What was said, without thinking and calls."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls, in the order sent."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    def to_json(self) -> dict[str, Json]:
        """Give pi's shape."""
        message: dict[str, Json] = {
            "role": "assistant",
            "content": [_part_to_json(part) for part in self.parts],
            "api": self.api,
            "provider": self.provider,
            "model": self.model,
            "usage": self.usage.to_json(),
            "stopReason": self.stop_reason,
            "timestamp": self.timestamp_ms,
        }
        if self.leaf_id is not None:
            message[LEAF_KEY] = self.leaf_id
        return message if self.error_message is None else {**message, "errorMessage": self.error_message}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultMessage:
    """What a tool answered to the call of that id."""

    call_id: str
    tool_name: str
    text: str
    details: Mapping[str, Json] | None = None
    is_error: bool = False
    timestamp_ms: int

    def to_json(self) -> dict[str, Json]:
        """Give pi's shape."""
        message: dict[str, Json] = {
            "role": "toolResult",
            "toolCallId": self.call_id,
            "toolName": self.tool_name,
            "content": _text_content(self.text),
        }
        if self.details is not None:
            message["details"] = dict(self.details)
        return {**message, "isError": self.is_error, "timestamp": self.timestamp_ms}


Message = UserMessage | AssistantMessage | ToolResultMessage


def now_ms() -> int:
    """The time of a message, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def message_from_json(value: Json) -> Message | None:
    """Read a stored message; None if it is none of ours: another role, no role, no object."""
    if not isinstance(value, dict):
        return None
    match value.get("role"):
        case "user":
            first, *added = texts_of(value.get("content")) or [""]
            return UserMessage(first, _time_ms(value), tuple(added))
        case "assistant":
            return _assistant(value)
        case "toolResult" if call_id := _text(value.get("toolCallId")):
            details = value.get("details")
            return ToolResultMessage(
                call_id=call_id,
                tool_name=_text(value.get("toolName")),
                text=text_of(value.get("content")),
                details=details if isinstance(details, dict) else None,
                is_error=value.get("isError") is True,
                timestamp_ms=_time_ms(value),
            )
        case _:
            return None


def text_of(content: Json) -> str:
    """The text of a message's content, which is a string or parts; a line feed between parts of text."""
    return "\n".join(texts_of(content))


def texts_of(content: Json) -> list[str]:
    """The parts of text in a message's content, which is a string or parts."""
    if not isinstance(content, list):
        return [_text(content)]
    texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return [text for text in texts if isinstance(text, str)]


def _assistant(value: dict[str, Json]) -> AssistantMessage:
    content = value.get("content")
    parts = _text_content(content) if isinstance(content, str) else content
    stop_reason, error, leaf_id = value.get("stopReason"), value.get("errorMessage"), value.get(LEAF_KEY)
    return AssistantMessage(
        parts=tuple(filter(None, map(_part, parts))) if isinstance(parts, list) else (),
        provider=_text(value.get("provider")),
        model=_text(value.get("model")),
        api=_text(value.get("api")),
        usage=usage_from_json(value.get("usage")),
        stop_reason=cast("StopReason", stop_reason) if stop_reason in get_args(StopReason) else "stop",
        error_message=error if isinstance(error, str) else None,
        leaf_id=leaf_id if isinstance(leaf_id, str) else None,
        timestamp_ms=_time_ms(value),
    )


def _part(value: Json) -> Part | None:
    if not isinstance(value, dict):
        return None
    match value:
        case {"type": "text", "text": str(text)}:
            return TextPart(text)
        case {"type": "thinking", "thinking": str(text)}:
            signature = value.get("thinkingSignature")
            return ThinkingPart(text, signature if isinstance(signature, str) else None, value.get("redacted") is True)
        case {"type": "toolCall", "id": str(call_id), "name": str(name)} if call_id:
            arguments, raw = value.get("arguments"), value.get(RAW_ARGUMENTS)
            kept = arguments if isinstance(arguments, dict) else {}
            return ToolCall(call_id, name, kept, raw if isinstance(raw, str) else None)
        case _:
            return None


def _part_to_json(part: Part) -> Json:
    match part:
        case TextPart(text):
            return {"type": "text", "text": text}
        case ThinkingPart():
            thinking: dict[str, Json] = {"type": "thinking", "thinking": part.text}
            if part.signature is not None:
                thinking["thinkingSignature"] = part.signature
            return {**thinking, "redacted": True} if part.redacted else thinking
        case ToolCall():
            call: dict[str, Json] = {"type": "toolCall", "id": part.id, "name": part.name}
            call["arguments"] = dict(part.arguments)
            return call if part.raw is None else {**call, RAW_ARGUMENTS: part.raw}


def _text_content(text: str) -> list[Json]:
    return [{"type": "text", "text": text}]


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _time_ms(value: dict[str, Json]) -> int:
    time_ms = value.get("timestamp")
    return int(time_ms) if isinstance(time_ms, int | float) else 0
