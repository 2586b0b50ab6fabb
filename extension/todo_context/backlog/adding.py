"""Items and their fields on the way in: folded, searched for secrets, and held against what is there.

The same door for everybody: a tool, a person, an import. A refused draft leaves nothing behind.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count

from todo_context.backlog import moves
from todo_context.backlog.graph import edge_refusal
from todo_context.backlog.item import ID_PREFIX, Box, Item, box_of, folded_notes, folded_tags, text_key
from todo_context.backlog.ledger import Ledger
from todo_context.backlog.moment import stamp
from todo_context.backlog.moves import Who
from todo_context.backlog.pen import Pen, resolve
from todo_context.backlog.refusal import Refusal
from todo_context.backlog.secrets import find_secret, masked
from todo_context.backlog.shapes import Draft, Edit, Query
from todo_context.plan.names import quoted
from todo_context.plan.text import one_line

SHORTEST_ID = 4
"""Characters of an id behind its prefix. A model repeats it in every call, and a million are enough to begin with."""

TRIES = 3
"""How often an id of one length is tried before it gets longer."""

MOMENT = timedelta(milliseconds=1)
"""Between items of one call: the resolution of a stored time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """How items come in: by whom, with which new ids, and what is let pass that is refused else."""

    who: Who
    make_id: Callable[[int], str]
    force: bool = False
    allow_secret: bool = False


def new_id(ledger: Ledger, make_id: Callable[[int], str]) -> str:
    """An id that no item has or had."""
    for attempt in count():
        id_ = ID_PREFIX + make_id(SHORTEST_ID + attempt // TRIES)
        if ledger.get(id_) is None and not ledger.is_gone(id_):
            return id_
    raise AssertionError  # pragma: no cover (count has no end)


def add(pen: Pen, drafts: Sequence[Draft], door: Door) -> None:
    """Add items, each for itself."""
    for index, draft in enumerate(drafts):
        origin = one_line(draft.origin)
        there = pen.ledger.of_origin(origin) if origin else None
        if there is not None:
            pen.write(there, there)
            continue
        # Each a moment later than the one before: in a list they stand as they were said.
        item = made(pen.ledger, draft, pen.now + index * MOMENT, door)
        if isinstance(item, Refusal):
            pen.refuse(item, index)
        else:
            pen.write(None, item)


def edited(item: Item, edit: Edit, now: datetime, door: Door) -> Item | Refusal:
    """The item with an edit."""
    no = moves.refused("update", item, now)
    if no is not None:
        return no
    wanted = replace(
        item,
        text=item.text if edit.text is None else one_line(edit.text),
        notes=item.notes if edit.notes is None else folded_notes(edit.notes),
        project=item.project if edit.project is None else one_line(edit.project),
        tags=item.tags if edit.tags is None else folded_tags(edit.tags),
        priority=item.priority if edit.priority is None else edit.priority,
    )
    if not wanted.text:
        return Refusal(code="blank", id=item.id, fact="its text would be empty", step="Give it a text of one line")
    # Only what is new: an item that somebody was allowed to keep a secret in can still be edited.
    told = {
        name: getattr(wanted, name)
        for name in ("text", "notes", "project")
        if getattr(wanted, name) != getattr(item, name)
    }
    told |= {"tags": " ".join(tag for tag in wanted.tags if tag not in item.tags)}
    found = None if door.allow_secret else secret_refusal(told, door.who, item.id)
    return found or (item if wanted == item else replace(wanted, updated_at=stamp(now)))


def block(pen: Pen, edges: Sequence[tuple[str, str]]) -> None:
    """Add edges, each judged with those before it."""
    for index, (reference, blocker_reference) in enumerate(edges):
        item, blocker = resolve(pen.ledger, reference), resolve(pen.ledger, blocker_reference)
        if isinstance(item, Refusal):
            pen.refuse(item, index)
            continue
        if isinstance(blocker, Refusal):
            pen.refuse(blocker, index)
            continue
        no = moves.refused("update", item, pen.now)
        if no is None and blocker.id not in item.blocked_by:
            no = edge_refusal(item, blocker.id, pen.ledger.get)
        if no is not None:
            pen.refuse(no, index)
        elif blocker.id in item.blocked_by:
            pen.write(item, item)
        else:
            pen.write(item, replace(item, blocked_by=(*item.blocked_by, blocker.id), updated_at=stamp(pen.now)))


def unblock(pen: Pen, edges: Sequence[tuple[str, str]]) -> None:
    """Take edges away; an empty blocker means all of the item's."""
    for index, (reference, blocker_reference) in enumerate(edges):
        item = resolve(pen.ledger, reference)
        if isinstance(item, Refusal):
            pen.refuse(item, index)
            continue
        gone = set(item.blocked_by)
        if blocker_reference:
            blocker = resolve(pen.ledger, blocker_reference)
            # One that is gone for good cannot be found any more, and its edge is still to go.
            gone = {one_line(blocker_reference), blocker.id}
        left = tuple(id_ for id_ in item.blocked_by if id_ not in gone)
        pen.write(item, item if left == item.blocked_by else replace(item, blocked_by=left, updated_at=stamp(pen.now)))


def rename_project(pen: Pen, old: str, new: str, door: Door) -> None:
    """Give all items of a project another."""
    no = None if door.allow_secret else secret_refusal({"project": one_line(new)}, door.who)
    if no is not None:
        pen.refuse(no)
        return
    everywhere = Query(boxes=_ALL_BUT_TRASH, project=one_line(old), limit=None)
    found = pen.ledger.find(everywhere, pen.now)
    if not found:
        fact = f"no item has the project {quoted(masked(old))}"
        pen.refuse(Refusal(code="nothing", fact=fact, step="Look at the list of all projects"))
    for item in found:
        renamed = replace(item, project=one_line(new), updated_at=stamp(pen.now))
        pen.write(item, item if renamed.project == item.project else renamed)


def secret_refusal(fields: dict[str, str], who: Who, id_: str = "") -> Refusal | None:
    """The answer to a text that holds a secret; None where none does."""
    secret = find_secret(fields)
    if secret is None:
        return None
    step = "Take it out" + (", or say --allow-secret" if who.is_person else "")
    fact = f"a secret in its {secret.field}: {secret.kind}, at character {secret.position} ({secret.begins}…)"
    return Refusal(code="secret", id=id_, fact=fact, step=step)


_ALL_BUT_TRASH = frozenset(Box) - {Box.TRASH}


def made(ledger: Ledger, draft: Draft, now: datetime, door: Door) -> Item | Refusal:
    """The item that a draft becomes."""
    item = Item(
        id="",
        text=one_line(draft.text),
        notes=folded_notes(draft.notes),
        project=one_line(draft.project),
        tags=folded_tags(draft.tags),
        priority=draft.priority,
        source=one_line(draft.source),
        origin=one_line(draft.origin),
        created_at=stamp(now),
        updated_at=stamp(now),
        extra=draft.extra,
    )
    if not item.text:
        return Refusal(code="blank", fact="an item needs a text", step="Say in one line what is to be done")
    told = {"text": item.text, "notes": item.notes, "project": item.project, "tags": " ".join(item.tags)}
    no = None if door.allow_secret else secret_refusal(told, door.who)
    if no is None and not door.force:
        no = _twin_refusal(ledger.twin(item.project, text_key(item.text)), now)
    if no is not None:
        return no
    return _placed(ledger, replace(item, id=new_id(ledger, door.make_id)), draft, now)


def _placed(ledger: Ledger, item: Item, draft: Draft, now: datetime) -> Item | Refusal:
    for reference in draft.blocked_by:
        blocker = resolve(ledger, reference)
        if isinstance(blocker, Refusal):
            return blocker
        no = edge_refusal(item, blocker.id, ledger.get)
        if no is not None:
            return replace(no, id="")
        if blocker.id not in item.blocked_by:
            item = replace(item, blocked_by=(*item.blocked_by, blocker.id))
    if not draft.parked_until:
        return item
    parked = moves.park(item, now, draft.parked_until)
    return replace(parked, id="") if isinstance(parked, Refusal) else parked


def _twin_refusal(twin: Item | None, now: datetime) -> Refusal | None:
    if twin is None:
        return None
    where = f"{box_of(twin, now).value}, {twin.status}" if twin.status != "open" else box_of(twin, now).value
    fact = f"{twin.id} says the same in this project ({where})"
    return Refusal(code="exists", fact=fact, step=f"Use {twin.id}, or add it with force", others=(twin.id,))
