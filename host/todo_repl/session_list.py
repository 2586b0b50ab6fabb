"""The sessions of a folder, for a person who looks for one.

Cheap: of each file only the beginning and the end are read. What cannot be told from these is left open. Foreign
files, sessions in which nothing was stored, and what cannot be read are passed over.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from todo_context.pi import Entry
from todo_context.plan.replay import latest
from todo_context.plan.select import counts
from todo_repl.messages import text_of
from todo_repl.session_branch import Branch, Way
from todo_repl.session_folder import ENDING
from todo_repl.session_format import Header, fault, foreign, parse
from todo_repl.session_lock import is_locked
from todo_repl.session_records import Records
from todo_repl.session_tail import OpenFile

LOOKED_AT_BYTES = 64 * 1024
"""How much of each end is looked at: of 1,000 sessions it takes less than a second."""

FIRST_WORDS_CHARACTERS = 200
"""How much is given of what the person said first: more than a line of any terminal."""

_INFO, _USER = b'"session_info"', b'"user"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A session in a list. `name` and `first_words` may be empty; they are as stored: clean them for a screen.

    `open_tasks` is None where the newest plan stands further from the end than was looked. `is_fork`: it began as a
    branch of another session.
    """

    path: Path
    id: str
    name: str
    first_words: str
    modified: datetime
    open_tasks: int | None
    is_fork: bool = False
    is_open: bool = False
    """Whether another process of ours has it open now."""


def sessions_here(folder: Path) -> Sequence[Listed]:
    """The sessions of ours in a folder, the one written last first."""
    found: list[Listed] = []
    for path in folder.glob(f"*{ENDING}"):
        try:
            listed = listed_in(path)
        except OSError:
            continue
        if listed is not None:
            found.append(listed)
    return sorted(found, key=lambda listed: listed.modified, reverse=True)


def name_of(newest_first: Iterable[Entry]) -> str:
    """The name that the newest of entries `session_info` gives; empty if there is none. Source: pi, getSessionName."""
    for entry in newest_first:
        if entry.get("type") == "session_info":
            name = entry.get("name")
            return name.strip() if isinstance(name, str) else ""
    return ""


def listed_in(path: Path) -> Listed | None:
    """One session as a list has it; None for a foreign one, or where nothing was stored.

    Raises:
        OSError: it cannot be read.
    """
    file = OpenFile(path)
    match file.header():
        case (Header() as header, int(start)) if foreign(header) is None:
            pass
        case _:
            return None
    stat = file.stat()
    end_begins = max(start, stat.st_size - LOOKED_AT_BYTES)
    end = file.read(end_begins, stat.st_size).split(b"\n")
    beginning = file.read(start, min(stat.st_size, start + LOOKED_AT_BYTES)).split(b"\n")
    records = Records(reversed(end))
    leaf_id = records.leaf_id()
    if leaf_id is None and end_begins == start:
        return None
    return Listed(
        path=path,
        id=header.id,
        name=name_of(chain(_marked(reversed(end), _INFO), _marked(reversed(beginning), _INFO))),
        first_words=_first_words(_marked(beginning, _USER)),
        modified=_moment(stat.st_mtime),
        open_tasks=_open_tasks(Way(records.find, leaf_id).branch(), is_all=end_begins == start),
        is_fork=header.is_fork,
        is_open=is_locked(path),
    )


def _moment(time_s: float) -> datetime:
    try:
        return datetime.fromtimestamp(time_s, UTC)
    except (ValueError, OverflowError):  # a year that Python has not
        return datetime.max.replace(tzinfo=UTC) if time_s > 0 else datetime.min.replace(tzinfo=UTC)


def _marked(lines: Iterable[bytes], mark: bytes) -> Iterator[Entry]:
    """The entries among lines that hold a word; the others are not parsed."""
    for line in lines:
        if mark in line:
            entry = parse(line)
            if entry is not None and fault(entry) is None:
                yield entry


def _first_words(entries: Iterable[Entry]) -> str:
    for entry in entries:
        match entry:
            case {"type": "message", "message": {"role": "user", "content": content}}:
                return text_of(content)[:FIRST_WORDS_CHARACTERS]
            case _:
                pass
    return ""


def _open_tasks(branch: Branch, *, is_all: bool) -> int | None:
    snapshot = latest(branch)
    return counts(snapshot.plan).open if snapshot.seq or is_all else None
