"""What is said of an item, to a model or a person: one line, bounded in columns, and safe for either.

Pure. What an item says is data of others: for a model it cannot close a fence of ours or open one, for a screen it
holds no control.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from todo_context.attention.fence import harmless
from todo_context.backlog.changes import Change
from todo_context.backlog.item import ID_PREFIX, Box, Item, Priority, Status, box_of, is_held
from todo_context.backlog.refusal import Refusal
from todo_context.backlog.secrets import masked
from todo_context.backlog.when import minute
from todo_context.cells import cut, safe_text, width_cells

COLUMNS = 80
"""Of a line that a session is told: the width of a small terminal, and forty characters of Chinese."""

LIST_COLUMNS = 160
"""Of a line in a list that was asked for."""

NAME_COLUMNS = 40
"""Of a name in a sentence: a project, a tag, a session."""

HOLDERS = 3
"""Of items that others work on, in one sentence each."""

_NO_LIMIT = 10**9


def short(id_: str) -> str:
    """An id as it is told: without what all begin with, for a model repeats it in every call."""
    return id_.removeprefix(ID_PREFIX)


def plain(text: str, columns: int = _NO_LIMIT) -> str:
    """Text of others on one line of at most so many columns, as data in our words."""
    # Cut first: what is cut off might have been what made the rest harmless.
    return harmless(cut(safe_text(text), columns), _NO_LIMIT)


def name(text: str) -> str:
    """A name in quotes, in a sentence of ours."""
    return f'"{typed(text)}"'


def typed(text: str, columns: int = NAME_COLUMNS) -> str:
    """What somebody sent, said again: without what the door refuses."""
    # Masked first: of a secret that is cut nobody sees that it is one.
    return plain(masked(text), columns)


def line(item: Item, now: datetime, me: str, *, columns: int = LIST_COLUMNS, project: bool = False) -> str:
    """An item with what stands in its way, on one line: its text gives way where there is no room.

    `me` is the name of the session that is told; `project`: the item is of another one, which is named.
    """
    head = f"{item.id} " + ("" if item.priority is Priority.MED else f"{item.priority.value} ")
    head += f"[{plain(item.project, NAME_COLUMNS // 2)}] " if project and item.project else ""
    tail = "".join(f" #{plain(tag, NAME_COLUMNS // 2)}" for tag in item.tags)
    tail = cut(tail, columns // 4) + state(item, now, me)
    room = max(columns - width_cells(head) - width_cells(tail), columns // 4)
    return cut(head + plain(item.text, room) + tail, columns)


def state(item: Item, now: datetime, me: str) -> str:
    """What is to be known of an item that is not just open, in brackets; else nothing."""
    said: list[str] = []
    match box_of(item, now):
        case Box.ACTIVE if item.status is Status.IN_PROGRESS:
            said.append(holder(item, now, me))
        case Box.PARKED:
            said.append(
                f"parked until {plain(minute(item.parked_until), NAME_COLUMNS)}" if item.parked_until else "parked"
            )
        case Box.CLOSED:
            said.append(item.status.value)
        case Box.ARCHIVE:
            said.append(f"{item.status.value}, archived")
        case Box.TRASH:
            said.append(f"deleted, untrash {item.trashed_batch}")
        case _:
            pass
    if item.blocked_by and not item.status.is_closed:
        said.append(f"waits for {', '.join(item.blocked_by[:3])}")
    if item.notes:
        said.append("notes")
    return f" ({'; '.join(said)})" if said else ""


def holder(item: Item, now: datetime, me: str) -> str:
    """Who works on it."""
    if not is_held(item, now):
        return f"{who(item.owner, me)}'s, its lease is over" if item.owner else "in progress, nobody holds it"
    return f"{who(item.owner, me)} on it"


def who(named: str, me: str) -> str:
    """A session by its name, or ours."""
    return "you" if named and named == me else plain(named, NAME_COLUMNS)


def held_by_others(items: Iterable[Item], now: datetime, me: str) -> str:
    """Who else works on which of these, a sentence each; empty where nobody does."""
    held = [item for item in items if is_held(item, now) and item.owner != me]
    more = f" So it is with {len(held) - HOLDERS} more." if len(held) > HOLDERS else ""
    return " ".join(f"{plain(item.owner, NAME_COLUMNS)} works on {item.id}." for item in held[:HOLDERS]) + more


def lines(items: Iterable[Item], now: datetime, me: str, *, project: bool = False) -> list[str]:
    """A line for each."""
    return [line(item, now, me, project=project) for item in items]


def refused(refusal: Refusal) -> str:
    """Why a wish was not granted, as one line of ours."""
    return plain(str(refusal))


def count(number: int, noun: str = "item") -> str:
    """A number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def ids(items: Sequence[Item] | Sequence[str]) -> str:
    """Ids in a sentence, the first ten of them."""
    named = [item if isinstance(item, str) else item.id for item in items]
    more = f" and {len(named) - 10} more" if len(named) > 10 else ""  # noqa: PLR2004 (one line of a terminal)
    return ", ".join(named[:10]) + more


_WHAT = {
    "add": "added",
    "claim": "claimed",
    "succeed": "took over",
    "release": "released",
    "expire": "released (its lease was over)",
    "park": "parked",
    "unpark": "unparked",
    "complete": "completed",
    "cancel": "cancelled",
    "reopen": "reopened",
    "prune": "archived",
    "tidy": "archived (it was old enough)",
    "restore": "restored",
    "delete": "deleted",
    "untrash": "brought back",
    "purge": "deleted for good",
    "import": "imported",
    "rename": "moved",
    "forget": "forgot",
    "fix": "mended",
    "undo": "undid what was done to",
    "redo": "did again what was undone of",
    "block": "now waits",
    "unblock": "no longer waits",
}


def did(change: Change) -> str:
    """What was done, in a word."""
    if change.verb == "update":
        return f"changed ({', '.join(change.fields)})" if change.fields else "touched"
    return _edited(change) if change.verb == "edit" else _WHAT.get(change.verb, change.verb)


def did_all(change: Change) -> str:
    """What the whole set of a change did, in a word: that of an edit is of several kinds."""
    return "edited" if change.verb == "edit" else did(change)


_BY_MARK = frozenset({"status", "owner", "lease_until", "parked_until", "closed_at"})
"""Fields that a mark of the text changes."""


def _edited(change: Change) -> str:
    before, after = change.before, change.after
    if before is None or after is None:
        return _WHAT["add"]
    texts = [name for name in change.fields if name not in _BY_MARK]
    said = [f"changed ({', '.join(texts)})"] if texts else []
    if len(texts) < len(change.fields):
        verbs = {Status.DONE: "complete", Status.CANCELLED: "cancel", Status.PARKED: "park"}
        said.insert(0, _WHAT[verbs.get(after.status, "unpark")])
    return ", ".join(said)
