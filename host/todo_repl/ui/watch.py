"""`todo-context watch`: the plan of a session as it becomes, for a pane beside any agent.

On a terminal the panel alone, drawn anew when something changes. Elsewhere the checklist, whenever it changes.
"""

import sys
import time
from pathlib import Path

from todo_context.checklist import checklist
from todo_context.looks import Styles
from todo_context.plan.select import progress
from todo_context.settings import PanelSettings
from todo_repl.session_read import read_session
from todo_repl.ui.output import Output
from todo_repl.ui.show import check
from todo_repl.watch import LOOKS_PER_S, NewestHere, Sight, Watch

NO_PLAN = "No plan yet."


def watch(path: Path | None, here: NewestHere, out: Output, settings: PanelSettings) -> int:
    """Show the plan of the session at `path`, else of the newest one here, until the person leaves; the exit code.

    Raises:
        SessionError: what is at `path` is no session. It need not be there yet.
    """
    if path is not None and check(path, may_be_missing=True):
        read_session(path)
    watched = Watch(here if path is None else lambda: path)
    if out.is_terminal and sys.stdin.isatty():
        from todo_repl.ui.watch_screen import run  # noqa: PLC0415 (its library is for terminals alone)

        return run(watched, settings)
    _print_changes(watched, out)
    return 0


def _print_changes(watched: Watch, out: Output) -> None:
    shown = ""
    while not out.is_closed:
        sight = watched.look()
        text = shown if sight is None else _text(sight, out.styles)
        if text != shown:
            out.line(f"\n{text}" if shown else text)
            shown = text
        time.sleep(1 / LOOKS_PER_S)


def _text(sight: Sight, styles: Styles) -> str:
    if sight.line:
        return sight.line
    text = checklist(sight.plan, styles).plain
    return f"{text}\n{progress(sight.plan)}" if text else NO_PLAN
