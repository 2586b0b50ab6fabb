"""Apply operations to a plan: the one door for every change.

Pure: the same input gives the same output. An operation applies wholly or not at all (but `append`, whose
items stand each for itself); the ones after it still apply. After the batch, one normalisation.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from todo_context.plan.model import EMPTY, Phase, Place, Plan, Status, Task, TaskName
from todo_context.plan.names import no_such, quoted
from todo_context.plan.ops import (
    Append,
    Block,
    Done,
    Drop,
    Init,
    Note,
    Op,
    Replace,
    Rm,
    Start,
    Target,
    Unblock,
    View,
)
from todo_context.plan.problem import Problem
from todo_context.plan.text import note_text, one_line, trim_end


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a batch came to.

    `completed` are the tasks that this batch completed, in plan order. `changed` compares the plan after
    normalisation with the one before the batch. `fell_out` are the contents of unfinished tasks that an `init`
    left out, which is easily meant otherwise. `idle` are the accepted operations that changed nothing.
    """

    plan: Plan
    accepted: tuple[Op, ...]
    problems: tuple[Problem, ...]
    completed: tuple[TaskName, ...]
    changed: bool
    fell_out: tuple[str, ...] = ()
    idle: tuple[Op, ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """One operation applied; `plan` is None if it was refused."""

    plan: Plan | None
    problems: tuple[Problem, ...] = ()
    missing: tuple[Literal["task", "phase"], str] | None = None
    """What was named and is not there."""


HINTED = 10
"""Unknown names of one batch that are answered with the closest ones; to look for them takes milliseconds each."""


def apply(plan: Plan, ops: Sequence[Op], *, auto_start: bool = True) -> Outcome:
    """Apply `ops` in order. With `auto_start`, the first pending task starts when none is in progress."""
    now, accepted, problems = plan, list[Op](), list[Problem]()
    fell_out, idle = list[str](), list[Op]()
    for op in ops:
        step = _step(now, op)
        problems += step.problems
        if step.missing is not None:
            problems.append(_not_found(now, op, *step.missing, hints=len(problems) < HINTED))
        if step.plan is not None:
            if step.plan == now and not isinstance(op, View):
                idle.append(op)
            if isinstance(op, Init):
                fell_out += (task.content for task in now.tasks() if task.status.is_open)
            now = step.plan
            accepted.append(op)
    if any(_normalises(op) for op in accepted):
        now = normalised(now, auto_start=auto_start)
    changed = now != plan
    return Outcome(
        plan=now if changed else plan,
        accepted=tuple(accepted),
        problems=tuple(problems),
        completed=_newly_completed(plan, now) if changed else (),
        changed=changed,
        fell_out=tuple(content for content in fell_out if now.find(content) is None),
        idle=tuple(idle),
    )


def normalised(plan: Plan, *, auto_start: bool = True) -> Plan:
    """At most one task in progress: of several the first; of none, the first pending one starts."""
    active = [place for place, task in plan.placed() if task.status is Status.IN_PROGRESS]
    for place in active[1:]:
        plan = plan.with_task(place, _with_status(plan.at(place), Status.PENDING))
    if active or not auto_start:
        return plan
    first = next((place for place, task in plan.placed() if task.status is Status.PENDING), None)
    return plan if first is None else plan.with_task(first, _with_status(plan.at(first), Status.IN_PROGRESS))


def _normalises(op: Op) -> bool:
    match op:
        case View():
            return False
        case Replace():
            return op.normalise
        case _:
            return True


def _step(plan: Plan, op: Op) -> _Step:  # noqa: PLR0911 - one return per operation is the table
    match op:
        case Init():
            return _init(op)
        case Append():
            return _append(plan, op)
        case Start():
            return _start(plan, op)
        case Done():
            return _to_status(plan, op, Status.COMPLETED)
        case Drop():
            return _to_status(plan, op, Status.ABANDONED)
        case Rm():
            return _rm(plan, op)
        case Note():
            return _note(plan, op)
        case Block():
            return _block(plan, op)
        case Unblock():
            return _unblock(plan, op)
        case View():
            return _Step(plan)
        case Replace():
            return _replace(op)
        case _:
            assert_never(op)


# --- the operations ---------------------------------------------------------------------------------


def _init(op: Init) -> _Step:
    for entry in op.phases:
        if not one_line(entry.phase):
            return _refused(op, "blank", 'a phase of init has a blank name. Name it, for instance "Build".')
        if not entry.items:
            return _refused(
                op, "missing", f"phase {quoted(entry.phase)} has no items. Give it at least one, or leave it out."
            )
        if not all(one_line(item) for item in entry.items):
            return _refused(
                op, "blank", f"an item of phase {quoted(entry.phase)} is blank. Say in it what is to be done."
            )
    phases = tuple(Phase(name=one_line(e.phase), tasks=_new_tasks(e.items)) for e in op.phases)
    return _unique(op, Plan(phases))


def _append(plan: Plan, op: Append) -> _Step:
    name = one_line(op.phase)
    if not name:
        return _refused(op, "blank", 'the phase is blank. Name it, for instance "Build".')
    if not op.items:
        return _refused(op, "missing", "append has no items. Give at least one.")
    added: dict[str, None] = {}
    problems: list[Problem] = []
    for item in op.items:
        content = one_line(item)
        if not content:
            problems.append(_problem(op, "blank", "an item is blank. Say in it what is to be done."))
        elif content in added or plan.find(content) is not None:
            problems.append(_problem(op, "exists", f"{quoted(content)} is already in the plan."))
        else:
            added[content] = None
    if not added:
        return _Step(None, tuple(problems))
    position = plan.find_phase(name)
    if position is None:
        return _Step(Plan((*plan.phases, Phase(name=name, tasks=_new_tasks(added)))), tuple(problems))
    phase = plan.phases[position]
    return _Step(plan.with_phase(position, replace(phase, tasks=phase.tasks + _new_tasks(added))), tuple(problems))


def _start(plan: Plan, op: Start) -> _Step:
    place = plan.find(one_line(op.task))
    if place is None:
        return _Step(None, missing=("task", op.task))
    for other, task in plan.placed():
        if task.status is Status.IN_PROGRESS and other != place:
            plan = plan.with_task(other, _with_status(task, Status.PENDING))
    return _Step(plan.with_task(place, _with_status(plan.at(place), Status.IN_PROGRESS)))


def _to_status(plan: Plan, op: Done | Drop, status: Status) -> _Step:
    places = _places(plan, op.target)
    if isinstance(places, _Step):
        return places
    named = op.target.task is not None
    return _Step(_each(plan, places, lambda t: _with_status(t, status) if named or t.status.is_open else t))


def _rm(plan: Plan, op: Rm) -> _Step:
    places = _places(plan, op.target)
    if isinstance(places, _Step):
        return places
    gone = set(places)
    phases = tuple(
        replace(phase, tasks=tuple(task for t, task in enumerate(phase.tasks) if Place(p, t) not in gone))
        for p, phase in enumerate(plan.phases)
    )
    return _Step(Plan(phases))


def _note(plan: Plan, op: Note) -> _Step:
    place = plan.find(one_line(op.task))
    if place is None:
        return _Step(None, missing=("task", op.task))
    text = trim_end(note_text(op.text))
    if not text:
        return _refused(op, "blank", 'the note has no text. Give it in "text".')
    task = plan.at(place)
    return _Step(plan.with_task(place, replace(task, notes=(*task.notes, text))))


def _block(plan: Plan, op: Block) -> _Step:
    places = _places(plan, op.target)
    if isinstance(places, _Step):
        return places
    reason = one_line(op.reason or "") or None

    def blocked(task: Task) -> Task:
        return replace(task, status=Status.BLOCKED, blocker=reason) if task.status.is_open else task

    return _Step(_each(plan, places, blocked))


def _unblock(plan: Plan, op: Unblock) -> _Step:
    places = _places(plan, op.target)
    if isinstance(places, _Step):
        return places
    return _Step(_each(plan, places, lambda t: _with_status(t, Status.PENDING) if t.status is Status.BLOCKED else t))


def _replace(op: Replace) -> _Step:
    return _unique(op, op.plan) if op.unique else _Step(op.plan)


# --- their parts ------------------------------------------------------------------------------------


def _places(plan: Plan, target: Target) -> list[Place] | _Step:
    """The places a target means: of the task, else of the phase's tasks, else of all."""
    if target.task is not None:
        place = plan.find(one_line(target.task))
        return _Step(None, missing=("task", target.task)) if place is None else [place]
    if target.phase is None:
        return [place for place, _ in plan.placed()]
    position = plan.find_phase(one_line(target.phase))
    if position is None:
        return _Step(None, missing=("phase", target.phase))
    return [Place(position, t) for t in range(len(plan.phases[position].tasks))]


def _each(plan: Plan, places: Iterable[Place], change: Callable[[Task], Task]) -> Plan:
    for place in places:
        task = plan.at(place)
        changed = change(task)
        if changed != task:
            plan = plan.with_task(place, changed)
    return plan


def _with_status(task: Task, status: Status) -> Task:
    # A task that leaves `blocked` loses its blocker.
    return task if task.status is status else replace(task, status=status, blocker=None)


def _new_tasks(items: Iterable[str]) -> tuple[Task, ...]:
    return tuple(Task(content=one_line(item)) for item in items)


def _unique(op: Op, plan: Plan) -> _Step:
    """Contents and phase names once each: the first wins, phases of one name merge, repetitions are problems."""
    merged: dict[str, Phase] = {}
    problems: list[Problem] = []
    seen: set[str] = set()
    for phase in plan.phases:
        if phase.name in merged:
            problems.append(_problem(op, "exists", f"phase {quoted(phase.name)} is there twice; its tasks join."))
        kept: list[Task] = []
        for task in phase.tasks:
            if task.content in seen:
                problems.append(_problem(op, "exists", f"{quoted(task.content)} is there twice; the first one stays."))
                continue
            seen.add(task.content)
            kept.append(task)
        first = merged.get(phase.name)
        if first is None:
            merged[phase.name] = phase if len(kept) == len(phase.tasks) else replace(phase, tasks=tuple(kept))
        else:
            merged[phase.name] = replace(first, tasks=first.tasks + tuple(kept))
    return _Step(Plan(tuple(merged.values())) if merged else EMPTY, tuple(problems))


def _newly_completed(before: Plan, after: Plan) -> tuple[TaskName, ...]:
    return tuple(
        TaskName(phase.name, task.content)
        for phase in after.phases
        for task in phase.tasks
        if task.status is Status.COMPLETED and not _was_completed(before, task.content)
    )


def _was_completed(plan: Plan, content: str) -> bool:
    place = plan.find(content)
    return place is not None and plan.at(place).status is Status.COMPLETED


# --- problems ---------------------------------------------------------------------------------------


def _problem(op: Op, code: str, message: str) -> Problem:
    return Problem(code=code, message=message, index=op.index, op=type(op).__name__.lower())


def _refused(op: Op, code: str, message: str) -> _Step:
    return _Step(None, (_problem(op, code, message),))


def _not_found(plan: Plan, op: Op, kind: Literal["task", "phase"], name: str, *, hints: bool) -> Problem:
    if not hints:
        return _problem(op, "not_found", f"no {kind} {quoted(name)}.")
    among = (task.content for task in plan.tasks()) if kind == "task" else (phase.name for phase in plan.phases)
    return _problem(op, "not_found", no_such(kind, name, among))
