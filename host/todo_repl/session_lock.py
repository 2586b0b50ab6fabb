"""The lock of a session file: one process of ours at a time, and none waits.

It lies beside the file as `<file>.lock`, and ends with `release` or with the process, however that ends.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

ENDING = ".lock"

FILE_MODE = 0o600
FOLDER_MODE = 0o700
"""A conversation is its owner's alone, whatever the umask."""


class Lock:
    """The lock of the file at `path`, which need not exist yet."""

    def __init__(self, path: Path) -> None:
        self._folder = path.parent
        self._path = Path(f"{path}{ENDING}")
        self._fd: int | None = None

    def take(self) -> None:
        """Take it, creating its folder; nothing if it is held already.

        Raises:
            BlockingIOError: another process holds it.
            OSError: the folder does not take a file.
        """
        if self._fd is None:
            _make_folder(self._folder)
            self._fd = _locked(self._path)

    def release(self) -> None:
        """Let go of it, and remove it; nothing if it is not held."""
        if self._fd is None:
            return
        # Removed while it is still held; `_locked` notices a lock whose file is gone. What stays binds nobody.
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        os.close(self._fd)
        self._fd = None


def is_locked(path: Path) -> bool:
    """Whether another process holds the lock of a file now. Makes nothing, and nobody waits."""
    try:
        fd = os.open(f"{path}{ENDING}", os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(fd)
    return False


def _make_folder(folder: Path) -> None:
    # Not makedirs(mode=…): it gives the folders between the umask's rights.
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(FOLDER_MODE, exist_ok=True)


def _locked(path: Path) -> int:
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
