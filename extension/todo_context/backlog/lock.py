"""The lock of a store: `<file>.lock` beside it, held for one transaction, by many readers or one writer.

The system frees it with the process, however that ends, so no lock is ever left over. Its file stays, for to take
it away would let two hold it. Who waits tries again and again, for a bounded time: a process that was stopped in the
middle must not stop all others for ever.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from todo_context.backlog.store import StoreError
from todo_context.paths import FILE_MODE, make_private

WAIT_S = 10.0
"""Seconds. A transaction takes milliseconds; nobody who looks at a screen waits longer."""

_FIRST_PAUSE_S = 0.0005
_LONGEST_PAUSE_S = 0.01
_SLOWER = 1.5


class StoreLock:
    """The lock of the store at `path`."""

    def __init__(self, path: Path, wait_s: float = WAIT_S) -> None:
        self._path = Path(f"{path}.lock")
        self._wait_s = wait_s

    @contextmanager
    def held(self, *, exclusive: bool) -> Iterator[None]:
        """Hold it, creating its folder.

        Raises:
            StoreError: others have held it for too long, or it is not ours to make.
        """
        kind = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        while True:
            descriptor = self._open()
            try:
                self._wait(descriptor, kind)
                # Where somebody took its file away meanwhile, others hold the one that is there now.
                if self._is_there_as(descriptor):
                    yield
                    return
            finally:
                os.close(descriptor)

    def _open(self) -> int:
        try:
            make_private(self._path.parent)
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        except OSError as error:
            step = "Make the folder yours to write, or name another place"
            raise StoreError("denied", str(self._path), f"cannot be made ({error.strerror})", step) from error

    def _is_there_as(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self._path.stat())
        except FileNotFoundError:
            return False

    def _wait(self, descriptor: int, kind: int) -> None:
        until, pause = time.monotonic() + self._wait_s, _FIRST_PAUSE_S
        while True:
            try:
                fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            except BlockingIOError as error:
                if time.monotonic() > until:
                    fact = f"another program has held it for {self._wait_s:g} s"
                    step = "Try again; if that goes on, end the program that holds it"
                    raise StoreError("busy", str(self._path), fact, step) from error
                time.sleep(pause)
                pause = min(pause * _SLOWER, _LONGEST_PAUSE_S)
            else:
                return
