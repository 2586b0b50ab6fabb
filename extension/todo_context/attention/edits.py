"""What the person changed in the plan, as far as it still holds: the news that the model is due.

Pure. Of several changes to one task the last counts; what came to be otherwise since then is no news. Which
task is in progress moves by itself, and is told only where nothing else changed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from todo_context.plan.merge import renames
from todo_context.plan.model import Plan, Status, Task
from todo_context.plan.select import active_task

RENAMES_AMONG = 400
"""Pairs of a task that went and one that came, of which a rename is looked for; beyond it both are named instead.

Each pair takes some 10 µs, and every request asks.
"""

What = Literal["removed", "added", "renamed", "done", "dropped", "reopened", "blocked", "unblocked", "noted", "started"]
"""What was done to a task. A move to another phase, or a new order, is in sight in the plan itself."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What became of one task. `content` is what it is called now, or was when it went; `was` before a rename."""

    what: What
    content: str
    was: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """What the person changed and the model is due to hear in this request.

    `each` may be empty: they changed nothing but the order, or what they changed was changed again since.
    `undone` is what they left so, and the model, which may not have known of it, did not. `stands`: the plan is as
    they left it. `cleared`: they left no task, and there is none now. `is_told_in_this_run`: an earlier request of
    the run said so already, and this one says it again.
    """

    each: tuple[Edit, ...] = ()
    undone: tuple[Edit, ...] = ()
    stands: bool = True
    cleared: bool = False
    is_told_in_this_run: bool = False


def edits_between(steps: Iterable[tuple[Plan, Plan]], now: Plan, *, is_told_in_this_run: bool) -> Edits:
    """What these steps of the person, each a plan before and after, the oldest first, come to in the plan of now."""
    found: dict[str, Edit] = {}
    left, cleared = now, False
    for before, after in steps:
        for edit in _step(before, after):
            # Taken out first, so that the newest stands last.
            found.pop(edit.was or edit.content, None)
            found.pop(edit.content, None)
            found[edit.content] = edit
        left, cleared = after, not _by_content(after) and (cleared or bool(_by_content(before)))
    tasks, then = _by_content(now), _by_content(left)
    gone = (edit for edit in found.values() if not _holds(edit, tasks))
    return Edits(
        each=tuple(edit for edit in found.values() if _holds(edit, tasks)),
        undone=tuple(edit for edit in gone if edit.what in _LASTING and _holds(edit, then)),
        stands=now == left,
        cleared=cleared and not tasks,
        is_told_in_this_run=is_told_in_this_run,
    )


def _step(before: Plan, after: Plan) -> list[Edit]:
    old, new = _by_content(before), _by_content(after)
    went = [content for content in old if content not in new]
    came = [content for content in new if content not in old]
    renamed: Mapping[str, str] = renames(before, after) if len(went) * len(came) <= RENAMES_AMONG else {}
    edits = [Edit("removed", content) for content in went if content not in renamed.values()]
    for content, task in new.items():
        if content in renamed:
            edits.append(Edit("renamed", content, renamed[content]))
        elif content not in old:
            edits.append(Edit("added", content))
        elif what := _changed(old[content], task):
            edits.append(Edit(what, content))
    active = active_task(after)
    if not edits and active is not None and active != active_task(before):
        edits.append(Edit("started", active.content))
    return edits


def _changed(old: Task, new: Task) -> What | None:
    was, now = old.status, new.status
    if now is Status.COMPLETED and was is not now:
        return "done"
    if now is Status.ABANDONED and was is not now:
        return "dropped"
    if now is Status.BLOCKED and (was is not now or old.blocker != new.blocker):
        return "blocked"
    if now.is_actionable and was is Status.BLOCKED:
        return "unblocked"
    if now.is_actionable and not was.is_open:
        return "reopened"
    return "noted" if old.notes != new.notes else None


_STANDS: Mapping[What, frozenset[Status]] = {
    "done": frozenset({Status.COMPLETED}),
    "dropped": frozenset({Status.ABANDONED}),
    "blocked": frozenset({Status.BLOCKED}),
    "unblocked": frozenset({Status.PENDING, Status.IN_PROGRESS}),
    "reopened": frozenset({Status.PENDING, Status.IN_PROGRESS}),
    "started": frozenset({Status.IN_PROGRESS}),
}
"""The statuses with which such an edit still holds; the others hold as long as the task is there."""

_LASTING = frozenset[What]({"removed", "added", "renamed", "done", "dropped"})
"""What work that goes on does not take back; to start or unblock what the person left so is no loss."""


def _holds(edit: Edit, tasks: Mapping[str, Task]) -> bool:
    task = tasks.get(edit.content)
    if edit.what == "removed" or task is None:
        return edit.what == "removed" and task is None
    return task.status in _STANDS.get(edit.what, frozenset(Status))


def _by_content(plan: Plan) -> dict[str, Task]:
    """Each task by its content; the first of duplicates."""
    found: dict[str, Task] = {}
    for task in plan.tasks():
        found.setdefault(task.content, task)
    return found
