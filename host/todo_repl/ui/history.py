"""The lines of earlier sessions: kept in a file, gone through with the arrow keys, and searched.

A line is kept with one write at the end of the file, so two programs can keep theirs at once. Whatever becomes of
the file, and of the disk, the lines of this session are in memory. Each line is there once, where it was said last.
"""

import contextlib
import os
import stat
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from pathlib import Path

from prompt_toolkit.history import History

from todo_context.backlog.secrets import find_secret
from todo_context.errors import TodoContextError
from todo_context.paths import FILE_MODE, data_dir, make_private
from todo_repl.session_lock import Lock
from todo_repl.ui.paste import plain

FILE_NAME, OLDER = "history", "history.1"

MOST_BYTES = 500_000
"""How large the file becomes before it takes the place of the older one: with that, some 20,000 lines."""

MOST_LINE_BYTES = 50_000
"""What is longer is a document that was pasted; it is kept for this session alone, else few lines had room."""


class LineHistory(History):
    """What was typed, the newest first. Without a `folder` it is kept nowhere.

    `whole` gives what is kept for a line: with all that was pasted into it.
    """

    def __init__(self, folder: Path | None, whole: Callable[[str], str]) -> None:
        super().__init__()
        self._folder = folder
        self._whole = whole
        self._lines: list[str] | None = None

    def newest_first(self) -> Sequence[str]:
        """All lines. The file is read once."""
        if self._lines is None:
            self._lines = list(self.load_history_strings())
        return self._lines

    async def load(self) -> AsyncGenerator[str, None]:
        """All lines, the newest first."""
        for line in tuple(self.newest_first()):
            yield line

    def get_strings(self) -> list[str]:
        """All lines, the oldest first."""
        return list(reversed(self.newest_first()))

    def append_string(self, string: str) -> None:
        """Remember a line, for this session and the next ones."""
        others = [line for line in self.newest_first() if line != string]
        self._lines = [string, *others]
        self.store_string(string)

    def load_history_strings(self) -> Iterable[str]:
        """What is in the files."""
        folder = self._folder
        kept = () if folder is None else (*_read(folder / OLDER), *_read(folder / FILE_NAME))
        return dict.fromkeys(reversed(kept))

    def store_string(self, string: str) -> None:
        """Keep a line for the next sessions, if the disk takes it; one that holds a secret is none for it."""
        whole = self._whole(string)
        written = "".join(f"+{row}\n" for row in whole.split("\n")).encode(errors="replace")
        if self._folder is None or len(written) > MOST_LINE_BYTES or find_secret({"": whole}):
            return
        with contextlib.suppress(OSError):
            # The first line feed may end a row that was torn, the second sets its line apart.
            if _append(self._folder / FILE_NAME, b"\n\n" + written) > MOST_BYTES:
                _make_older(self._folder)


def line_history(*, is_kept: bool, whole: Callable[[str], str]) -> LineHistory:
    """The history in the data folder; of this session alone where nothing is to be kept, or can be."""
    folder: Path | None = None
    if is_kept:
        with contextlib.suppress(OSError, TodoContextError):
            folder = make_private(data_dir())
    return LineHistory(folder, whole)


def _append(path: Path, written: bytes) -> int:
    """How large the file is with it."""
    # Not blocking: a pipe of this name would be waited for.
    flags = os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC
    file = os.open(path, flags, FILE_MODE)
    try:
        os.write(file, written)
        return os.fstat(file).st_size
    finally:
        os.close(file)


def _make_older(folder: Path) -> None:
    """Let the file take the place of the older one, unless another program just did."""
    lock = Lock(folder / FILE_NAME)
    try:
        lock.take()
        if (folder / FILE_NAME).stat().st_size > MOST_BYTES:
            (folder / FILE_NAME).replace(folder / OLDER)
    finally:
        lock.release()


def _read(path: Path) -> list[str]:
    """The lines of a file, the oldest first; of a damaged one what can be made out, of no file none."""
    with contextlib.suppress(OSError):
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(file, "rb") as opened:
            status = os.fstat(file)
            # A file of ours is hardly larger; of another one it is the end, from the next line on.
            begins = max(0, status.st_size - MOST_BYTES - MOST_LINE_BYTES)
            if stat.S_ISREG(status.st_mode):
                opened.seek(begins)
                raw = opened.read()
                return list(_lines(raw.partition(b"\n\n")[2] if begins else raw))
    return []


def _lines(raw: bytes) -> Iterator[str]:
    rows: list[str] = []
    for row in (*raw.split(b"\n"), b""):
        if row.startswith(b"+"):
            rows.append(row[1:].decode(errors="replace"))
            continue
        # A file that somebody changed may hold anything.
        line = plain("\n".join(rows))
        rows = []
        if line.strip():
            yield line
