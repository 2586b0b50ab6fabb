"""Which lines of a plan fit on a number of rows. Pure.

The active task stays whatever happens, then the one that closed last; closed ones go first, the oldest first, then
open ones from the end. What is shown stands in the order of the plan, and shown + hidden is all of it.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from todo_context.plan.model import Phase, Place, Plan, Status, Task
from todo_context.plan.select import Counts, counts

NO_PANEL_BELOW = 4
"""Rows of a screen. With fewer, the line that is typed and what was said last need them all."""

SHARE = 3
"""The panel takes at most one of so many parts of a screen."""

LEAST_ROWS = 2
"""The heading and the active task."""

PHASES_FROM = 4
"""Rows below the heading from which phases have rows of their own; with fewer, every row is for a task."""


@dataclass(frozen=True, slots=True)
class PhaseLine:
    """The name of a phase, the `number`-th with tasks in it, from 1. `hidden`: open tasks, when none of it is shown."""

    number: int
    name: str
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class TaskLine:
    """One task."""

    task: Task


@dataclass(frozen=True, slots=True)
class MoreLine:
    """How many tasks are not shown; or only `rows` of one that is, for it is a long one."""

    hidden: Counts
    rows: int = 0


Line = PhaseLine | TaskLine | MoreLine


def budget(screen_rows: int, most: int) -> int:
    """How many rows the panel may take of a screen; 0: none. `most` is the setting."""
    if screen_rows < NO_PANEL_BELOW:
        return 0
    return max(LEAST_ROWS, min(most, screen_rows // SHARE))


def is_phased(plan: Plan) -> bool:
    """Whether there are several phases to tell apart."""
    return sum(1 for phase in plan.phases if phase.tasks) > 1


def active_place(plan: Plan) -> Place | None:
    """Where the agent is: the task in progress, else the first that could be, else the first that is open."""
    open_places = [(place, task) for place, task in plan.placed() if task.status.is_open]
    for fits in (
        lambda task: task.status is Status.IN_PROGRESS,
        lambda task: task.status.is_actionable,
        lambda _: True,
    ):
        found = next((place for place, task in open_places if fits(task)), None)
        if found is not None:
            return found
    return None


def all_lines(plan: Plan) -> tuple[Line, ...]:
    """The whole plan."""
    everything = frozenset(place for place, _ in plan.placed())
    return tuple(_lines(plan, everything, with_phases=is_phased(plan)))


def folded_lines(plan: Plan, rows: int, last_closed: str | None = None) -> tuple[Line, ...]:
    """What of the plan fits on `rows` rows below the heading. `last_closed` is the content of a task."""
    places = [place for place, _ in plan.placed()]
    with_phases = is_phased(plan) and (rows >= PHASES_FROM or len(_headed(places)) + len(places) <= rows)
    if len(places) + (len(_headed(places)) if with_phases else 0) <= rows:
        return tuple(_lines(plan, frozenset(places), with_phases=with_phases))
    worth = list(_by_worth(plan, last_closed))
    if rows < LEAST_ROWS:
        return tuple(_lines(plan, worth[: max(0, rows)], with_phases=False))
    shown, headed, room = set[Place](), set[int](), rows - 1
    for place in worth:
        needs = 1 + (with_phases and place.phase not in headed)
        if needs <= room:
            shown.add(place)
            headed.add(place.phase)
            room -= needs
        elif room and plan.at(place).status.is_open:
            headed.add(place.phase)  # its name alone says what comes next
            room = 0
        if not room:
            break
    hidden = [plan.at(place) for place in places if place not in shown]
    return (*_lines(plan, shown, with_phases=with_phases, headed=headed), MoreLine(counted(hidden)))


def counted(tasks: Collection[Task]) -> Counts:
    """How many of these there are, by status."""
    return counts(Plan((Phase(name="", tasks=tuple(tasks)),)))


def _headed(places: Collection[Place]) -> frozenset[int]:
    return frozenset(place.phase for place in places)


def _by_worth(plan: Plan, last_closed: str | None) -> Iterator[Place]:
    """All tasks, the one that must be seen first."""
    first = [place for place in (active_place(plan), _closed(plan, last_closed)) if place is not None]
    yield from first
    yield from (place for place, task in plan.placed() if task.status.is_open and place not in first)
    closed = [place for place, task in plan.placed() if not task.status.is_open and place not in first]
    yield from reversed(closed)


def _closed(plan: Plan, content: str | None) -> Place | None:
    place = None if content is None else plan.find(content)
    return place if place is not None and not plan.at(place).status.is_open else None


def _lines(
    plan: Plan, shown: Collection[Place], *, with_phases: bool, headed: Collection[int] | None = None
) -> Iterator[Line]:
    headed = _headed(shown) if headed is None else headed
    number = 0
    for p, phase in enumerate(plan.phases):
        number += bool(phase.tasks)
        its = [task for t, task in enumerate(phase.tasks) if Place(p, t) in shown]
        if with_phases and p in headed:
            yield PhaseLine(number, phase.name, 0 if its else counted(phase.tasks).open)
        yield from map(TaskLine, its)
