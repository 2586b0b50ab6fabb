"""Putting away and deleting. To prune is to archive, and loses nothing; to delete takes two steps.

The first says what would go, and gives a token for exactly that set; the second goes on only with the token of the
set as it is then. So nobody deletes what they have not seen. Never what is active or parked, nor what is of
unknown age.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from todo_context.backlog import moves
from todo_context.backlog.item import Box, Item
from todo_context.backlog.ledger import Ledger
from todo_context.backlog.moment import is_older, moment
from todo_context.backlog.pen import Pen
from todo_context.backlog.refusal import Refusal
from todo_context.backlog.shapes import Doomed, Prune, Query

TRASH_KEPT = timedelta(days=30)
"""How long what was deleted can be brought back. Then it goes for good, at the next hard prune."""

TOKEN_CHARACTERS = 8
SHOWN_TITLES = 10


def archive(pen: Pen, prune: Prune) -> None:
    """Put closed items into the archive."""
    for item in _of(pen.ledger, prune, frozenset({Box.CLOSED}), pen.now):
        made = moves.prune(item, pen.now, prune.older_than)
        if isinstance(made, Item):
            pen.write(item, made)


def doomed(ledger: Ledger, prune: Prune, now: datetime, *, from_closed: bool) -> list[Item]:
    """What a hard prune would delete, sorted by id."""
    boxes = {Box.ARCHIVE, Box.CLOSED} if from_closed else {Box.ARCHIVE}
    found = _of(ledger, prune, frozenset(boxes), now)
    old = (
        item
        for item in found
        if moment(item.closed_at) and (prune.older_than is None or is_older(item.closed_at, prune.older_than, now))
    )
    return sorted(old, key=lambda item: item.id)


def shown(ledger: Ledger, items: list[Item]) -> Doomed:
    """What is to be known before it is done."""
    ids = tuple(item.id for item in items)
    by_age = sorted(items, key=lambda item: (item.closed_at, item.id))
    return Doomed(
        token=token(items),
        ids=ids,
        first=by_age[0].closed_at if by_age else "",
        last=by_age[-1].closed_at if by_age else "",
        titles=tuple(item.text for item in by_age[:SHOWN_TITLES]),
        waiting=tuple(item.id for item in ledger.waiting_for(ids)),
    )


def token(items: Iterable[Item]) -> str:
    """What stands for exactly these items as they are."""
    lines = sorted(f"{item.id} {item.updated_at}" for item in items)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:TOKEN_CHARACTERS]


def token_refusal(items: list[Item], seen: frozenset[str] | None) -> Refusal:
    """Why a token does not do. `seen` are the ids it stood for, where that is known."""
    now = {item.id for item in items}
    if seen is None or seen == now:
        fact = f"the set is another: it holds {len(now)} now"
    else:
        fact = f"the set is another: {len(now - seen)} more, {len(seen - now)} fewer"
    return Refusal(code="token", fact=fact, step="Look at it again, and use the new token with the same options")


def trash(pen: Pen, items: Iterable[Item], *, reason: str, from_closed: bool) -> None:
    """Delete these."""
    for item in items:
        made = moves.trash(item, pen.now, batch=pen.batch, reason=reason, from_closed=from_closed)
        if isinstance(made, Item):
            pen.write(item, made)


def purge(pen: Pen) -> None:
    """Let go for good of what was deleted long ago. The history keeps id and title for as long as it lasts."""
    for item in pen.ledger.find(Query(boxes=frozenset({Box.TRASH}), limit=None), pen.now):
        if is_older(item.trashed_at, TRASH_KEPT, pen.now):
            pen.write(replace(item, notes=""), None)


def untrash(pen: Pen, batch: int) -> None:
    """Bring back what a hard prune deleted."""
    found = pen.ledger.of_trash(batch)
    if not found:
        fact = f"nothing in the trash was deleted by set {batch}"
        pen.refuse(Refusal(code="nothing", fact=fact, step="Look at the log for its number"))
    for item in found:
        pen.write(item, moves.untrash(item))


def _of(ledger: Ledger, prune: Prune, boxes: frozenset[Box], now: datetime) -> Iterable[Item]:
    query = Query(boxes=boxes, statuses=prune.statuses, project=prune.project, tag=prune.tag, limit=None)
    return ledger.find(query, now)
