"""Make text safe for the screen while it streams.

However a text is cut into pieces, what comes out is together what `printable` makes of the whole, so a control
sequence that is split over two pieces is as dead as one that is not, and a picture as whole.
"""

import re

from todo_context.cells import unfinished, visible
from todo_context.plan.text import lines_for_screen

HELD_CHARACTERS = 4096
"""The longest beginning of a control sequence that is waited for. Past it the text comes without its
introducer: harmless, and a reader sees that something is odd."""

_CSI = "(?:\x1b\\[|\x9b)[0-?]*[ -/]*"
_STRING = "(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*"
_SHORT = "\x1b[ -/]*"

# The sequences that `plan/text.py` knows, in its order, and the beginnings of each at the end of the text;
# also a CR there, which may belong to a CR LF. A line feed ends each of them.
_SEQUENCE = re.compile(
    f"{_CSI}[@-~]|{_STRING}(?:\x07|\x1b\\\\|\x9c)|(?P<beginning>(?:{_CSI}|{_STRING}\x1b?|{_SHORT}|\r)\\Z)|{_SHORT}[0-~]"
)


class StreamGuard:
    """One text in pieces. `feed` each, then `finish`."""

    def __init__(self) -> None:
        self._held = ""
        self._last = ""
        """The last character, safe already, if the next may belong to it."""

    def feed(self, piece: str) -> str:
        """What can be shown now."""
        text = self._held + piece
        cut = _cut(text)
        if len(text) - cut > HELD_CHARACTERS:
            cut = len(text)
        self._held = text[cut:]
        safe = self._last + lines_for_screen(text[:cut])
        whole = len(safe) - unfinished(safe)
        self._last = safe[whole:]
        return visible(safe[:whole])

    def finish(self) -> str:
        """What was waited for and did not come."""
        rest = self._last + lines_for_screen(self._held)
        self._held = self._last = ""
        return visible(rest)


def _cut(text: str) -> int:
    """Where an unfinished sequence begins at the end of `text`; its length when there is none."""
    for match in _SEQUENCE.finditer(text):
        if match["beginning"] is not None:
            return match.start()
    return len(text)
