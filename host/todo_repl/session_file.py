"""A session file on disk: held by one process, grown by whole lines.

Every append is one write at the end of the file, and one that fails leaves the file as it was. Nothing
is written before the lock is held. What was appended survives the death of the process (no fsync).
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from todo_context.errors import TodoContextError
from todo_context.plan.text import for_screen
from todo_repl.session_format import parse

FILE_MODE = 0o600
FOLDER_MODE = 0o700
"""A conversation is its owner's alone, whatever the umask."""


class SessionError(TodoContextError, OSError):
    """A session cannot be read, held or written: `path`, `fact` and `step`; the file is as it was.

    An OSError too, which the port promises for an entry that cannot be stored.
    """

    def __init__(self, path: Path, fact: str, step: str) -> None:
        super().__init__(for_screen(f"{path}: {fact} {step}"))
        self.path = path
        self.fact = fact
        self.step = step


def read_file(path: Path) -> bytes:
    """Read a file whole.

    Raises:
        SessionError: it is missing, a folder, or not ours to read.
    """
    # Asked first: to read a pipe or a device may never end.
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise SessionError(path, "is no regular file.", "Name another one.")
    try:
        return path.read_bytes()
    except OSError as error:
        raise SessionError(path, f"cannot be read ({error.strerror}).", "Check the path.") from error


class SessionFile:
    """One file that this process alone may write, from `hold` to `close`. It need not exist yet.

    Lock, folder and leftovers stand beside the file itself, also when `path` is a link to it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        # Two names of one file must meet at one lock; and a later chdir must not move the session.
        self._real = Path(os.path.realpath(path))
        self._lock_path = Path(f"{self._real}.lock")
        self._lock_fd: int | None = None
        self._size = 0
        self._inode: int | None = None

    def hold(self) -> None:
        """Lock the file without waiting, creating its folder; nothing if it is held already.

        The lock ends with `close` or with the process, however that ends.

        Raises:
            SessionError: another process holds it, or the folder is not ours to write.
        """
        if self._lock_fd is not None:
            return
        try:
            _make_folder(self._real.parent)
            self._lock_fd = _lock(self._lock_path)
        except BlockingIOError as error:
            raise SessionError(
                self.path, "another process has this session open.", "Close it there, or start without -c."
            ) from error
        except OSError as error:
            raise SessionError(
                self.path, f"cannot be locked ({error.strerror}).", "Check the rights of its folder."
            ) from error

    def mend(self) -> tuple[bytes, tuple[str, ...]]:
        """Read the file so that an append can follow: the whole lines in it, and what had to be done.

        A last line without line feed gets one if it is a whole record, else it is moved to a file of its own.

        Raises:
            SessionError: the file cannot be read or mended.
        """
        content = read_file(self._real)
        self._size = len(content)
        self._inode = self._real.stat().st_ino
        start = content.rfind(b"\n") + 1
        torn = content[start:]
        if not torn:
            return content, ()
        if parse(torn) is not None:
            self.append(b"\n")
            return content, ()
        # Else the next entry would be glued to the torn one, and both would be lost.
        aside = self._set_aside(torn, start)
        return content[:start], (f"the last line was torn ({len(torn)} bytes, no whole record); moved to {aside}",)

    def append(self, lines: bytes) -> None:
        """Write whole lines at the end in a single write.

        Raises:
            SessionError: nothing was stored; or another program wrote to the file since.
        """
        # The file is created once only: one that vanished meanwhile is an error, not a session without its past.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | (0 if self._size else os.O_CREAT)
        try:
            fd = os.open(self._real, flags, FILE_MODE)
        except OSError as error:
            raise self._not_written(str(error.strerror)) from error
        try:
            self._write(fd, lines)
        finally:
            os.close(fd)
        self._size += len(lines)

    def close(self) -> None:
        """Give the file free for others."""
        if self._lock_fd is None:
            return
        # Removed while it is still held; `_lock` notices a lock whose file is gone.
        self._lock_path.unlink(missing_ok=True)
        os.close(self._lock_fd)
        self._lock_fd = None

    def _write(self, fd: int, lines: bytes) -> None:
        found = os.fstat(fd)
        size = found.st_size
        if size != self._size:
            raise SessionError(
                self.path,
                f"another program wrote to it ({size} bytes, this session knows {self._size}).",
                "Start again to go on from there.",
            )
        if self._inode not in (None, found.st_ino):
            fact = "another program put another file in its place."
            raise SessionError(self.path, fact, "Start again to go on from there.")
        self._inode = found.st_ino
        try:
            written = os.write(fd, lines)
            if written < len(lines):
                os.ftruncate(fd, size)
        except OSError as error:
            raise self._not_written(str(error.strerror)) from error
        if written < len(lines):
            raise self._not_written(f"{written} of {len(lines)} bytes fit")

    def _not_written(self, reason: str) -> SessionError:
        fact = f"cannot be written ({reason}); nothing was stored."
        return SessionError(self.path, fact, "Make room or check the rights of its folder, then try again.")

    def _set_aside(self, torn: bytes, start: int) -> Path:
        try:
            aside = _write_new(Path(f"{self._real}.torn"), torn)
            os.truncate(self._real, start)
        except OSError as error:
            raise self._not_written(str(error.strerror)) from error
        self._size = start
        return aside


def _make_folder(folder: Path) -> None:
    # Not makedirs(mode=…): it gives the folders between the umask's rights.
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(FOLDER_MODE, exist_ok=True)


def _lock(path: Path) -> int:
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_open_file(fd, path):
                return fd
        except OSError:
            os.close(fd)
            raise
        # The last holder removed the file between opening and locking: this lock binds nobody.
        os.close(fd)


def _is_open_file(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except FileNotFoundError:
        return False


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
