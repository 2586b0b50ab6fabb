"""The plan as the offline planner knows it: read from the newest result of the tool.

Pure. The result is all it has, as any model; it never looks into the session.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from todo_context.plan.model import Json, Status


@dataclass(frozen=True, slots=True)
class Fact:
    """One task, and the phase it is in."""

    phase: str
    content: str
    status: Status


@dataclass(frozen=True, slots=True)
class Facts:
    """The tasks in plan order, the names of the phases, and what the tool refused."""

    tasks: tuple[Fact, ...]
    phases: tuple[str, ...]
    errors: tuple[str, ...] = ()

    @property
    def active(self) -> str | None:
        """The task in progress."""
        return next((task.content for task in self.tasks if task.status is Status.IN_PROGRESS), None)

    @property
    def open(self) -> tuple[Fact, ...]:
        """What is left."""
        return tuple(task for task in self.tasks if task.status.is_open)

    @property
    def after_active(self) -> str | None:
        """The first pending task after the one in progress, else the first of all."""
        pending = [(index, task) for index, task in enumerate(self.tasks) if task.status is Status.PENDING]
        at = next((index for index, task in enumerate(self.tasks) if task.status is Status.IN_PROGRESS), -1)
        later = [task for index, task in pending if index > at]
        return next((task.content for task in (*later, *(task for _, task in pending))), None)

    def named(self, name: str) -> tuple[str, ...]:
        """The tasks that a person may mean by `name`; one if it is clear."""
        wanted = name.casefold()
        exact = [task.content for task in self.tasks if task.content.casefold() == wanted]
        if exact:
            return (exact[0],)
        parts = [task for task in self.tasks if wanted in task.content.casefold()]
        actionable = [task for task in parts if task.status.is_actionable]
        return tuple(task.content for task in (actionable if len(actionable) == 1 else parts))


def facts_of(details: Mapping[str, Json] | None) -> Facts | None:
    """Read the details of a result of `todo_write`; None if they hold no plan."""
    phases = (details or {}).get("phases")
    if details is None or not isinstance(phases, list):
        return None
    read = [phase for phase in phases if isinstance(phase, dict)]
    return Facts(
        tasks=tuple(task for phase in read for task in _tasks(phase)),
        phases=tuple(str(phase.get("name")) for phase in read),
        errors=tuple(_errors(details.get("errors"))),
    )


def _tasks(phase: dict[str, Json]) -> Iterator[Fact]:
    tasks = phase.get("tasks")
    for task in tasks if isinstance(tasks, list) else ():
        if isinstance(task, dict) and task.get("status") in list(Status):
            yield Fact(str(phase.get("name")), str(task.get("content")), Status(str(task["status"])))


def _errors(errors: Json) -> Iterator[str]:
    for error in errors if isinstance(errors, list) else ():
        if isinstance(error, dict):
            yield str(error.get("message"))
