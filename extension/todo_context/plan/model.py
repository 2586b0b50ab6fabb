"""The plan: phases of tasks, frozen.

A plan is a value. Changing one makes a new one that shares what stayed the same. Nothing here folds
or checks text; that happens where text comes in (`text.py`, `ops.py`, `load.py`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
"""A JSON value, as `json.loads` gives it."""


_NO_EXTRA: Mapping[str, Json] = MappingProxyType({})


def _no_extra() -> Mapping[str, Json]:
    # Behind a function, for a dataclass takes no default that cannot be hashed.
    return _NO_EXTRA


class Status(StrEnum):
    """What a task is. The values are OMP's."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    ABANDONED = "abandoned"
    BLOCKED = "blocked"

    @property
    def is_open(self) -> bool:
        """Pending, in progress or blocked."""
        return self in _OPEN

    @property
    def is_actionable(self) -> bool:
        """Pending or in progress: open, and nothing stands in the way."""
        return self in _ACTIONABLE


_ACTIONABLE = frozenset({Status.PENDING, Status.IN_PROGRESS})
_OPEN = _ACTIONABLE | {Status.BLOCKED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing to do. Its content is its identity inside a plan.

    `blocker` is the reason of a blocked task, else None. `active_form`, `id` and `extra` are kept
    as a caller gave them; nothing here gives them a meaning.
    """

    content: str
    status: Status = Status.PENDING
    notes: tuple[str, ...] = ()
    blocker: str | None = None
    active_form: str | None = None
    id: str | None = None
    extra: Mapping[str, Json] = field(default_factory=_no_extra)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A named group of tasks, in order. It may be empty."""

    name: str
    tasks: tuple[Task, ...] = ()
    extra: Mapping[str, Json] = field(default_factory=_no_extra)


@dataclass(frozen=True, slots=True)
class TaskName:
    """A task as a reader names it: its phase and its content."""

    phase: str
    content: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a task stands: positions of its phase and of the task in it, from 0."""

    phase: int
    task: int


@dataclass(frozen=True)
class Plan:
    """Phases in order. Equal when their phases are equal."""

    phases: tuple[Phase, ...] = field(default=())

    def tasks(self) -> Iterator[Task]:
        """All tasks in plan order."""
        for phase in self.phases:
            yield from phase.tasks

    def placed(self) -> "Iterator[tuple[Place, Task]]":
        """All tasks in plan order, each with its place."""
        for p, phase in enumerate(self.phases):
            for t, task in enumerate(phase.tasks):
                yield Place(p, t), task

    @cached_property
    def _places(self) -> dict[str, Place]:
        # The first of duplicates answers to the name; a foreign session may hold some.
        places: dict[str, Place] = {}
        for place, task in self.placed():
            places.setdefault(task.content, place)
        return places

    def find(self, content: str) -> Place | None:
        """Where the task with this content stands; the first, if a foreign session brought several."""
        return self._places.get(content)

    def find_phase(self, name: str) -> int | None:
        """Position of the first phase with this name."""
        return next((i for i, phase in enumerate(self.phases) if phase.name == name), None)

    def at(self, place: Place) -> Task:
        """The task at a place that `find` gave."""
        return self.phases[place.phase].tasks[place.task]

    def with_phase(self, position: int, phase: Phase) -> "Plan":
        """This plan with another phase at `position`; all else is shared."""
        return Plan((*self.phases[:position], phase, *self.phases[position + 1 :]))

    def with_task(self, place: Place, task: Task) -> "Plan":
        """This plan with another task at `place`; all else is shared."""
        phase = self.phases[place.phase]
        tasks = (*phase.tasks[: place.task], task, *phase.tasks[place.task + 1 :])
        changed = self.with_phase(place.phase, replace(phase, tasks=tasks))
        if task.content == phase.tasks[place.task].content:
            changed.__dict__["_places"] = self._places  # the same contents at the same places
        return changed


EMPTY = Plan()
