"""The messages of a request as extensions see and change them: JSON in pi's shapes.

Pure. What comes back is mended as what is stored would be (context.py), so that no answer breaks a request.
"""

from collections.abc import Iterable, Sequence
from itertools import dropwhile

from todo_context.pi import Entry
from todo_context.plan.model import Json
from todo_repl.context import context_of
from todo_repl.messages import AssistantMessage, Message, UserMessage, message_from_json

CUSTOM = "custom"
"""The role of an extension's own message. The model reads it as the user's."""


def messages_of(branch: Iterable[Entry]) -> list[Json]:
    """The messages of a branch as they are stored, the root first; those of extensions have the role "custom"."""
    return [message for entry in branch if (message := _message(entry)) is not None]


def is_message(value: Json) -> bool:
    """Whether this can be a message of a request."""
    return message_from_json(value) is not None or (isinstance(value, dict) and value.get("role") == CUSTOM)


def sendable(messages: Sequence[Json]) -> tuple[Message, ...]:
    """The messages in a form that every provider takes; none if nothing is left that a model could answer."""
    mended = context_of(_entry(message) for message in messages)
    # A list that was shortened may begin in the middle of a turn.
    begun = tuple(dropwhile(lambda message: not isinstance(message, UserMessage), mended))
    return () if begun and isinstance(begun[-1], AssistantMessage) else begun


def _message(entry: Entry) -> Json:
    message = entry.get("message")
    match entry.get("type"):
        case "message" if message_from_json(message) is not None:
            return message
        case "custom_message":
            return {"role": CUSTOM, **{key: entry.get(key) for key in ("customType", "content", "display")}}
        case _:
            return None


def _entry(message: Json) -> Entry:
    if isinstance(message, dict) and message.get("role") == CUSTOM:
        return {"type": "custom_message", "content": message.get("content")}
    return {"type": "message", "message": message}
