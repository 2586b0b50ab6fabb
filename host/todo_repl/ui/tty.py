"""The terminal's own settings, for as long as something else than the prompt has it.

Everything here does nothing where there is no terminal to set.
"""

import contextlib
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
