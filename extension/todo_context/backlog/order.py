"""In which order items stand, and which are ready to be worked on.

Pure. What is in progress comes first, then by priority, then the oldest: the same order everywhere, in a list,
in what a session is told, and in what a claim gives out.
"""

from collections.abc import Callable, Iterable
from datetime import datetime

from todo_context.backlog.item import Box, Item, Status, box_of, is_held, is_unfinished


def order_key(item: Item) -> tuple[bool, int, str, str]:
    """What a list of items is sorted by."""
    return (item.status is not Status.IN_PROGRESS, -item.priority.rank, item.created_at, item.id)


def ordered(items: Iterable[Item]) -> list[Item]:
    """Items in order."""
    return sorted(items, key=order_key)


def open_blockers(item: Item, find: Callable[[str], Item | None]) -> tuple[str, ...]:
    """The ids that an item waits for. A missing one blocks nothing: `health` reports it."""
    return tuple(id_ for id_ in item.blocked_by if (blocker := find(id_)) is not None and is_unfinished(blocker))


def is_claimable(item: Item, now: datetime, find: Callable[[str], Item | None]) -> bool:
    """Whether the next one who asks may have it: active, waiting for nothing, and held by nobody."""
    return box_of(item, now) is Box.ACTIVE and not is_held(item, now) and not open_blockers(item, find)
