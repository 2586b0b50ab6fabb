"""The lines of a session file: JSON records to entries, and back.

Pure: bytes in, values out; no disk, no clock. A record is one line and ends at a line feed alone. A
line that cannot be read is skipped and named, so that it never hides the others.
Source: pi session format, version 3.
"""

import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from todo_context.pi import Entry
from todo_context.plan.model import Json
from todo_context.plan.text import for_screen

VERSION = 3
"""The one version that is read and written. Source: pi, CURRENT_SESSION_VERSION."""

OURS = "todoContext"
"""The key of a header that makes a session ours to continue."""

OURS_VERSION = 1
"""The version under that key. A higher one was written by a later program than this."""

SEEN_CHARS = 80
"""How much of a foreign first line an error shows, in characters: enough to tell what the file is."""

_HEADER_BEGINS = b'{"type":"session"'
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_NOT_FINITE = re.compile("NaN|Infinity")


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first record. `ours` is what stands under our key, None in a foreign file."""

    id: str
    cwd: str
    ours: Json
    line_number: int


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a file cannot be used: the fact with what was seen, and one step that works."""

    fact: str
    step: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """A session as it was read: entries in the order stored, and what was skipped, by line number."""

    header: Header
    entries: tuple[Entry, ...]
    notices: tuple[str, ...]

    @property
    def by_id(self) -> dict[str, Entry]:
        """The entries by their ids. Of entries with one id the last wins, as in pi."""
        return {str(entry["id"]): entry for entry in self.entries}

    @property
    def leaf_id(self) -> str | None:
        """The id of the entry stored last."""
        return str(self.entries[-1]["id"]) if self.entries else None

    def branch(self) -> tuple[Entry, ...]:
        """Follow parentId from the leaf to the root; the root first.

        It ends where a parent is not in the file, and before an entry that it passed already.
        """
        by_id, at = self.by_id, self.leaf_id
        passed: dict[str, Entry] = {}
        while at is not None and at in by_id and at not in passed:
            passed[at] = by_id[at]
            parent = by_id[at].get("parentId")
            at = parent if isinstance(parent, str) else None
        return tuple(reversed(passed.values()))


def dump(record: Mapping[str, Json]) -> bytes:
    """Write a record as one line of compact JSON in UTF-8, with its line feed.

    Lone surrogates become U+FFFD, and numbers that JSON has not (NaN, infinity) null, as in JavaScript.

    Raises:
        ValueError, RecursionError: the record is nested too deeply, or holds an integer of thousands of digits.
    """
    text = _compact(record)
    if _NOT_FINITE.search(text):
        text = _compact(json.loads(text, parse_constant=_null))
    return (_SURROGATE.sub("\ufffd", text) + "\n").encode()


def parse(line: bytes) -> dict[str, Json] | None:
    """Read one line; None if it is no JSON object. Bytes that are no UTF-8 and lone surrogates become U+FFFD."""
    text = line.decode(errors="replace")
    try:
        value: object = json.loads(text, parse_constant=_null)
        if _ESCAPED_SURROGATE.search(text):
            # pi writes half a character as an escape; no provider and no screen would take it.
            value = json.loads(_SURROGATE.sub("\ufffd", _compact(value)))
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Json]", value) if isinstance(value, dict) else None


def header_line(session_id: str, cwd: str, timestamp: str) -> bytes:
    """Write the header of a session of ours."""
    ours: dict[str, Json] = {"v": OURS_VERSION}
    return dump(
        {"type": "session", "version": VERSION, "id": session_id, "timestamp": timestamp, "cwd": cwd, OURS: ours}
    )


def is_torn_header(content: bytes) -> bool:
    """Whether a file ends inside a header line: a crash while the session began, nothing readable yet."""
    is_beginning = content.startswith(_HEADER_BEGINS) or _HEADER_BEGINS.startswith(content)
    return is_beginning and b"\n" not in content and parse(content) is None


def header_of(content: bytes) -> Header | Refused:
    """Find the header: the first line that is not blank, or the one after OMP's title line."""
    number, seen = 0, b""
    for number, seen in _lines(content):
        record = parse(seen)
        if record is None or record.get("type") != "title":
            return _header(record, number, seen)
    return _no_header(seen)


def foreign(header: Header) -> str | None:
    """Why a session is not ours to continue; None if it is."""
    if header.ours is None:
        return "another program began this session, so it opens read-only here."
    version = header.ours.get("v") if isinstance(header.ours, dict) else header.ours
    if version != OURS_VERSION:
        return f"a todo-context of another version began this session ({OURS} {_seen(repr(version))})."
    return None


def read_log(content: bytes) -> Log | Refused:
    """Read a whole session file, of ours or of another program that writes version 3."""
    header = header_of(content)
    if isinstance(header, Refused):
        return header
    entries: list[Entry] = []
    notices: list[str] = []
    for number, line in _lines(content):
        if number <= header.line_number:
            continue
        record = parse(line)
        fault = _fault(record)
        if record is None or fault is not None:
            notices.append(f"line {number}: {fault}, skipped")
        else:
            entries.append(record)
    return Log(header=header, entries=tuple(entries), notices=tuple(notices))


def _lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    # Not splitlines(): it splits at carriage returns too, and in text at U+2028, which a task may hold.
    return ((number, line) for number, line in enumerate(io.BytesIO(content), start=1) if line.strip())


def _header(record: dict[str, Json] | None, number: int, seen: bytes) -> Header | Refused:
    session_id = (record or {}).get("id")
    if record is None or record.get("type") != "session" or not isinstance(session_id, str):
        return _no_header(seen)
    version = record.get("version")
    if version != VERSION:
        step = "Update todo-context." if isinstance(version, int) and version > VERSION else "Open it once in pi first."
        return Refused(f"session format version {_seen(str(version))}, this reads version {VERSION}.", step)
    cwd = record.get("cwd")
    return Header(id=session_id, cwd=cwd if isinstance(cwd, str) else "", ours=record.get(OURS), line_number=number)


def _no_header(line: bytes) -> Refused:
    seen = f'starts with "{_seen(line.decode(errors="replace"))}"' if line.strip() else "is empty"
    return Refused(f"no session file, it {seen}.", "Name a .jsonl file of a session.")


def _seen(text: str) -> str:
    text = for_screen(text[: 4 * SEEN_CHARS]).strip()
    return text if len(text) <= SEEN_CHARS else text[: SEEN_CHARS - 1] + "…"


def _fault(record: dict[str, Json] | None) -> str | None:
    if record is None:
        return "no JSON object"
    if record.get("type") == "session":
        return "a second header"
    if not isinstance(record.get("id"), str) or not record["id"]:
        return "an entry without an id"
    return None


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _null(_: str) -> None:
    return None
