"""The one writer to the terminal while the screen stands: what belongs together leaves in one write.

A terminal that is gone raises nothing here: `on_lost` is told.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TextIO

from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.color_depth import ColorDepth
from prompt_toolkit.output.flush_stdout import flush_stdout
from prompt_toolkit.output.vt100 import Vt100_Output

BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"
"""Synchronised output: a terminal that knows it shows a frame at once, any other ignores it."""

_CHANGES_NOTHING = re.compile(r"(?:\x1b\[(?:\?25l|\?7[hl]|0m|\?12l|\?25h))*\x1b\[\?25h")
"""The cursor hidden and shown again, and the like, around a drawing that was not needed."""


def _nothing(_error: OSError) -> None:
    """Nobody wants to know."""


class FrameOutput(Vt100_Output):
    """Holds back its flushes inside `frame()`."""

    def __init__(self, stdout: TextIO, get_size: Callable[[], Size], term: str | None = None) -> None:
        super().__init__(stdout, get_size, term=term, default_color_depth=ColorDepth.from_env(), enable_cpr=False)
        self.on_lost: Callable[[OSError], object] = _nothing
        self._is_framed = False
        self._pieces: list[str] = []

    @classmethod
    def to_terminal(cls, stdout: TextIO) -> "FrameOutput":
        """One on the terminal that `stdout` is."""
        return cls(stdout, lambda: _size(stdout), term=os.environ.get("TERM"))

    def write(self, data: str) -> None:
        """Collect text; an Esc in it shows."""
        self._pieces.append(data.replace("\x1b", "?"))

    def write_raw(self, data: str) -> None:
        """Collect text and sequences."""
        self._pieces.append(data)

    def flush(self) -> None:
        """Write what was collected, outside of a frame. A redraw that changes nothing writes nothing."""
        if self._is_framed:
            return
        text, self._pieces = "".join(self._pieces), []
        if not text or _CHANGES_NOTHING.fullmatch(text):
            return
        try:
            flush_stdout(self.stdout, text)
        except OSError as error:
            self.on_lost(error)

    def erase_down(self) -> None:
        """Erase from the cursor on. An erase at the very first cell has tmux copy the whole screen into its history."""
        self.write_raw("\x1b[K\x1b[C\x1b[J\x1b[D")

    def discard(self) -> None:
        """Forget what was collected."""
        self._pieces = []

    @contextmanager
    def frame(self, *, is_marked: bool = True) -> Iterator[None]:
        """Have all that is written meanwhile leave in one write; `is_marked`: as one picture, for it erases first."""
        self._is_framed = True
        try:
            yield
        finally:
            if self._pieces and is_marked:
                self._pieces = [BEGIN, *self._pieces, END]
            self._is_framed = False
            self.flush()


def _size(stdout: TextIO) -> Size:
    try:
        columns, rows = os.get_terminal_size(stdout.fileno())
    except (OSError, ValueError):
        columns, rows = 0, 0
    # A terminal that nobody told its size says 0.
    return Size(rows=rows or 24, columns=columns or 80)


def reflows(setting: str, environ: Mapping[str, str]) -> bool:
    """Whether the terminal wraps what stands on it anew when it becomes narrower. A guess where nothing is set."""
    if setting != "auto":
        return setting == "on"
    return environ.get("TERM") != "linux" and not environ.get("XTERM_VERSION")


def real_stdout() -> TextIO:
    """The stream that the program began with, whatever stands in for it now."""
    return sys.__stdout__ or sys.stdout
