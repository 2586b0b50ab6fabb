"""The plan of a session file, for `todo-context show`. Reads, and changes nothing."""

import json
from pathlib import Path

from todo_context.panel import checklist
from todo_context.plan.load import plan_to_json
from todo_context.plan.replay import latest
from todo_repl.session import read_branch
from todo_repl.ui.output import Output


def show(path: Path, out: Output, err: Output, *, as_json: bool) -> None:
    """Print the plan as a checklist, or its phases as JSON.

    Raises:
        SessionError: the file is missing or no session.
    """
    snapshot = latest(read_branch(path))
    for warning in snapshot.warnings:
        err.line(f"{path.name}: {warning}", "yellow")
    if as_json:
        out.write(json.dumps(plan_to_json(snapshot.plan), ensure_ascii=True) + "\n")
        return
    text = checklist(snapshot.plan)
    if not text.plain:
        out.line("No plan.", "dim")
    elif out.is_terminal:
        out.view(text)
    else:
        out.line(text.plain)
