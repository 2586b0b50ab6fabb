"""A session file that another program writes, looked at again and again: the plan in it.

Looks, and changes nothing. While nothing changes, a look is a `stat` or two. Of a file of version 3 that has changed
only the end is read, back to the newest plan; of an older one, all of it.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from todo_context.errors import TodoContextError
from todo_context.pi import Entry
from todo_context.plan.model import EMPTY, Plan
from todo_context.plan.replay import latest
from todo_context.plan.text import for_screen
from todo_repl.session_branch import Way
from todo_repl.session_folder import ENDING, newest_session, session_folder
from todo_repl.session_format import VERSION
from todo_repl.session_read import read_session
from todo_repl.session_records import Records
from todo_repl.session_tail import OpenFile

LOOKS_PER_S = 4
"""A change is seen before one looks up from the keys; more would only cost."""

TURN_WITHIN = 50
"""Entries, from the leaf back, among which the person's last message is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What a look found. `line`, if any, is why no plan can be read. `turn` names the person's last message."""

    name: str
    plan: Plan = EMPTY
    line: str = ""
    turn: str = ""


class Watch:
    """Looks at the file that `pick` names; None: there is none yet."""

    def __init__(self, pick: Callable[[], Path | None]) -> None:
        self._pick = pick
        self._seen: object = self

    def look(self) -> Sight | None:
        """What is there now; None if it is what was there at the last look."""
        path = self._pick()
        seen = (path, _mark(path))
        if seen == self._seen:
            return None
        self._seen = seen
        if path is None:
            return Sight(name="", line="Waiting for a session of this folder.")
        name = for_screen(path.name)
        if seen[1] is None:
            return Sight(name=name, line=f"Waiting for {for_screen(str(path))}.")
        try:
            branch = branch_of(path)
            return Sight(name=name, plan=latest(branch).plan, turn=_turn(branch))
        except TodoContextError as error:
            return Sight(name=name, line=for_screen(str(error)))


class NewestHere:
    """Picks the newest session of a folder; and after that, each one that is begun later."""

    def __init__(self, cwd: str, root: Path) -> None:
        self._cwd = cwd
        self._root = root
        self._folder = session_folder(cwd, root=root)
        self._seen: int | None = None
        self._known: frozenset[Path] = frozenset()
        self._path: Path | None = None

    def __call__(self) -> Path | None:
        """The session to look at now."""
        try:
            changed = self._folder.stat().st_mtime_ns
        except OSError:
            return self._path
        if changed != self._seen:
            self._seen = changed
            self._choose()
        return self._path

    def _choose(self) -> None:
        there = frozenset(self._folder.glob(f"*{ENDING}"))
        # One that is just being made has no header yet, and is looked at again.
        written = frozenset(path for path in there if _size(path))
        if written != there:
            self._seen = None
        begun = written - self._known
        if self._path is None or begun:
            newest = newest_session(self._cwd, root=self._root)
            if self._path is None or newest in begun:
                self._path = newest
        self._known = written


def branch_of(path: Path) -> Sequence[Entry]:
    """The branch of a session file of any program, the root first.

    Raises:
        SessionError: the file is missing, no session, or changed while it was read.
    """
    file = OpenFile(path)
    found = file.header()
    if not isinstance(found, tuple):
        return read_session(path).branch
    header, begins = found
    if header.version != VERSION:
        return read_session(path).branch
    records = Records(file.lines_back(begins, file.stat().st_size))
    return Way(records.find, records.leaf_id()).branch()


def _turn(branch: Sequence[Entry]) -> str:
    for entry in islice(reversed(branch), TURN_WITHIN):
        match entry:
            case {"type": "message", "id": str(entry_id), "message": {"role": "user"}}:
                return entry_id
            case _:
                pass
    return ""


def _mark(path: Path | None) -> object:
    """What changes when the file is written, cut or replaced; None while it is not there."""
    if path is None:
        return None
    try:
        stat = os.stat(path)  # noqa: PTH116 - a name that is too long is one that is not there
    except (OSError, ValueError):
        return None
    return (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
