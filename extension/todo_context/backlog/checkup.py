"""Health as the store has it: what is to be read for the flags, and what of them can be done safely."""

import stat
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from todo_context.backlog import moves
from todo_context.backlog.health import Sight, flags_of, lost, missing_blockers
from todo_context.backlog.item import Box, Item
from todo_context.backlog.ledger import Ledger
from todo_context.backlog.moment import stamp
from todo_context.backlog.moves import Who
from todo_context.backlog.pen import Pen
from todo_context.backlog.shapes import Flag, Query, StoreState

OTHERS = 0o077
"""What a mode gives to others than the owner."""

FREE_LEAST = 10_000_000
"""Bytes of room on the disk. A change takes some kilobytes, a backup as much as the store."""


def flags(ledger: Ledger, state: StoreState, now: datetime, is_alive: Callable[[str], bool]) -> Sequence[Flag]:
    """All flags: those of the items, then those of the place."""
    return [*flags_of(_sight(ledger, now, is_alive)), *_of_the_place(state)]


def fix(pen: Pen, is_alive: Callable[[str], bool]) -> None:
    """Release what nobody works on any more, and take away edges to what is gone."""
    sight = _sight(pen.ledger, pen.now, is_alive)
    for item in lost(sight):
        made = moves.release(item, Who(item.owner), pen.now)
        if isinstance(made, Item):
            pen.write(item, made)
    for item in sight.lying_in(Box.ACTIVE, Box.PARKED):
        missing = missing_blockers(item, sight)
        current = pen.ledger.get(item.id)
        if missing and current is not None:
            left = tuple(id_ for id_ in current.blocked_by if id_ not in missing)
            pen.write(current, replace(current, blocked_by=left, updated_at=stamp(pen.now)))


def _sight(ledger: Ledger, now: datetime, is_alive: Callable[[str], bool]) -> Sight:
    everything = ledger.find(Query(boxes=frozenset(Box), limit=None), now)
    return Sight({item.id: item for item in everything}, now, is_alive)


def _of_the_place(state: StoreState) -> list[Flag]:
    found = [Flag("STORE", f"{state.place}: {trouble}", "Look at docs/backlog.md") for trouble in state.trouble]
    if state.mode is not None and state.mode & OTHERS:
        fact = f"{state.place}: others may read it ({stat.filemode(stat.S_IFREG | state.mode)})"
        found.append(Flag("STORE", fact, f"chmod 600 {state.place}", is_fixable=True))
    if state.free_bytes is not None and state.free_bytes < FREE_LEAST:
        fact = f"{state.place}: {state.free_bytes // 1_000_000} MB are free"
        found.append(Flag("STORE", fact, "Make room on the disk"))
    return found
