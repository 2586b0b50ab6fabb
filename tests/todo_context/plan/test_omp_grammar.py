"""What we write is read by OMP: held against a reader of OMP's grammar, which is held against OMP's own answers.

The reader is written from the rules of that grammar, those of version 14.9.9 and 18.3.4, line by line, and uses
nothing of ours to read.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pytest
from hypothesis import given

from tests.plans import plan, plans, vectors
from todo_context.plan.apply import normalised
from todo_context.plan.markdown import to_markdown
from todo_context.plan.model import Plan, Status, Task

Version = Literal[14, 18]

_S = "[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
"""JavaScript's `\\s`."""

_DOT = "[^\n\r\u2028\u2029]"
"""JavaScript's `.`: one UTF-16 unit, and no end of a line."""

_TRIM = re.compile(rf"\A{_S}+|{_S}+\Z")
_NOTE = re.compile(rf"\A{_S}*>{_S}?({_DOT}*)\Z")
_HEADING = re.compile(rf"\A#{{1,6}}{_S}+({_DOT}+?){_S}*\Z")
_TASK = {
    14: re.compile(rf"\A[-*+]{_S}*\[({_DOT}?)\]{_S}+({_DOT}+?){_S}*\Z"),
    18: re.compile(rf"\A[-*+]{_S}*\\?\[({_DOT}?)\\?\]{_S}+({_DOT}+?){_S}*\Z"),
}
_REASON = re.compile(rf"\A({_DOT}*?){_S}*<!--{_S}*blocker:{_S}*({_DOT}*?){_S}*-->\Z")

_MARKS = {" ": "pending", "": "pending", "x": "completed", "X": "completed", "/": "in_progress", ">": "in_progress"}
_MARKS |= {"-": "abandoned", "~": "abandoned"}


@dataclass
class OmpReader:
    """One reading of a text; `phases` as the vectors write them, and the numbers of the lines in error."""

    version: Version
    phases: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    error_lines: list[int] = field(default_factory=list[int])
    _task: dict[str, Any] | None = None
    _note: list[str] | None = None

    def read(self, text: str) -> "OmpReader":
        for number, line in enumerate(re.split("\r?\n", _units(text)), start=1):
            self._read_line(number, line)
        self._normalise()
        return self

    def _read_line(self, number: int, line: str) -> None:
        note = _NOTE.match(line) if self._task is not None and self.version == 14 else None
        if note:
            self._read_note(_text(note[1]))
            return
        trimmed = _TRIM.sub("", line)
        if not trimmed:
            return
        if heading := _HEADING.match(trimmed):
            self.phases.append({"name": _text(heading[1]), "tasks": []})
            self._task = self._note = None
        elif not ((task := _TASK[self.version].match(trimmed)) and self._read_task(task[1], _text(task[2]))):
            self.error_lines.append(number)
            self._task = self._note = None

    def _read_note(self, rest: str) -> None:
        assert self._task is not None
        if not rest:
            self._note = None
            return
        if self._note is None:
            self._note = []
            self._task.setdefault("notes", []).append("")
        self._note.append(rest)
        self._task["notes"][-1] = "\n".join(self._note)

    def _read_task(self, mark: str, content: str) -> bool:
        if not self.phases:
            self.phases.append({"name": "Todos", "tasks": []})
        if self.version == 18 and mark == "!":
            task: dict[str, Any] = {"content": content, "status": "blocked"}
            if reason := _REASON.match(content):
                task |= {"content": reason[1], "blocker": reason[2]}
        elif mark in _MARKS:
            task = {"content": content, "status": _MARKS[mark]}
        else:
            return False
        self.phases[-1]["tasks"].append(task)
        self._task, self._note = task, None
        return True

    def _normalise(self) -> None:
        tasks = [task for phase in self.phases for task in phase["tasks"]]
        active = [task for task in tasks if task["status"] == "in_progress"]
        for task in active[1:]:
            task["status"] = "pending"
        pending = [task for task in tasks if task["status"] == "pending"]
        if pending and not active:
            pending[0]["status"] = "in_progress"


def _units(text: str) -> str:
    """Text as JavaScript sees it: a character for each UTF-16 unit."""
    raw = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(raw[at] | raw[at + 1] << 8) for at in range(0, len(raw), 2))


def _text(units: str) -> str:
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


@pytest.mark.parametrize("version", [14, 18])
def test_the_reader_answers_every_vector_as_omp_does(version: Version) -> None:
    def differs(vector: dict[str, Any]) -> bool:
        read, expected = OmpReader(version).read(vector["input"]["markdown"]), vector["expected"]
        assert expected["errors_count"] == len(expected.get("error_lines", ()))
        return (read.phases, read.error_lines) != (expected["phases"], expected.get("error_lines", []))

    all_of = list(vectors(f"omp{version}_markdown_parse"))

    assert [vector["id"] for vector in all_of if differs(vector)] == []
    assert len(all_of) == {14: 1459, 18: 293}[version]


def _each(value: Plan, change: Callable[[Task], Task]) -> Plan:
    return Plan(tuple(replace(phase, tasks=tuple(map(change, phase.tasks))) for phase in value.phases))


def _without_blocked(value: Plan) -> Plan:
    def opened(task: Task) -> Task:
        return replace(task, status=Status.PENDING, blocker=None) if task.status is Status.BLOCKED else task

    return _each(value, opened)


def _without_notes(value: Plan) -> Plan:
    return _each(value, lambda task: replace(task, notes=()))


def _said(value: Plan) -> list[tuple[str, list[tuple[str, str]]]]:
    """Names, contents and statuses, as OMP has them after it read a text: with one task in progress."""
    return [(p.name, [(task.content, task.status) for task in p.tasks]) for p in normalised(value).phases]


def _heard(reader: OmpReader) -> list[tuple[str, list[tuple[str, str]]]]:
    return [(p["name"], [(task["content"], task["status"]) for task in p["tasks"]]) for p in reader.phases]


@given(plans.map(_without_blocked))
def test_omp_14_reads_what_we_write_of_plans_without_blocked_tasks(value: Plan) -> None:
    read = OmpReader(14).read(to_markdown(value))

    assert read.error_lines == []
    assert _heard(read) == _said(value)


@given(plans.map(_without_notes))
def test_omp_18_reads_what_we_write_of_plans_without_notes(value: Plan) -> None:
    read = OmpReader(18).read(to_markdown(value))

    assert read.error_lines == []
    # A blocked content that looks like a reason has a backslash more there, which we alone take out again.
    assert _heard(read) == _said(_each(value, _as_18_sees_it))


def _as_18_sees_it(task: Task) -> Task:
    if task.status is not Status.BLOCKED:
        return task
    return replace(task, content=re.sub(rf"<(\\*)!--(?={_S}*blocker:)", r"<\\\1!--", task.content))


@pytest.mark.parametrize(
    ("version", "markdown", "error_lines"),
    [
        pytest.param(14, "# A\n- [!] x <!-- blocker: y -->\n", [2], id="14 knows no blocked task"),
        pytest.param(18, "# A\n- [ ] x\n  > a note\n", [3], id="18 knows no notes"),
    ],
)
def test_what_a_version_does_not_know_is_an_error_there_and_none_here(
    version: Version, markdown: str, error_lines: list[int]
) -> None:
    assert to_markdown(plan(markdown)) == markdown
    assert OmpReader(version).read(markdown).error_lines == error_lines
