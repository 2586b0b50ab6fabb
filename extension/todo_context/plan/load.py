"""A plan as JSON: `phases` as OMP writes them, and back from whatever a session holds.

Reading never refuses: text is folded as on any way in, a blank task is dropped, a blank phase is called
"Phase", an unknown status becomes pending, and each is told as a warning. Unknown keys survive.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from todo_context.plan.model import Json, Phase, Plan, Status, Task
from todo_context.plan.names import quoted
from todo_context.plan.text import note_text, one_line

FLAT_PHASE = "Tasks"
"""The phase of tasks that come without one."""

BLANK_PHASE = "Phase"
"""What a phase with a blank name is called."""

_TASK_KEYS = frozenset({"content", "status", "notes", "blocker", "activeForm", "id"})
_PHASE_KEYS = frozenset({"name", "tasks"})


@dataclass(frozen=True, slots=True)
class Loaded:
    """A plan and what had to be mended to read it, a sentence each."""

    plan: Plan
    warnings: tuple[str, ...] = ()


def plan_to_json(plan: Plan) -> list[Json]:
    """The phases of a plan as JSON; keys that are empty are left out."""
    return [
        {"name": phase.name, "tasks": [_task_to_json(task) for task in phase.tasks], **phase.extra}
        for phase in plan.phases
    ]


def plan_from_json(phases: Json) -> Loaded:
    """Read the value of `phases`: a list of {name, tasks}; an entry that is no object is left out."""
    warnings: list[str] = []
    if not isinstance(phases, list):
        return Loaded(Plan(), (f"phases is no list but {type(phases).__name__}",))
    return Loaded(Plan(tuple(_phases(phases, warnings))), tuple(warnings))


def plan_from_flat(todos: Json) -> Loaded:
    """Read a flat list of tasks, objects or strings, as one phase."""
    if not isinstance(todos, list) or not todos:
        return Loaded(Plan())
    return plan_from_json([{"name": FLAT_PHASE, "tasks": todos}])


def _task_to_json(task: Task) -> dict[str, Json]:
    json: dict[str, Json] = {"content": task.content, "status": task.status.value}
    if task.notes:
        json["notes"] = list(task.notes)
    if task.blocker is not None:
        json["blocker"] = task.blocker
    if task.active_form is not None:
        json["activeForm"] = task.active_form
    if task.id is not None:
        json["id"] = task.id
    return {**json, **task.extra}


def _phases(phases: Iterable[Json], warnings: list[str]) -> Iterable[Phase]:
    for phase in phases:
        if not isinstance(phase, dict):
            warnings.append(f"a phase is no object but {type(phase).__name__}; left out")
            continue
        name = one_line(_text(phase.get("name")))
        if not name:
            warnings.append(f"a phase had no name; it is called {quoted(BLANK_PHASE)}")
            name = BLANK_PHASE
        tasks = phase.get("tasks")
        if not isinstance(tasks, list):
            warnings.append(f"phase {quoted(name)} has no list of tasks")
            tasks = []
        extra = {key: value for key, value in phase.items() if key not in _PHASE_KEYS}
        yield Phase(name=name, tasks=tuple(_tasks(tasks, warnings)), extra=extra)


def _tasks(tasks: Iterable[Json], warnings: list[str]) -> Iterable[Task]:
    for raw in tasks:
        task: dict[str, Json] = raw if isinstance(raw, dict) else {"content": raw}
        content = one_line(_text(task.get("content")))
        if not content:
            warnings.append("a task had no content; left out")
            continue
        status = _status(task, content, warnings)
        blocker = one_line(_text(task.get("blocker"))) if status is Status.BLOCKED else ""
        yield Task(
            content=content,
            status=status,
            notes=_notes(task.get("notes")),
            blocker=blocker or None,
            active_form=_text(task.get("activeForm")) or None,
            id=_text(task.get("id")) or None,
            extra={key: value for key, value in task.items() if key not in _TASK_KEYS},
        )


def _status(task: Mapping[str, Json], content: str, warnings: list[str]) -> Status:
    raw = task.get("status", Status.PENDING)
    try:
        return Status(_text(raw))
    except ValueError:
        warnings.append(f"task {quoted(content)} has an unknown status {quoted(str(raw))}; read as pending")
        return Status.PENDING


def _notes(raw: Json) -> tuple[str, ...]:
    if isinstance(raw, str):
        raw = [raw]
    return tuple(note_text(note) for note in raw if isinstance(note, str)) if isinstance(raw, list) else ()


def _text(raw: Json) -> str:
    return raw if isinstance(raw, str) else ""
