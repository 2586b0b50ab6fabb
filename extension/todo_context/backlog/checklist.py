"""Items as a checklist to edit, and a checklist as what its writer wants changed.

Pure. Projects are headings, notes are quoted lines, and what else an item has stands in a comment at the end of its
line, with the id. The text is the rest of the line as it stands, so nothing in it needs to be escaped.

    # core
    - [ ] Port logger <!-- td-4k2m high #infra -->
      > keeps the old format
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from todo_context.backlog.item import Box, Item, Priority, Status, box_of, folded_notes, folded_tags
from todo_context.plan.problem import LineProblem
from todo_context.plan.text import one_line

HEAD = """\
<!-- The backlog. A new line is a new item: - [ ] its text. A line that is gone is cancelled; [x] is done,
     [-] cancelled, [~] parked. In the comment at its end: the id, a priority, #tags. Below it: > notes. -->
"""
"""What stands above it. By its beginning such a text is told from one of the plan."""

_OF_HEAD = re.compile(r"\s*<!-- The backlog\..*?-->\n?", re.DOTALL)

Mark = Literal["open", "done", "cancelled", "parked"]
_MARKS: Mapping[str, Mark] = {
    " ": "open", "": "open", "/": "open", ">": "open", "x": "done", "X": "done", "-": "cancelled", "~": "parked",
}  # fmt: skip

_LINE = re.compile(r"\s*[-*+] \[(.?)\] ?(.*)")
_TAG = r'#(?:"(?:[^"\\]|\\.)*"|[^\s"]+)'
_COMMENT = re.compile(
    rf"(?:^|(?<= ))<!--((?: td-\S+| [^\s#]\S*-\S*)?(?: (?:low|med|high|critical))?(?: {_TAG})*) -->\s*$"
)
_QUOTED = re.compile(r"\s*> ?(.*)")


@dataclass(frozen=True, slots=True)
class Line:
    """One item as the text has it. `id` is empty for a new one; `number` is the place of its line, from 1."""

    number: int
    project: str
    mark: Mark
    text: str
    id: str = ""
    priority: Priority = Priority.MED
    tags: tuple[str, ...] = ()
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The lines of a text, and those that could not be read."""

    lines: tuple[Line, ...]
    problems: tuple[LineProblem, ...] = ()


def is_backlog(text: str) -> bool:
    """Whether a text is one of the backlog, and not of a plan."""
    return _OF_HEAD.match(text) is not None


def render(items: Iterable[Item], project: str, now: datetime) -> str:
    """Items as a text, by project; that of the session first, also when there is nothing in it."""
    by_project: dict[str, list[Item]] = {project: []}
    for item in items:
        by_project.setdefault(item.project, []).append(item)
    blocks = ["\n".join([f"# {name}".rstrip(), *_rows(each, now)]) for name, each in by_project.items()]
    return HEAD + "\n" + "\n\n".join(blocks) + "\n"


def mark_of(item: Item, now: datetime) -> Mark:
    """How an item stands in a text. One that was parked until a day that has come is open."""
    match item.status:
        case Status.DONE:
            return "done"
        case Status.CANCELLED:
            return "cancelled"
        case _:
            return "parked" if box_of(item, now) is Box.PARKED else "open"


def _rows(items: Sequence[Item], now: datetime) -> Iterator[str]:
    for item in items:
        mark = "~" if mark_of(item, now) == "parked" else "/" if item.status is Status.IN_PROGRESS else " "
        said = [item.id, *([] if item.priority is Priority.MED else [item.priority.value]), *map(_tag, item.tags)]
        yield f"- [{mark}] {item.text} <!-- {' '.join(said)} -->"
        if item.notes:
            yield from (f"  > {line}" for line in item.notes.split("\n"))


def _tag(tag: str) -> str:
    # As JSON where it would not be read as it is; a comment must not end inside.
    plain = re.fullmatch(r"[^\s\"<>\\]+", tag)
    return f"#{tag}" if plain else "#" + json.dumps(tag, ensure_ascii=False).replace("-->", "--\\u003e")


def parse(text: str, project: str) -> Parsed:
    """Read a text. What stands above the first heading is of this project."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    head = _OF_HEAD.match(text)
    skipped = text[: head.end()].count("\n") if head else 0
    reader = _Reader(project)
    for number, line in enumerate(text.split("\n")[skipped:], skipped + 1):
        reader.take(number, line)
    return reader.parsed()


@dataclass(slots=True)
class _Reader:
    project: str
    lines: list[Line] = field(default_factory=list[Line])
    notes: list[list[str]] = field(default_factory=list[list[str]])
    problems: list[LineProblem] = field(default_factory=list[LineProblem])

    def take(self, number: int, line: str) -> None:
        if not line.strip():
            return
        if line.startswith("#") and (line == "#" or line[1] == " "):
            self.project = one_line(line[1:])
        elif found := _QUOTED.fullmatch(line):
            if self.notes:
                self.notes[-1].append(found[1])
            else:
                self._problem(number, line, "a note stands above the first item")
        elif found := _LINE.fullmatch(line):
            self._item(number, line, found[1], found[2])
        else:
            self._problem(number, line, "neither an item, - [ ] text, nor a note, > text, nor a project, # name")

    def _item(self, number: int, line: str, mark: str, rest: str) -> None:
        if mark not in _MARKS:
            self._problem(number, line, f"unknown mark [{mark}]; use one of [ ] [x] [-] [~]")
            return
        found = _COMMENT.search(rest)
        id_, priority, tags = _meta(found[1] if found else "")
        text = one_line(rest[: found.start()] if found else rest)
        if not text:
            self._problem(number, line, "an item needs a text; to cancel it, take out its line or mark it [-]")
        elif id_ and any(each.id == id_ for each in self.lines):
            self._problem(number, line, f"{id_} stands on two lines; take out one, or its id for a new item")
        else:
            self.lines.append(Line(number, self.project, _MARKS[mark], text, id_, priority, tags))
            self.notes.append([])

    def _problem(self, number: int, line: str, message: str) -> None:
        self.problems.append(LineProblem(line=number, text=line, message=message))

    def parsed(self) -> Parsed:
        pairs = zip(self.lines, self.notes, strict=True)
        lines = (
            Line(x.number, x.project, x.mark, x.text, x.id, x.priority, x.tags, folded_notes("\n".join(notes)))
            for x, notes in pairs
        )
        return Parsed(tuple(lines), tuple(self.problems))


def _meta(comment: str) -> tuple[str, Priority, tuple[str, ...]]:
    tags = re.findall(_TAG, comment)
    rest = re.sub(_TAG, "", comment).split()
    priority = next((Priority(word) for word in rest if word in set(Priority)), Priority.MED)
    id_ = next((word for word in rest if word not in set(Priority)), "")
    return id_, priority, folded_tags(_read_tag(tag[1:]) for tag in tags)


def _read_tag(tag: str) -> str:
    try:
        return str(json.loads(tag)) if tag.startswith('"') else tag
    except ValueError:
        return tag


# --- what was changed -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the writer of a text changed: new lines, those of an item that differ, and the ids whose line is gone."""

    new: tuple[Line, ...] = ()
    changed: tuple[tuple[Line, Line], ...] = ()
    gone: tuple[str, ...] = ()
    unknown: tuple[Line, ...] = ()
    """With an id that did not stand in the text that was opened."""

    @property
    def is_nothing(self) -> bool:
        """Whether nothing was changed."""
        return not (self.new or self.changed or self.gone or self.unknown)


def wanted(opened: Parsed, saved: Parsed) -> Wanted:
    """Compare two texts. Only what differs is wanted: what others change meanwhile stays theirs."""
    before = {line.id: line for line in opened.lines if line.id}
    known = [line for line in saved.lines if line.id in before]
    there = {line.id for line in known}
    return Wanted(
        new=tuple(line for line in saved.lines if not line.id),
        changed=tuple((before[line.id], line) for line in known if _differs(before[line.id], line)),
        gone=tuple(id_ for id_ in before if id_ not in there),
        unknown=tuple(line for line in saved.lines if line.id and line.id not in before),
    )


def _differs(one: Line, other: Line) -> bool:
    return any(getattr(one, name) != getattr(other, name) for name in FIELDS)


FIELDS = ("project", "mark", "text", "priority", "tags", "notes")
