"""The tool's `update`: fields, edges and status of items, each item wholly or not at all.

All of it is looked at before any of it is written, for each is a transaction of the store by itself. So only what
another session does in that very moment leaves a half, and then the answer says which.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from todo_context.backlog import moves
from todo_context.backlog.adding import Door, edited
from todo_context.backlog.calls import Call
from todo_context.backlog.graph import Find, edge_refusal
from todo_context.backlog.item import Item, Priority, Status
from todo_context.backlog.order import open_blockers
from todo_context.backlog.outcomes import Asker, Reply, changed, together
from todo_context.backlog.refusal import Refusal
from todo_context.backlog.shapes import Edit, Outcome
from todo_context.backlog.store import Store
from todo_context.backlog.when import later


@dataclass(frozen=True, slots=True)
class _Wish:
    """What an item is to become: fields, what it waits for, a status; None where that stays."""

    edit: Edit
    waits_for: tuple[str, ...] | None
    status: str | None
    until: str


def update(store: Store, call: Call, asker: Asker) -> Reply:
    """Change items as a call says; each for itself."""
    wish = _wish(call, asker)
    references = dict.fromkeys(call.texts("id") or ())
    if wish.edit.text is not None and len(references) > 1:
        fact = f"update: a text is of one item, and id names {len(references)}"
        return Reply((f"{fact}. Update each with its own.",), is_error=True)
    outcomes: list[Outcome] = []
    for index, reference in enumerate(references):
        item = store.resolve(reference)
        made = item if isinstance(item, Refusal) else _made(store, item, wish, asker)
        if isinstance(made, Refusal):
            outcomes.append(Outcome(refusals=(replace(made, index=index),)))
        else:
            outcomes += _written(store, reference, wish, asker)
    if not outcomes:
        return Reply(("No change: update names nothing to change.",), {"changed": []})
    return changed(together(outcomes), asker)


def _wish(call: Call, asker: Asker) -> _Wish:
    priority, statuses, until = call.text("priority"), call.texts("status"), call.text("until")
    edit = Edit(
        text=call.text("text"),
        notes=call.text("notes"),
        project=call.text("project"),
        tags=call.texts("tags"),
        priority=Priority(priority) if priority else None,
    )
    return _Wish(
        edit, call.texts("blockedBy"), statuses[0] if statuses else None, later(until, asker.now) if until else ""
    )


# --- looked at ------------------------------------------------------------------------------------------


def _made(store: Store, item: Item, wish: _Wish, asker: Asker) -> Item | Refusal:
    """The item as it would be."""
    made: Item | Refusal = item
    if wish.edit != Edit():
        door = Door(who=asker.me, make_id=str)
        made = moves.held_by_another(item, asker.me, asker.now) or edited(item, wish.edit, asker.now, door)
    if wish.waits_for is not None and isinstance(made, Item):
        made = _waiting(store, made, wish.waits_for, asker)
    if wish.status is not None and isinstance(made, Item):
        made = _moved(store, made, wish, asker)
    return made


def _waiting(store: Store, item: Item, wanted: Sequence[str], asker: Asker) -> Item | Refusal:
    if no := moves.refused("update", item, asker.now):
        return no
    ids: list[str] = []
    for reference in wanted:
        blocker = store.resolve(reference)
        if isinstance(blocker, Refusal):
            return blocker
        no = None if blocker.id in item.blocked_by else edge_refusal(item, blocker.id, _finder(store))
        if no is not None:
            return no
        ids.append(blocker.id)
    return replace(item, blocked_by=tuple(ids))


def _finder(store: Store) -> Find:
    def find(id_: str) -> Item | None:
        found = store.resolve(id_)
        return found if isinstance(found, Item) else None

    return find


def _moved(store: Store, item: Item, wish: _Wish, asker: Asker) -> Item | Refusal:  # noqa: PLR0911 - a table
    me, now = asker.me, asker.now
    match wish.status:
        case "in_progress":
            waits_for = open_blockers(item, _finder(store))
            return moves.claim(item, me, now, lease=asker.lease, waits_for=waits_for)
        case "done" | "cancelled" as status:
            return moves.held_by_another(item, me, now) or moves.close(item, now, Status(status))
        case "parked":
            return moves.held_by_another(item, me, now) or moves.park(item, now, wish.until)
        case "open" if item.status is Status.IN_PROGRESS:
            return moves.release(item, me, now)
        case "open" if item.status.is_closed:
            return moves.reopen(item, now)
        case "open":
            return moves.unpark(item, now)
        case _:
            fact, step = f'"{wish.status}" is no status of one item', "Use open, in_progress, done, cancelled or parked"
            return Refusal(code="state", fact=fact, step=step)


# --- written --------------------------------------------------------------------------------------------


def _written(store: Store, reference: str, wish: _Wish, asker: Asker) -> list[Outcome]:
    outcomes = [store.update(reference, wish.edit, asker.me)] if wish.edit != Edit() else []
    if wish.waits_for is not None:
        outcomes += _edges(store, reference, wish.waits_for, asker)
    if wish.status is not None:
        outcomes.append(_to_status(store, reference, wish, asker))
    return outcomes


def _edges(store: Store, reference: str, wanted: Sequence[str], asker: Asker) -> list[Outcome]:
    item = store.resolve(reference)
    if isinstance(item, Refusal):
        return [Outcome(refusals=(item,))]
    ids = {each.id for each in store.get(wanted).items}
    gone = [(item.id, id_) for id_ in item.blocked_by if id_ not in ids]
    return [
        *([store.unblock(gone, asker.me)] if gone else []),
        *([store.block([(item.id, each) for each in wanted], asker.me)] if wanted else []),
    ]


def _to_status(store: Store, reference: str, wish: _Wish, asker: Asker) -> Outcome:
    """What a status as a wish comes to: each has its own verb."""
    match wish.status:
        case "in_progress":
            return store.claim(reference, asker.me, lease=asker.lease)
        case "done":
            return store.complete([reference], asker.me)
        case "cancelled":
            return store.cancel([reference], asker.me)
        case "parked":
            return store.park([reference], asker.me, wish.until)
        case _:
            return _opened(store, reference, asker)


def _opened(store: Store, reference: str, asker: Asker) -> Outcome:
    item = store.resolve(reference)
    if isinstance(item, Item) and item.status is Status.IN_PROGRESS:
        return store.release([reference], asker.me)
    if isinstance(item, Item) and item.status.is_closed:
        return store.reopen([reference], asker.me)
    return store.unpark([reference], asker.me)
