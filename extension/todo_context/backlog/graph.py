"""What waits for what.

Pure: items are looked up by a function, so only those on the way are read. An edge is refused that would make
an item wait for itself, at once or over others, for one that is not there, or for one that is closed already.
"""

from collections.abc import Callable, Iterable, Mapping

from todo_context.backlog.item import Item, is_unfinished
from todo_context.backlog.refusal import Refusal

Find = Callable[[str], Item | None]
"""The item of an id, those in the trash too."""


def edge_refusal(item: Item, blocker_id: str, find: Find, *, index: int = 0) -> Refusal | None:
    """Why `item` cannot wait for the item with this id; None where it can."""
    if blocker_id == item.id:
        return Refusal(
            code="self",
            id=item.id,
            index=index,
            fact="it cannot wait for itself",
            step="Name another item",
            others=(item.id,),
        )
    blocker = find(blocker_id)
    if blocker is None:
        return Refusal(
            code="unknown",
            id=item.id,
            index=index,
            fact=f"it cannot wait for {blocker_id}, which is not there",
            step="Name one that list shows",
            others=(blocker_id,),
        )
    if not is_unfinished(blocker):
        return _closed(item, blocker, index)
    ring = way(blocker_id, item.id, find)
    if ring:
        return Refusal(
            code="cycle",
            id=item.id,
            index=index,
            fact=f"it cannot wait for {blocker_id}, which waits for it: {' -> '.join((item.id, *ring))}",
            step=f"Take one of these edges away first, such as {ring[-2]} -> {ring[-1]}",
            others=tuple(ring),
        )
    return None


def way(start: str, goal: str, find: Find) -> list[str]:
    """The ids from `start` to `goal`, each waiting for the next; the shortest, empty if there is none."""
    came_from: dict[str, str] = {start: ""}
    front = [start]
    while front and goal not in came_from:
        behind: list[str] = []
        for id_ in front:
            item = find(id_)
            for blocker in item.blocked_by if item is not None else ():
                if blocker not in came_from:
                    came_from[blocker] = id_
                    behind.append(blocker)
        front = behind
    if goal not in came_from:
        return []
    found = [goal]
    while found[-1] != start:
        found.append(came_from[found[-1]])
    return found[::-1]


def rings(items: Iterable[Item]) -> list[tuple[str, ...]]:
    """The rings among these items, each once: ids that wait for each other, from the smallest id on."""
    by_id: Mapping[str, Item] = {item.id: item for item in items}
    found: dict[frozenset[str], tuple[str, ...]] = {}
    in_a_ring: set[str] = set()
    for item in by_id.values():
        if item.id in in_a_ring:
            continue
        for blocker in item.blocked_by:
            back = [item.id] if blocker == item.id else way(blocker, item.id, by_id.get)
            if back:
                # As it goes: item -> blocker -> … -> item, the last left out.
                ring = (item.id, *back[:-1]) if blocker != item.id else (item.id,)
                found.setdefault(frozenset(ring), _from_the_smallest(ring))
                in_a_ring.update(ring)
                break
    return sorted(found.values())


def _from_the_smallest(ring: tuple[str, ...]) -> tuple[str, ...]:
    first = ring.index(min(ring))
    return ring[first:] + ring[:first]


def _closed(item: Item, blocker: Item, index: int) -> Refusal:
    if blocker.trashed_at:
        return Refusal(
            code="deleted",
            id=item.id,
            index=index,
            fact=f"it cannot wait for {blocker.id}, which was deleted",
            step=f"Bring it back with untrash {blocker.trashed_batch}, or name another",
            tool_step="Name another item",
            others=(blocker.id,),
        )
    return Refusal(
        code="closed",
        id=item.id,
        index=index,
        fact=f"it cannot wait for {blocker.id}, which is {blocker.status} already",
        step=f"Reopen {blocker.id} first, or leave it out",
        tool_step=f'Leave it out, or update {blocker.id} with "status":"open" first',
        others=(blocker.id,),
    )
