"""The plan as a few lines that stand while one works, for a host that shows lines of an extension. Pure.

Open tasks only, in the order of the plan, below one line that counts; nothing when nothing is open.
"""

from todo_context.plan.markdown import MARKS
from todo_context.plan.model import Plan
from todo_context.plan.select import counts, folded, progress
from todo_context.plan.text import for_screen

NAME = "todo"
"""The key under which a host keeps the lines."""

TASKS = 6
"""Open tasks shown. With the lines for progress and for the rest it stays under the ten that pi shows at most."""

LINE_CHARACTERS = 72
"""Characters of a line; a host cuts by its own width what is still too wide."""


def lines(plan: Plan) -> list[str] | None:
    """At most `TASKS` + 2 lines, safe for a screen; None takes the widget away."""
    if not counts(plan).open:
        return None
    view = folded(plan, TASKS)
    shown = [f"- [{MARKS[task.status]}] {for_screen(task.content)}" for phase in view.phases for task in phase.shown]
    more = [f"… +{view.hidden} more open"] if view.hidden else []
    return [_cut(line) for line in (progress(plan), *shown, *more)]


def _cut(line: str) -> str:
    return line if len(line) <= LINE_CHARACTERS else f"{line[: LINE_CHARACTERS - 1]}…"
