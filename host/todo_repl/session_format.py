"""The lines of a session file: JSON records to entries, and back.

Pure: bytes in, values out; no disk, no clock. A record is one line and ends at a line feed alone. A
line that cannot be read is skipped and named, so that it never hides the others.
Source: pi session format, version 3.
"""

import codecs
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from todo_context.pi import Entry
from todo_context.plan.model import Json
from todo_context.plan.text import for_screen

VERSION = 3
"""The version that is written, and the newest that is read. Source: pi, CURRENT_SESSION_VERSION."""

ANY_SESSION = "Name a .jsonl file of a session of pi, OMP, Aelix, pi-python or todo-context."
"""The step where a file is none of them."""

EMPTY = "no session file, it is empty."
"""The fact where there is no line at all."""

OURS = "todoContext"
"""The key of a header that makes a session ours to continue."""

OURS_VERSION = 1
"""The version under that key. A higher one was written by a later program than this."""

PARENT = "parentSession"
"""The key of a header for the file that the session was forked from. Source: pi, createBranchedSession."""

SEEN_CHARS = 80
"""How much of a foreign first line an error shows, in characters: enough to tell what the file is."""

DEPTH = 200
"""How many levels a record may have. How deep Python reads depends on where it is called; this much it always does."""

NO_ID = "an entry without an id"
"""The fault of a record that only version 1 forgives."""

_HEADER_BEGINS = b'{"type":"session"'
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_NOT_FINITE = re.compile("NaN|Infinity")


def _null(_: str) -> None:
    return None


# One for all lines: json.loads would make one for each.
_DECODER = json.JSONDecoder(parse_constant=_null)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first record. `ours` is what stands under our key, None in a foreign file; `version` is 1, 2 or 3.

    `is_fork`: it names a session that it was forked from.
    """

    id: str
    cwd: str
    ours: Json
    version: int
    line_number: int
    is_fork: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a file cannot be used: the fact with what was seen, and one step that works."""

    fact: str
    step: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """A session as it was read whole: entries in the order stored, and what was skipped, by line number."""

    header: Header
    entries: tuple[Entry, ...]
    notices: tuple[str, ...]

    @property
    def by_id(self) -> dict[str, Entry]:
        """The entries by their ids. Of entries with one id the last wins, as in pi."""
        return {str(entry["id"]): entry for entry in self.entries}

    @property
    def leaf_id(self) -> str | None:
        """The id of the entry stored last, or where a `leaf` stored last points: nowhere, or to an entry.

        Aelix and pi-python store a `leaf` when a person goes elsewhere in the tree; pi stores none.
        """
        if not self.entries:
            return None
        last = self.entries[-1]
        target = last.get("targetId", "") if last.get("type") == "leaf" else ""
        if target is None or (isinstance(target, str) and target in self.by_id):
            return target
        return str(last["id"])

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


def dump(record: Mapping[str, Json], *, at_any_depth: bool = False) -> bytes:
    """Write a record as one line of compact JSON in UTF-8, with its line feed; `at_any_depth`: one that was read.

    Lone surrogates become U+FFFD, and numbers that JSON has not (NaN, infinity) null, as in JavaScript.

    Raises:
        ValueError, RecursionError: the record is nested too deeply, or holds an integer of thousands of digits.
    """
    if not at_any_depth and _is_deep(record):
        raise ValueError(f"more than {DEPTH} levels")
    text = _compact(record)
    if _NOT_FINITE.search(text):
        text = _compact(_DECODER.decode(text))
    return (_SURROGATE.sub("\ufffd", text) + "\n").encode()


def parse(line: bytes) -> dict[str, Json] | None:
    """Read one line; None if it is no JSON object. Bytes that are no UTF-8 and lone surrogates become U+FFFD."""
    text = line.decode(errors="replace")
    try:
        value: object = _DECODER.decode(text)
        if _ESCAPED_SURROGATE.search(text):
            # pi writes half a character as an escape; no provider and no screen would take it.
            value = _DECODER.decode(_SURROGATE.sub("\ufffd", _compact(value)))
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Json]", value) if isinstance(value, dict) else None


def header_line(session_id: str, cwd: str, timestamp: str, *, parent: str | None = None) -> bytes:
    """Write the header of a session of ours. `parent` is the file that it was forked from."""
    header: dict[str, Json] = {
        "type": "session",
        "version": VERSION,
        "id": session_id,
        "timestamp": timestamp,
        "cwd": cwd,
    }
    if parent is not None:
        header[PARENT] = parent
    return dump({**header, OURS: {"v": OURS_VERSION}})


def is_torn_header(content: bytes) -> bool:
    """Whether a file ends inside a header line: a crash while the session began, nothing readable yet."""
    is_beginning = content.startswith(_HEADER_BEGINS) or _HEADER_BEGINS.startswith(content)
    return is_beginning and b"\n" not in content and parse(content) is None


def header_of(content: bytes) -> Header | Refused:
    """Find the header: the first line that is not blank, or the one after OMP's title line."""
    number, seen = 0, b""
    for number, seen in lines(content.removeprefix(codecs.BOM_UTF8)):
        record = parse(seen)
        if record is None or record.get("type") != "title":
            return header_from(record, number, seen)
    return no_header(seen)


def is_title(line: bytes) -> bool:
    """Whether it is a line that OMP writes before the header."""
    return (parse(line) or {}).get("type") == "title"


def header_from(record: Mapping[str, Json] | None, number: int, line: bytes) -> Header | Refused:
    """Take a line, as `parse` read it, for the header. Without a version it is of version 1, as in pi."""
    session_id = (record or {}).get("id")
    if record is None or record.get("type") != "session" or not isinstance(session_id, str):
        return no_header(line)
    version = record.get("version")
    version = 1 if version is None else version
    if not isinstance(version, (int, float)) or isinstance(version, bool) or version >= VERSION + 1:
        is_newer = isinstance(version, (int, float)) and version > VERSION
        step = "Update todo-context." if is_newer else "It is a number in its first line."
        return Refused(f"session format version {seen(_compact(version))}, this reads versions 1 to {VERSION}.", step)
    cwd = record.get("cwd")
    return Header(
        id=session_id,
        cwd=cwd if isinstance(cwd, str) and "\0" not in cwd else "",
        ours=record.get(OURS),
        version=1 if version < 2 else int(version),  # noqa: PLR2004 (the number of a version)
        line_number=number,
        is_fork=isinstance(record.get(PARENT), str),
    )


def no_header(line: bytes) -> Refused:
    """Why a file with this first line is no session."""
    start = seen(line[: 16 * SEEN_CHARS].decode(errors="replace"))
    return Refused(f'no session file, it starts with "{start}".' if line.strip() else EMPTY, ANY_SESSION)


def foreign(header: Header) -> str | None:
    """Why a session is not ours to continue; None if it is."""
    if header.ours is None:
        return "another program began this session, so it opens read-only here."
    version = header.ours.get("v") if isinstance(header.ours, dict) else header.ours
    if version != OURS_VERSION:
        return f"a todo-context of another version began this session ({OURS} {seen(repr(version))})."
    if header.version != VERSION:
        return f"its first line says format version {header.version}, a session of todo-context has {VERSION}."
    return None


def lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, each with its number from 1 and its line feed."""
    # Not splitlines(): it splits at carriage returns too, and in text at U+2028, which a task may hold.
    return ((number, line) for number, line in enumerate(io.BytesIO(content), start=1) if line.strip())


def seen(text: str) -> str:
    """Text of a file as an error shows it: on one line, safe for a screen, at most `SEEN_CHARS` long."""
    text = for_screen(text[: 4 * SEEN_CHARS]).strip()
    return text if len(text) <= SEEN_CHARS else text[: SEEN_CHARS - 1] + "…"


def fault(record: Mapping[str, Json] | None) -> str | None:
    """Why a line, as `parse` read it, is no entry; None if it is one."""
    if record is None:
        return "no JSON object"
    if record.get("type") == "session":
        return "a second header"
    if not isinstance(record.get("id"), str) or not record["id"]:
        return NO_ID
    return None


def _is_deep(value: object) -> bool:
    """Whether it has more than `DEPTH` levels."""
    level: list[object] = [value]
    for _ in range(DEPTH):
        inner: list[object] = []
        for each in level:
            if isinstance(each, Mapping):
                inner += cast("Mapping[str, object]", each).values()
            elif isinstance(each, list | tuple):
                inner += cast("Sequence[object]", each)
        if not inner:
            return False
        level = inner
    return True


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
