"""What on a branch says which plan there is: entries of ours, edits by OMP, results that carry phases.

Pure. `fresh` is the one rule of what counts: of ours the `seq` decides, for hosts write tool results late;
of the rest the position. Nothing is loaded before it is known to count. Messages are looked at as pi spells
them; `spelled_as_pi` is the one place that knows another spelling.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from todo_context.plan.load import Loaded, plan_from_flat, plan_from_json
from todo_context.plan.model import Json

OURS = "todo_write"
"""The custom type of our entries, and the name of the tool. OMP 14's word."""

OMP_EDIT = "user_todo_edit"
"""The custom type of an edit by OMP's /todo."""

TOOLS = frozenset({"todo_write", "todo"})
"""Tools whose results and calls carry a plan: ours and OMP 14's, and OMP 18's."""

Entry = Mapping[str, Json]

_OF_MESSAGE: Mapping[str, str] = {
    "tool_call_id": "toolCallId",
    "tool_name": "toolName",
    "is_error": "isError",
    "stop_reason": "stopReason",
    "error_message": "errorMessage",
    "response_id": "responseId",
}
_OF_PART: Mapping[str, str] = {
    "tool_call_id": "id",
    "tool_name": "name",
    "input": "arguments",
    "text_signature": "textSignature",
    "thinking_signature": "thinkingSignature",
    "thought_signature": "thoughtSignature",
    "mime_type": "mimeType",
}
"""Aelix's keys of a message and of a part of its content, and pi's. Source: aelix_ai 0.1.0b2, messages."""

By = Literal["model", "user", "extension"]
"""Who changed a plan. An entry of ours that does not say it was written by another component."""


@dataclass(frozen=True, slots=True)
class Source:
    """One record that carries a plan: the record, and the part of it where the plan stands."""

    entry: Entry
    data: Mapping[str, Json]
    kind: Literal["entry", "edit", "result"]

    @property
    def seq(self) -> int | None:
        """Its number on the branch; None where a foreign program wrote it."""
        seq = self.data.get("seq")
        return seq if isinstance(seq, int) and not isinstance(seq, bool) else None

    @property
    def is_numbered_entry(self) -> bool:
        """An entry of ours. It has the highest `seq` so far, for the lane gave it under its lock."""
        return self.kind == "entry" and self.seq is not None

    def counts_above(self, highest: int) -> bool:
        """Whether it counts where `highest` is the number that was seen last; 0: none."""
        return self.seq is None or self.seq > highest or self.is_numbered_entry

    @property
    def id(self) -> str:
        """The id of the record, else that of its call, else nothing."""
        return _text(self.entry.get("id")) or _text(spelled_as_pi(self.entry.get("message")).get("toolCallId"))

    @property
    def call(self) -> str:
        """The id of the model's call that made it; empty where another did, or where it does not say."""
        if self.kind == "result":
            return _text(spelled_as_pi(self.entry.get("message")).get("toolCallId"))
        return _text(self.data.get("call"))

    @property
    def by(self) -> By:
        """Who made the change."""
        match self.kind, self.data.get("by"):
            case "result", _:
                return "model"
            case "edit", _:
                return "user"
            case _, "model" | "user" as by:
                return by
            case _:
                return "extension"

    @property
    def action(self) -> str:
        """A word for what was done, as the record has it: any text. What does not say it goes by its kind."""
        if self.kind == "result":
            return _text(self.data.get("op")) or _text(spelled_as_pi(self.entry.get("message")).get("toolName"))
        return _text(self.data.get("action")) or "edit"

    def retraces(self, key: Literal["undoes", "redoes"]) -> str | None:
        """The id of the change that this entry undoes, or does again; None if it does not."""
        other = self.data.get(key)
        return other if self.kind == "entry" and isinstance(other, str) else None

    def load(self) -> Loaded:
        """The plan, and what had to be mended to read it."""
        return plan_from_json(self.data["phases"]) if has_phases(self.data) else plan_from_flat(self.data["todos"])


def source_of(entry: Entry) -> Source | str | None:
    """What an entry says of the plan: a source, a warning why it cannot be one, or nothing."""
    match entry:
        case {"type": "custom", "customType": str(kind), "data": data} if kind in {OURS, OMP_EDIT}:
            return _snapshot(entry, data, "entry" if kind == OURS else "edit")
        case {"type": "message", "message": {"role": "toolResult"}}:
            return _result(entry, spelled_as_pi(entry["message"]))
        case _:
            return None


def spelled_as_pi(message: Json) -> Mapping[str, Json]:
    """A message with pi's keys, whether pi or Aelix wrote it; empty if it is no object.

    What has pi's key keeps it. Nothing below a part is looked at: the arguments of a call are the model's.
    """
    if not isinstance(message, dict):
        return {}
    spelled = _renamed(message, _OF_MESSAGE)
    parts = spelled.get("content")
    if isinstance(parts, list):
        renamed = [_renamed(part, _OF_PART) if isinstance(part, dict) else part for part in parts]
        if any(new is not old for new, old in zip(renamed, parts, strict=True)):
            return {**spelled, "content": renamed}
    return spelled


def fresh(sources: Iterable[Source]) -> Iterator[Source]:
    """The sources that count, of those given in the order of the branch.

    A result of ours whose `seq` is not above what was seen is stale. To begin at an entry of ours gives, from
    there on, the same as to begin at the root.
    """
    highest = 0
    for source in sources:
        if source.counts_above(highest):
            highest = highest if source.seq is None else source.seq
            yield source


def has_phases(data: Json | Mapping[str, Json]) -> bool:
    """Whether it holds phases that can be read: each with a name and a list of tasks with a content."""
    phases = data.get("phases") if isinstance(data, Mapping) else None
    return isinstance(phases, list) and all(map(_is_phase, phases))


def _result(entry: Entry, message: Mapping[str, Json]) -> Source | str | None:
    details = message.get("details")
    name = _text(message.get("toolName"))
    if not isinstance(details, dict) or not (has_phases(details) or (name == OURS and _has_flat_tasks(details))):
        return None
    if name not in TOOLS or message.get("isError") or details.get("op") == "view":
        return None
    return _snapshot(entry, details, "result")


def _has_flat_tasks(details: Mapping[str, Json]) -> bool:
    """Whether a result is one of OMP before there were phases. Other programs' tools named `todo` have `todos` too."""
    todos = details.get("todos")
    return isinstance(todos, list) and _is_phase({"name": "", "tasks": todos})


def _snapshot(entry: Entry, data: Json, kind: Literal["entry", "edit", "result"]) -> Source | str:
    if isinstance(data, dict) and (has_phases(data) or isinstance(data.get("todos"), list)):
        return Source(entry, data, kind)
    return f"entry {entry.get('id', '?')} holds no plan; the one before it counts"


def _is_phase(phase: Json) -> bool:
    match phase:
        case {"name": str(), "tasks": list(tasks)}:
            return all(isinstance(task, dict) and isinstance(task.get("content"), str) for task in tasks)
        case _:
            return False


def _renamed(keyed: dict[str, Json], names: Mapping[str, str]) -> dict[str, Json]:
    if names.keys().isdisjoint(keyed):
        return keyed
    return {new: value for key, value in keyed.items() if (new := names.get(key, key)) == key or new not in keyed}


def _text(raw: Json) -> str:
    return raw if isinstance(raw, str) else ""
