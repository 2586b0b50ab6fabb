"""The panel drawn: the lines that were chosen, as rows below a heading. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from todo_context.panel.choose import (
    Line,
    MoreLine,
    PhaseLine,
    TaskLine,
    active_place,
    all_lines,
    counted,
    folded_lines,
    is_phased,
)
from todo_context.panel.rows import Moment, Row, drawn, heading, more_row, phase_row, task_row, task_rows
from todo_context.plan.model import Plan

BEFORE = 3
"""A window that is not scrolled has one of so many parts of its rows before the active task."""


@dataclass(frozen=True, slots=True)
class Window:
    """The rows that are shown of an expanded plan, how far they were scrolled, and how many of them are one page."""

    rows: Sequence[Text]
    scrolled: int
    page: int


def folded(plan: Plan, rows: int, last_closed: str | None, moment: Moment) -> Sequence[Text]:
    """The plan on at most `rows` rows, 1 or more; on a single one the active task, which says more than a count."""
    lines = folded_lines(plan, max(1, rows - 1), last_closed)
    below = [drawn(_row(line, _indent(lines), moment), moment) for line in lines]
    return below[:1] if rows == 1 else [drawn(heading(plan, _phase_at_work(plan, lines), moment), moment), *below]


def expanded(plan: Plan, rows: int, scrolled: int, moment: Moment) -> Window:
    """All of the plan; if that is more than `rows` rows, those around the active task, `scrolled` rows further down."""
    below = list(_rows_in_full(plan, moment))
    if len(below) < rows:
        head = drawn(heading(plan, None, moment), moment)
        return Window([head, *(drawn(pieces, moment) for _, pieces in below)], 0, 1)
    height = rows - 2  # below the heading, and above what says how much is hidden
    if height < 1:
        return Window(folded(plan, rows, None, moment), 0, 1)
    place = active_place(plan)
    active = None if place is None else plan.at(place)
    at_work = next((at for at, (line, _) in enumerate(below) if isinstance(line, TaskLine) and line.task is active), 0)
    most = len(below) - height
    begins = max(0, min(most, at_work - height // BEFORE))
    start = max(0, min(most, begins + scrolled))
    shown = below[start : start + height]
    seen = {id(line.task) for line, _ in shown if isinstance(line, TaskLine)}
    hidden = counted([task for task in plan.tasks() if id(task) not in seen])
    texts = [
        heading(plan, _phase_at_work(plan, [line for line, _ in shown]), moment),
        *(pieces for _, pieces in shown),
        more_row(MoreLine(hidden, most), moment),
    ]
    return Window([drawn(pieces, moment) for pieces in texts], start - begins, max(1, height - 1))


def _rows_in_full(plan: Plan, moment: Moment) -> Iterator[tuple[Line, Row]]:
    place, lines = active_place(plan), all_lines(plan)
    active = None if place is None else plan.at(place)
    for line in lines:
        if isinstance(line, TaskLine):
            for pieces in task_rows(line.task, _indent(lines), moment, with_notes=line.task is active):
                yield line, pieces
        else:
            yield line, _row(line, 0, moment)


def _row(line: Line, indent: int, moment: Moment) -> Row:
    match line:
        case PhaseLine():
            return phase_row(line, moment)
        case MoreLine():
            return more_row(line, moment)
        case TaskLine(task):
            return task_row(task, indent, moment)


def _indent(lines: Sequence[Line]) -> int:
    """Tasks stand under the phases, where these have rows."""
    return 2 if lines and isinstance(lines[0], PhaseLine) else 0


def _phase_at_work(plan: Plan, lines: Sequence[Line]) -> PhaseLine | None:
    """The phase that the heading must name, for it has no row."""
    place = active_place(plan)
    if place is None or not is_phased(plan) or any(isinstance(line, PhaseLine) for line in lines):
        return None
    number = sum(1 for phase in plan.phases[: place.phase + 1] if phase.tasks)
    return PhaseLine(number, plan.phases[place.phase].name)
