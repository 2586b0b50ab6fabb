"""Start, done, drop and rm: what happens to a task, to the tasks of a phase, or to all.

Without a name, done and drop mean all that is open, and rm everything, phases too.
"""

from dataclasses import dataclass

from todo_command import answers, manual
from todo_command.match import Found, find_target, find_task
from todo_command.verbs.asked import Asked, meant, meant_task
from todo_context.lane import Recorded
from todo_context.pi import Answer
from todo_context.plan.model import EMPTY, Plan, Status, Task
from todo_context.plan.ops import EVERYTHING, Done, Drop, Replace, Rm, Start, Target
from todo_context.plan.select import active_task, counts


@dataclass(frozen=True, slots=True)
class _Closing:
    """A verb that closes tasks: the operation, the status it gives, and the word of its answer."""

    op: type[Done] | type[Drop]
    action: str
    status: Status
    word: str

    def progress(self, plan: Plan) -> str:
        """How far the plan is now, for the verb that brings it further: (completed of all)."""
        found = counts(plan)
        return f" ({found.completed} of {found.total})" if self.status is Status.COMPLETED else ""


KIND = "task or phase"
"""What is looked for where either may be meant."""

_NOT_READY = frozenset({Status.COMPLETED, Status.ABANDONED, Status.BLOCKED})
_DONE = _Closing(Done, "done", Status.COMPLETED, "Done")
_DROP = _Closing(Drop, "drop", Status.ABANDONED, "Dropped")


def to_start(plan: Plan, rest: str) -> Found:
    """What start is about."""
    return find_task(plan, rest)


def to_close(plan: Plan, rest: str) -> Found:
    """What done, drop and rm are about."""
    return find_target(plan, rest) if rest else EVERYTHING


def tasks_of(plan: Plan, target: Target) -> tuple[Task, ...]:
    """The tasks of the phase that is meant, or all."""
    if target.phase is None:
        return tuple(plan.tasks())
    position = plan.find_phase(target.phase)
    return () if position is None else plan.phases[position].tasks


async def start(asked: Asked) -> Answer:
    """Make a task the one in progress; a closed one is open again."""
    if not asked.rest:
        return answers.error("start needs a task.", manual.usage_line("start"))
    content = await meant_task(asked, to_start(await asked.lane.plan(), asked.rest))
    if isinstance(content, Answer):
        return content
    recorded = await asked.lane.apply([Start(content)], by="user", action="start")
    return answers.refused(recorded) or _started(content, recorded)


async def done(asked: Asked) -> Answer:
    """Complete a task, the open tasks of a phase, or all open ones."""
    return await _close(asked, _DONE)


async def drop(asked: Asked) -> Answer:
    """Abandon a task, the open tasks of a phase, or all open ones."""
    return await _close(asked, _DROP)


async def rm(asked: Asked) -> Answer:
    """Remove a task, the tasks of a phase, or everything."""
    if not asked.rest:
        recorded = await asked.lane.apply([Replace(EMPTY)], by="user", action="rm")
        return answers.refused(recorded) or _emptied(recorded)
    target = await meant(asked, to_close(await asked.lane.plan(), asked.rest), KIND)
    if isinstance(target, Answer):
        return target
    recorded = await asked.lane.apply([Rm(target)], by="user", action="rm")
    return answers.refused(recorded) or _removed(target, recorded)


async def _close(asked: Asked, closing: _Closing) -> Answer:
    target = await meant(asked, to_close(await asked.lane.plan(), asked.rest), KIND)
    if isinstance(target, Answer):
        return target
    recorded = await asked.lane.apply([closing.op(target)], by="user", action=closing.action)
    return answers.refused(recorded) or _closed(closing, target, recorded)


def _closed(closing: _Closing, target: Target, recorded: Recorded) -> Answer:
    after = recorded.outcome.plan
    if target.task is not None:
        name = answers.named(target.task)
        if _task(recorded.before, target.task).status is closing.status:
            return answers.unchanged(f"{name} is already {answers.status_word(closing.status)}", recorded)
        return answers.changed(f"{closing.word}: {name}{closing.progress(after)}", recorded)
    open_before = sum(task.status.is_open for task in tasks_of(recorded.before, target))
    where = "" if target.phase is None else f" in {answers.named(target.phase)}"
    if not open_before:
        return answers.unchanged(f"nothing is open{where}", recorded)
    closed = answers.count(open_before, "open task")
    return answers.changed(f"{closing.word}: {closed}{where}{closing.progress(after)}", recorded)


def _started(content: str, recorded: Recorded) -> Answer:
    name, active = answers.named(content), active_task(recorded.before)
    if active is not None and active.content == content:
        return answers.unchanged(f"{name} is already in progress", recorded)
    was = _task(recorded.before, content).status
    reopened = f" (was {answers.status_word(was)})" if was in _NOT_READY else ""
    yielded = "" if active is None else f" {answers.named(active.content)} is pending again."
    return Answer(text=f"Started: {name}{reopened}.{yielded}")


def _removed(target: Target, recorded: Recorded) -> Answer:
    if target.task is not None:
        return answers.changed(f"Removed: {answers.named(target.task)}", recorded)
    phase = answers.named(target.phase or "")
    gone = len(tasks_of(recorded.before, target))
    if not gone:
        return answers.unchanged(f"{phase} has no tasks", recorded)
    return answers.changed(f"Removed: {answers.count(gone, 'task')} in {phase}", recorded)


def _emptied(recorded: Recorded) -> Answer:
    if not recorded.outcome.changed:
        return Answer(text="No change: the plan is already empty.")
    gone = len(list(recorded.before.tasks()))
    what = answers.count(gone, "task") if gone else answers.count(len(recorded.before.phases), "empty phase")
    return Answer(text=f"Removed everything: {what}. The plan is empty; /todo undo brings it back.")


def _task(plan: Plan, content: str) -> Task:
    """The task of an accepted operation: it was there."""
    place = plan.find(content)
    return Task(content=content) if place is None else plan.at(place)
