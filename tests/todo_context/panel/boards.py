"""Panels for tests: a plan, a screen, and the rows as text."""

from collections.abc import Mapping
from typing import Any

from tests.plans import plan
from todo_context.panel.state import Panel
from todo_context.pi import Room
from todo_context.plan.model import Phase, Plan, Task
from todo_context.settings import PanelSettings

NONE = Plan()
ONE = plan("# Build\n- [/] Wire config\n")
EIGHT = plan(
    "# Build\n- [x] Wire config\n- [x] Read the settings from the file and from the environment above it\n"
    "- [/] Port the logger 漢字\n  > keeps the old format\n  > see log.py\n"
    "# Verify\n- [!] Run the tests <!-- blocker: waiting for the CI key -->\n- [ ] Look at it 👩‍👩‍👧 in a terminal\n"
    "# Ship\n- [-] Tag\n- [ ] Write the notes\n- [ ] Announce\n"
)


def many(tasks: int = 400, phases: int = 30, *, closed: int = 0) -> Plan:
    """So many tasks in so many phases; the first `closed` are completed, and the next one is at work."""
    marks = ["x"] * closed + ["/"] + [" "] * tasks
    text = "".join(
        ("" if n % -(-tasks // phases) else f"# Phase {n}\n") + f"- [{marks[n]}] Task {n}\n" for n in range(tasks)
    )
    return plan(text)


LONG = Plan((Phase(name="Long", tasks=(Task(content="word " * 4_000), *many(9, 1).phases[0].tasks)),))
"""A task of 20,000 characters, and nine others."""


class Board:
    """A panel on a screen."""

    def __init__(self, shown: Plan = NONE, environ: Mapping[str, str] | None = None, **settings: Any) -> None:
        self.panel = Panel(PanelSettings(**settings), environ or {})
        self.panel.begin(shown)

    def rows(self, columns: int = 80, rows: int = 24, **room: Any) -> list[str]:
        """What is shown on a screen of this size."""
        return [text.plain for text in self.texts(columns, rows, **room)]

    def texts(self, columns: int = 80, rows: int = 24, **room: Any) -> list[Any]:
        spare = max(0, rows - 3)  # for the line that is typed, and what stands around it
        return list(self.panel.draw(Room(width=columns, rows=spare, screen_rows=rows, **room)))
