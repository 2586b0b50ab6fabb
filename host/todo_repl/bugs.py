"""Where the trace of a bug goes: a file for whoever repairs it, never the screen."""

import contextlib
import os
import traceback
from datetime import datetime
from pathlib import Path

from todo_context.errors import TodoContextError
from todo_context.paths import FILE_MODE, data_dir, make_private
from todo_context.plan.text import for_screen


def log_bug(error: BaseException) -> Path | None:
    """Write the trace of `error` to a file of its own; its path, or None where nothing can be written."""
    lines = "".join(traceback.format_exception(error))
    with contextlib.suppress(OSError, TodoContextError):
        folder = make_private(data_dir() / "logs")
        path = folder / f"{datetime.now().astimezone():%Y%m%d-%H%M%S-%f}.log"
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE)
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:  # noqa: PTH123 (a descriptor)
            file.write(lines)
        return path
    return None


def bug_line(where: str, error: BaseException) -> str:
    """One line for the person about a bug in `where`; its trace is in a file that the line names."""
    path = log_bug(error)
    kept = f"Its trace is in {path}" if path else "Its trace could not be written; set TODO_CONTEXT_DATA_DIR"
    return for_screen(f"{where}: {type(error).__name__}: {error}. {kept}")
