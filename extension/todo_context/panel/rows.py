"""What stands on each row of the panel: pieces of text with their styles. Pure.

Every text of a plan passes `safe_text`, and is measured in cells. `drawn` makes a Rich text of a row, and only that is
sure to be no wider than it may be.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from todo_context.cells import cut, safe_text, width_cells, wrapped
from todo_context.looks import ROLES, Looks
from todo_context.panel.choose import MoreLine, PhaseLine
from todo_context.plan.model import Plan, Status, Task
from todo_context.plan.select import Counts, counts

BAR_CELLS, LEAST_BAR_CELLS = 20, 4
"""The bar of progress at most, and the shortest that says something."""

NAME_CELLS = 6
"""The least that is worth showing of a name beside something else."""

WIDE = 40
"""Cells from which words are spelled out."""

HINT = "/todo changes it"

Row = Sequence[tuple[str, str]]
"""Texts, each with its style."""

_NUMERALS = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
)
_DIGITS = ((9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What the rows depend on beside the plan.

    `swept`: cells of the task `closing` that are struck through already. `hint` says how to change the plan.
    """

    looks: Looks
    width: int
    tick: int = 0
    is_working: bool = False
    closing: frozenset[str] = frozenset()
    swept: int | None = None
    hint: str = HINT


def roman(number: int) -> str:
    """A number from 1 on, as phases are numbered."""
    written = ""
    for value, numeral in (*_NUMERALS, *_DIGITS):
        written += numeral * (number // value)
        number %= value
    return written


def drawn(pieces: Row, moment: Moment) -> Text:
    """A row as it is shown, cut at its end."""
    made = Text(no_wrap=True, overflow="ignore", end="")
    is_cut = sum(width_cells(text) for text, _ in pieces) > moment.width
    left = max(0, moment.width - 1) if is_cut else moment.width
    for text, style in pieces:
        made.append(cut(text, left, ""), style)
        left -= width_cells(text)
        if left < 0:
            made.append(moment.looks.glyphs.ellipsis if moment.width > 0 else "", style)
            break
    return made


def heading(plan: Plan, phase: PhaseLine | None, moment: Moment) -> Row:
    """How far the plan is: done of all, a bar, the phase at work if it has no row of its own, and a hint."""
    found, styles = counts(plan), moment.looks.styles
    pieces = [("Plan", styles["title"]), (f" {found.completed}/{found.total} done", styles["count"])]
    left = moment.width - sum(width_cells(text) for text, _ in pieces)
    for number, word, style, wanted in (
        (found.blocked, "blocked", styles["blocked"], LEAST_BAR_CELLS),
        (found.abandoned, "dropped", styles["count"], LEAST_BAR_CELLS + (BAR_CELLS if phase else 0)),
    ):
        detail = f", {number} {word}"
        if number and width_cells(detail) + 1 + wanted <= left:
            pieces.append((detail, style))
            left -= width_cells(detail)
    name = f" {_numbered(phase)}" if phase and left - 1 - LEAST_BAR_CELLS > NAME_CELLS else ""
    share = max(LEAST_BAR_CELLS, left - 1 - width_cells(name)) if name else left - 1
    if share >= LEAST_BAR_CELLS:
        bar = list(_bar(found, min(BAR_CELLS, share), moment.looks))
        pieces += [(" ", ""), *bar]
        left -= 1 + sum(width_cells(text) for text, _ in bar)
    name = cut(name, left, moment.looks.glyphs.ellipsis)
    pieces.append((name, styles["phase"]))
    left -= width_cells(name)
    hint = f" {moment.looks.glyphs.dot} {moment.hint}"
    if moment.hint and width_cells(hint) <= left:
        pieces.append((hint, styles["hint"]))
    return pieces


def phase_row(line: PhaseLine, moment: Moment) -> Row:
    """A phase, numbered; with what is open in it, if nothing else of it is shown."""
    styles = moment.looks.styles
    hidden = f" ({line.hidden} open)" if line.hidden else ""
    name = cut(_numbered(line), moment.width - width_cells(hidden), moment.looks.glyphs.ellipsis)
    return [(name, styles["phase"]), (hidden, styles["more"])]


def more_row(line: MoreLine, moment: Moment) -> Row:
    """How much is not shown."""
    found = line.hidden
    parts = [found.closed_words] if found.closed else []
    words = ", ".join([*parts, f"{found.open} open"] if found.open else parts)
    text = f"+{found.total} more ({words})" if found.total else f"+{line.rows} rows"
    return [(text, moment.looks.styles["more"])]


def task_row(task: Task, indent: int, moment: Moment) -> Row:
    """One task on one row: mark, text, why it is blocked, how many notes it has."""
    styles, glyphs = moment.looks.styles, moment.looks.glyphs
    lead = f"{' ' * indent}{_mark(task, moment)} "
    notes = _count_of_notes(task, moment)
    room = max(0, moment.width - width_cells(lead) - width_cells(notes))
    if room < NAME_CELLS:
        room, notes = room + width_cells(notes), ""
    said = f" {glyphs.dash} {safe_text(task.blocker)}" if task.blocker else ""
    text = safe_text(_words(task, moment))
    # The reason yields first, but not wholly: half of the row is enough to know a task by.
    reason = cut(said, max(room - width_cells(text), room // 2), glyphs.ellipsis) if room > 2 * NAME_CELLS else ""
    text = cut(text, room - width_cells(reason), glyphs.ellipsis)
    return [
        (lead, _mark_style(task, moment)),
        *_struck(task, text, moment),
        (reason, styles["reason"]),
        (notes, styles["note"]),
    ]


def task_rows(task: Task, indent: int, moment: Moment, *, with_notes: bool) -> Iterator[Row]:
    """One task in full, on as many rows as it takes: its text, why it is blocked, and its notes or their count."""
    styles = moment.looks.styles
    lead, margin = f"{' ' * indent}{_mark(task, moment)} ", " " * (indent + 2)
    width = moment.width - len(margin)
    for line in wrapped(safe_text(_words(task, moment)), width):
        yield [(lead, _mark_style(task, moment)), *_struck(task, line, moment)]
        lead = margin
    said = [(moment.looks.glyphs.dash, task.blocker, styles["reason"])] if task.blocker else []
    if with_notes:
        said += [(">", line, styles["note"]) for note in task.notes for line in note.split("\n")]
    for mark, text, style in said:
        for line in wrapped(safe_text(text), width - 2):
            yield [(f"{margin}{mark} {line}", style)]
    if task.notes and not with_notes:
        yield [(margin, ""), (_count_of_notes(task, moment).strip(), styles["note"])]


def _numbered(line: PhaseLine) -> str:
    return f"{roman(line.number)}. {safe_text(line.name)}"


def _mark(task: Task, moment: Moment) -> str:
    glyphs = moment.looks.glyphs
    if task.status is Status.IN_PROGRESS and moment.is_working and moment.tick:
        return glyphs.spinner[moment.tick % len(glyphs.spinner)]
    return glyphs.mark(task.status)


def _mark_style(task: Task, moment: Moment) -> str:
    styles = moment.looks.styles
    if task.status is Status.COMPLETED:
        return styles["bar_done"]
    return styles["more" if task.status is Status.ABANDONED else ROLES[task.status]]


def _words(task: Task, moment: Moment) -> str:
    is_at_work = moment.is_working and task.status is Status.IN_PROGRESS
    return (task.active_form if is_at_work else None) or task.content


def _struck(task: Task, text: str, moment: Moment) -> Row:
    """The text of a task; of one that is just closing, struck through as far as the stroke has come."""
    style = moment.looks.styles[ROLES[task.status]]
    if moment.swept is None or task.content not in moment.closing:
        return [(text, style)]
    head = cut(text, moment.swept, "") if moment.swept < width_cells(text) else text
    return [(head, style), (text[len(head) :], moment.looks.styles["pending"])]


def _count_of_notes(task: Task, moment: Moment) -> str:
    if not task.notes:
        return ""
    dot, count = moment.looks.glyphs.dot, len(task.notes)
    if moment.width < WIDE:
        return f" {dot}{count}"
    return f" {dot} {count} {'note' if count == 1 else 'notes'}"


def _bar(found: Counts, cells: int, looks: Looks) -> Iterator[tuple[str, str]]:
    """Full only when all is closed, and empty only when nothing is."""
    done = cells * found.closed // found.total if found.total else 0
    if found.closed and not done:
        done = 1
    yield looks.glyphs.bar_done * done, looks.styles["bar_done"]
    yield looks.glyphs.bar_open * (cells - done), looks.styles["bar_open"]
