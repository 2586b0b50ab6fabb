"""A text of items that somebody edited, written in one change set: what they changed, and nothing else.

Others may have changed the same meanwhile. What only one of the two touched is as they left it; where both did, the
store keeps what it has, and a refusal names both.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime

from todo_context.backlog import adding, moves
from todo_context.backlog.adding import MOMENT, Door
from todo_context.backlog.checklist import Mark, mark_of
from todo_context.backlog.item import Item, Priority, Status
from todo_context.backlog.pen import Pen, resolve
from todo_context.backlog.refusal import Refusal
from todo_context.backlog.shapes import Draft, Edit, Revision
from todo_context.plan.names import quoted


def revise(pen: Pen, revisions: Sequence[Revision], door: Door) -> bool:
    """Write revisions; False where one is refused for what it says, and the transaction is to be given up."""
    is_whole = True
    for index, revision in enumerate(revisions):
        item = _meant(pen, revision, index, door)
        made = item if isinstance(item, Refusal) else _revised(item, revision, pen, door)
        if isinstance(made, Refusal):
            pen.refuse(made, index)
            is_whole = is_whole and made.code == "changed"
            continue
        pen.write(pen.ledger.get(made.id), made)
    return is_whole


def _meant(pen: Pen, revision: Revision, index: int, door: Door) -> Item | Refusal:
    if not revision.id:
        # Each a moment later than the one before: in a list they stand as they were written.
        return adding.made(pen.ledger, _draft(revision.edit, door), pen.now + index * MOMENT, door)
    found = resolve(pen.ledger, revision.id)
    if revision.was_mark is None or (isinstance(found, Item) and not found.trashed_at):
        return found
    return _no(revision.id, "it was deleted meanwhile, so nothing of it is written", "Look at its log")


def _draft(edit: Edit, door: Door) -> Draft:
    return Draft(
        text=edit.text or "",
        notes=edit.notes or "",
        project=edit.project or "",
        tags=edit.tags or (),
        priority=edit.priority or Priority.MED,
        source=door.who.name,
    )


def _revised(item: Item, revision: Revision, pen: Pen, door: Door) -> Item | Refusal:
    now = pen.now
    # All of it first: what is refused at the door stands in no answer, not as a conflict either.
    whole = moves.held_by_another(item, door.who, now) or adding.edited(item, revision.edit, now, door)
    if isinstance(whole, Refusal):
        return whole
    for refusal in _conflicts(item, revision, now):
        pen.refuse(refusal)
    mine = replace(revision.edit, **dict.fromkeys(_theirs(item, revision)))
    made = adding.edited(item, mine, now, door)
    mark = None if _is_moved(item, revision, now) else revision.mark
    if isinstance(made, Refusal) or mark is None or mark == mark_of(item, now):
        return made
    return _MOVES[mark](made, now)


def _theirs(item: Item, revision: Revision) -> list[str]:
    """The fields that both changed, to something else."""
    found: list[str] = []
    for field in fields(Edit):
        was, wanted = getattr(revision.was, field.name), getattr(revision.edit, field.name)
        if None not in (was, wanted) and getattr(item, field.name) not in (was, wanted):
            found.append(field.name)
    return found


def _is_moved(item: Item, revision: Revision, now: datetime) -> bool:
    return revision.was_mark is not None and mark_of(item, now) not in (revision.was_mark, revision.mark)


def _conflicts(item: Item, revision: Revision, now: datetime) -> list[Refusal]:
    found = [
        _no(
            item.id,
            f"its {name} was changed meanwhile, to {_shown(getattr(item, name))}; "
            f"yours, {_shown(getattr(revision.edit, name))}, is not written",
            f"backlog update {item.id} changes it",
        )
        for name in _theirs(item, revision)
    ]
    if revision.mark is not None and _is_moved(item, revision, now):
        fact = f"it is {mark_of(item, now)} meanwhile; that you have it {revision.mark} is not written"
        found.append(_no(item.id, fact, f"backlog {_VERBS[revision.mark]} {item.id} does it"))
    return found


def _shown(value: str | Sequence[str]) -> str:
    return quoted(value if isinstance(value, str) else " ".join(f"#{tag}" for tag in value))


def _no(id_: str, fact: str, step: str) -> Refusal:
    return Refusal(code="changed", id=id_, fact=fact, step=step)


_MOVES: Mapping[Mark, Callable[[Item, datetime], Item | Refusal]] = {
    "open": moves.unpark,
    "done": lambda item, now: moves.close(item, now, Status.DONE),
    "cancelled": lambda item, now: moves.close(item, now, Status.CANCELLED),
    "parked": moves.park,
}
_VERBS: Mapping[Mark, str] = {"open": "reopen", "done": "done", "cancelled": "rm", "parked": "park"}
