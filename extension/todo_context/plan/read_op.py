"""Read one operation as it was sent: an `Op`, or why it is none.

Source: the table `SHAPES`, for which keys there are and a call that works.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from todo_context.plan.decode import UnreadableError, decoded, in_words, looks_structured
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
from todo_context.plan.spelling import op_of

_TARGETED = frozenset({"done", "drop", "rm"})


def read_operation(sent: Json, index: int, plan: Plan) -> Op:  # noqa: PLR0911 - one return per operation is the table
    """Read the operation that stands at `index` of the sender's list.

    Raises:
        UnreadableError: it is none; with the key, what is allowed there, and a call that works.
    """
    if not isinstance(sent, dict):
        raise UnreadableError(
            "shape", f"it is {in_words(sent)}, not an object. One that works: {SHAPES['done'].example}"
        )
    keys = _with_task(sent)
    given = {key: value for key, value in keys.items() if not _is_absent(value)}
    name = _name(given, plan)
    call = _Call(name, SHAPES[name], keys, given)
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
    if isinstance(name, str) and op_of(name) in SHAPES:
        return op_of(name)
    allowed = ", ".join(SHAPES)
    if name is not None:
        shown = quoted(name) if isinstance(name, str) else in_words(name)
        raise UnreadableError("unknown_op", f"no operation {shown}. There is: {allowed}.")
    if "list" in given:
        return "init"
    if "items" in given and "phase" in given:
        return "append"
    if "items" in given and not plan.phases:
        return "init"
    raise UnreadableError("shape", f'it has no key "op". Give one of {allowed}; for instance {SHAPES["done"].example}')


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
            raise UnreadableError("missing", f'{self.name} needs "{key}".{self._unknown()} {self._example()}')
        return value

    def optional(self, key: str) -> str | None:
        value = self.given.get(key)
        if value is None or isinstance(value, str):
            return value
        raise UnreadableError("shape", f'"{key}" is {in_words(value)}, not text. {self._example()}')

    def texts(self, key: str) -> tuple[str, ...]:
        if key not in self.given:
            raise UnreadableError("missing", f'{self.name} needs "{key}".{self._unknown()} {self._example()}')
        return self.strings(self.given[key], key)

    def strings(self, value: Json, key: str) -> tuple[str, ...]:
        value = decoded(value)
        if not isinstance(value, list):
            raise UnreadableError("shape", f'"{key}" is {in_words(value)}, not a list of texts. {self._example()}')
        texts: list[str] = []
        for item in value:
            if not isinstance(item, str):
                raise UnreadableError("shape", f'"{key}" holds {in_words(item)}, not only texts. {self._example()}')
            texts.append(item)
        return tuple(texts)

    def target(self) -> Target:
        """Everything is meant only by an operation of the three that has no key but `op`."""
        target = Target(self.optional("task"), self.optional("phase"))
        if not target.is_everything or (self.name in _TARGETED and set(self.sent) <= {"op"}):
            return target
        everything = f' For everything, send {{"op":"{self.name}"}} alone.' if self.name in _TARGETED else ""
        raise UnreadableError(
            "no_target", f"no task and no phase is named.{self._unknown()} {self._example()}{everything}"
        )

    def _unknown(self) -> str:
        unknown = [str(key) for key in self.sent if key != "op" and key not in self.shape.keys]
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
    sent = decoded(call.given["list"])
    if not isinstance(sent, list | dict):
        raise UnreadableError("shape", f'"list" is {in_words(sent)}, not a list. {call.shape.example}')
    entries: list[Json] = [sent] if isinstance(sent, dict) else sent
    if entries and all(isinstance(entry, str) and not looks_structured(entry) for entry in entries):
        return (PhaseItems(_flat_phase(call), call.strings(entries, "list")),)
    return tuple(_phase(call, decoded(entry)) for entry in entries)


def _flat_phase(call: _Call) -> str:
    if call.sent.get("phase") == "":
        return ""  # given but blank, which is not the same as not given: `apply` refuses it
    return call.optional("phase") or FLAT_PHASE


def _phase(call: _Call, entry: Json) -> PhaseItems:
    if not isinstance(entry, dict):
        raise UnreadableError("shape", f'"list" holds {in_words(entry)}, not {{phase, items}}. {call.shape.example}')
    phase, items = entry.get("phase"), entry.get("items")
    if not isinstance(phase, str):
        raise UnreadableError("shape", f'an entry of "list" has no "phase". {call.shape.example}')
    if items is None:
        raise UnreadableError("shape", f'phase {quoted(phase)} has no "items". {call.shape.example}')
    return PhaseItems(phase, call.strings(items, "items"))


def _with_task(sent: Mapping[str, Json]) -> Mapping[str, Json]:
    """`content` is another word for `task`, which itself wins where it is given."""
    if "content" not in sent or not _is_absent(sent.get("task")):
        return sent
    return {"task" if key == "content" else key: value for key, value in sent.items() if key != "task"}


def _is_absent(value: Json) -> bool:
    return value is None or value in ("", "null")
