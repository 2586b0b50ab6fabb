"""The moves of an item from box to box: what each verb makes of it, and from where.

Pure: time and person are passed in. A move answers with the item as it would be, with the very same object where
nothing would change, or with a refusal. `closed_at` is set exactly while an item is closed or archived.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from todo_context.backlog.item import Box, Item, Status, box_of, is_held
from todo_context.backlog.moment import is_older, moment, stamp
from todo_context.backlog.refusal import Code, Refusal
from todo_context.backlog.when import EXAMPLES
from todo_context.backlog.words import count
from todo_context.plan.names import quoted


@dataclass(frozen=True, slots=True)
class Who:
    """Who acts: a session by its name, which is also the owner of what it claims, or a person."""

    name: str
    is_person: bool = False


_ANY_BUT_GONE = frozenset({Box.ACTIVE, Box.PARKED, Box.CLOSED})
_FROM: dict[str, frozenset[Box]] = {
    "claim": frozenset({Box.ACTIVE}),
    "release": frozenset({Box.ACTIVE}),
    "park": frozenset({Box.ACTIVE, Box.PARKED}),
    "unpark": frozenset({Box.ACTIVE, Box.PARKED}),
    "complete": _ANY_BUT_GONE,
    "cancel": _ANY_BUT_GONE,
    "reopen": frozenset({Box.ACTIVE, Box.CLOSED, Box.ARCHIVE}),
    "prune": frozenset({Box.CLOSED, Box.ARCHIVE}),
    "restore": frozenset({Box.CLOSED, Box.ARCHIVE}),
    "update": frozenset({Box.ACTIVE, Box.PARKED, Box.CLOSED, Box.ARCHIVE}),
}
"""From which boxes each verb leads. From the one it leads to, where that is another, it changes nothing."""

_OPEN = 'Update it with "status":"open" first'
_WAY_OUT = {
    Box.ACTIVE: ("Complete or cancel it first", "Complete or delete it first"),
    Box.PARKED: ("Unpark it first", _OPEN),
    Box.CLOSED: ("Reopen it first", _OPEN),
    Box.ARCHIVE: ("Restore it first, or reopen it", _OPEN),
}
"""The step out of each box: for a person, and by the tool."""


def refused(verb: str, item: Item, now: datetime) -> Refusal | None:
    """Why a verb does not lead from where the item lies; None where it does."""
    box = box_of(item, now)
    if box in _FROM[verb]:
        return None
    if box is Box.TRASH:
        step = f"untrash {item.trashed_batch}"
        no = _no("deleted", item, f"it was deleted at {item.trashed_at}", f"Bring it back with {step}")
        return replace(no, tool_step=f"Ask the user: /todo backlog {step}")
    fact = f"it is {box.value}" + (f" ({item.status})" if box in {Box.CLOSED, Box.ARCHIVE} else "")
    step, tool_step = _WAY_OUT[box]
    return replace(_no("state", item, f"{fact}, and {verb} does not lead from there", step), tool_step=tool_step)


def claim(
    item: Item, who: Who, now: datetime, *, lease: timedelta | None, waits_for: tuple[str, ...] = ()
) -> Item | Refusal:
    """Take it to work on, for as long as `lease`, or without end. For one's own it only begins the lease anew.

    `waits_for` are the ids of the open items that it is blocked by.
    """
    if no := refused("claim", item, now):
        return no
    until = "" if lease is None else stamp(now + lease)
    if item.status is Status.IN_PROGRESS and item.owner == who.name:
        return item if item.lease_until == until else replace(item, lease_until=until)
    if no := _taken(item, now, waits_for):
        return no
    return replace(
        item,
        status=Status.IN_PROGRESS,
        owner=who.name,
        lease_until=until,
        parked_until="",
        updated_at=stamp(now),
    )


def release(item: Item, who: Who, now: datetime) -> Item | Refusal:
    """Give it back: one's own, one whose lease is over, or any as a person."""
    if no := refused("release", item, now):
        return no
    if item.status is not Status.IN_PROGRESS:
        return item
    return held_by_another(item, who, now) or replace(
        item, updated_at=stamp(now), status=Status.OPEN, owner="", lease_until=""
    )


def held_by_another(item: Item, who: Who, now: datetime) -> Refusal | None:
    """Why a session may not touch it: another one works on it. A person may."""
    if not is_held(item, now) or item.owner == who.name or who.is_person:
        return None
    return _no("held", item, f"{item.owner} works on it{_for_how_long(item, now)}", "Let a person release it, or wait")


def park(item: Item, now: datetime, until: str = "") -> Item | Refusal:
    """Put it aside, until a time where one is given: then it wakes by itself."""
    if no := refused("park", item, now):
        return no
    if not until:
        if item.status is Status.PARKED:
            return item
        return replace(
            item, updated_at=stamp(now), status=Status.PARKED, owner="", lease_until="", parked_until="", closed_at=""
        )
    wakes = moment(until)
    if wakes is None or wakes <= now:
        fact = f"{quoted(until)} is {'no time' if wakes is None else 'past'}"
        return _no("date", item, fact, f"Name a time to come: {EXAMPLES}")
    if item.status is Status.OPEN and item.parked_until == stamp(wakes):
        return item
    return replace(
        item,
        updated_at=stamp(now),
        status=Status.OPEN,
        owner="",
        lease_until="",
        parked_until=stamp(wakes),
        closed_at="",
    )


def unpark(item: Item, now: datetime) -> Item | Refusal:
    """Have it active again."""
    if no := refused("unpark", item, now):
        return no
    if box_of(item, now) is Box.ACTIVE:
        return item
    return replace(item, updated_at=stamp(now), status=Status.OPEN, parked_until="")


def close(item: Item, now: datetime, status: Status) -> Item | Refusal:
    """Complete or cancel it. Who worked on it stays known."""
    if no := refused("complete" if status is Status.DONE else "cancel", item, now):
        return no
    if item.status is status:
        return item
    return replace(item, updated_at=stamp(now), status=status, closed_at=stamp(now), lease_until="", parked_until="")


def reopen(item: Item, now: datetime) -> Item | Refusal:
    """Have a closed or archived one open again."""
    if no := refused("reopen", item, now):
        return no
    if box_of(item, now) is Box.ACTIVE:
        return item
    return replace(
        item, updated_at=stamp(now), status=Status.OPEN, owner="", lease_until="", closed_at="", archived_at=""
    )


def prune(item: Item, now: datetime, older_than: timedelta | None) -> Item | Refusal:
    """Put a closed one into the archive; without `older_than` whenever it was closed.

    One of unknown age never is old enough.
    """
    if no := refused("prune", item, now):
        return no
    if item.archived_at:
        return item
    if older_than is not None and not is_older(item.closed_at, older_than, now):
        known = f"it was closed at {item.closed_at}" if moment(item.closed_at) else "nobody knows when it was closed"
        fact = f"{known}, which is not older than {count(older_than.days, 'day')}"
        return _no("state", item, fact, "Prune all, or wait")
    return replace(item, updated_at=stamp(now), archived_at=stamp(now))


def restore(item: Item, now: datetime) -> Item | Refusal:
    """Bring it back from the archive, as it was."""
    if no := refused("restore", item, now):
        return no
    return replace(item, updated_at=stamp(now), archived_at="") if item.archived_at else item


def trash(item: Item, now: datetime, *, batch: int, reason: str, from_closed: bool) -> Item | Refusal:
    """Delete it, from the archive; with `from_closed` also when it is closed. Never what is active or parked."""
    box = box_of(item, now)
    if box is Box.TRASH:
        return item
    if box is not Box.ARCHIVE and not (from_closed and box is Box.CLOSED):
        step = "Prune it first" if box is Box.CLOSED else "Close and prune it first"
        return _no("state", item, f"it is {box.value}, and only what is archived is deleted", step)
    # Not updated_at: it comes back as it was.
    return replace(item, trashed_at=stamp(now), trashed_batch=batch, trashed_reason=reason)


def untrash(item: Item) -> Item:
    """Bring back what was deleted, as it was."""
    return replace(item, trashed_at="", trashed_batch=0, trashed_reason="") if item.trashed_at else item


def _for_how_long(item: Item, now: datetime) -> str:
    ends = moment(item.lease_until)
    minutes = -(-(ends - now) // timedelta(minutes=1)) if ends else 0
    return f", for {minutes} more minute{'s' * (minutes != 1)} at least" if minutes else ""


_TAKE_IT = "Claim another, or free it: backlog release {}"


def _taken(item: Item, now: datetime, waits_for: tuple[str, ...]) -> Refusal | None:
    if is_held(item, now):
        no = _no("held", item, f"{item.owner} works on it{_for_how_long(item, now)}", _TAKE_IT.format(item.id))
        return replace(no, tool_step="Claim another, or wait")
    if waits_for:
        return _no("blocked", item, f"it waits for {', '.join(waits_for)}", f"Claim {waits_for[0]} first", waits_for)
    return None


def _no(code: Code, item: Item, fact: str, step: str, others: tuple[str, ...] = ()) -> Refusal:
    return Refusal(code=code, id=item.id, fact=fact, step=step, others=others)
