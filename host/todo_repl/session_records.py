"""The entries of a session, by their ids and in the order stored, whether they are in memory or still on disk.

A line of the file is read when something needs it that is not found in those after it, and parsed when it is
wanted itself. What comes out is what reading all of it would give: of entries with one id the one stored last
counts, and a line that is no entry is passed over, and named.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from todo_context.pi import Entry
from todo_repl.session_format import fault, parse

_CLAIM = re.compile(rb'\{(?:\s*"(?!id")[A-Za-z]+"\s*:\s*(?:"[ !#-\[\]-~]*"|null)\s*,)*\s*"id"\s*:\s*"([ !#-\[\]-~]+)"')
"""The id in a line where nothing but plain texts stand before it. Of any other line it takes parsing to tell.

Source: pi, Aelix and this program write it so, but pi not in entries of extensions.
"""


@dataclass(slots=True, eq=False)
class _Line:
    """A line of the file; `number` counts from the end, the last one is 1. `raw` is None once it was parsed."""

    number: int
    raw: bytes | None
    entry: Entry | None = None


class Records:
    """All entries of a session. `unread` are the lines of its file after the header, the last one first.

    Raises (each method that reads): SessionError, the file cannot be read any more.
    """

    def __init__(self, unread: Iterator[bytes] | None = None) -> None:
        self._unread = iter(()) if unread is None else unread
        self._lines_read = 0
        self._read: list[_Line] = []
        self._added: list[_Line] = []
        self._by_id: dict[str, _Line] = {}
        self._faults: dict[int, str] = {}
        self._all: list[Entry] | None = None
        self.is_whole = unread is None
        """Whether all of the file was read."""

    def add(self, entry: Entry) -> None:
        """Take in one that was stored after all others."""
        line = _Line(0, None, entry)
        self._added.append(line)
        self._by_id[str(entry["id"])] = line
        if self._all is not None:
            self._all.append(entry)

    def find(self, entry_id: str) -> Entry | None:
        """The entry of this id, None if there is none. Reads back until it is found."""
        while True:
            line = self._by_id.get(entry_id)
            if line is not None:
                entry = self._parsed(line)
                if entry is not None:
                    return entry
                del self._by_id[entry_id]
            elif not self._read_one():
                return None

    def knows(self, entry_id: str) -> bool:
        """Whether an entry of this id was read or added already."""
        return entry_id in self._by_id

    def newest_first(self, entry_type: str = "", *, reads: bool = True) -> Iterator[Entry]:
        """The entries from the last one back, of all types or of one; the lines of others are not parsed.

        `reads`: also those that were not read yet.
        """
        for line in self._lines_back() if reads else (*reversed(self._added), *self._read):
            # A type that is spelled in escapes is one that nobody writes.
            if line.raw is None or entry_type.encode() in line.raw:
                entry = self._parsed(line)
                if entry is not None and entry_type in ("", entry.get("type")):
                    yield entry

    def all(self) -> Sequence[Entry]:
        """All entries in the order stored."""
        if self._all is None:
            self._all = [*self.newest_first()][::-1]
        return tuple(self._all)

    def leaf_id(self) -> str | None:
        """The id of the entry stored last, or where a `leaf` stored last points: nowhere, or to an entry.

        Aelix and pi-python store a `leaf` when a person goes elsewhere in the tree; pi stores none.
        """
        last = next(self.newest_first(), None)
        if last is None:
            return None
        target = last.get("targetId", "") if last.get("type") == "leaf" else ""
        if target is None or (isinstance(target, str) and target and self.find(target) is not None):
            return target
        return str(last["id"])

    def faults(self, header_line_number: int) -> Sequence[str]:
        """What was passed over in the lines that were parsed so far, in the order of the file.

        A line has its number, counted from the end of what the file was on opening while not all of it was read.
        """
        return tuple(
            f"line {self._place(number, header_line_number)}: {why}, skipped"
            for number, why in sorted(self._faults.items(), reverse=True)
        )

    def _lines_back(self) -> Iterator[_Line]:
        yield from reversed(self._added)
        at = 0
        while at < len(self._read) or self._read_one():
            yield self._read[at]
            at += 1

    def _read_one(self) -> bool:
        """Read back to the next line that may be an entry; whether there was one."""
        for raw in self._unread:
            self._lines_read += 1
            if raw.strip() and self._take_in(raw):
                return True
        self.is_whole = True
        return False

    def _take_in(self, raw: bytes) -> bool:
        line = _Line(self._lines_read, raw)
        claim = _CLAIM.match(raw)
        if claim:
            entry_id = claim[1].decode()
        else:
            entry = self._parsed(line)
            if entry is None:
                return False
            entry_id = str(entry["id"])
        self._read.append(line)
        newer = self._by_id.get(entry_id)
        # The newer one counts if it is an entry indeed, and only a second claim makes that a question.
        if newer is None or self._parsed(newer) is None:
            self._by_id[entry_id] = line
        return True

    def _parsed(self, line: _Line) -> Entry | None:
        if line.raw is not None:
            record, line.raw = parse(line.raw), None
            found = fault(record)
            if found is None:
                line.entry = record
            else:
                self._faults[line.number] = found
        return line.entry

    def _place(self, number: int, header_line_number: int) -> str:
        if not self.is_whole:
            return f"{number} from the end"
        return str(header_line_number + self._lines_read - number + 1)
