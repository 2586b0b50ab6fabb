"""Which items a query means, for a store that has all of them at hand. Pure; SQL says the same for one that has not."""

from collections.abc import Callable, Iterable
from datetime import datetime

from todo_context.backlog.item import Item, box_of, is_held, text_key
from todo_context.backlog.moment import canonical
from todo_context.backlog.order import open_blockers, ordered
from todo_context.backlog.shapes import Query

Find = Callable[[str], Item | None]


def selected(items: Iterable[Item], query: Query, now: datetime, find: Find) -> list[Item]:
    """The items that fit, in order, without regard to the limit."""
    found = (item for item in items if fits(item, query, now, find))
    if query.newest_first:
        return sorted(found, key=lambda item: (item.updated_at, item.id), reverse=True)
    return ordered(found)


def cut(items: list[Item], query: Query) -> list[Item]:
    """The part of them that the limit leaves."""
    end = None if query.limit is None else query.offset + query.limit
    return items[query.offset : end]


def fits(item: Item, query: Query, now: datetime, find: Find) -> bool:
    """Whether an item is one of those."""
    if box_of(item, now) not in query.boxes or (query.statuses and item.status not in query.statuses):
        return False
    wanted = query.text.casefold()
    since, before = canonical(query.since), canonical(query.before)
    return (
        (query.project is None or item.project == query.project)
        and (query.elsewhere is None or item.project != query.elsewhere)
        and (not query.tag or query.tag in item.tags)
        and (not query.owner or item.owner == query.owner)
        and item.origin.startswith(query.origin)
        and (query.at_least is None or item.priority.rank >= query.at_least.rank)
        and (not since or item.updated_at >= since)
        and (not before or item.updated_at < before)
        and (not wanted or wanted in text_key(item.text) or wanted in item.notes.casefold())
        and (not query.ready or (not is_held(item, now) and not open_blockers(item, find)))
    )
