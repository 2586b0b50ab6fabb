"""The terminal's own settings, for as long as something else than the prompt has it.

Everything here does nothing where there is no terminal to set.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

if sys.platform != "win32":
    import termios

Attributes = list[Any]
"""The settings of a terminal, as termios tells them."""


@contextlib.contextmanager
def terminal_restored() -> Iterator[None]:
    """Leave the terminal as it was: an editor that is killed leaves it raw, without echo."""
    before = attributes()
    try:
        yield
    finally:
        _set(before)


@contextlib.contextmanager
def terminal_as(found: Attributes | None) -> Iterator[None]:
    """Have the terminal as it was found once, and then as it is now again."""
    with terminal_restored():
        _set(found)
        yield


def before_full_screen() -> None:
    """Have the terminal remember where the cursor is: `leave_full_screen` brings it back there."""
    _send(b"\x1b7")


def leave_full_screen() -> None:
    """Take back what a program that was killed has set: the other screen, the mouse, a hidden cursor, colours."""
    _send(b"\x1b[?1049l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1l\x1b>\x1b[?25h\x1b[0m")


def _send(sequence: bytes) -> None:
    with contextlib.suppress(OSError):
        if os.isatty(1):
            os.write(1, sequence)


def attributes() -> Attributes | None:
    """The settings of now."""
    if sys.platform == "win32":
        return None
    try:
        return termios.tcgetattr(0)
    except termios.error:  # no terminal
        return None


def _set(found: Attributes | None) -> None:
    if sys.platform != "win32" and found is not None:
        with contextlib.suppress(termios.error):  # it hung up
            termios.tcsetattr(0, termios.TCSADRAIN, found)
