"""Break streaming text between words at the edge of the terminal, as it comes.

Only breaks are added: where text has a line feed, or a word is longer than a line, it goes out as it is.
Widths are terminal cells.
"""

import re
from collections.abc import Callable

_PIECES = re.compile(r"\n|[ ]+|[^ \n]+")


class Wrapper:
    """One text in pieces, for a terminal `columns()` cells wide. `feed` each piece, then `finish`."""

    def __init__(self, columns: Callable[[], int]) -> None:
        self._columns = columns
        self._used = 0
        self._gap = ""
        self._word = ""

    def feed(self, text: str) -> str:
        """What can be shown of the text so far; a word waits until it is whole, or as long as a line."""
        shown = ""
        for piece in _PIECES.findall(text):
            if piece.strip():
                self._word += piece
                if _cells(self._word) >= self._columns():
                    shown += self._placed()
                continue
            shown += self._placed()
            if piece == "\n":
                shown += "\n"
                self._used, self._gap = 0, ""
            else:
                self._gap += piece
        return shown

    def finish(self) -> str:
        """The rest. A new text may begin."""
        shown = self._placed()
        self._used, self._gap = 0, ""
        return shown

    def _placed(self) -> str:
        """The word that waited, behind its gap or on a new line."""
        word, gap = self._word, self._gap
        if not word:
            return ""
        self._word = self._gap = ""
        width = _cells(word)
        if self._used and self._used + len(gap) + width > self._columns():
            gap = "\n"
            self._used = 0
        shown = gap + word
        end = self._used + (0 if gap == "\n" else len(gap)) + width
        # A line that is just full is not yet a new one: terminals wait for the next letter.
        self._used = (end - 1) % self._columns() + 1
        return shown


def _cells(text: str) -> int:
    from rich.cells import cell_len  # noqa: PLC0415 (only a terminal needs it)

    return cell_len(text)
