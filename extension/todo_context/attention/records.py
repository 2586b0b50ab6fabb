"""What one record of a branch is, for whoever counts: the person, an answer of the model, a result, a source.

Pure. A record is an entry of a session, or a message of a request by itself, whose `role` pi names; both are
read alike. Nothing is looked into before it is asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from todo_context.attention.fence import is_ours
from todo_context.plan.model import Json
from todo_context.plan.replay import HANDOFF
from todo_context.plan.sources import OURS, Entry, Source, source_of, spelled_as_pi

LEAF_KEY = "todoLeaf"
"""The key of an assistant message that holds the id of the leaf its request was built from, where a host stores it."""

BROKEN_OFF = frozenset({"aborted", "error"})
"""Reasons for which an answer ended that are no end of a turn. Source: pi, StopReason."""


@dataclass(slots=True)
class Person:
    """Something the person said. A run begins here."""

    message: Mapping[str, Json]

    @property
    def text(self) -> str:
        """Their words."""
        return text_of(self.message.get("content"))


@dataclass(slots=True)
class Ours:
    """A message of ours in the conversation, in whatever role a host stores it."""

    text: str


@dataclass(slots=True)
class Answer:
    """One answer of the model."""

    message: Mapping[str, Json]

    @property
    def text(self) -> str:
        """Its words, without thinking and calls."""
        return text_of(self.message.get("content"))

    @property
    def is_blank(self) -> bool:
        """Whether nothing came of the request, so that nobody may have read it: an error, or an early abort."""
        return not self.message.get("content")

    @property
    def ended(self) -> str:
        """Why it ended, in pi's words; empty where the host does not say."""
        reason = self.message.get("stopReason")
        return reason if isinstance(reason, str) else ""

    @property
    def leaf(self) -> str | None:
        """The id of the leaf that its request was built from; None where the host does not store it."""
        leaf = self.message.get(LEAF_KEY)
        return leaf if isinstance(leaf, str) else None

    @property
    def calls(self) -> list[str]:
        """The ids of its calls. With any, the turn goes on after their results."""
        return [str(part.get("id")) for part in self._calls()]

    @property
    def our_calls(self) -> list[str]:
        """The ids of its calls of todo_write."""
        return [str(part.get("id")) for part in self._calls() if part.get("name") == OURS]

    @property
    def has_our_call(self) -> bool:
        """Whether it calls todo_write."""
        parts = self.message.get("content")
        if isinstance(parts, list):
            for part in parts:
                if isinstance(part, dict) and part.get("name") == OURS and part.get("type") == "toolCall":
                    return True
        return False

    @property
    def is_stop(self) -> bool:
        """Whether the agent ended its turn with it, of its own accord."""
        return not (self.is_blank or self.calls or self.is_broken_off)

    @property
    def is_broken_off(self) -> bool:
        """Whether the person or an error ended it."""
        return self.ended in BROKEN_OFF

    def _calls(self) -> "list[dict[str, Json]]":
        parts = self.message.get("content")
        listed = parts if isinstance(parts, list) else []
        return [part for part in listed if isinstance(part, dict) and part.get("type") == "toolCall"]


@dataclass(slots=True)
class Result:
    """The result of a tool, and what it says of the plan, if it is one of ours that can count."""

    message: Mapping[str, Json]
    source: Source | None

    @property
    def call(self) -> str:
        """The id of its call."""
        return str(self.message.get("toolCallId"))

    @property
    def is_error(self) -> bool:
        """Whether the tool failed, or the host refused the call."""
        return bool(self.message.get("isError"))

    @property
    def seq(self) -> int | None:
        """The number of the plan it tells, where it is one of ours and its host kept the details."""
        details = self.message.get("details")
        seq = details.get("seq") if isinstance(details, dict) else None
        return seq if isinstance(seq, int) else None

    @property
    def has_plan(self) -> bool:
        """Whether the plan stands in its details: then our tool has answered, with the plan in its words."""
        details = self.message.get("details")
        return isinstance(details, dict) and "phases" in details


@dataclass(slots=True)
class Compaction:
    """What came before stands for the model in a summary, and here and there not at all."""


Record = Person | Ours | Answer | Result | Source | Compaction


def is_edit(source: Source) -> bool:
    """Whether the person made the change. A plan that was handed over is no edit."""
    return source.by == "user" and not is_handoff(source)


def is_handoff(source: Source) -> bool:
    """Whether it carries a plan into a new session."""
    return source.kind == "entry" and source.action == HANDOFF


def as_entry(record: Entry) -> Entry:
    """A record as an entry: one that is a message by itself is put into one."""
    if "type" in record:
        return record
    match record.get("role"):
        case "custom":
            return {"type": "custom_message", **record}
        case "compactionSummary":
            return {"type": "compaction"}
        case _:
            return {"type": "message", "message": dict(record)}


def record_of(entry: Entry) -> Record | None:
    """What an entry is; None for what nobody counts: titles, models, messages of other extensions."""
    match entry.get("type"):
        case "message":
            return _of_message(entry)
        case "custom":
            source = source_of(entry)
            return source if isinstance(source, Source) else None
        case "custom_message":
            text = text_of(entry.get("content"))
            return Ours(text) if is_ours(text) else None
        case "compaction":
            return Compaction()
        case _:
            return None


def text_of(content: Json) -> str:
    """The text of a message's content, which is a string or parts; a line feed between parts of text."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def _of_message(entry: Entry) -> Record | None:
    message = entry.get("message")
    if not isinstance(message, dict):
        return None
    match message.get("role"):
        case "user":
            return _said(message)
        case "assistant":
            # What has a key that only pi writes so need not be spelled anew; a long branch holds many.
            return Answer(message if "stopReason" in message else spelled_as_pi(message))
        case "toolResult":
            source = source_of(entry) if "details" in message else None
            spelled = message if "toolCallId" in message else spelled_as_pi(message)
            return Result(spelled, source if isinstance(source, Source) else None)
        case _:
            return None


def _said(message: Mapping[str, Json]) -> Person | Ours:
    content = message.get("content")
    # With an image in it, it is no message of ours, whatever its text.
    is_text = isinstance(content, str) or (isinstance(content, list) and all(map(_is_text, content)))
    text = text_of(content) if is_text else ""
    return Ours(text) if is_ours(text) else Person(message)


def _is_text(part: Json) -> bool:
    return isinstance(part, dict) and part.get("type") == "text"
