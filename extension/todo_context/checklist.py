"""A plan as a checklist, a Rich renderable. Prints nothing; every text passes `for_screen`."""

from collections.abc import Iterator

from rich.text import Text

from todo_context.looks import ROLES, STYLES
from todo_context.plan.markdown import MARKS
from todo_context.plan.model import Phase, Plan, Task
from todo_context.plan.select import FoldedPhase, folded, progress
from todo_context.plan.text import for_screen

ROWS_AFTER_A_CALL = 16
"""Lines of the checklist under a call; a longer plan folds, so that one call does not fill a screen of 24."""

LINE_CHARACTERS = 160
"""Characters of one line under a call: two lines of a terminal of 80. `/todo` shows the whole text."""

_STYLES = STYLES["dark"]


def checklist(plan: Plan) -> Text:
    """The whole plan, a line a task and a line a line of its notes. Emptied phases are hidden."""
    groups = [Text("\n").join(_phase_lines(phase)) for phase in plan.phases if phase.tasks]
    return Text("\n\n").join(groups)


def bounded_checklist(plan: Plan) -> Text:
    """The plan without its notes, on about `ROWS_AFTER_A_CALL` lines: if longer, closed tasks are only counted."""
    shown = [phase for phase in plan.phases if phase.tasks]
    if sum(1 + len(phase.tasks) for phase in shown) <= ROWS_AFTER_A_CALL:
        lines = [line for phase in shown for line in (_heading(phase), *map(_task_line, phase.tasks))]
    else:
        view = folded(plan, ROWS_AFTER_A_CALL // 2)
        lines = [line for phase in view.phases for line in _folded_lines(phase)]
        if view.hidden:
            lines.append(Text(f"… +{view.hidden} more open", style="dim"))
    lines.append(Text(progress(plan), style="dim"))
    return Text("\n").join(map(_cut, lines))


def _cut(line: Text) -> Text:
    if len(line.plain) <= LINE_CHARACTERS:
        return line
    return line[: LINE_CHARACTERS - 1] + Text("…")


def _phase_lines(phase: Phase) -> Iterator[Text]:
    yield _heading(phase)
    for task in phase.tasks:
        yield _task_line(task)
        for note in task.notes:
            for line in note.split("\n"):
                yield Text(f"  > {for_screen(line)}", style="dim")


def _folded_lines(phase: FoldedPhase) -> Iterator[Text]:
    if phase.shown:
        yield _heading(phase.phase)
        if phase.counts.closed:
            yield Text(f"  ({phase.counts.closed_words})", style="dim")
        yield from map(_task_line, phase.shown)


def _heading(phase: Phase) -> Text:
    return Text(f"# {for_screen(phase.name)}", style="bold")


def _task_line(task: Task) -> Text:
    line = Text(f"- [{MARKS[task.status]}] ")
    line.append(for_screen(task.content), style=_STYLES[ROLES[task.status]])
    if task.blocker is not None:
        line.append(f" <!-- blocker: {for_screen(task.blocker)} -->", style="dim")
    return line
