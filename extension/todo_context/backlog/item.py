"""One item of the backlog, frozen, and the box it lies in.

Pure. An item is a value; to change it makes another. A box is never stored: it follows from status and dates,
so an item is in exactly one, and no crash can leave it in two or in none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

from todo_context.backlog.moment import moment
from todo_context.plan.model import Json
from todo_context.plan.text import note_text, one_line, trim_end

ID_PREFIX = "td-"
"""How every id begins; where one is named it may be left out."""

ID_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
"""Of our own ids, behind the prefix. Source: RFC 4648, base32."""

_NO_EXTRA: Mapping[str, Json] = MappingProxyType({})


def _no_extra() -> Mapping[str, Json]:
    # Behind a function, for a dataclass takes no default that cannot be hashed.
    return _NO_EXTRA


class Status(StrEnum):
    """What an item is. The values are those of armory's file; `parked` is one of its later versions."""

    OPEN = "open"
    IN_PROGRESS = "in_progress"
    DONE = "done"
    CANCELLED = "cancelled"
    PARKED = "parked"

    @property
    def is_closed(self) -> bool:
        """Done or cancelled."""
        return self in _CLOSED


_CLOSED = frozenset({Status.DONE, Status.CANCELLED})


class Priority(StrEnum):
    """How much an item matters. `rank` counts up with it, from 0."""

    LOW = "low"
    MED = "med"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for low to 3 for critical."""
        return _RANKS[self]


PRIORITIES = tuple(Priority)
"""The lowest first."""

_RANKS = {priority: rank for rank, priority in enumerate(PRIORITIES)}


class Box(StrEnum):
    """Where an item lies. Of several that fit, the first of trash, archive, closed, parked, active."""

    ACTIVE = "active"
    PARKED = "parked"
    CLOSED = "closed"
    ARCHIVE = "archive"
    TRASH = "trash"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing to do. What is not set is empty; times are text in the form of `moment`.

    `text` is the title, one line, and `notes` free text. `source` is the session that made it, `origin` where it
    came from (`<kind>:<native id>`), the same for no two items. `owner` works on it, until `lease_until` where that
    is set. A status of open with `parked_until` in the future is parked too, and wakes by itself. `extra` holds keys
    of other programs.
    """

    id: str
    text: str
    notes: str = ""
    project: str = ""
    tags: tuple[str, ...] = ()
    priority: Priority = Priority.MED
    status: Status = Status.OPEN
    source: str = ""
    origin: str = ""
    owner: str = ""
    lease_until: str = ""
    blocked_by: tuple[str, ...] = ()
    parked_until: str = ""
    created_at: str = ""
    updated_at: str = ""
    closed_at: str = ""
    archived_at: str = ""
    trashed_at: str = ""
    trashed_batch: int = 0
    trashed_reason: str = ""
    extra: Mapping[str, Json] = field(default_factory=_no_extra)


def box_of(item: Item, now: datetime) -> Box:
    """The box an item lies in."""
    if item.trashed_at:
        return Box.TRASH
    if item.archived_at:
        return Box.ARCHIVE
    if item.status.is_closed:
        return Box.CLOSED
    if item.status is Status.PARKED or _sleeps(item, now):
        return Box.PARKED
    return Box.ACTIVE


def is_unfinished(item: Item) -> bool:
    """Whether it is still to be done, parked or not. Such an item blocks those that wait for it."""
    return not item.status.is_closed and not item.archived_at and not item.trashed_at


def is_held(item: Item, now: datetime) -> bool:
    """Whether somebody works on it: a lease has an end, an owner without one has none."""
    if item.status is not Status.IN_PROGRESS or not item.owner:
        return False
    until = moment(item.lease_until)
    return until is None or until > now


def text_key(text: str) -> str:
    """What two titles have in common that say the same: case and blanks do not count."""
    return one_line(text).casefold()


def folded_notes(text: str) -> str:
    """Notes as they are stored."""
    return trim_end(note_text(text))


def folded_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags as they are stored: one line each, without `#`, none twice, in the order given."""
    folded = (one_line(tag).removeprefix("#") for tag in tags)
    return tuple(dict.fromkeys(tag for tag in folded if tag))


def full_id(reference: str) -> str:
    """A reference with the prefix that ids begin with, in the case they have."""
    folded = one_line(reference).casefold()
    return folded if folded.startswith(ID_PREFIX) else ID_PREFIX + folded


def _sleeps(item: Item, now: datetime) -> bool:
    until = moment(item.parked_until)
    return until is not None and until > now
