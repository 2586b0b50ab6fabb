"""The messages of a request as extensions see and change them: JSON in pi's shapes.

Pure. What comes back is mended as what is stored would be (context.py), so that no answer breaks a request.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import dropwhile

from todo_context.pi import Entry
from todo_context.plan.model import Json
from todo_repl.context import message_of, read, repaired, span_of
from todo_repl.messages import AssistantMessage, Message, UserMessage, message_from_json

CUSTOM = "custom"
"""The role of an extension's own message. The model reads it as the user's."""

SUMMARIES = {"compactionSummary": "compaction", "branchSummary": "branch_summary"}
"""The roles of summaries, and the types of the entries they come from. The model reads them as the user's too."""


def messages_of(branch: Sequence[Entry]) -> list[Json]:
    """The messages of a request from this branch, as they are stored; what is none of the two sides' has its own role.

    Source: pi, buildSessionContext.
    """
    return as_messages(span_of(branch).entries)


def as_messages(entries: Iterable[Entry]) -> list[Json]:
    """What messages there are in these entries, in pi's shapes."""
    return [message for entry in entries if (message := _message(entry)) is not None]


def is_message(value: Json) -> bool:
    """Whether this can be a message of a request."""
    if not isinstance(value, dict):
        return False
    return value.get("role") in (CUSTOM, *SUMMARIES) or message_from_json(value) is not None


def sendable(messages: Sequence[Json]) -> tuple[Message, ...]:
    """The messages in a form that every provider takes; none if nothing is left that a model could answer."""
    mended = repaired(read(map(_entry, messages)))
    # A list that was shortened may begin in the middle of a turn.
    begun = tuple(dropwhile(lambda message: not isinstance(message, UserMessage), mended))
    return () if begun and isinstance(begun[-1], AssistantMessage) else begun


def _message(entry: Entry) -> Json:
    if message_of(entry) is None:
        return None
    match entry.get("type"):
        case "custom_message":
            return {"role": CUSTOM, **{key: entry.get(key) for key in ("customType", "content", "display")}}
        case "compaction":
            return _summary(entry, "compactionSummary", "tokensBefore")
        case "branch_summary":
            return _summary(entry, "branchSummary", "fromId")
        case _:
            return entry.get("message")


def _summary(entry: Entry, role: str, key: str) -> dict[str, Json]:
    return {"role": role, "summary": entry.get("summary"), key: entry.get(key), "timestamp": _time_ms(entry)}


def _time_ms(entry: Entry) -> int:
    try:
        return int(datetime.fromisoformat(str(entry.get("timestamp"))).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return 0


def _entry(message: Json) -> Entry:
    role = message.get("role") if isinstance(message, dict) else None
    if isinstance(message, dict) and role == CUSTOM:
        return {"type": "custom_message", "content": message.get("content")}
    if isinstance(message, dict) and isinstance(role, str) and role in SUMMARIES:
        return {"type": SUMMARIES[role], "summary": message.get("summary")}
    return {"type": "message", "message": message}
