"""Items of another store, taken in: added once, and brought up to date the next time.

Each is known again by its origin, and one that was made here by its id. What is closed here is opened by nothing that
comes in, what was deleted here stays so, and of two versions the newer one counts. All or nothing.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from todo_context.backlog.adding import Door, new_id, secret_refusal
from todo_context.backlog.item import Item, Status, folded_notes, folded_tags, is_unfinished
from todo_context.backlog.ledger import Ledger
from todo_context.backlog.moment import moment, stamp
from todo_context.backlog.pen import Pen
from todo_context.backlog.refusal import Refusal
from todo_context.plan.text import one_line


def take_in(pen: Pen, items: Sequence[Item], door: Door) -> bool:
    """Take items in; False, with refusals, where one of them cannot be, and the transaction is to be given up.

    `origin` is set on each.
    """
    names = _names(pen.ledger, items, door)
    is_whole = True
    for index, given in enumerate(items):
        item = replace(
            _folded(given, pen.now),
            id=names[given.origin],
            blocked_by=tuple(dict.fromkeys(_named(id_, items, names) for id_ in given.blocked_by)),
        )
        no = _refusal(item, door)
        if no is not None:
            pen.refuse(no, index)
            is_whole = False
            continue
        there = pen.ledger.get(item.id)
        pen.write(there, item if there is None else _newer(there, item))
    return is_whole


def _names(ledger: Ledger, items: Sequence[Item], door: Door) -> dict[str, str]:
    """The id that each has here, by its origin: the one it came with, where that is free."""
    names: dict[str, str] = {}
    for item in items:
        there = ledger.of_origin(item.origin) or _as_made(ledger.get(one_line(item.id)), item)
        id_ = one_line(item.id) if there is None else there.id
        while there is None and (
            not id_ or id_ in names.values() or ledger.get(id_) is not None or ledger.is_gone(id_)
        ):
            id_ = new_id(ledger, door.make_id)
        names.setdefault(item.origin, id_)
    return names


def _as_made(there: Item | None, item: Item) -> Item | None:
    """What is here under the id of an item, if it is the same one: two made in one moment under one id are none."""
    is_same = there is not None and item.created_at != "" and there.created_at == item.created_at
    return there if is_same else None


def _named(id_: str, items: Sequence[Item], names: dict[str, str]) -> str:
    return next((names[item.origin] for item in items if item.id == id_), id_)


def _folded(item: Item, now: datetime) -> Item:
    is_closed = item.status.is_closed
    # One that is closed has a time for it, even if nobody wrote it down: else its age stays unknown for ever.
    closed_at = (item.closed_at or (item.updated_at if moment(item.updated_at) else "")) if is_closed else ""
    return replace(
        item,
        id=one_line(item.id),
        text=one_line(item.text),
        notes=folded_notes(item.notes),
        project=one_line(item.project),
        tags=folded_tags(item.tags),
        source=one_line(item.source),
        origin=one_line(item.origin),
        owner=one_line(item.owner),
        created_at=item.created_at or stamp(now),
        updated_at=item.updated_at or stamp(now),
        closed_at=closed_at,
        archived_at=item.archived_at if is_closed else "",
        trashed_at="",
        trashed_batch=0,
        trashed_reason="",
    )


def _refusal(item: Item, door: Door) -> Refusal | None:
    if not item.text:
        return Refusal(code="blank", fact=f"{item.origin} has no text", step="Give it one there, or leave it out")
    told = {"text": item.text, "notes": item.notes, "project": item.project, "tags": " ".join(item.tags)}
    no = None if door.allow_secret else secret_refusal(told, door.who)
    return None if no is None else replace(no, fact=f"{item.origin}: {no.fact}")


def _newer(there: Item, item: Item) -> Item:
    mine, theirs = moment(there.updated_at), moment(item.updated_at)
    if there.trashed_at or theirs is None or (mine is not None and theirs <= mine):
        return there
    if _is_lower(item, there):
        item = replace(item, status=there.status, closed_at=there.closed_at, parked_until=there.parked_until)
    return replace(
        there,
        text=item.text,
        notes=item.notes or there.notes,
        project=item.project,
        tags=item.tags,
        priority=item.priority,
        status=item.status,
        closed_at=item.closed_at,
        parked_until=item.parked_until,
        lease_until=there.lease_until if item.status is there.status else "",
        blocked_by=item.blocked_by or there.blocked_by,
        updated_at=item.updated_at,
        extra={**there.extra, **item.extra},
    )


def _is_lower(item: Item, there: Item) -> bool:
    """Whether it is less far there than here."""
    return is_unfinished(item) and (not is_unfinished(there) or there.status is Status.IN_PROGRESS)
