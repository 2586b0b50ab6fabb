"""An item and a change as JSON objects, with the keys of armory's file, version 1, and our further ones beside them.

Pure. What is read is read leniently, for other programs write it too; a key that is not known stays in `extra`.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import cast

from todo_context.backlog.changes import Change
from todo_context.backlog.item import Box, Item, Priority, Status, box_of, folded_notes
from todo_context.backlog.moment import canonical, moment
from todo_context.plan.model import Json
from todo_context.plan.text import one_line

Object = dict[str, Json]

_TEXTS = {
    "notes": "notes",
    "origin": "origin",
    "owner": "owner",
    "leaseUntil": "lease_until",
    "parkedUntil": "parked_until",
    "archivedAt": "archived_at",
    "trashedAt": "trashed_at",
    "trashedReason": "trashed_reason",
}
"""Our keys that hold text, left out when empty, and the fields they are."""

_KNOWN = frozenset(
    {"id", "text", "project", "tags", "priority", "status", "source", "createdAt", "updatedAt", "closedAt"}
    | {"blockedBy", "trashedBatch"}
    | _TEXTS.keys()
)


def to_json(item: Item) -> dict[str, Json]:
    """The object of an item, exactly: `from_json` makes the same item of it."""
    written: dict[str, Json] = {
        "id": item.id,
        "text": item.text,
        "project": item.project or None,
        "tags": list(item.tags),
        "priority": item.priority.value,
        "status": item.status.value,
        "source": item.source or None,
        "createdAt": item.created_at,
        "updatedAt": item.updated_at,
        "closedAt": item.closed_at or None,
    }
    for key, name in _TEXTS.items():
        value: str = getattr(item, name)
        if value:
            written[key] = value
    if item.blocked_by:
        written["blockedBy"] = list(item.blocked_by)
    if item.trashed_batch:
        written["trashedBatch"] = item.trashed_batch
    return {**written, **{key: value for key, value in item.extra.items() if key not in _KNOWN}}


def to_armory(item: Item, now: datetime) -> dict[str, Json]:
    """The same for a program that knows no parking until a date: then it is parked."""
    written = to_json(item)
    if box_of(item, now) is Box.PARKED:
        written["status"] = Status.PARKED.value
    return written


_ID = re.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")
"""An id that can stand in a line as it is, on a screen and before a model; one of another kind makes no item."""


def from_json(raw: object) -> Item | None:
    """The item of an object; None where it is no item: an id and a text are the least."""
    if not isinstance(raw, Mapping):
        return None
    given = cast("Mapping[str, Json]", raw)
    id_, text = _text(given, "id").strip(), one_line(_text(given, "text"))
    if not _ID.fullmatch(id_) or not text:
        return None
    parked_until = _time(given, "parkedUntil")
    status = _status(given)
    return Item(
        id=id_,
        text=text,
        notes=folded_notes(_text(given, "notes")),
        project=one_line(_text(given, "project")),
        tags=_texts(given, "tags"),
        priority=_priority(given),
        # That is how `to_armory` writes one that wakes by itself.
        status=Status.OPEN if status is Status.PARKED and parked_until else status,
        source=one_line(_text(given, "source")),
        origin=one_line(_text(given, "origin")),
        owner=one_line(_text(given, "owner")),
        lease_until=_time(given, "leaseUntil"),
        blocked_by=_texts(given, "blockedBy"),
        parked_until=parked_until,
        created_at=canonical(_text(given, "createdAt")),
        updated_at=canonical(_text(given, "updatedAt")),
        closed_at=canonical(_text(given, "closedAt")),
        archived_at=canonical(_text(given, "archivedAt")),
        trashed_at=canonical(_text(given, "trashedAt")),
        trashed_batch=number(given, "trashedBatch"),
        trashed_reason=one_line(_text(given, "trashedReason")),
        extra={key: value for key, value in given.items() if key not in _KNOWN},
    )


def _text(given: Mapping[str, Json], key: str) -> str:
    value = given.get(key)
    return value if isinstance(value, str) else ""


def _texts(given: Mapping[str, Json], key: str) -> tuple[str, ...]:
    value = given.get(key)
    if not isinstance(value, list):
        return ()
    return tuple(dict.fromkeys(text for each in value if isinstance(each, str) and (text := one_line(each))))


def _time(given: Mapping[str, Json], key: str) -> str:
    """A time that something hangs on: one that cannot be read is none."""
    text = _text(given, key)
    return canonical(text) if moment(text) else ""


def _status(given: Mapping[str, Json]) -> Status:
    value = given.get("status")
    return Status(value) if value in set(Status) else Status.OPEN


def _priority(given: Mapping[str, Json]) -> Priority:
    value = given.get("priority")
    return Priority(value) if value in set(Priority) else Priority.MED


def change_to_json(change: Change) -> Object:
    """The object of a change."""
    return {
        "seq": change.seq,
        "at": change.at,
        "by": change.by,
        "verb": change.verb,
        "batch": change.batch,
        "of": change.of,
        "item": change.item,
        "before": None if change.before is None else to_json(change.before),
        "after": None if change.after is None else to_json(change.after),
    }


def is_change(raw: Mapping[str, Json]) -> bool:
    """Whether an object is a change: it has its two numbers."""
    return number(raw, "seq") > 0 and number(raw, "batch") > 0


def change_from_json(raw: Mapping[str, Json]) -> Change:
    """The change of an object that is one."""
    return Change(
        seq=number(raw, "seq"),
        at=_text(raw, "at"),
        by=_text(raw, "by"),
        verb=_text(raw, "verb"),
        batch=number(raw, "batch"),
        item=_text(raw, "item"),
        before=from_json(raw.get("before")),
        after=from_json(raw.get("after")),
        of=number(raw, "of"),
    )


def number(raw: Mapping[str, Json], key: str) -> int:
    """A whole number, 0 where there is none."""
    value = raw.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
