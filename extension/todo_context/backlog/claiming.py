"""Who works on what. To claim is one step of one transaction, so of several who ask for one item, one has it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from todo_context.backlog import moves
from todo_context.backlog.item import Item, Status
from todo_context.backlog.ledger import Ledger
from todo_context.backlog.moment import stamp
from todo_context.backlog.moves import Who
from todo_context.backlog.order import open_blockers
from todo_context.backlog.pen import Pen, resolve
from todo_context.backlog.refusal import Refusal
from todo_context.backlog.shapes import Query

_NAMED = 5
"""How many held items an answer names."""


def claim(pen: Pen, reference: str, who: Who, lease: timedelta | None) -> None:
    """Take this item."""
    item = resolve(pen.ledger, reference)
    if isinstance(item, Refusal):
        pen.refuse(item)
        return
    waits_for = open_blockers(item, pen.ledger.get)
    made = moves.claim(item, who, pen.now, lease=lease, waits_for=waits_for)
    if isinstance(made, Refusal):
        pen.refuse(made)
    elif is_renewal(item, made):
        pen.ledger.put(made)
        pen.write(made, made)
    else:
        pen.write(item, made)


def claim_next(pen: Pen, query: Query, who: Who, lease: timedelta | None) -> None:
    """Take the first ready item that fits."""
    ready = pen.ledger.find(replace(query, ready=True, limit=1, offset=0), pen.now)
    if not ready:
        pen.refuse(_nothing(pen.ledger, query, pen.now))
        return
    made = moves.claim(ready[0], who, pen.now, lease=lease)
    if isinstance(made, Refusal):
        pen.refuse(made)
    else:
        pen.write(ready[0], made)


def is_renewal(before: Item, after: Item) -> bool:
    """Whether nothing differs but the end of the lease: that is no change, and stands in no history."""
    return before.owner == after.owner and replace(before, lease_until="") == replace(after, lease_until="")


def held_by(ledger: Ledger, owner: str, now: datetime) -> Sequence[Item]:
    """What this owner has in progress."""
    return ledger.find(Query(statuses=(Status.IN_PROGRESS,), owner=owner, limit=None), now)


def renew(ledger: Ledger, who: Who, now: datetime, lease: timedelta) -> int:
    """Begin anew the leases of all that `who` holds."""
    held = [item for item in held_by(ledger, who.name, now) if item.lease_until]
    for item in held:
        ledger.put(replace(item, lease_until=stamp(now + lease)))
    return len(held)


def succeed(pen: Pen, before: str, who: Who, lease: timedelta) -> None:
    """Give all that one owner has in progress to another."""
    for item in held_by(pen.ledger, before, pen.now):
        until = stamp(pen.now + lease)
        pen.write(item, replace(item, owner=who.name, lease_until=until, updated_at=stamp(pen.now)))


def _nothing(ledger: Ledger, query: Query, now: datetime) -> Refusal:
    held = ledger.find(replace(query, statuses=(Status.IN_PROGRESS,), limit=_NAMED, offset=0), now)
    waiting = ledger.count(replace(query, statuses=(Status.OPEN,)), now)
    facts = [f"{item.owner or 'nobody'} works on {item.id}" for item in held]
    facts += [f"{waiting} wait{'s' if waiting == 1 else ''} for others"] if waiting else []
    fact = "nothing is ready" + (f": {', '.join(facts)}" if facts else "")
    others = tuple(item.id for item in held)
    return Refusal(code="nothing", fact=fact, step="Add an item, or wait", others=others)
