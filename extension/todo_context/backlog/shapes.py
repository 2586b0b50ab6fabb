"""What goes into the store and what comes out of it, beside items: values, all of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from todo_context.backlog.changes import Change
from todo_context.backlog.checklist import Mark
from todo_context.backlog.item import Box, Item, Priority, Status
from todo_context.backlog.refusal import Refusal
from todo_context.plan.model import Json

ACTIVE_ONLY = frozenset({Box.ACTIVE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An item to be. Texts come as they were typed, and are folded on the way in.

    Where an item of this `origin` is there already, nothing is added: so what was cut off in between can be done again.
    """

    text: str
    notes: str = ""
    project: str = ""
    tags: tuple[str, ...] = ()
    priority: Priority = Priority.MED
    source: str = ""
    origin: str = ""
    blocked_by: tuple[str, ...] = ()
    parked_until: str = ""
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Fields to change; None leaves one as it is."""

    text: str | None = None
    notes: str | None = None
    project: str | None = None
    tags: tuple[str, ...] | None = None
    priority: Priority | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What somebody who edited a text of items wants of one of them. Without an `id` it is a new one.

    `was` are the fields of `edit` as the text had them first, `was_mark` the mark, and None where it had none of the
    item: then what it says counts, whatever others did.
    """

    edit: Edit = field(default_factory=Edit)
    mark: Mark | None = None
    id: str = ""
    was: Edit = field(default_factory=Edit)
    was_mark: Mark | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Which items, in which order: all that is named must fit. What is empty or None is not asked.

    `text` is looked for in title and notes, whatever the case. `origin` is how it
    begins, up to a colon. `since` and `before` are about the last touch.
    `ready`: what a claim may give out. `elsewhere` leaves a project out. `newest_first` is by the last touch; else
    the order is that of `order`. `limit` is a number of items, None for all.
    """

    boxes: frozenset[Box] = ACTIVE_ONLY
    statuses: tuple[Status, ...] = ()
    project: str | None = None
    elsewhere: str | None = None
    tag: str = ""
    text: str = ""
    owner: str = ""
    origin: str = ""
    at_least: Priority | None = None
    since: str = ""
    before: str = ""
    ready: bool = False
    newest_first: bool = False
    limit: int | None = 20
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """Items in the order asked for. `has_more` says whether the limit cut it."""

    items: tuple[Item, ...]
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """The items of references, in their order, and why some have none."""

    items: tuple[Item, ...]
    refusals: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a call did: all of it in one change set, `batch`; 0 where nothing changed.

    `same` are the items that were as wanted already. An item of the call is in exactly one of the three.
    """

    changes: tuple[Change, ...] = ()
    same: tuple[Item, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    @property
    def batch(self) -> int:
        """The number of the change set."""
        return self.changes[0].batch if self.changes else 0

    @property
    def items(self) -> tuple[Item, ...]:
        """The items as they are now: changed, then those that were so already."""
        return (*(change.after for change in self.changes if change.after is not None), *self.same)


@dataclass(frozen=True, slots=True)
class News:
    """What changed after a place in the history, the oldest first. `seq` is where to ask from the next time.

    `is_cut` says that there was more than is told: some of it was trimmed, or is beyond the limit; then `seq` is the
    last that is told.
    """

    seq: int
    changes: tuple[Change, ...] = ()
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Doomed:
    """What a hard prune would delete, or has deleted. `token` stands for exactly this set, as it is now.

    `first` and `last` are the oldest and the newest closing time; `titles` the first few; `waiting` the open items
    that wait for one of them.
    """

    token: str
    ids: tuple[str, ...] = ()
    first: str = ""
    last: str = ""
    titles: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    outcome: Outcome = field(default_factory=Outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prune:
    """Which items a prune is about.

    `older_than` counts from the closing of an item, None for any age; for a hard prune an age that is unknown never
    qualifies, nor does one to come.
    """

    older_than: timedelta | None
    statuses: tuple[Status, ...] = ()
    project: str | None = None
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of the whole store: when it was made, and how many items are in it."""

    path: str
    at: datetime
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreState:
    """What the place of a store is like. `mode` is None where there is no file yet, or no such thing.

    `trouble` says in words what an integrity check found, and what the place is unfit for; empty if nothing.
    """

    place: str
    mode: int | None = None
    free_bytes: int | None = None
    trouble: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Flag:
    """Something about the backlog that a person may want to look at: a code that `health` names, the fact, a way out.

    `is_fixable` says that `fix` would do it.
    """

    code: str
    fact: str
    step: str
    ids: tuple[str, ...] = ()
    is_fixable: bool = False
