"""Changes: what was, what is, and how to go back.

Pure. A change set is what one call changed, under one number; undo and redo go over whole sets. They are sets
themselves, which say of which set they are; so the history only grows, and what can be undone follows from it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from types import MappingProxyType
from typing import Literal

from todo_context.backlog.item import Item
from todo_context.backlog.refusal import Refusal

Retrace = Literal["undo", "redo"]

FINAL = frozenset({"forget", "purge"})
"""Verbs that nothing undoes: what they took away is nowhere."""

HOUSEKEEPING = frozenset({"expire", "tidy", "succeed"})
"""Verbs of what is done by itself when a session begins. Who takes back a change means one that somebody made."""

HISTORY_KEPT = timedelta(days=90)
"""How long a change is kept."""

SETS_KEPT = 200
"""How many change sets are kept however old they are: a clock that is wrong once must not take the history away."""

FORGOTTEN = "(forgotten)"
"""What stands where a text was that had to go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One item in one change set. `before` is None for a new item, `after` for one that is gone for good.

    `seq` counts up over all changes, `batch` over all sets; neither is ever given twice. `of` is the set that an undo
    or redo went over, else 0.
    """

    seq: int
    at: str
    by: str
    verb: str
    batch: int
    item: str
    before: Item | None
    after: Item | None
    of: int = 0

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields that differ, but for the time of the last touch."""
        return differing(self.before, self.after)


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """A change set without its items."""

    batch: int
    verb: str
    of: int = 0


def differing(before: Item | None, after: Item | None) -> tuple[str, ...]:
    """The names of the fields that differ, in the order of the record, but for `updated_at`."""
    if before is None or after is None:
        return ()
    names = (field.name for field in fields(Item) if field.name != "updated_at")
    return tuple(name for name in names if getattr(before, name) != getattr(after, name))


def net(changes: Iterable[Change]) -> list[Change]:
    """One change an item, from before its first to after its last, in the order of the last.

    There is none where it came to nothing. Who and what are those of the last one.
    """
    found: dict[str, Change] = {}
    for change in changes:
        first = found.pop(change.item, change)
        found[change.item] = replace(change, before=first.before)
    return [change for change in found.values() if not _is_nothing(change)]


def to_retrace(sets: Iterable[ChangeSet], action: Retrace) -> ChangeSet | None:
    """The set that undo or redo goes over next, of these sets, the newest first; None if there is none.

    Undo takes the newest that stands. Redo takes the one that was undone last, unless something else came after.
    Housekeeping is passed over. Only as many sets are read as it takes.
    """
    settled: dict[int, str] = {}
    for each in sets:
        if each.verb in FINAL | HOUSEKEEPING:
            continue
        if each.verb not in ("undo", "redo"):
            if action == "redo":
                return None
            if settled.get(each.batch) != "undo":
                return each
        elif each.of not in settled:
            settled[each.of] = each.verb
            if action == "redo" and each.verb == "undo":
                return ChangeSet(each.of, each.verb)
    return None


def before_housekeeping(item: Item, newest: Sequence[Change]) -> Item:
    """The item as it was before what housekeeping did to it last. `newest` are its last changes, the newest last."""
    for change in reversed(newest):
        if change.verb not in HOUSEKEEPING or change.before is None or not _is_as(item, change.after):
            break
        item = change.before
    return item


def retraced(
    changes: Sequence[Change],
    current: Mapping[str, Item],
    action: Retrace,
    earlier: Mapping[str, Item] = MappingProxyType({}),
) -> list[tuple[Item | None, Item | None]] | Refusal:
    """What to write to go over a set: pairs of what is and what is to be. `current` are the items it names.

    Refused where an item is not as the set left it: going back would undo what somebody else did. A lease that was
    begun anew is no difference; nor is housekeeping, without which the item is as in `earlier`, and which goes too.
    """
    pairs: list[tuple[Item | None, Item | None]] = []
    moved: list[str] = []
    for change in changes:
        left, wanted = (change.after, change.before) if action == "undo" else (change.before, change.after)
        now = current.get(change.item)
        if _is_as(now, left) or _is_as(earlier.get(change.item), left):
            pairs.append((now, wanted))
        else:
            moved.append(change.item)
    if not moved:
        return pairs
    first = changes[0]
    are, them = ("is", "it") if len(moved) == 1 else ("are", "them")
    return Refusal(
        code="moved",
        id=moved[0],
        fact=f"{first.verb} by {first.by} (set {first.batch}) cannot be gone over: "
        f"{', '.join(moved)} {are} not as that left {them}",
        step="Look at the log, and change it by hand",
        others=tuple(moved),
    )


def forgotten(item: Item) -> Item:
    """An item without what a person wrote in it, and without what other programs keep in it."""
    return replace(
        item,
        text=FORGOTTEN,
        notes=FORGOTTEN if item.notes else "",
        project="",
        tags=(),
        origin="",
        trashed_reason="",
        extra={},
    )


def _is_as(now: Item | None, left: Item | None) -> bool:
    if now is None or left is None:
        return now is left
    return replace(now, lease_until="") == replace(left, lease_until="")


def _is_nothing(change: Change) -> bool:
    both_there = change.before is not None and change.after is not None
    return (both_there and not change.fields) or (change.before is None and change.after is None)
