"""The plans that stood on the end of a branch, each at its place; loaded when they are asked for.

Pure. What counts as a plan, and in which order, is the rule of `plan.sources`; where nothing says the plan, it
is what the calls came to.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from todo_context.attention.reading import Placed
from todo_context.plan.calls import steps
from todo_context.plan.model import Plan
from todo_context.plan.replay import latest
from todo_context.plan.sources import Entry, Source, fresh


@dataclass(slots=True)
class Change:
    """One record that says the plan: its place, and the source where it is one; else it is a call."""

    place: int
    source: Source | None
    load: Callable[[], Plan]


class Plans:
    """The changes of the end of a branch, the oldest first, numbered from 0."""

    def __init__(self, entries: Sequence[Entry], sources: Sequence[Placed]) -> None:
        """Find the changes among the sources that were read of these entries."""
        self._entries = entries
        self.changes = _changes_of(sources) or _calls_of(entries)
        self._places = [change.place for change in self.changes]
        self._loaded: dict[int, Plan] = {}

    @property
    def newest(self) -> Source | None:
        """The source that says the plan of now; None where there is none."""
        return self.changes[-1].source if self.changes else None

    def after(self, number: int) -> Plan:
        """The plan after a change."""
        if number not in self._loaded:
            self._loaded[number] = self.changes[number].load() if number >= 0 else self._base()
        return self._loaded[number]

    def before(self, number: int) -> Plan:
        """The plan before a change."""
        return self.after(number - 1)

    def at(self, place: int) -> Plan:
        """The plan that the model could know at this place of the branch."""
        return self.after(bisect_left(self._places, place) - 1)

    def number_at(self, place: int) -> int | None:
        """Which change stands at this place; None if none does."""
        number = bisect_left(self._places, place)
        return number if number < len(self._places) and self._places[number] == place else None

    def _base(self) -> Plan:
        """The plan before all of the changes: there are none before them but at the root, and there perhaps calls."""
        return latest(self._entries[: self._places[0]] if self._places else self._entries).plan


def _changes_of(sources: Sequence[Placed]) -> list[Change]:
    places = {id(placed.source): placed.place for placed in sources}
    counted = fresh(placed.source for placed in sources)
    return [Change(places[id(source)], source, _loader(source)) for source in counted]


def _loader(source: Source) -> Callable[[], Plan]:
    return lambda: source.load().plan


def _calls_of(entries: Sequence[Entry]) -> list[Change]:
    """The calls, where nothing else says the plan. A change stands where its call does."""
    found = list(steps(entries))
    if not found:
        return []
    places = {id(entry): place for place, entry in enumerate(entries)}
    return [Change(places[id(step.entry)], None, _constant(step.plan)) for step in found]


def _constant(plan: Plan) -> Callable[[], Plan]:
    return lambda: plan
