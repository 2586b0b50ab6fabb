"""The branch of a session file, whoever wrote it: pi's versions 1 to 3, OMP, Aelix, pi-python, and ours.

Pure: bytes in, a `Reading` out, in the shape of pi's version 3. It is the branch that pi finds, but that a line
that is no entry is passed over and told, and that no cycle is followed twice.
Source: pi 0.74.2 and 1.6.0, session-manager; OMP has the same steps from version to version.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from todo_context.pi import Entry
from todo_context.plan.model import Json
from todo_context.plan.sources import spelled_as_pi
from todo_repl.foreign_files import refused
from todo_repl.foreign_formats import format_of
from todo_repl.session_format import NO_ID, Header, Log, Refused, fault, header_from, lines, parse, seen

MAX_LINE_BYTES = 64 * 1024 * 1024
"""A longer line is passed over: real ones, with pictures in them, stay far below, and parsing takes seconds."""

NOTICES_SHOWN = 5
"""Lines passed over that are told one by one; of the others only how many, so that they bury nothing."""

_BOM = b"\xef\xbb\xbf"

_Record = dict[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A session as it was read: `format` such as "pi (version 3)", the branch with the root first, what was odd."""

    format: str
    branch: tuple[Entry, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Head:
    """Where a session begins: its header, that line as a record, and whether a title line stands before it."""

    header: Header
    record: _Record
    has_title: bool


def read(content: bytes) -> Reading | Refused:
    """Read a whole session file, or say why it is none."""
    # An editor's mark; pi 0.74 passes over it too.
    content = content.removeprefix(_BOM)
    notices: list[str] = []
    head = _head(content, notices)
    if isinstance(head, Refused):
        return head
    header = head.header
    entries = _in_version_3(header.version, list(_records(content, header, notices)))
    branch = Log(header=header, entries=entries, notices=()).branch()
    return Reading(
        format=f"{format_of(head.record, entries, has_title=head.has_title)} (version {header.version})",
        branch=tuple(map(_spelled, branch)),
        notices=(*_bounded(notices), *_missing(branch)),
    )


def _head(content: bytes, notices: list[str]) -> _Head | Refused:
    """The first JSON object, which must be the header, or the one after what OMP writes of its title."""
    has_title, first_line = False, b""
    for number, line in lines(content):
        first_line = first_line or line
        record = _parsed(line)
        if record is None:
            notices.append(_passed_over(number, line, "no JSON object"))
        elif record.get("type") == "title":
            has_title = True
        else:
            header = header_from(record, number, line)
            if isinstance(header, Header):
                return _Head(header, record, has_title)
            return header if record.get("type") == "session" else refused(content, record, line)
    return refused(content, None, first_line)


def _records(content: bytes, header: Header, notices: list[str]) -> Iterator[tuple[int, _Record]]:
    """The entries in the order stored, by their line numbers. Those of version 1 need no id."""
    for number, line in lines(content):
        if number <= header.line_number:
            continue
        record = _parsed(line)
        why = fault(record)
        if record is not None and (why is None or (why == NO_ID and header.version == 1)):
            yield number, record
        else:
            notices.append(_passed_over(number, line, str(why)))


def _in_version_3(version: int, records: Sequence[tuple[int, _Record]]) -> tuple[Entry, ...]:
    entries: list[_Record] = [record for _, record in records]
    if version == 1:
        entries = _linked(records)
    if version <= 2:  # noqa: PLR2004 (the number of a version)
        entries = [_without_hook_message(entry) for entry in entries]
    return tuple(entries)


def _linked(records: Sequence[tuple[int, _Record]]) -> list[_Record]:
    """From version 1: each entry follows the one before it, and a compaction names an entry, not its place.

    The ids are those of pi in form, and the same each time: the line numbers.
    """
    ids = [f"{number:08x}" for number, _ in records]
    linked: list[_Record] = []
    for (_, record), own, parent in zip(records, ids, [None, *ids], strict=False):
        entry = {**record, "id": own, "parentId": parent}
        kept = entry.get("firstKeptEntryIndex")
        if entry.get("type") == "compaction" and isinstance(kept, int):
            del entry["firstKeptEntryIndex"]
            # Place 0 is the header; what comes later has no id yet in pi.
            if 0 < kept <= len(linked) + 1:
                entry["firstKeptEntryId"] = ids[kept - 1]
        linked.append(entry)
    return linked


def _without_hook_message(entry: _Record) -> _Record:
    """From version 2: a message of an extension has the role `custom`."""
    message = entry.get("message")
    if entry.get("type") != "message" or not isinstance(message, dict) or message.get("role") != "hookMessage":
        return entry
    return {**entry, "message": {**message, "role": "custom"}}


def _spelled(entry: Entry) -> Entry:
    message = entry.get("message")
    spelled = spelled_as_pi(message)
    return entry if spelled is message or not spelled else {**entry, "message": dict(spelled)}


def _parsed(line: bytes) -> _Record | None:
    return parse(line) if len(line) <= MAX_LINE_BYTES else None


def _passed_over(number: int, line: bytes, why: str) -> str:
    too_long = f"{len(line) // 1_000_000} MB long"
    return f"line {number}: {why if len(line) <= MAX_LINE_BYTES else too_long}, skipped"


def _bounded(notices: Sequence[str]) -> Sequence[str]:
    more = len(notices) - NOTICES_SHOWN
    return notices if more <= 0 else (*notices[:NOTICES_SHOWN], f"… and {more} more lines, skipped")


def _missing(branch: Sequence[Mapping[str, Json]]) -> Sequence[str]:
    if not branch or branch[0].get("parentId") is None:
        return ()
    return (f"what came before entry {seen(str(branch[0]['id']))} cannot be found; the branch begins there",)
