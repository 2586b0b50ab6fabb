"""Earlier sessions as a person looks for them: one line each, and what a name, some words or a path mean."""

import os
import re
import shlex
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from todo_context.plan.text import for_screen
from todo_repl.session import Session, SessionError
from todo_repl.session_format import foreign
from todo_repl.session_list import Listed
from todo_repl.session_points import clipped, distinct
from todo_repl.session_tail import OpenFile

Ask = Callable[[str, Sequence[str]], Awaitable[str | None]]
"""`ask(title, lines)`: the line that the person chooses. As `Ui.select`."""

SHOWN_CELLS = 42
"""How much of a name, or of the first words, a line shows."""

STEPS = ((timedelta(days=1), "day"), (timedelta(hours=1), "hour"), (timedelta(minutes=1), "minute"))


def lines_of(listed: Sequence[Listed], *, now: datetime | None = None) -> Sequence[str]:
    """One line for each: its name or its first words, how long ago it was written, how many tasks are open."""
    moment = now or datetime.now(UTC)
    return [_line(one, moment) for one in listed]


def meant(listed: Sequence[Listed], said: str) -> Sequence[Listed]:
    """Those of which a part is what the person said: of the name, the first words, or the file's name.

    A number is the one that stands there in the list, unless a name is that number.
    """
    wanted = said.casefold()
    named = [one for one in listed if one.name.casefold() == wanted]
    if not named and re.fullmatch("[0-9]{1,4}", said) and 0 < int(said) <= len(listed):
        return [listed[int(said) - 1]]
    return named or [
        one for one in listed if wanted in f"{one.name}\n{one.first_words}\n{one.path.name}\n{one.id}".casefold()
    ]


def place_of(said: str, cwd: str) -> Path | None:
    """The file that the person names, if it is there."""
    path = Path(cwd) / os.path.expanduser(said)  # noqa: PTH111 (no error without a home)
    return path if os.path.isfile(path) else None  # noqa: PTH113 (no error for a name that is too long)


def is_same(path: Path, other: Path | None) -> bool:
    """Whether two names are of one file."""
    return other is not None and os.path.realpath(path) == os.path.realpath(other)


def opened(path: Path, *, cwd: str | None = None) -> Session:
    """Go on with a session; `cwd` as in `Session.open`.

    Raises:
        SessionError: it cannot be; of another program's it says how to go on from it.
    """
    try:
        return Session.open(path, cwd=cwd)
    except SessionError as error:
        found = None if error.path != path or not path.is_file() else OpenFile(path).header()
        if not isinstance(found, tuple) or foreign(found[0]) is None:
            raise
        raise SessionError(path, error.fact, _ways_on(path)) from error


def _ways_on(path: Path) -> str:
    name = shlex.quote(str(path))
    return f"Its plan: todo-context show {name}. To go on from it in a session of ours: /fork {path}"


async def chosen(listed: Sequence[Listed], ask: Ask) -> Path | None:
    """The file of the session that the person chooses; None if they do not."""
    lines = distinct(lines_of(listed))
    line = await ask("Which session?", lines)
    return None if line is None else listed[lines.index(line)].path


def _line(one: Listed, now: datetime) -> str:
    words = clipped(one.name or one.first_words or one.path.stem, SHOWN_CELLS)
    tasks = "" if one.open_tasks is None else f" · {one.open_tasks} open" if one.open_tasks else " · nothing open"
    fork = " · fork" if one.is_fork else ""
    is_open = " · open elsewhere" if one.is_open else ""
    return for_screen(f"{words}{fork}{is_open} · {_age(now - one.modified)}{tasks}")


def _age(age: timedelta) -> str:
    for unit, name in STEPS:
        if age >= unit:
            count = age // unit
            return f"{count} {name}{'s' * (count > 1)} ago"
    return "just now"
