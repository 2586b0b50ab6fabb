"""Read a call of the tool as the model sent it: operations, or problems it can act on.

Anything may come in; nothing raises. A problem names the operation by its place in the sender's list, the
key, and a call that works. What an operation means for the plan is for `apply` to say.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from todo_context.plan.load import FLAT_PHASE
from todo_context.plan.model import Json, Plan
from todo_context.plan.names import quoted
from todo_context.plan.ops import (
    SHAPES,
    Append,
    Block,
    Done,
    Drop,
    Init,
    Note,
    Op,
    PhaseItems,
    Rm,
    Shape,
    Start,
    Target,
    Unblock,
    View,
)
from todo_context.plan.problem import Problem

_ALL_KEYS = frozenset(key for shape in SHAPES.values() for key in shape.keys)
_TARGETED = frozenset({"done", "drop", "rm"})
_CALL = '{"ops":[{"op":"done","task":"Write it"}]}'


@dataclass(frozen=True, slots=True)
class Accepted:
    """The operations that can be tried, in order, and what could not be read as one."""

    ops: tuple[Op, ...]
    problems: tuple[Problem, ...] = ()


class _UnreadableError(Exception):
    """One operation cannot be read. Raised and caught inside this module only."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


def accept(raw: object, plan: Plan) -> Accepted:
    """Read the arguments of one call; `plan` decides what items without a phase or an operation mean."""
    try:
        operations = _operations(_decoded(raw))
    except _UnreadableError as problem:
        return Accepted((), (Problem(problem.code, problem.message),))
    ops: list[Op] = []
    problems: list[Problem] = []
    for index, sent in enumerate(operations):
        try:
            ops.append(_operation(_decoded(sent), index, plan))
        except _UnreadableError as problem:
            name = sent.get("op") if isinstance(sent, dict) else None
            problems.append(Problem(problem.code, problem.message, index, name if isinstance(name, str) else None))
    return Accepted(tuple(ops), tuple(problems))


def _operations(arguments: Json) -> Sequence[Json]:
    """The list of operations in a call, whichever way it is wrapped."""
    if not isinstance(arguments, dict):
        raise _UnreadableError("shape", f"the arguments are {_kind(arguments)}. Send an object such as {_CALL}.")
    if "ops" not in arguments:
        operation: dict[str, Json] = {key: value for key, value in arguments.items() if key == "op" or key in _ALL_KEYS}
        if operation:
            return [operation]
        raise _UnreadableError("shape", f'the key "ops" is missing. Send a list of operations, such as {_CALL}.')
    ops = _decoded(arguments["ops"])
    if isinstance(ops, dict):
        return [ops]
    if not isinstance(ops, list):
        raise _UnreadableError("shape", f'"ops" is {_kind(ops)}. Send a list of operations, such as {_CALL}.')
    return ops


def _operation(sent: Json, index: int, plan: Plan) -> Op:  # noqa: PLR0911 - one return per operation is the table
    if not isinstance(sent, dict):
        raise _UnreadableError("shape", f"it is {_kind(sent)}, not an object. One that works: {SHAPES['done'].example}")
    given = {key: value for key, value in sent.items() if not _is_absent(value)}
    name = _name(given, plan)
    call = _Call(name, SHAPES[name], sent, given)
    match name:
        case "init":
            return Init(_phases(call), index=index)
        case "append":
            return Append(call.text("phase"), call.texts("items"), index=index)
        case "start":
            return Start(call.text("task"), index=index)
        case "done":
            return Done(call.target(), index=index)
        case "drop":
            return Drop(call.target(), index=index)
        case "rm":
            return Rm(call.target(), index=index)
        case "note":
            return Note(call.text("task"), call.text("text"), index=index)
        case "block":
            return Block(call.target(), call.optional("reason") or call.optional("text"), index=index)
        case "unblock":
            return Unblock(call.target(), index=index)
        case _:
            return View(index=index)


def _name(given: Mapping[str, Json], plan: Plan) -> str:
    """The operation's name; without one, what its shape leaves as the only reading."""
    name = given.get("op")
    if isinstance(name, str) and name in SHAPES:
        return name
    allowed = ", ".join(SHAPES)
    if name is not None:
        raise _UnreadableError("unknown_op", f"no operation {quoted(str(name))}. There is: {allowed}.")
    if "list" in given:
        return "init"
    if "items" in given and "phase" in given:
        return "append"
    if "items" in given and not plan.phases:
        return "init"
    raise _UnreadableError(
        "missing", f'it has no key "op". Give one of {allowed}; for instance {SHAPES["done"].example}'
    )


@dataclass(frozen=True, slots=True)
class _Call:
    """One operation while it is read: as it was sent, and without the keys that were given as nothing."""

    name: str
    shape: Shape
    sent: Mapping[str, Json]
    given: Mapping[str, Json]

    def text(self, key: str) -> str:
        value = self.optional(key)
        if value is None:
            raise _UnreadableError("missing", f'{self.name} needs "{key}".{self._unknown()} {self._example()}')
        return value

    def optional(self, key: str) -> str | None:
        value = self.given.get(key)
        if value is None or isinstance(value, str):
            return value
        raise _UnreadableError("shape", f'"{key}" is {_kind(value)}, not text. {self._example()}')

    def texts(self, key: str) -> tuple[str, ...]:
        if key not in self.given:
            raise _UnreadableError("missing", f'{self.name} needs "{key}".{self._unknown()} {self._example()}')
        return self.strings(self.given[key], key)

    def strings(self, value: Json, key: str) -> tuple[str, ...]:
        value = _decoded(value)
        if not isinstance(value, list):
            raise _UnreadableError("shape", f'"{key}" is {_kind(value)}, not a list of texts. {self._example()}')
        wrong = next((item for item in value if not isinstance(item, str)), None)
        if wrong is not None:
            raise _UnreadableError("shape", f'"{key}" holds {_kind(wrong)}, not only texts. {self._example()}')
        return tuple(item for item in value if isinstance(item, str))

    def target(self) -> Target:
        """Everything is meant only by an operation of the three that has no key but `op`."""
        target = Target(self.optional("task"), self.optional("phase"))
        if not target.is_everything or (self.name in _TARGETED and set(self.sent) <= {"op"}):
            return target
        everything = f' For everything, send {{"op":"{self.name}"}} alone.' if self.name in _TARGETED else ""
        raise _UnreadableError(
            "missing", f"no task and no phase is named.{self._unknown()} {self._example()}{everything}"
        )

    def _unknown(self) -> str:
        unknown = [key for key in self.sent if key != "op" and key not in self.shape.keys]
        if not unknown:
            return ""
        allowed = ", ".join(f'"{key}"' for key in self.shape.keys)
        return f" It does not know {', '.join(map(quoted, unknown))}; it knows {allowed}."

    def _example(self) -> str:
        return f"One that works: {self.shape.example}"


def _phases(call: _Call) -> tuple[PhaseItems, ...]:
    if "list" not in call.given:
        if "items" not in call.given:
            call.texts("list")  # raises: the list is missing
        return (PhaseItems(_flat_phase(call), call.texts("items")),)
    entries = _decoded(call.given["list"])
    if not isinstance(entries, list):
        raise _UnreadableError("shape", f'"list" is {_kind(entries)}, not a list. {call.shape.example}')
    if entries and all(isinstance(entry, str) and not _is_object(entry) for entry in entries):
        return (PhaseItems(_flat_phase(call), call.strings(entries, "list")),)
    return tuple(_phase(call, _decoded(entry)) for entry in entries)


def _flat_phase(call: _Call) -> str:
    if call.sent.get("phase") == "":
        return ""  # given but blank, which is not the same as not given: `apply` refuses it
    return call.optional("phase") or FLAT_PHASE


def _phase(call: _Call, entry: Json) -> PhaseItems:
    if not isinstance(entry, dict):
        raise _UnreadableError("shape", f'"list" holds {_kind(entry)}, not {{phase, items}}. {call.shape.example}')
    phase, items = entry.get("phase"), entry.get("items")
    if not isinstance(phase, str):
        raise _UnreadableError("missing", f'an entry of "list" has no "phase". {call.shape.example}')
    if items is None:
        raise _UnreadableError("missing", f'phase {quoted(phase)} has no "items". {call.shape.example}')
    return PhaseItems(phase, call.strings(items, "items"))


def _decoded(raw: object) -> Json:
    """A JSON value; text that holds an object or a list is read as that."""
    if isinstance(raw, str) and _is_object(raw):
        try:
            decoded: Json = json.loads(raw)
        except (ValueError, RecursionError):
            raise _UnreadableError("shape", f"{quoted(raw)} is no JSON. Send an object such as {_CALL}.") from None
        return decoded
    # What `json.loads` makes is JSON all the way down; anything else an in-process caller sends is told as text.
    return cast("Json", raw) if raw is None or isinstance(raw, bool | int | float | str | list | dict) else str(raw)


def _is_object(text: str) -> bool:
    return text.lstrip().startswith(("{", "["))


def _is_absent(value: Json) -> bool:
    return value is None or value in ("", "null")


def _kind(value: Json) -> str:
    """A value in words: what it is, and what it holds where that is short."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f"the text {quoted(value)}"
        case int() | float():
            return f"the number {value}"
        case dict():
            return "an object"
        case list():
            return "a list"
