"""A session file on disk: held by one process of ours, grown by whole lines.

Every append is one write at the end of the file, and one that fails leaves the file as it was. Nothing is written
before the lock is held, nor into a file that is not as this process knows it. What was appended survives the death
of the process (no fsync).
"""

import os
import time
from contextlib import suppress
from pathlib import Path

from todo_repl.session_error import OURS_OR_THEIRS, GoneError, NotWrittenError, SessionError
from todo_repl.session_format import parse
from todo_repl.session_lock import FILE_MODE, Lock
from todo_repl.session_tail import OpenFile

__all__ = ["SessionError", "SessionFile"]

PART = ".part"
"""The ending of a session file that is not whole yet; more of them are counted: `.part-2`."""

TAIL_BYTES = 512
"""How much of the end is remembered, to tell a file that grew from one that was written anew."""

LINE_END_WAIT_S = 0.1
"""How long another program may pause within a line that it writes. Who pauses longer has died over it."""


LINE_WAIT_S = 2.0
"""How long, in seconds, a line may take that another program does not pause in: nothing else happens meanwhile."""


class SessionFile:
    """One file that this process alone of ours may write, from `hold` to `close`. It need not exist yet.

    Lock, folder and leftovers stand beside the file itself, also when `path` is a link to it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        # Two names of one file must meet at one lock; and a later chdir must not move the session.
        self.real = Path(os.path.realpath(path))
        self._lock = Lock(self.real)
        self._size = 0
        self._file: tuple[int, int] | None = None
        self._mtime_ns = 0
        self._tail = b""
        self._is_torn = False
        """Whether the end of the file was not looked after yet."""

    def hold(self) -> None:
        """Lock the file without waiting, creating its folder; nothing if it is held already.

        Raises:
            NotWrittenError: the folder is not ours to write.
            SessionError: another process holds it.
        """
        try:
            self._lock.take()
        except BlockingIOError as error:
            fact = "another process has this session open."
            raise SessionError(self.path, fact, "Close it there, or begin another session.") from error
        except OSError as error:
            raise NotWrittenError(self.path, str(error.strerror), what_fails="cannot be locked") from error

    def close(self) -> None:
        """Give the file free for others."""
        self._lock.release()

    def opened(self) -> OpenFile:
        """The file for reading.

        Raises:
            SessionError: it cannot be read.
        """
        return OpenFile(self.real, named=self.path)

    def has_changed(self) -> bool:
        """Whether another program did anything to the file; one that is not there, or not yet, did not change."""
        try:
            return not self._is_as_known(self.real.stat())
        except OSError:
            return False

    def is_there(self) -> bool:
        """Whether all that was stored is in the file of that name; so it is where nothing was."""
        try:
            found = self.real.stat()
        except OSError:
            return not self._size
        return not self._size or ((found.st_dev, found.st_ino) == self._file and found.st_size >= self._size)

    def append(self, lines: bytes) -> bool:
        """Write whole lines at the end in a single write; False, and nothing written, if the file changed since.

        Raises:
            NotWrittenError: nothing was stored.
        """
        if self._is_torn and not self.has_changed():
            self.mend()
        return self._append(lines)

    def create(self, content: bytes) -> None:
        """Make the file with all that is to be in it, or do not make it.

        Raises:
            NotWrittenError: the disk does not take it.
            SessionError: there is a file already, or another process is about to make it.
        """
        self.hold()
        if os.path.lexists(self.real):
            raise SessionError(self.path, "there is a file of this name already.", "Name another one.")
        try:
            draft = _write_new(Path(f"{self.real}{PART}"), content)
            try:
                draft.rename(self.real)
            except OSError:
                draft.unlink()
                raise
        except OSError as error:
            raise NotWrittenError(self.path, str(error.strerror)) from error

    def catch_up(self) -> bool:
        """Go by the file as another program left it, which must have added to it and done nothing else; whether it has.

        A last line that it did not finish is ended where it is, and then is one more line that nobody can read.

        Raises:
            NotWrittenError: the disk does not take the end of that line.
            SessionError: it is no longer the file that this session wrote.
        """
        file, unfinished = self._at_rest()
        found = file.stat()
        if self._file is None:
            raise self._not_ours(f"made a file of this name ({found.st_size} bytes)")
        if found.st_size < self._size:
            raise self._not_ours(f"cut it ({found.st_size} bytes are left of {self._size})")
        if self._file != (found.st_dev, found.st_ino):
            raise self._not_ours("put another file in its place")
        if file.read(self._size - len(self._tail), self._size) != self._tail:
            raise self._not_ours("wrote it anew")
        known = self._size, self._mtime_ns, self._tail
        self._know(file)
        # Nothing is cut off here: that program may be alive, and its next line would be lost too.
        try:
            if unfinished and not self._append(b"\n"):
                self.catch_up()
            self._is_torn = False
        except BaseException:
            # Else what it added would be taken for known, and never looked at.
            self._size, self._mtime_ns, self._tail = known
            raise
        return found.st_size > known[0]

    def leave_as_it_is(self) -> None:
        """Go by the file as it is, which nobody may write now; its end is mended with the first append that is taken.

        Raises:
            SessionError: it cannot be read.
        """
        file = self.opened()
        self._know(file)
        self._is_torn = bool(_last_line(file))

    def mend(self) -> tuple[str, ...]:
        """See to it that the file ends in a whole line, so that an append can follow: what had to be done.

        A last line without line feed gets one if it is a whole record, else it is moved to a file of its own.

        Raises:
            NotWrittenError: the disk does not take that.
            SessionError: the file cannot be read.
        """
        file, torn = self._at_rest()
        self._know(file)
        self._is_torn = bool(torn)
        if not torn:
            return ()
        if parse(torn) is not None:
            if not self._append(b"\n"):
                return self.mend()
            self._is_torn = False
            return ()
        # Else the next entry would be glued to the torn one, and both would be lost.
        aside = self._set_aside(torn)
        if aside is None:
            return self.mend()
        self._is_torn = False
        return (f"the last line was torn ({len(torn)} bytes, no whole record); moved to {aside}",)

    def _at_rest(self) -> tuple[OpenFile, bytes]:
        """The file, and what stands after its last line feed once nobody has written for a moment."""
        seen_bytes, since_s, begun_s = -1, 0.0, time.monotonic()
        while True:
            file = self.opened()
            last_line = _last_line(file)
            if not last_line:
                return file, b""
            found = file.stat()
            if found.st_size != seen_bytes:
                seen_bytes, since_s = found.st_size, time.monotonic()
            if max(time.monotonic() - since_s, time.time() - found.st_mtime) > LINE_END_WAIT_S:
                return file, last_line
            if time.monotonic() - begun_s > LINE_WAIT_S:
                raise SessionError(
                    self.path, "another program is writing a line to it that does not end.", "End that one first."
                )
            time.sleep(LINE_END_WAIT_S / 10)

    def _is_as_known(self, found: os.stat_result) -> bool:
        if self._file is None and found.st_size == 0:
            self._file, self._mtime_ns = (found.st_dev, found.st_ino), found.st_mtime_ns
        return (self._file, self._size, self._mtime_ns) == (
            (found.st_dev, found.st_ino),
            found.st_size,
            found.st_mtime_ns,
        )

    def _append(self, lines: bytes) -> bool:
        # The file is created once only: one that vanished meanwhile is an error, not a session without its past.
        # Not waiting: a pipe in its place may never be read.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK | (0 if self._size else os.O_CREAT)
        try:
            fd = os.open(self.real, flags, FILE_MODE)
        except OSError as error:
            is_gone = self._size and isinstance(error, FileNotFoundError)
            raise (GoneError if is_gone else NotWrittenError)(self.path, str(error.strerror)) from error
        try:
            return self._is_as_known(os.fstat(fd)) and self._write(fd, lines)
        finally:
            os.close(fd)

    def _write(self, fd: int, lines: bytes) -> bool:
        try:
            written = os.write(fd, lines)
            if written < len(lines) and os.fstat(fd).st_size == self._size + written:
                os.ftruncate(fd, self._size)
                self._mtime_ns = os.fstat(fd).st_mtime_ns
        except OSError as error:
            raise NotWrittenError(self.path, str(error.strerror)) from error
        if written < len(lines):
            raise NotWrittenError(self.path, f"{written} of {len(lines)} bytes fit")
        found = os.fstat(fd)
        # Else another program was quicker by a moment: then the next append finds the file changed, and looks.
        if found.st_size == self._size + written:
            self._size, self._mtime_ns = found.st_size, found.st_mtime_ns
            self._tail = (self._tail + lines[-TAIL_BYTES:])[-TAIL_BYTES:]
        return True

    def _know(self, file: OpenFile) -> None:
        found = file.stat()
        self._file = (found.st_dev, found.st_ino)
        self._size, self._mtime_ns = found.st_size, found.st_mtime_ns
        self._tail = file.read(max(0, self._size - TAIL_BYTES), self._size)

    def _cut(self, count: int) -> bool:
        """Take so many bytes off the end; False, and nothing done, if another program wrote meanwhile."""
        fd = os.open(self.real, os.O_WRONLY | os.O_CLOEXEC)
        try:
            if not self._is_as_known(os.fstat(fd)):
                return False
            os.ftruncate(fd, self._size - count)
            return True
        finally:
            os.close(fd)

    def _set_aside(self, torn: bytes) -> Path | None:
        try:
            aside = _write_new(Path(f"{self.real}.torn"), torn)
            if not self._cut(len(torn)):
                aside.unlink()
                return None
        except OSError as error:
            raise NotWrittenError(self.path, str(error.strerror)) from error
        self._know(self.opened())
        return aside

    def _not_ours(self, did: str) -> SessionError:
        return SessionError(self.path, f"another program {did}.", OURS_OR_THEIRS)


def _last_line(file: OpenFile) -> bytes:
    """What stands after the last line feed."""
    size = file.stat().st_size
    return b"" if file.read(max(0, size - 1), size) == b"\n" else next(file.lines_back(0, size))


def _write_new(path: Path, content: bytes) -> Path:
    """Write a new file: this path, or the first of path-2, path-3, … that is free."""
    number, free = 1, path
    while True:
        try:
            fd = os.open(free, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
            break
        except FileExistsError:
            number += 1
            free = Path(f"{path}-{number}")
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(content)
    except OSError:
        with suppress(OSError):
            free.unlink()
        raise
    return free
