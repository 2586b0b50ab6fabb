"""Stands in for standard output and error while the screen stands: what anybody prints comes above it.

A library that prints, a warning, a thread: each whole line once, made safe like all else.
"""

import asyncio
import contextlib
import io
import sys
import threading
from collections.abc import Callable, Iterator

from todo_context.cells import printable


class Redirect(io.TextIOBase):
    """Hands whole lines to `show`, in the thread of the loop that it was made in."""

    encoding = "utf-8"

    def __init__(self, show: Callable[[str], object]) -> None:
        super().__init__()
        self._show = show
        self._loop = asyncio.get_running_loop()
        self._part = ""
        self._lock = threading.Lock()

    def isatty(self) -> bool:
        """What is printed here is no screen of the printer's own."""
        return False

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, text: str) -> int:
        """Take in a text; an unfinished line waits."""
        with self._lock:
            done, end, self._part = (self._part + text).rpartition("\n")
        if end:
            self._send(done)
        return len(text)

    def finish(self) -> None:
        """Show the unfinished line."""
        with self._lock:
            part, self._part = self._part, ""
        if part:
            self._show(printable(part))

    def _send(self, lines: str) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nothing is shown any more
            self._loop.call_soon_threadsafe(self._show, printable(lines))


@contextlib.contextmanager
def redirected(show: Callable[[str], object]) -> Iterator[None]:
    """While this runs, what is printed comes to `show`. A stream that is no terminal stays what it was."""
    before, redirect = (sys.stdout, sys.stderr), Redirect(show)
    if sys.stdout.isatty():
        sys.stdout = redirect
    if sys.stderr.isatty():
        sys.stderr = redirect
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        redirect.finish()
