"""The plan of a session file, for `todo-context show`. Reads, and changes nothing.

Standard output is the plan alone. On standard error stand the format of the file, unless JSON is wanted, and
what was odd in it.
"""

import json
import os
import shlex
from pathlib import Path

from todo_context.checklist import checklist
from todo_context.plan.load import plan_to_json
from todo_context.plan.replay import latest
from todo_repl.session_file import SessionError
from todo_repl.session_format import ANY_SESSION
from todo_repl.session_read import read_session
from todo_repl.ui.output import Output


def show(path: Path, out: Output, err: Output, *, as_json: bool) -> None:
    """Print the plan as a checklist, or its phases as JSON.

    Raises:
        SessionError: the file is missing or no session.
    """
    check(path)
    reading = read_session(path)
    snapshot = latest(reading.branch)
    if not as_json:
        err.line(f"format: {reading.format}", err.styles["hint"])
    for warning in (*reading.notices, *snapshot.warnings):
        err.line(f"{path.name}: {warning}", err.styles["warning"])
    if as_json:
        out.write(json.dumps(plan_to_json(snapshot.plan), ensure_ascii=True) + "\n")
        return
    text = checklist(snapshot.plan, out.styles)
    if not text.plain:
        out.line("No plan.", out.styles["hint"])
    elif out.is_terminal:
        out.view(text)
    else:
        out.line(text.plain)


def check(path: Path, *, may_be_missing: bool = False) -> bool:
    """Whether there is a file.

    Raises:
        SessionError: there is a folder, or nothing although there must be something.
    """
    # Not Path.is_dir(): it raises for a name that is too long.
    if os.path.isdir(path):  # noqa: PTH112
        newest = _newest_in(path)
        step = f"Name a file in it; the newest: todo-context show {shlex.quote(str(newest))}" if newest else ANY_SESSION
        raise SessionError(path, "is a folder.", step)
    is_there = os.path.lexists(path)
    if not is_there and not may_be_missing:
        step = "Check the path; without one, show takes the newest session of this folder."
        raise SessionError(path, "there is no such file.", step)
    return is_there


def _newest_in(folder: Path) -> Path | None:
    """The session changed last in a folder, or in the folders of a program that keeps one for each project."""
    try:
        found = [path for pattern in ("*.jsonl", "*/*.jsonl") for path in folder.glob(pattern) if path.is_file()]
        return max(found, key=lambda path: path.stat().st_mtime, default=None)
    except OSError:
        return None
