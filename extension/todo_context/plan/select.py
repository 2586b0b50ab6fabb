"""Questions about a plan, and the choice of what a short view of it shows. Pure."""

from dataclasses import dataclass

from todo_context.plan.model import Phase, Plan, Status, Task, TaskName


@dataclass(frozen=True, slots=True)
class Counts:
    """How many tasks there are, by status."""

    pending: int = 0
    in_progress: int = 0
    completed: int = 0
    abandoned: int = 0
    blocked: int = 0

    @property
    def total(self) -> int:
        """All tasks."""
        return self.open + self.closed

    @property
    def open(self) -> int:
        """Pending, in progress or blocked."""
        return self.pending + self.in_progress + self.blocked

    @property
    def closed(self) -> int:
        """Completed or abandoned."""
        return self.completed + self.abandoned

    @property
    def closed_words(self) -> str:
        """The closed ones in words: "3 done, 1 dropped"; empty if there are none."""
        parts = [f"{self.completed} done"] if self.completed else []
        return ", ".join([*parts, f"{self.abandoned} dropped"] if self.abandoned else parts)


@dataclass(frozen=True, slots=True)
class FoldedPhase:
    """A phase in a short view: the open tasks that are shown, and the counts of all its tasks."""

    phase: Phase
    shown: tuple[Task, ...]
    counts: Counts


@dataclass(frozen=True, slots=True)
class Folded:
    """A short view of a plan. `hidden` counts the open tasks that did not fit."""

    phases: tuple[FoldedPhase, ...]
    hidden: int


def counts(plan: Plan) -> Counts:
    """Count all tasks of a plan."""
    return _counts(tuple(plan.tasks()))


def active_task(plan: Plan) -> TaskName | None:
    """The task in progress; the first, if a foreign session brought several."""
    return next(
        (
            TaskName(phase.name, task.content)
            for phase in plan.phases
            for task in phase.tasks
            if task.status is Status.IN_PROGRESS
        ),
        None,
    )


def progress(plan: Plan) -> str:
    """One line: how many tasks are done, dropped and open."""
    found = counts(plan)
    if not found.total:
        return "The plan is empty."
    if not found.open:
        return f"All {found.total} closed: {found.closed_words}."
    dropped = f", {found.abandoned} dropped" if found.abandoned else ""
    blocked = f" ({found.blocked} blocked)" if found.blocked else ""
    return f"{found.completed} of {found.total} done{dropped}, {found.open} open{blocked}."


def folded(plan: Plan, limit: int) -> Folded:
    """Choose at most `limit` open tasks, in plan order; the active one is always among them.

    Phases without tasks are left out; closed tasks are only counted.
    """
    candidates = [task for task in plan.tasks() if task.status.is_open]
    kept = candidates[:limit]
    active = next((task for task in candidates if task.status is Status.IN_PROGRESS), None)
    if active is not None and not any(task is active for task in kept):
        kept = [*kept[: max(0, limit - 1)], active]
    shown = {id(task) for task in kept}
    phases = tuple(
        FoldedPhase(phase, tuple(task for task in phase.tasks if id(task) in shown), _counts(phase.tasks))
        for phase in plan.phases
        if phase.tasks
    )
    return Folded(phases, len(candidates) - len(kept))


def _counts(tasks: tuple[Task, ...]) -> Counts:
    by_status = dict.fromkeys(Status, 0)
    for task in tasks:
        by_status[task.status] += 1
    return Counts(**{status.value: count for status, count in by_status.items()})
