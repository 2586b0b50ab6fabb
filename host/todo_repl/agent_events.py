"""What an agent tells while it runs: to the screen as values, to extensions as objects in pi's shapes."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from todo_context.pi import Tool, ToolResult
from todo_context.plan.model import Json
from todo_repl.messages import AssistantMessage, Message, ToolCall, ToolResultMessage
from todo_repl.models import TextDelta, ThinkingDelta

Reason = Literal["stop", "aborted", "error", "limit"]


@dataclass(frozen=True, slots=True)
class RunEnd:
    """Why a run ended. `error` is one line for the person, with the reasons "error" and "limit"."""

    reason: Reason
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool is about to run; `label_line` is safe to print."""

    call: ToolCall
    label_line: str


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A tool has answered and the answer is stored. `tool` is None if there is none of that name."""

    call: ToolCall
    tool: Tool | None
    result: ToolResult


@dataclass(frozen=True, slots=True)
class MessageEnded:
    """A message is stored."""

    message: Message


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run is over; a new one may begin."""

    end: RunEnd


AgentEvent = TextDelta | ThinkingDelta | ToolStarted | ToolEnded | MessageEnded | RunEnded
Emit = Callable[[AgentEvent], None]
OnEvent = Callable[[str, dict[str, Json]], Awaitable[object]]
"""Gets the name of an event, by pi, and the event. It only listens: what it returns changes nothing."""


def message_end(message: Message) -> dict[str, Json]:
    """Give pi's event of a stored message."""
    return {"type": "message_end", "message": message.to_json()}


def custom_message_end(custom_type: str, text: str, *, display: bool) -> dict[str, Json]:
    """Give pi's event of a stored message of an extension."""
    message: dict[str, Json] = {"role": "custom", "customType": custom_type, "content": text, "display": display}
    return {"type": "message_end", "message": message}


def tool_call(call: ToolCall) -> dict[str, Json]:
    """Give pi's event of a tool that is about to run."""
    return {"type": "tool_call", "toolCallId": call.id, "toolName": call.name, "input": call.sent}


def tool_result(call: ToolCall, message: ToolResultMessage) -> dict[str, Json]:
    """Give pi's event of a tool that has run."""
    stored = message.to_json()
    return {
        "type": "tool_result",
        "toolCallId": call.id,
        "toolName": call.name,
        "input": call.sent,
        "content": stored["content"],
        "details": stored.get("details"),
        "isError": message.is_error,
    }


def turn_end(index: int, message: AssistantMessage, results: Sequence[ToolResultMessage]) -> dict[str, Json]:
    """Give pi's event of a round: one answer, and the results of its calls."""
    told: list[Json] = [result.to_json() for result in results]
    return {"type": "turn_end", "turnIndex": index, "message": message.to_json(), "toolResults": told}
