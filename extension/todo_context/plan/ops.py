"""The operations on a plan, and the JSON schemas that offer them to a model.

One table, `SHAPES`, says which keys an operation takes and needs; the schemas, the reading of calls and
their error texts all come from it. Operations carry text as it was sent: `apply` folds it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from todo_context.plan.model import Json, Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class _Operation:
    index: int = 0
    """Its place in the sender's list, from 0, for problems."""


@dataclass(frozen=True, slots=True)
class Target:
    """What an operation is about: a task, else a phase, else (both None) everything."""

    task: str | None = None
    phase: str | None = None

    @property
    def is_everything(self) -> bool:
        """Neither a task nor a phase is named."""
        return self.task is None and self.phase is None


EVERYTHING = Target()


@dataclass(frozen=True, slots=True)
class PhaseItems:
    """A phase to be, with the contents of its tasks in order."""

    phase: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Init(_Operation):
    """Replace the plan; every task is pending."""

    phases: tuple[PhaseItems, ...]


@dataclass(frozen=True, slots=True)
class Append(_Operation):
    """Add tasks at the end of a phase, making it if need be."""

    phase: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Start(_Operation):
    """Make a task the one in progress; reopens a closed one."""

    task: str


@dataclass(frozen=True, slots=True)
class Done(_Operation):
    """Complete a task, or the open tasks of a phase, or of the plan."""

    target: Target


@dataclass(frozen=True, slots=True)
class Drop(_Operation):
    """Abandon a task, or the open tasks of a phase, or of the plan."""

    target: Target


@dataclass(frozen=True, slots=True)
class Rm(_Operation):
    """Remove a task, or the tasks of a phase, or all tasks. Emptied phases stay."""

    target: Target


@dataclass(frozen=True, slots=True)
class Note(_Operation):
    """Add a note to a task."""

    task: str
    text: str


@dataclass(frozen=True, slots=True)
class Block(_Operation):
    """Block an open task, or the open tasks of a phase; the reason may be None."""

    target: Target
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Unblock(_Operation):
    """Make a blocked task, or the blocked tasks of a phase, pending again."""

    target: Target


@dataclass(frozen=True, slots=True)
class View(_Operation):
    """Change nothing; the reply shows the whole plan."""


@dataclass(frozen=True, slots=True)
class Replace(_Operation):
    """Put another plan in the place of this one. For edits, imports and undo, never offered to a model.

    Repetitions are taken out if it is to be `unique`; undo brings back what a foreign session had, with them.
    """

    plan: Plan
    normalise: bool = True
    unique: bool = True


Op = Init | Append | Start | Done | Drop | Rm | Note | Block | Unblock | View | Replace


def op_names(ops: Sequence[Op]) -> str:
    """What a batch did, for the log: the names of its operations, each once."""
    return ", ".join(dict.fromkeys(type(op).__name__.lower() for op in ops))


@dataclass(frozen=True, slots=True)
class Shape:
    """Which keys an operation takes besides `op`, which it cannot do without, and a call that works."""

    keys: tuple[str, ...]
    needs: tuple[str, ...]
    example: str


SHAPES: Mapping[str, Shape] = {
    "init": Shape(("list",), ("list",), '{"op":"init","list":[{"phase":"Build","items":["Write it"]}]}'),
    "append": Shape(("phase", "items"), ("phase", "items"), '{"op":"append","phase":"Build","items":["Write it"]}'),
    "start": Shape(("task",), ("task",), '{"op":"start","task":"Write it"}'),
    "done": Shape(("task", "phase"), (), '{"op":"done","task":"Write it"}'),
    "drop": Shape(("task", "phase"), (), '{"op":"drop","task":"Write it"}'),
    "rm": Shape(("task", "phase"), (), '{"op":"rm","task":"Write it"}'),
    "note": Shape(("task", "text"), ("task", "text"), '{"op":"note","task":"Write it","text":"See the log"}'),
    "block": Shape(("task", "phase", "reason", "text"), (), '{"op":"block","task":"Write it","reason":"No key"}'),
    "unblock": Shape(("task", "phase"), (), '{"op":"unblock","task":"Write it"}'),
    "view": Shape((), (), '{"op":"view"}'),
}

_STRING: Mapping[str, Json] = {"type": "string"}


def json_schema() -> dict[str, Json]:
    """The schema of the tool's arguments: flat and strict, one object shape for all operations."""
    return {
        "type": "object",
        "properties": {"ops": _operations()},
        "required": ["ops"],
        "additionalProperties": False,
    }


def lenient_json_schema() -> dict[str, Json]:
    """The schema for a host that validates before us: it shows a model the same, and refuses no object.

    Every shape that `accept` reads passes; what a call means is decided there and nowhere else.
    """
    return {"type": "object", "properties": {"ops": {"anyOf": [_operations(), {}]}}}


def _operations() -> dict[str, Json]:
    strings: dict[str, Json] = {"type": "array", "items": dict(_STRING), "minItems": 1}
    phase_items: dict[str, Json] = {
        "type": "object",
        "properties": {"phase": dict(_STRING), "items": strings},
        "required": ["phase", "items"],
    }
    operation: dict[str, Json] = {
        "type": "object",
        "properties": {
            "op": {"type": "string", "enum": list(SHAPES)},
            "list": {"type": "array", "items": phase_items},
            "task": dict(_STRING),
            "phase": dict(_STRING),
            "items": dict(strings),
            "text": dict(_STRING),
            "reason": dict(_STRING),
        },
        "required": ["op"],
        "additionalProperties": False,
    }
    return {"type": "array", "items": operation, "minItems": 1}
