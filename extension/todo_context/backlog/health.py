"""What a person may want to look at: signals in the items, each with one way out.

Pure. Nothing is changed here, and nothing follows from a flag by itself.
"""

import difflib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations, islice

from todo_context.backlog.graph import rings
from todo_context.backlog.item import Box, Item, Status, box_of, is_held, text_key
from todo_context.backlog.moment import is_ahead, is_older, moment
from todo_context.backlog.order import is_claimable, open_blockers, ordered
from todo_context.backlog.secrets import find_secret
from todo_context.backlog.shapes import Flag
from todo_context.cells import width_cells

ACTIVE_MOST = 15
"""What one session is told of. What does not fit is not seen."""

PARKED_MOST = 10
ARCHIVE_MOST = 1_000
ORPHANS_LEAST = 5
TITLE_CELLS = 80
STALE = timedelta(days=30)
STALE_IN_PROGRESS = timedelta(days=3)
PARKED_OLD = timedelta(days=60)
ORPHAN_UNTOUCHED = timedelta(days=2)
PAIRS_MOST = 200
"""Titles are compared by pairs, and a pair takes some 50 µs: no more of them than a moment takes."""

ALIKE = 0.9
"""From which part of the same words two titles count as one."""

TYPO_EDITS = 2
TYPO_AMONG = 3
"""Items that a project has for the misspelling of it to be one."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What is looked at: all items, those in the trash too, and the clock. `is_alive`: whether a session shows life."""

    items: Mapping[str, Item]
    now: datetime
    is_alive: Callable[[str], bool]

    def lying_in(self, *boxes: Box) -> list[Item]:
        """The items of these boxes, in order."""
        return ordered(item for item in self.items.values() if box_of(item, self.now) in boxes)


def flags_of(sight: Sight) -> list[Flag]:
    """All flags of the items, in the order of the checks."""
    return [flag for check in _CHECKS for flag in check(sight)]


def lost(sight: Sight) -> list[Item]:
    """What is in progress with a lease that is over, and an owner without a sign of life."""
    active = (item for item in sight.lying_in(Box.ACTIVE) if item.status is Status.IN_PROGRESS and item.lease_until)
    return [item for item in active if not is_held(item, sight.now) and not sight.is_alive(item.owner)]


def missing_blockers(item: Item, sight: Sight) -> tuple[str, ...]:
    """The ids an item waits for that are gone, or in the trash."""
    found = ((id_, sight.items.get(id_)) for id_ in item.blocked_by)
    return tuple(id_ for id_, blocker in found if blocker is None or blocker.trashed_at)


def _active_large(sight: Sight) -> Iterator[Flag]:
    active = sight.lying_in(Box.ACTIVE)
    if len(active) > ACTIVE_MOST:
        by_rank = sorted(active, key=lambda item: (item.priority.rank, item.created_at, item.id))
        fact = f"{len(active)} items are active; a session is told of {ACTIVE_MOST}"
        yield Flag("ACTIVE_LARGE", fact, "Park the oldest of low priority", _ids(by_rank[:5]))


def _stale(sight: Sight) -> Iterator[Flag]:
    active = sight.lying_in(Box.ACTIVE)
    open_ = [i for i in active if i.status is Status.OPEN and is_older(i.updated_at, STALE, sight.now)]
    if open_:
        yield Flag("STALE", f"untouched for {STALE.days} days", "Park, close or touch them", _ids(open_))
    held = [
        item
        for item in active
        if item.status is Status.IN_PROGRESS
        and not item.lease_until
        and is_older(item.updated_at, STALE_IN_PROGRESS, sight.now)
    ]
    if held:
        fact = f"in progress, untouched for {STALE_IN_PROGRESS.days} days"
        yield Flag("STALE", fact, "Release, park or close them", _ids(held))


def _lease_lost(sight: Sight) -> Iterator[Flag]:
    found = lost(sight)
    if found:
        fact = f"the lease is over and nobody is there: {', '.join(sorted({item.owner for item in found}))}"
        yield Flag("LEASE_LOST", fact, "Release them", _ids(found), is_fixable=True)


def _blockers(sight: Sight) -> Iterator[Flag]:
    for item in sight.lying_in(Box.ACTIVE, Box.PARKED):
        missing = missing_blockers(item, sight)
        if missing:
            fact = f"{item.id} waits for {', '.join(missing)}, which {_is(missing)} gone"
            yield Flag("BLOCKED_MISSING", fact, "Unblock or cancel it", (item.id,), is_fixable=True)
        there = (sight.items[id_] for id_ in item.blocked_by if id_ not in missing)
        cancelled = [blocker.id for blocker in there if blocker.status is Status.CANCELLED]
        if cancelled:
            fact = f"{item.id} waited for {', '.join(cancelled)}, which {_is(cancelled, 'was', 'were')} cancelled"
            yield Flag("BLOCKED_CANCELLED", fact, "Unblock or cancel it", (item.id,))


def _never_ready(sight: Sight) -> Iterator[Flag]:
    open_ = sight.lying_in(Box.ACTIVE)
    for ring in rings(sight.lying_in(Box.ACTIVE, Box.PARKED)):
        fact = f"they wait for each other: {' -> '.join((*ring, ring[0]))}"
        yield Flag("CYCLE", fact, f"Unblock one, such as {ring[0]}", ring)
    if open_ and not any(is_claimable(i, sight.now, sight.items.get) or is_held(i, sight.now) for i in open_):
        roots = {id_ for item in open_ for id_ in open_blockers(item, sight.items.get)} - set(_ids(open_))
        shown = sorted(roots) or sorted({id_ for item in open_ for id_ in item.blocked_by})
        who = "the only active item waits" if len(open_) == 1 else f"all {len(open_)} active items wait"
        fact = f"{who}, in the end for {', '.join(shown[:5])}"
        yield Flag("NEVER_READY", fact, "Unpark or unblock these", tuple(shown))


def _duplicates(sight: Sight) -> Iterator[Flag]:
    by_project: dict[str, list[Item]] = defaultdict(list)
    for item in sight.lying_in(Box.ACTIVE):
        by_project[item.project].append(item)
    pairs = (pair for items in by_project.values() for pair in _pairs(items))
    for one, other in pairs:
        if _is_alike(one.text, other.text):
            fact = f"{one.id} and {other.id} say the same"
            yield Flag("DUPLICATE", fact, "Join their notes and cancel one", (one.id, other.id))


def _pairs(items: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
    same: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        same[text_key(item.text)].append(item)
    firsts = [twins[0] for twins in same.values()]
    for first, *rest in same.values():
        yield from ((first, twin) for twin in rest)
    yield from islice(combinations(firsts, 2), PAIRS_MOST)


def _is_alike(one: str, other: str) -> bool:
    a, b = text_key(one), text_key(other)
    # As sets of words, in one order: what differs is which words there are.
    return a == b or difflib.SequenceMatcher(None, _words(a), _words(b)).ratio() >= ALIKE


def _words(text: str) -> str:
    return " ".join(sorted(set(text.split(" "))))


def _project_typos(sight: Sight) -> Iterator[Flag]:
    counts = Counter(i.project for i in sight.lying_in(Box.ACTIVE, Box.PARKED, Box.CLOSED) if i.project)
    for project in sorted(name for name, count in counts.items() if count == 1):
        meant = [name for name, count in counts.items() if count >= TYPO_AMONG and _is_typo(project, name)]
        if meant:
            ids = _ids(item for item in sight.items.values() if item.project == project)
            fact = f'project "{project}" has one item, "{meant[0]}" has {counts[meant[0]]}'
            yield Flag("PROJECT_TYPO", fact, f"Rename it to {meant[0]} if that is meant", ids)


def _is_typo(name: str, meant: str) -> bool:
    # Of short names nearly all are within two edits of each other.
    return name != meant and min(len(name), len(meant)) > TYPO_EDITS and _edits(name, meant) <= TYPO_EDITS


def _edits(one: str, other: str) -> int:
    """Insertions, deletions and replacements from one to the other; more than `TYPO_EDITS` is not counted out."""
    if abs(len(one) - len(other)) > TYPO_EDITS:
        return TYPO_EDITS + 1
    row = list(range(len(other) + 1))
    for i, char in enumerate(one, 1):
        above, row[0] = row[0], i
        for j, wanted in enumerate(other, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (char != wanted))
    return row[-1]


def _titles(sight: Sight) -> Iterator[Flag]:
    long = [item for item in sight.lying_in(Box.ACTIVE, Box.PARKED) if width_cells(item.text) > TITLE_CELLS]
    if long:
        fact = f"the title is wider than {TITLE_CELLS} columns"
        yield Flag("TITLE_LONG", fact, "Shorten it, the rest goes into the notes", _ids(long))


def _secrets(sight: Sight) -> Iterator[Flag]:
    for item in ordered(sight.items.values()):
        secret = find_secret({"text": item.text, "notes": item.notes})
        if secret is not None:
            fact = f"the {secret.field} of {item.id} holds a secret: {secret.kind}"
            yield Flag("SECRET", fact, f"forget {item.id}, and change the secret where it is used", (item.id,))


def _parked(sight: Sight) -> Iterator[Flag]:
    parked = sight.lying_in(Box.PARKED)
    old = [item for item in parked if is_older(item.updated_at, PARKED_OLD, sight.now)]
    if old:
        yield Flag("PARKED_OLD", f"parked for {PARKED_OLD.days} days", "Bring them back or cancel them", _ids(old))
    if len(parked) > PARKED_MOST:
        yield Flag("PARKED_LARGE", f"{len(parked)} items are parked", "Bring back or cancel some", _ids(parked))


def _orphans(sight: Sight) -> Iterator[Flag]:
    by_source: dict[str, list[Item]] = defaultdict(list)
    for item in sight.lying_in(Box.ACTIVE):
        if item.source:
            by_source[item.source].append(item)
    for source, items in sorted(by_source.items()):
        if len(items) >= ORPHANS_LEAST and all(is_older(i.updated_at, ORPHAN_UNTOUCHED, sight.now) for i in items):
            fact = f"{len(items)} open items of {source}, untouched for {ORPHAN_UNTOUCHED.days} days"
            yield Flag("ORPHANS", fact, "Cancel them together if nobody works on them", _ids(items))


def _archive_large(sight: Sight) -> Iterator[Flag]:
    archived = sight.lying_in(Box.ARCHIVE)
    if len(archived) > ARCHIVE_MOST:
        yield Flag("ARCHIVE_LARGE", f"{len(archived)} items are archived", "Prune hard what is older than 180 days")


def _dates(sight: Sight) -> Iterator[Flag]:
    unknown = [item for item in ordered(sight.items.values()) if _is_odd(item, sight.now)]
    if unknown:
        fact = "a date cannot be read, or is yet to come; they never count as old"
        yield Flag("DATES", fact, "Look at the clock of this machine, and touch them", _ids(unknown))


def _is_odd(item: Item, now: datetime) -> bool:
    times = [item.created_at, item.updated_at, *([item.closed_at] if item.status.is_closed else [])]
    return any(moment(text) is None or is_ahead(text, now) for text in times)


def _is(ids: Sequence[str], one: str = "is", several: str = "are") -> str:
    return one if len(ids) == 1 else several


def _ids(items: Iterable[Item]) -> tuple[str, ...]:
    return tuple(item.id for item in items)


_CHECKS: tuple[Callable[[Sight], Iterator[Flag]], ...] = (
    _active_large,
    _stale,
    _lease_lost,
    _blockers,
    _never_ready,
    _duplicates,
    _project_typos,
    _titles,
    _secrets,
    _parked,
    _orphans,
    _archive_large,
    _dates,
)
