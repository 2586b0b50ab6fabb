"""What programs of ours that were killed left in a folder of sessions: half a fork, and locks of files that never were.

Whatever a living process holds stays, and so does what is young: its owner may be about to lock it.
"""

import os
import re
import time
from contextlib import suppress
from pathlib import Path

from todo_repl.session_file import PART
from todo_repl.session_folder import ENDING
from todo_repl.session_lock import ENDING as LOCK
from todo_repl.session_lock import Lock

_PART = re.compile(rf"{re.escape(PART)}(-[0-9]+)?")

YOUNG_S = 3600.0
"""How long, in seconds, nothing is taken for left over."""


def sweep(folder: Path, *, now_s: float | None = None) -> None:
    """Remove what was left over; what cannot be removed stays."""
    before_s = (time.time() if now_s is None else now_s) - YOUNG_S
    with suppress(OSError):
        for found in list(os.scandir(folder)):
            name, mark, rest = found.name.rpartition(ENDING)
            if mark and (rest == LOCK or _PART.fullmatch(rest)):
                with suppress(OSError):
                    _remove(Path(found.path), folder / f"{name}{mark}", before_s)


def _remove(left: Path, session: Path, before_s: float) -> None:
    is_lock = left.name.endswith(LOCK)
    if left.lstat().st_mtime > before_s or not left.is_file() or (is_lock and os.path.lexists(session)):
        return
    lock = Lock(session)
    lock.take()
    try:
        if not is_lock:
            left.unlink()
    finally:
        lock.release()
