"""The terminal's own settings, for as long as something else than the prompt has it.

Everything here does nothing where there is no terminal to set.
"""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

if sys.platform != "win32":
    import termios


@contextlib.contextmanager
def terminal_restored() -> Iterator[None]:
    """Leave the terminal as it was: an editor that is killed leaves it raw, without echo."""
    before = _attributes()
    try:
        yield
    finally:
        _set(before)


@contextlib.contextmanager
def typing_unseen() -> Iterator[None]:
    """While the agent works, keys do not mix with its text. They wait for the prompt, and no Ctrl-C drops them."""
    before = _attributes()
    if sys.platform != "win32" and before is not None:
        quiet = [*before]
        quiet[3] = (quiet[3] & ~termios.ECHO) | termios.NOFLSH
        _set(quiet)
    try:
        yield
    finally:
        _set(before)


def _attributes() -> "list[Any] | None":
    if sys.platform == "win32":
        return None
    try:
        return termios.tcgetattr(0)
    except termios.error:  # no terminal
        return None


def _set(attributes: "list[Any] | None") -> None:
    if sys.platform != "win32" and attributes is not None:
        with contextlib.suppress(termios.error):  # it hung up
            termios.tcsetattr(0, termios.TCSADRAIN, attributes)
