"""Read a branch back from its leaf, as far as the facts of it reach, and no further.

Pure. Reading ends once these are known: where the run began, when the plan was touched last, which changes of
the person an earlier run was told of, and what the plan was before all that. On a branch where one of them
cannot be known, it ends at the root. Of what is far back only the sources are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

from todo_context.attention.records import (
    Answer,
    Compaction,
    Ours,
    Person,
    Record,
    Result,
    record_of,
)
from todo_context.attention.watchers import Carrier, Origin, Proof, Rounds
from todo_context.plan.sources import Entry, Source


@dataclass(frozen=True, slots=True)
class Placed:
    """A source, and its place on the branch, counted from 0 at the root."""

    place: int
    source: Source


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message of the run that says how it goes, and its place."""

    place: int
    record: Person | Answer | Ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """The end of a branch, the oldest first.

    `run` is the place of what the person said last; -1 on a branch where they said nothing. `tail` is the newest
    message, and before results of tools the answer that called them. `spoken` are the messages of the run, but for
    results and for answers that only call tools. A change of the person at `told` or before was told in an earlier
    run; one at `told_now` or before in this one. For the rest see the watchers.
    """

    run: int
    tail: tuple[Record, ...]
    spoken: tuple[Spoken, ...]
    sources: tuple[Placed, ...]
    told: int
    told_now: int
    rounds: Rounds
    carried_by: Carrier | None
    is_interrupted: bool


class _Reader:
    """What is known so far, reading back."""

    def __init__(self) -> None:
        self.tail: list[Record] = []
        self.spoken: list[Spoken] = []
        self.sources: list[Placed] = []
        self.run = self.told = self.told_now = -1
        self.rounds, self.origin = Rounds(), Origin()
        self._now, self._earlier = Proof(), Proof()
        self._has_tail = self._has_base = False

    def take(self, place: int, entry: Entry) -> None:
        record = record_of(entry)
        # First, for where a stored leaf proves it, its own place is told too.
        self._look_who_was_told(place, record, entry)
        if record is None:
            return
        self._keep(place, record)
        self.rounds.take(place, record)
        self.origin.take(record, is_earlier=self.run >= 0)
        if isinstance(record, Person) and self.run < 0:
            self.run = place

    @property
    def is_enough(self) -> bool:
        return self.told >= 0 and self.origin.is_settled and self._has_base

    def _look_who_was_told(self, place: int, record: Record | None, entry: Entry) -> None:
        if self.run < 0:
            if self.told_now < 0 and self._now.holds_at(record, entry):
                self.told_now = place
        elif self.told < 0 and self._earlier.holds_at(record, entry):
            self.told = place
        if isinstance(record, Compaction):
            self._now.cut()
            self._earlier.cut()

    def _keep(self, place: int, record: Record) -> None:
        source = record.source if isinstance(record, Result) else record
        if isinstance(source, Source):
            self.sources.append(Placed(place, source))
            # Told, so it is no change that is still to be named; all of those, and the run, come after it.
            self._has_base = source.is_numbered_entry and place <= self.told
        if isinstance(record, Source):
            return
        if not self._has_tail:
            self.tail.append(record)
            self._has_tail = not isinstance(record, Result)
        if self.run < 0 and _is_spoken(record):
            self.spoken.append(Spoken(place, record))


def _is_spoken(record: Record) -> TypeGuard[Person | Answer | Ours]:
    match record:
        case Person() | Ours():
            return True
        case Answer():
            return record.is_broken_off or not record.calls
        case _:
            return False


def read_back(entries: Sequence[Entry]) -> Read:
    """Read the end of a branch, the root first."""
    reader = _Reader()
    for place, entry in zip(range(len(entries) - 1, -1, -1), reversed(entries), strict=True):
        reader.take(place, entry)
        if reader.is_enough:
            break
    return Read(
        run=reader.run,
        tail=tuple(reversed(reader.tail)),
        spoken=tuple(reversed(reader.spoken)),
        sources=tuple(reversed(reader.sources)),
        told=reader.told,
        told_now=reader.told_now,
        rounds=reader.rounds,
        carried_by=reader.origin.carried_by,
        is_interrupted=reader.origin.is_interrupted,
    )
