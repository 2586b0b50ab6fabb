"""A plan as a checklist, a Rich renderable. Prints nothing; every text passes `for_screen`."""

from collections.abc import Iterable, Iterator

from rich.text import Text

from todo_context.looks import ROLES, Styles
from todo_context.plan.markdown import MARKS
from todo_context.plan.model import Phase, Plan, Task
from todo_context.plan.select import FoldedPhase, folded, progress
from todo_context.plan.text import for_screen

ROWS_AFTER_A_CALL = 16
"""Lines of the checklist under a call; a longer plan folds, so that one call does not fill a screen of 24."""

LINE_CHARACTERS = 160
"""Characters of one line under a call: two lines of a terminal of 80. `/todo` shows the whole text."""


def checklist(plan: Plan, styles: Styles) -> Text:
    """The whole plan, a line a task and a line a line of its notes. Emptied phases are hidden."""
    groups = [Text("\n").join(_phase_lines(phase, styles)) for phase in plan.phases if phase.tasks]
    return Text("\n\n").join(groups)


def bounded_checklist(plan: Plan, styles: Styles) -> Text:
    """The plan without its notes, on about `ROWS_AFTER_A_CALL` lines: if longer, closed tasks are only counted."""
    shown = [phase for phase in plan.phases if phase.tasks]
    if sum(1 + len(phase.tasks) for phase in shown) <= ROWS_AFTER_A_CALL:
        lines = [line for phase in shown for line in (_heading(phase, styles), *_task_lines(phase.tasks, styles))]
    else:
        view = folded(plan, ROWS_AFTER_A_CALL // 2)
        lines = [line for phase in view.phases for line in _folded_lines(phase, styles)]
        if view.hidden:
            lines.append(Text(f"… +{view.hidden} more open", style=styles["more"]))
    lines.append(Text(progress(plan), style=styles["hint"]))
    return Text("\n").join(map(_cut, lines))


def _cut(line: Text) -> Text:
    if len(line.plain) <= LINE_CHARACTERS:
        return line
    return line[: LINE_CHARACTERS - 1] + Text("…")


def _phase_lines(phase: Phase, styles: Styles) -> Iterator[Text]:
    yield _heading(phase, styles)
    for task in phase.tasks:
        yield _task_line(task, styles)
        for note in task.notes:
            for line in note.split("\n"):
                yield Text(f"  > {for_screen(line)}", style=styles["note"])


def _folded_lines(phase: FoldedPhase, styles: Styles) -> Iterator[Text]:
    if phase.shown:
        yield _heading(phase.phase, styles)
        if phase.counts.closed:
            yield Text(f"  ({phase.counts.closed_words})", style=styles["more"])
        yield from _task_lines(phase.shown, styles)


def _heading(phase: Phase, styles: Styles) -> Text:
    return Text(f"# {for_screen(phase.name)}", style=styles["phase"])


def _task_lines(tasks: Iterable[Task], styles: Styles) -> Iterator[Text]:
    return (_task_line(task, styles) for task in tasks)


def _task_line(task: Task, styles: Styles) -> Text:
    line = Text(f"- [{MARKS[task.status]}] ")
    line.append(for_screen(task.content), style=styles[ROLES[task.status]])
    if task.blocker is not None:
        line.append(f" <!-- blocker: {for_screen(task.blocker)} -->", style=styles["reason"])
    return line
