"""What on a branch says which plan there is: entries of ours, edits by OMP, results that carry phases.

Pure. `fresh` is the one rule of what counts: of ours the `seq` decides, for hosts write tool results late;
of the rest the position. Nothing is loaded before it is known to count.
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

    @property
    def id(self) -> str:
        """The id of the record, else that of its call, else nothing."""
        message = self.entry.get("message")
        call = message.get("toolCallId") if isinstance(message, dict) else None
        return _text(self.entry.get("id")) or _text(call)

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
            message = self.entry.get("message")
            return _text(self.data.get("op")) or _text(message.get("toolName") if isinstance(message, dict) else None)
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
            return _result(entry, entry["message"])
        case _:
            return None


def fresh(sources: Iterable[Source]) -> Iterator[Source]:
    """The sources that count, of those given in the order of the branch.

    A result of ours whose `seq` is not above what was seen is stale. To begin at an entry of ours gives, from
    there on, the same as to begin at the root.
    """
    highest = 0
    for source in sources:
        if source.seq is not None:
            if source.seq <= highest and not source.is_numbered_entry:
                continue
            highest = source.seq
        yield source


def has_phases(data: Json | Mapping[str, Json]) -> bool:
    """Whether it holds phases that can be read: each with a name and a list of tasks with a content."""
    phases = data.get("phases") if isinstance(data, Mapping) else None
    return isinstance(phases, list) and all(map(_is_phase, phases))


def _result(entry: Entry, message: Json) -> Source | str | None:
    details = message.get("details") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(details, dict) or not has_phases(details):
        return None
    is_ours = _text(message.get("toolName")) in TOOLS
    if not is_ours or message.get("isError") or details.get("op") == "view":
        return None
    return _snapshot(entry, details, "result")


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


def _text(raw: Json) -> str:
    return raw if isinstance(raw, str) else ""
