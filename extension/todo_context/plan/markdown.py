"""A plan as a Markdown checklist, and back.

Lossless over names, contents, statuses, notes and blockers for every plan whose text came in through
`text.py`. Reads all that OMP reads, with JavaScript's white space and dots, and plain bullets besides.
Parsing keeps repetitions and starts nothing; committing does both (`ops.Replace`).

Two reserved forms make it lossless: a note line that a reader or an editor would change is written as
`<!--= JSON-escaped -->`; in a blocked task's content, what looks like its reason gets a backslash.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from todo_context.plan.model import Phase, Plan, Status, Task
from todo_context.plan.names import quoted
from todo_context.plan.problem import LineProblem
from todo_context.plan.text import WHITE_SPACE, note_text, one_line, trim

FIRST_PHASE = "Todos"
"""The phase of tasks that stand before any heading. OMP's word."""

MARKS = {
    Status.PENDING: " ",
    Status.IN_PROGRESS: "/",
    Status.COMPLETED: "x",
    Status.ABANDONED: "-",
    Status.BLOCKED: "!",
}
"""The mark that is written for a status."""

_READ = {mark: status for status, mark in MARKS.items()} | {
    "": Status.PENDING,
    "X": Status.COMPLETED,
    ">": Status.IN_PROGRESS,
    "~": Status.ABANDONED,
}

_S = f"[{WHITE_SPACE}]"
_DOT = "[^\n\r\u2028\u2029]"  # JavaScript's dot
_NOTE = re.compile(rf"{_S}*+>{_S}?({_DOT}*)\Z")
_COMMENT = re.compile(rf"<!--{_DOT}*-->\Z")
_HEADING = re.compile(rf"#{{1,6}}{_S}++({_DOT}+)\Z")
_BULLET = r"(?:[-*+]|\d{1,9}[.)])"
_TASK = re.compile(rf"{_BULLET}{_S}*+\\?\[({_DOT}?)\\?\]{_S}*+({_DOT}*)\Z")
_PLAIN = re.compile(rf"{_BULLET}{_S}++({_DOT}+)\Z")
_REASON = re.compile(rf"(.*?)<!--{_S}*blocker:(.*)-->\Z", re.DOTALL)
_REASON_MARK = re.compile(rf"<(\\*)!--(?={_S}*blocker:)")
_ESCAPED_REASON_MARK = re.compile(rf"<\\(\\*)!--(?={_S}*blocker:)")
_RESERVED_NOTE = re.compile(r"<!--= (?:(.*) )?-->\Z")
_NEEDS_RESERVED = re.compile(rf"\Z|<!--= |.*(?:{_S}\Z|[\r\u2028\u2029])", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a text says, and the lines that could not be read, in order."""

    plan: Plan
    problems: tuple[LineProblem, ...] = ()


# --- writing ----------------------------------------------------------------------------------------


def to_markdown(plan: Plan) -> str:
    """The plan as a checklist that ends in one line feed; an empty plan is empty text."""
    return "\n".join("".join(f"{line}\n" for line in _phase_lines(phase)) for phase in plan.phases)


def task_line(task: Task) -> str:
    """One task as its checklist line, without its notes."""
    line = f"- [{MARKS[task.status]}] "
    if task.status is not Status.BLOCKED:
        return line + task.content
    line += _REASON_MARK.sub(r"<\\\1!--", task.content)
    return line if task.blocker is None else f"{line} <!-- blocker: {task.blocker} -->"


def _phase_lines(phase: Phase) -> Iterator[str]:
    yield f"# {phase.name}"
    for task in phase.tasks:
        yield task_line(task)
        yield from _note_lines(task.notes)


def _note_lines(notes: Iterable[str]) -> Iterator[str]:
    for position, note in enumerate(notes):
        if position:
            yield "  >"
        for line in note.split("\n"):
            yield f"  > {_reserved(line) if _NEEDS_RESERVED.match(line) else line}"


def _reserved(line: str) -> str:
    if not line:
        return "<!--= -->"
    # Escaped to ASCII, so that no editor sees U+2028 as a line end.
    escaped = json.dumps(line)[1:-1].replace("-->", "--\\u003e")
    return f"<!--= {escaped} -->"


# --- reading ----------------------------------------------------------------------------------------


def from_markdown(text: str) -> Parsed:
    """Read a checklist. A line that cannot be read is a problem and ends the task above it."""
    reader = _Reader()
    for number, line in enumerate(re.split("\r?\n", text), start=1):
        reader.read(number, line)
    return Parsed(reader.plan(), tuple(reader.problems))


def restore_hidden(edited: Plan, base: Plan, renamed: Mapping[str, str] = MappingProxyType({})) -> Plan:
    """Give the tasks and phases of an edited text the keys that text cannot carry, by content and name.

    `renamed` has what contents of the text were in `base`. Such a task keeps what it is, not what its words were.
    """
    phases = tuple(
        replace(phase, tasks=tuple(_with_hidden(t, base, renamed) for t in phase.tasks)) for phase in edited.phases
    )
    extras = {phase.name: phase.extra for phase in reversed(base.phases)}
    return Plan(tuple(replace(p, extra=extras[p.name]) if p.name in extras else p for p in phases))


def _with_hidden(task: Task, base: Plan, renamed: Mapping[str, str]) -> Task:
    place = base.find(renamed.get(task.content, task.content))
    if place is None:
        return task
    hidden = base.at(place)
    active_form = None if task.content in renamed else hidden.active_form
    return replace(task, active_form=active_form, id=hidden.id, extra=hidden.extra)


@dataclass(slots=True)
class _Draft:
    """A phase while it is read."""

    name: str
    tasks: list[Task] = field(default_factory=list[Task])


class _Reader:
    """Reads line by line: a note belongs to the task above it, a task to the heading above it."""

    def __init__(self) -> None:
        self.problems: list[LineProblem] = []
        self._phases: list[_Draft] = []
        self._task: Task | None = None
        self._notes: list[list[str]] = []
        self._note_is_open = False

    def plan(self) -> Plan:
        self._end_task()
        return Plan(tuple(Phase(name=draft.name, tasks=tuple(draft.tasks)) for draft in self._phases))

    def read(self, number: int, line: str) -> None:
        # The order is OMP's: note, blank, heading, task, error.
        note = _NOTE.match(line) if self._task is not None else None
        if note:
            self._read_note(note[1])
            return
        trimmed = trim(line)
        if not trimmed or _COMMENT.match(trimmed):
            return
        heading = _HEADING.match(trimmed)
        problem = self._read_heading(heading[1]) if heading else self._read_task(trimmed)
        if problem:
            self._end_task()
            self.problems.append(LineProblem(number, line, problem))

    def _read_note(self, rest: str) -> None:
        if not rest:
            self._note_is_open = False
            return
        if not self._note_is_open:
            self._notes.append([])
            self._note_is_open = True
        self._notes[-1].append(_unreserved(rest))

    def _read_heading(self, text: str) -> str | None:
        name = one_line(text)
        if not name:
            return "the heading is blank; name the phase, such as # Build"
        self._end_task()
        self._phases.append(_Draft(name))
        return None

    def _read_task(self, line: str) -> str | None:
        task = _TASK.match(line)
        plain = None if task else _PLAIN.match(line)
        if not task and not plain:
            return _why_unreadable(line)
        self._end_task()
        if not self._phases:
            self._phases.append(_Draft(FIRST_PHASE))
        mark, content = (task[1], task[2]) if task else ("", plain[1] if plain else "")
        status = _READ.get(" " if mark and not trim(mark) else mark)
        if status is None:
            return f"unknown mark [{mark}]; use one of [ ] [/] [x] [-] [!]"
        read = _task(content, status)
        if not read.content:
            return "nothing stands after the mark; say what is to be done, or remove the line"
        self._task = read
        return None

    def _end_task(self) -> None:
        if self._task is not None:
            notes = tuple(note_text("\n".join(lines)) for lines in self._notes)
            self._phases[-1].tasks.append(replace(self._task, notes=notes))
        self._task, self._notes, self._note_is_open = None, [], False


def _task(content: str, status: Status) -> Task:
    if status is not Status.BLOCKED:
        return Task(content=one_line(content), status=status)
    # Asked first, for the search alone would begin anew at each of many beginnings.
    split = _REASON.match(content) if content.endswith("-->") else None
    blocker = None
    if split:
        content, blocker = split[1], one_line(split[2]) or None
    return Task(content=one_line(_ESCAPED_REASON_MARK.sub(r"<\1!--", content)), status=status, blocker=blocker)


def _unreserved(rest: str) -> str:
    form = _RESERVED_NOTE.match(rest)
    if form is None:
        return rest
    try:
        return str(json.loads(f'"{form[1] or ""}"'))
    except ValueError:
        return rest


def _why_unreadable(line: str) -> str:
    if line.startswith(">"):
        return "a note needs a task above it; put it under its task, or remove the >"
    if re.match(_BULLET + r"\Z", line):
        return "nothing stands after the bullet; say what is to be done, or remove the line"
    return f"{quoted(line)} is no task, note or heading; write - [ ] before a task, > before a note, # before a phase"
