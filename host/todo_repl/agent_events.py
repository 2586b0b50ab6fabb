"""What an agent tells while it runs: to the screen as values, to extensions as objects in pi's shapes."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from todo_context.pi import Tool, ToolResult
from todo_context.plan.model import Json
from todo_repl.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolResultMessage,
    message_from_json,
    now_ms,
)
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
    """A message is stored. `is_shown`: the person saw what they said when they said it, and not only now."""

    message: Message
    is_shown: bool = True


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run is over; a new one may begin."""

    end: RunEnd


Why = Literal["asked", "full", "refused"]
"""Why older messages become a summary: the person wants it, the model's window fills, or a request was too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionEnd:
    """What came of a compaction. `line` is for the person, and safe to print.

    Only with the reason "done" is anything stored: the entry, and how long the context was and is now, about.
    """

    reason: Literal["done", "nothing", "cancelled", "error", "aborted"]
    line: str
    entry_id: str | None = None
    tokens_before: int = 0
    tokens_after: int = 0


@dataclass(frozen=True, slots=True)
class CompactionStarted:
    """A summary is being made, which may take as long as an answer."""

    why: Why
    tokens: int

    @property
    def line(self) -> str:
        """What the person may see meanwhile."""
        return f"Compacting about {self.tokens:,} tokens …"


@dataclass(frozen=True, slots=True)
class CompactionEnded:
    """It is over. Whoever asked for it gets its line anyway."""

    why: Why
    end: CompactionEnd


AgentEvent = (
    TextDelta | ThinkingDelta | ToolStarted | ToolEnded | MessageEnded | CompactionStarted | CompactionEnded | RunEnded
)
Emit = Callable[[AgentEvent], None]
OnEvent = Callable[[str, dict[str, Json]], Awaitable[dict[str, Json] | None]]
"""Gets the name of an event, by pi, and the event; gives it back as the handlers left it. None: as it was."""

Tell = Callable[[dict[str, Json]], Awaitable[dict[str, Json]]]
"""The same for who only has the event."""

M = TypeVar("M", AssistantMessage, ToolResultMessage)


def before_agent_start(prompt: str, system_prompt: str) -> dict[str, Json]:
    """Give pi's event of a run that is about to begin. Handlers may leave `messages` of their own in it."""
    return {"type": "before_agent_start", "prompt": prompt, "systemPrompt": system_prompt}


def agent_end(reason: Reason, messages: Sequence[Json]) -> dict[str, Json]:
    """Give pi's event of an agent that stops, with what was said since it started. `reason` is ours alone."""
    return {"type": "agent_end", "messages": list(messages), "reason": reason}


def turn_start(index: int) -> dict[str, Json]:
    """Give pi's event of a round that begins."""
    return {"type": "turn_start", "turnIndex": index, "timestamp": now_ms()}


def context(messages: list[Json], leaf_id: str | None) -> dict[str, Json]:
    """Give pi's event of a request that is about to be made. `leafId`, of what it was made from, is ours alone."""
    return {"type": "context", "messages": messages, "leafId": leaf_id}


def session_before_compact(preparation: dict[str, Json], instructions: str) -> dict[str, Json]:
    """Give pi's event of messages that are about to become a summary. The branch is `pi.branch()`."""
    return {"type": "session_before_compact", "preparation": preparation, "customInstructions": instructions or None}


def session_compact(entry: Mapping[str, Json], *, from_extension: bool) -> dict[str, Json]:
    """Give pi's event of a summary that is stored."""
    return {"type": "session_compact", "compactionEntry": dict(entry), "fromExtension": from_extension}


def message_end(message: Message) -> dict[str, Json]:
    """Give pi's event of a message: the person's is stored, any other about to be."""
    return {"type": "message_end", "message": message.to_json()}


def stored_message_end(message: Json) -> dict[str, Json]:
    """Give pi's event of a stored message of an extension, or of the person's who spoke while a run was on."""
    return {"type": "message_end", "message": message}


def tool_call(call: ToolCall) -> dict[str, Json]:
    """Give pi's event of a tool that is about to run."""
    return {"type": "tool_call", "toolCallId": call.id, "toolName": call.name, "input": call.sent}


def tool_result(call: ToolCall, message: ToolResultMessage) -> dict[str, Json]:
    """Give pi's event of a tool that has run, and whose result is about to be stored."""
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


async def let_change(message: M, tell: Tell) -> M:
    """The message as the handlers of `message_end` leave it, before it is stored."""
    return left_message(message, (await tell(message_end(message)))["message"])


async def let_patch(call: ToolCall, message: ToolResultMessage, tell: Tell) -> ToolResultMessage:
    """The result as the handlers of `tool_result` leave it."""
    left = await tell(tool_result(call, message))
    return left_message(message, {**message.to_json(), **{key: left[key] for key in _PATCHED}})


_PATCHED = ("content", "details", "isError")


def left_message(before: M, left: Json) -> M:
    """Read what handlers left of a message; the same one where they changed nothing."""
    read = message_from_json(left)
    return read if isinstance(read, type(before)) else before
