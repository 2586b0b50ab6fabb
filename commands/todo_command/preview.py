"""What a line after /todo will do, in one short line, while it is still typed.

Nothing is changed, and nothing read but whether a file is there. What is meant is told by the same functions that
the verbs go by. A line that is not finished says as much as can be said of it, or nothing.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import assert_never

from todo_command import answers, disk, grammar, manual
from todo_command.match import Found, Nothing, Several, blocked, find_task
from todo_command.verbs import VERBS, append, blocking, files, notes, target
from todo_context.cells import cut, safe_text
from todo_context.plan.model import Plan, Status, Task
from todo_context.plan.ops import Target
from todo_context.plan.select import active_task, counts
from todo_context.plan.text import one_line

NAME_CELLS = 28
"""How wide a name or text is at most: two of them, with the words around them, fit on a line of 80."""

SHOWN = 2
"""How many of several names are shown."""

MOST_CHARACTERS = 2_000
"""A longer line is not looked at: to find which of its words name a task could take longer than a key."""


def preview(plan: Plan, line: str) -> str | None:
    """What this line would do to this plan; None if there is nothing to say. It is safe for the screen."""
    call = grammar.verb_call(line)
    if len(line) > MOST_CHARACTERS or not call.verb:
        return None
    if previewed := _PREVIEWS.get(call.verb):
        return previewed(plan, call.rest)
    if call.verb not in VERBS and grammar.is_verb_complete(line):
        return f"there is no verb {_name(call.verb)}"
    return None


def _append(plan: Plan, rest: str) -> str:
    new = append.addition_of(plan, rest)
    if new is None:
        return _usage("append")
    place = plan.find(new.content)
    if place is not None:
        there = plan.phases[place.phase]
        status = answers.status_word(plan.at(place).status)
        return f"{_name(new.content)} is already in {_name(there.name)} ({status})"
    mark = " (new)" if plan.find_phase(new.phase) is None else ""
    return f"phase {_name(new.phase)}{mark}, task {_name(new.content)}"


def _start(plan: Plan, rest: str) -> str:
    if not rest:
        return _usage("start")
    task = _task(plan, target.to_start(plan, rest))
    if isinstance(task, str):
        return task
    active = active_task(plan)
    if active is None:
        return f"starts {_name(task.content)}{_unless(task, Status.PENDING)}"
    if active.content == task.content:
        return f"{_name(task.content)} is already in progress"
    return f"starts {_name(task.content)}{_unless(task, Status.PENDING)}; {_name(active.content)} is pending again"


def _close(plan: Plan, rest: str, word: str, status: Status) -> str:
    found = _target(plan, target.to_close(plan, rest), target.KIND)
    if isinstance(found, str):
        return found
    if found.task is not None:
        task = _named(plan, found.task)
        if task.status is status:
            return f"{_name(task.content)} is already {answers.status_word(status)}"
        return f"{word} {_name(task.content)}"
    number = sum(task.status.is_open for task in target.tasks_of(plan, found))
    where = "" if found.phase is None else f" in {_name(found.phase)}"
    return f"{word} {answers.count(number, 'open task')}{where}" if number else f"nothing is open{where}"


def _rm(plan: Plan, rest: str) -> str:
    found = _target(plan, target.to_close(plan, rest), target.KIND)
    if isinstance(found, str):
        return found
    if found.task is not None:
        return f"removes {_name(found.task)}"
    number = len(target.tasks_of(plan, found))
    if found.phase is not None:
        return f"removes {answers.count(number, 'task')} in {_name(found.phase)}"
    if not plan.phases:
        return "the plan is already empty"
    what = answers.count(number, "task") if number else answers.count(len(plan.phases), "empty phase")
    return f"empties the plan, {what}; /todo undo brings them back"


def _note(plan: Plan, rest: str) -> str:
    if not rest:
        return _usage("note")
    new = notes.noting(plan, rest)
    task = _task(plan, new.found)
    if isinstance(task, str):
        return task
    return f"notes on {_name(task.content)}: {_name(new.text) if new.text else '…'}"


def _block(plan: Plan, rest: str) -> str:
    if not rest:
        return _usage("block")
    new = blocking.blocking(plan, rest)
    task = _task(plan, new.found)
    if isinstance(task, str):
        return task
    if not task.status.is_open:
        return f"{_name(task.content)} is {answers.status_word(task.status)}, and only open tasks can be blocked"
    if task.blocker and new.reason is None:
        return f"{_name(task.content)} is already blocked"
    return f"blocks {_name(task.content)}" + (f": {_name(new.reason)}" if new.reason else "")


def _unblock(plan: Plan, rest: str) -> str:
    if not rest:
        return _usage("unblock")
    task = _task(plan, blocking.to_unblock(plan, rest))
    if isinstance(task, str):
        return task
    return f"unblocks {_name(task.content)}" if blocked(task) else f"{_name(task.content)} is not blocked"


def _export(plan: Plan, rest: str) -> str:
    if not any(phase.tasks for phase in plan.phases):
        return "the plan is empty; no file is written"
    tasks, path = answers.count(counts(plan).total, "task"), _path(rest)
    is_there = _is_there(rest)
    if isinstance(is_there, str):
        return is_there
    if is_there:
        return f"writes {tasks} over {path}; asks first if others wrote there"
    return f"writes {tasks} to {path} (new)"


def _import(plan: Plan, rest: str) -> str:
    is_there = _is_there(rest)
    if isinstance(is_there, str):
        return is_there
    if not is_there:
        return f"{_path(rest)}: there is no such file"
    total = counts(plan).total
    return f"reads {_path(rest)}" + (f" in place of {answers.count(total, 'task')}" if total else "")


def _park(plan: Plan, rest: str) -> str:
    if not rest:
        return _usage("park")
    task = _task(plan, find_task(plan, rest))
    return task if isinstance(task, str) else f"moves {_name(task.content)} into the backlog"


def _pull(_plan: Plan, rest: str) -> str:
    return f"claims {_name(rest)} in the backlog and adds it to the plan" if rest else _usage("pull")


def _backlog(_plan: Plan, rest: str) -> str | None:
    call = grammar.verb_call(rest)
    from todo_command.verbs.backlog_table import verb_of  # noqa: PLC0415 (who types it uses it)

    verb = verb_of(call.verb)
    if verb is None:
        return f"the backlog has no verb {_name(call.verb)}" if grammar.is_verb_complete(rest) else None
    return f"{verb.name} {verb.arguments}".rstrip() + f": {verb.about}"


def _retrace(_plan: Plan, rest: str, verb: str, words: str) -> str:
    return f"{verb} takes no name" if rest else words


_PREVIEWS: Mapping[str, Callable[[Plan, str], str | None]] = {
    "append": _append,
    "start": _start,
    "done": partial(_close, word="completes", status=Status.COMPLETED),
    "drop": partial(_close, word="abandons", status=Status.ABANDONED),
    "rm": _rm,
    "note": _note,
    "block": _block,
    "unblock": _unblock,
    "park": _park,
    "pull": _pull,
    "backlog": _backlog,
    "export": _export,
    "import": _import,
    "undo": partial(_retrace, verb="undo", words="takes back the newest change, whoever made it"),
    "redo": partial(_retrace, verb="redo", words="does again what was undone last"),
}
"""What each verb will do. Those that only show something say it when they are asked."""


def _target(plan: Plan, found: Found, kind: str) -> Target | str:
    """The one task or phase that is meant, or why it is none. `kind` says what was looked for."""
    match found:
        case Target():
            return found
        case Several(candidates):
            names = [one.task or one.phase or "" for one in candidates]
            kinds = "phases" if candidates[0].task is None else "tasks"
            more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            return f"{len(names)} {kinds} match: {', '.join(map(_name, names[:SHOWN]))}{more}"
        case Nothing():
            if not any(phase.tasks for phase in plan.phases):
                return "the plan is empty"
            nearest = f"; closest: {_name(found.closest[0])}" if found.closest else ""
            return f"no {kind} matches {_name(found.name)}{nearest}"
        case _:
            assert_never(found)


def _task(plan: Plan, found: Found) -> Task | str:
    """The one task that is meant, or why it is none."""
    one = _target(plan, found, "task")
    return one if isinstance(one, str) else _named(plan, one.task or "")


def _named(plan: Plan, content: str) -> Task:
    place = plan.find(content)
    return Task(content=content) if place is None else plan.at(place)


def _unless(task: Task, usual: Status) -> str:
    return "" if task.status is usual else f" ({answers.status_word(task.status)} now)"


def _is_there(rest: str) -> bool | str:
    """Whether the file is there; or why it cannot be used."""
    try:
        # As completions: in the folder that the program works in.
        return disk.is_there(files.place_of(rest, "."))
    except disk.FileError as error:
        return f"{_path(rest)}: {safe_text(error.fact)}"


def _path(rest: str) -> str:
    """The end of a path, which tells files apart."""
    path = safe_text(disk.unquoted(rest) or files.DEFAULT)
    return path if len(path) <= NAME_CELLS else f"…{path[1 - NAME_CELLS :]}"


def _name(name: str) -> str:
    return f'"{cut(safe_text(one_line(name)), NAME_CELLS)}"'


def _usage(verb: str) -> str:
    entry = manual.verb(verb)
    return f"{entry.usage}: {entry.about}"
