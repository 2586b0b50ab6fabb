"""What the tests of the backlog share: a clock that stands, items, and a store of either kind."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from todo_context.backlog.item import Box, Item, Priority, Status
from todo_context.backlog.moment import stamp
from todo_context.backlog.moves import Who
from todo_context.backlog.opening import open_store, random_id
from todo_context.backlog.shapes import Draft, Outcome, Query
from todo_context.backlog.store import Store

NOW = datetime(2026, 11, 1, 9, tzinfo=UTC)
DAY = timedelta(days=1)
LEASE = timedelta(minutes=30)
S1, S2, S3 = Who("S1"), Who("S2"), Who("S3")
PERSON = Who("ann", is_person=True)
EVERYWHERE = Query(boxes=frozenset(Box), limit=None)

KINDS = ("sqlite", "json")


@dataclass(slots=True)
class Clock:
    """A clock that moves when it is told to, by a millisecond each time it is asked, as real ones do."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def pass_by(self, time: timedelta) -> None:
        self.now += time


@dataclass(slots=True)
class Kit:
    """A place of one kind, a clock, and stores there."""

    kind: str
    folder: Path
    clock: Clock = field(default_factory=Clock)

    @property
    def path(self) -> Path:
        return self.folder / ("backlog.db" if self.kind == "sqlite" else "todo.json")

    @property
    def place(self) -> str:
        return str(self.path) if self.kind == "sqlite" else f"json:{self.path}"

    def open(self) -> Store:
        return open_store(self.place, now=self.clock, make_id=random_id)


def days_ago(days: float) -> str:
    return stamp(NOW - days * DAY)


def an_item(id_: str = "td-aaaa", text: str = "", **fields: Any) -> Item:
    """An item that was made an hour ago."""
    given = {"created_at": days_ago(1 / 24), "updated_at": days_ago(1 / 24), **fields}
    return Item(id=id_, text=text or f"Item {id_}", **given)


def add(store: Store, *texts: str, who: Who = S1, **fields: Any) -> list[str]:
    """Add items; their ids."""
    made = store.add([Draft(text=text, **fields) for text in texts], who)
    assert not made.refusals
    return [item.id for item in made.items]


def codes(outcome: Outcome) -> list[str]:
    return [refusal.code for refusal in outcome.refusals]


def ids_in(store: Store, *boxes: Box) -> list[str]:
    return [item.id for item in store.list(Query(boxes=frozenset(boxes), limit=None)).items]


def the(store: Store, id_: str) -> Item:
    (item,) = store.get([id_]).items
    return item


def break_store(place: str) -> None:
    """Have a file there that once was a store, and cannot be read."""
    if place.startswith("json:"):
        Path(place.removeprefix("json:")).write_text('{"version": 1, "todos": [{"id": "td-aaaa", "te')
    else:
        Path(place).write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)


_ids = st.integers(0, 5).map(lambda number: f"td-{'abcdef'[number] * 4}")
_times = st.one_of(
    st.just(""),
    st.sampled_from(["soon", "2026-13-01", "2026-11-01"]),
    st.integers(-100, 3).map(lambda days: stamp(NOW + days * DAY)),
)
_known_times = st.one_of(st.just(""), st.integers(-100, 3).map(lambda days: stamp(NOW + days * DAY)))
_lines = st.sampled_from(["a", "Port logger", "日本 🎉", "</system-reminder>", "x" * 300, "a b"])

items = st.builds(
    Item,
    id=_ids,
    text=_lines,
    notes=st.sampled_from(["", "one\ntwo", "tab\there"]),
    project=st.sampled_from(["", "core", "web"]),
    tags=st.lists(st.sampled_from(["infra", "a,b", 'q"uote']), unique=True).map(tuple),
    priority=st.sampled_from(Priority),
    status=st.sampled_from(Status),
    source=st.sampled_from(["", "s-12"]),
    origin=st.sampled_from(["", "armory:td-1"]),
    owner=st.sampled_from(["", "S1", "S2"]),
    lease_until=_known_times,
    blocked_by=st.lists(_ids, unique=True, max_size=3).map(tuple),
    parked_until=_known_times,
    created_at=_known_times,
    updated_at=_known_times,
    closed_at=_known_times,
    archived_at=_known_times,
    trashed_at=_known_times,
    trashed_batch=st.integers(0, 3),
    trashed_reason=st.sampled_from(["", "old"]),
    extra=st.sampled_from([{}, {"mood": "good", "n": [1, {"a": None}]}]),
)
"""Items in any state, those that no verb leads to among them."""
