"""A store as one JSON document: armory's file, version 1, with what it does not know beside what it does.

Pure. Of a document that is read, everything is kept that nobody changed, down to the keys of items that we cannot
read; so another program finds its file as it left it. What is in the trash, the history and its counters lie
under one key of ours, which such a program passes on.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import cast

from todo_context.backlog.item import Item, Status
from todo_context.backlog.moment import stamp
from todo_context.backlog.record import Object, from_json, is_change, number, to_armory, to_json
from todo_context.plan.model import Json

VERSION = 1
OURS = "todoContext"
"""The key of what armory has no place for."""


class UnreadableError(ValueError):
    """A text is no JSON: something broke it."""


class OtherVersionError(ValueError):
    """A document is whole, but no armory file of our version."""


@dataclass(slots=True)
class Document:
    """All of a store.

    `raw` has the objects of the items as they were read, and the items that were read of them; `odd` what is no item.
    """

    items: dict[str, Item] = field(default_factory=dict[str, Item])
    changes: list[Object] = field(default_factory=list[Object])
    """The history as it is written, the oldest first: most of it is only passed on."""
    seq: int = 0
    batch: int = 0
    gone: set[str] = field(default_factory=set[str])
    raw: dict[str, tuple[Item, Object]] = field(default_factory=dict[str, tuple[Item, Object]])
    odd: list[Json] = field(default_factory=list[Json])
    rest: Object = field(default_factory=dict[str, Json])
    """The other keys of the document."""


Raw = Mapping[str, tuple[Item, Object]]
"""Items as they were read, by their ids, and what they were read of."""


def read(text: str, known: Raw = MappingProxyType({})) -> Document:
    """The document of a file. What is as in `known` is not read again: to read an item takes longer than all else.

    Raises:
        UnreadableError: it is no JSON.
        OtherVersionError: it is something else.
    """
    try:
        whole: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(str(error)) from error
    if not isinstance(whole, dict):
        raise OtherVersionError("no object")
    given = cast("Object", whole)
    if given.get("version") != VERSION:
        raise OtherVersionError(f"version {given.get('version')!r}"[:40])
    todos = given.get("todos")
    if not isinstance(todos, list):
        raise OtherVersionError('"todos" is no list')
    document = Document(rest={key: value for key, value in given.items() if key != OURS})
    for each in todos:
        _take(document, each, known)
    ours = given.get(OURS)
    if isinstance(ours, dict):
        _take_ours(document, ours)
    return document


def write(document: Document, now: datetime) -> str:
    """The file of a document: each change of the history on a line of its own, below the items."""
    todos: list[Json] = []
    trash: list[Json] = []
    for item in document.items.values():
        (trash if item.trashed_at else todos).append(_written(item, document.raw.get(item.id), now))
    return _file(
        {**document.rest, "version": VERSION, "updatedAt": stamp(now)},
        [*todos, *document.odd],
        {
            "seq": document.seq,
            "batch": document.batch,
            "gone": list[Json](sorted(document.gone)),
            "trash": trash,
            "changes": list[Json](document.changes),
        },
    )


def exported(items: list[Item], now: datetime) -> str:
    """A file of these items alone, for armory and its like."""
    todos: list[Json] = [to_armory(item, now) for item in items]
    return _file({"version": VERSION, "updatedAt": stamp(now)}, todos, {})


def imported(text: str, kind: str = "armory") -> tuple[list[Item], int]:
    """The items of a file, each with the origin `<kind>:<id>` unless it has one; and how many entries are no items.

    Raises:
        UnreadableError, OtherVersionError: as `read`.
    """
    document = read(text)
    found = [item for item in document.items.values() if not item.trashed_at]
    items = [item if item.origin else _with_origin(item, f"{kind}:{item.id}") for item in found]
    return items, len(document.odd)


def _with_origin(item: Item, origin: str) -> Item:
    made = from_json({**to_json(item), "origin": origin})
    return made or item


def _take(document: Document, each: Json, known: Raw) -> None:
    id_ = each.get("id") if isinstance(each, dict) else None
    same = known.get(id_) if isinstance(id_, str) else None
    item = same[0] if same is not None and same[1] == each else from_json(each)
    if item is None or item.id in document.items:
        document.odd.append(each)
    else:
        document.items[item.id] = item
        document.raw[item.id] = (item, cast("Object", each))


def _take_ours(document: Document, ours: Mapping[str, Json]) -> None:
    trash, changes, gone = ours.get("trash"), ours.get("changes"), ours.get("gone")
    for each in trash if isinstance(trash, list) else []:
        item = from_json(each)
        if item is not None and item.trashed_at and item.id not in document.items:
            document.items[item.id] = item
    given = changes if isinstance(changes, list) else []
    document.changes = [each for each in given if isinstance(each, dict) and is_change(each)]
    document.gone = {id_ for id_ in gone if isinstance(id_, str)} if isinstance(gone, list) else set()
    newest: Object = document.changes[-1] if document.changes else {}
    document.seq = max(number(ours, "seq"), number(newest, "seq"))
    document.batch = max(number(ours, "batch"), number(newest, "batch"))


def _written(item: Item, read_as: tuple[Item, Object] | None, now: datetime) -> Object:
    if item.trashed_at:
        return to_json(item)
    if read_as is None:
        return to_armory(item, now)
    was, raw = read_as
    if item is was:
        return raw
    wanted, before = to_armory(item, now), to_armory(was, now)
    # What differs from what was read is written; a key that we read as something else stays as it is written there.
    changed = {key: value for key, value in wanted.items() if key not in before or before[key] != value}
    if raw.get("status") == Status.PARKED:
        # So it was written while it slept; now that it woke, we read as open what says parked there.
        changed["status"] = wanted["status"]
    return {**{key: value for key, value in raw.items() if key not in before or key in wanted}, **changed}


def _file(head: Object, todos: list[Json], ours: Object) -> str:
    """The text of a file: a key on a line, and of what is long, each part on one. So it can be read and compared."""
    keys = {key: value for key, value in head.items() if key != "todos"}
    parts = [f"  {_packed(key)}: {_packed(value)}" for key, value in keys.items()]
    parts.append(f'  "todos": {_lines(todos, "  ")}')
    if ours:
        inner = [f"    {_packed(key)}: {_lines(v, '    ') if isinstance(v, list) else v}" for key, v in ours.items()]
        parts.append(f'  "{OURS}": {{\n' + ",\n".join(inner) + "\n  }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(values: list[Json], indent: str) -> str:
    if not values:
        return "[]"
    return "[\n" + ",\n".join(f"{indent}  {_packed(value)}" for value in values) + f"\n{indent}]"


def _packed(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
