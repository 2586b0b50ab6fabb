"""Looking into a session file of any program: nothing is written, locked or made beside it."""

from collections.abc import Sequence
from pathlib import Path

from todo_context.pi import Entry
from todo_repl.foreign import Reading, read
from todo_repl.session_error import SessionError
from todo_repl.session_format import Refused
from todo_repl.session_tail import OpenFile

MAX_FILE_BYTES = 512 * 1024 * 1024
"""More is not looked at. Source: V8's longest string, and so the largest session that pi 0.74 opens."""


def read_session(path: Path) -> Reading:
    """Read a session file, of ours or of another program, whole or torn.

    Raises:
        SessionError: the file is missing, longer than `MAX_FILE_BYTES`, or no session of a format that is known.
    """
    file = OpenFile(path)
    size = file.stat().st_size
    if size > MAX_FILE_BYTES:
        fact = f"is {size // 1_000_000} MB long; at most {MAX_FILE_BYTES // 1_000_000} MB are looked at."
        raise SessionError(path, fact, "Name another one.")
    reading = read(file.read(0, size))
    if isinstance(reading, Refused):
        raise SessionError(path, reading.fact, reading.step)
    return reading


def read_branch(path: Path) -> Sequence[Entry]:
    """Read the branch of a session file, the root first, in the shape of pi's version 3.

    Raises:
        SessionError: as `read_session`.
    """
    return read_session(path).branch
