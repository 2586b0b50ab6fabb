"""A session file read from its end: the newest line first, and no further than somebody asks.

Reads only. The file is held open, so that what was in it can still be read when another one is in its place.
"""

import os
import weakref
from collections.abc import Iterator
from pathlib import Path

from todo_repl.session_error import SessionError
from todo_repl.session_format import Header, Refused, header_of, is_title, is_torn_header, lines

BLOCK_BYTES = 256 * 1024
"""How much is read at once, from the end: most sessions whole."""

HEAD_BYTES = 4 * 1024
"""How much is read for the header at first: a header, with a title line before it, takes under 2 KiB."""


class OpenFile:
    """A regular file open for reading at any place, for as long as this object lives."""

    def __init__(self, path: Path, *, named: Path | None = None) -> None:
        """Open it; errors name it as the person did.

        Raises:
            SessionError: it is missing, a folder, no regular file, or not ours to read.
        """
        self.path = named or path
        # Asked first: to open a pipe waits for its writer, or sets one going. What is not there fails in opening.
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise SessionError(self.path, "is no regular file.", "Name another one.")
        try:
            self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise self._not_read(error) from error
        # Not a `with` block: a branch may be read long after its session was closed.
        weakref.finalize(self, os.close, self._fd)

    def stat(self) -> os.stat_result:
        """What the system says of the file that was opened, whatever is at its path now."""
        return os.fstat(self._fd)

    def read(self, start: int, end: int) -> bytes:
        """The bytes from `start` to `end`.

        Raises:
            SessionError: they cannot be read, or are there no more.
        """
        pieces: list[bytes] = []
        while start < end:
            try:
                piece = os.pread(self._fd, end - start, start)
            except OSError as error:
                raise self._not_read(error) from error
            if not piece:
                raise SessionError(self.path, "another program cut it short.", "Start again to go on from there.")
            pieces.append(piece)
            start += len(piece)
        return b"".join(pieces)

    def lines_back(self, start: int, end: int) -> Iterator[bytes]:
        """The lines between two places, the last one first, blank ones too, without their line feeds.

        Raises:
            SessionError: as `read`, when the next line is asked for; who asks again reads again.
        """
        return _LinesBack(self, start, end)

    def header(self) -> tuple[Header, int] | Refused | None:
        """The header, and where the line after it begins; None in a file that ends inside its header.

        Raises:
            SessionError: as `read`.
        """
        size, length = self.stat().st_size, HEAD_BYTES
        while True:
            length = min(length, size)
            content = self.read(0, length)
            is_whole = length == size
            known = content if is_whole else content[: content.rfind(b"\n") + 1]
            header = header_of(known)
            if isinstance(header, Header):
                return header, _end_of_line(known, header.line_number)
            if is_whole:
                return None if is_torn_header(content) else header
            if any(not is_title(line) for _, line in lines(known)):
                return header
            length *= 16

    def _not_read(self, error: OSError) -> SessionError:
        return SessionError(self.path, f"cannot be read ({error.strerror}).", "Check the path.")


class _LinesBack:
    """No generator: that would be at its end once it has raised, as if there were no more lines."""

    def __init__(self, file: OpenFile, start: int, end: int) -> None:
        self._file = file
        self._start = start
        self._end = end
        self._whole: list[bytes] = []
        self._pieces: list[bytes] | None = []
        """The beginning of the line that was read last comes before these; None: all was given."""

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        while not self._whole:
            if self._pieces is None:
                raise StopIteration
            if self._end <= self._start:
                line, self._pieces = b"".join(reversed(self._pieces)), None
                return line
            begin = max(self._start, self._end - BLOCK_BYTES)
            first, *self._whole = self._file.read(begin, self._end).split(b"\n")
            self._end = begin
            if self._whole:
                self._whole[-1] = b"".join((self._whole[-1], *reversed(self._pieces)))
                self._pieces = []
            # Put together only once: a line may be longer than many blocks.
            self._pieces.append(first)
        return self._whole.pop()


def _end_of_line(content: bytes, number: int) -> int:
    at = 0
    for _ in range(number):
        at = content.find(b"\n", at) + 1 or len(content)
    return at
