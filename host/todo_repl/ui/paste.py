"""Pasted text: made safe, and where it is long, folded in the line into one character that stands for it.

That character is no one's: it belongs to the end of Unicode's private use, is shown as words, and is moved over,
deleted and copied as what it is, one character. So words that only look like a fold are words, and what is
expanded is what was pasted here and nothing else.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING

from prompt_toolkit.formatted_text.utils import fragment_list_to_text
from prompt_toolkit.key_binding import KeyPressEvent
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput

from todo_context.plan.text import note_text

if TYPE_CHECKING:
    from prompt_toolkit.formatted_text import StyleAndTextTuples

MOST_LINES = 5
"""Lines that stay as they are. Beside a panel of eight rows and as many of what the agent writes, the input has five
of a screen of 24."""

MOST_CHARACTERS = 800
"""Characters that stay as they are: ten rows of 80, and the input is never higher."""

FIRST, LAST = 0x10F000, 0x10FFFD
"""The characters that stand for a text. Fonts with symbols of their own use the beginning of the private planes."""

_FOLD = re.compile(f"[{chr(FIRST)}-{chr(LAST)}]")

STYLE = "class:paste"


class Pastes:
    """What was pasted in this session, by the characters that stand for it."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def fold(self, pasted: str) -> str:
        """What goes into the line for a pasted text: itself, made safe, or one character that stands for it."""
        text = plain(pasted)
        is_short = _lines(text) <= MOST_LINES and len(text) <= MOST_CHARACTERS
        # A line of the history may hold a fold still, so none is used twice.
        fold = FIRST + len(self._texts)
        if is_short or fold > LAST:
            return text
        self._texts[chr(fold)] = text
        return chr(fold)

    def expand(self, line: str) -> str:
        """The line with all that was pasted into it."""
        return _FOLD.sub(lambda fold: self._texts.get(fold[0], "\ufffd"), line)

    def refold(self, line: str) -> str:
        """The other way: a line that comes back, with each text that was pasted here folded again."""
        for fold, text in self._texts.items():
            line = line.replace(text, fold)
        return line

    def shown(self, line: str) -> str:
        """The line as the screen shows it: `[Pasted text #1 +500 lines]` for a fold."""
        return _FOLD.sub(lambda fold: self._words(fold[0]), line)

    def _words(self, fold: str) -> str:
        text = self._texts.get(fold)
        if text is None:
            return "\ufffd"
        lines = _lines(text)
        size = f"+{lines} lines" if lines > 1 else f"+{len(text)} characters"
        return f"[Pasted text #{ord(fold) - FIRST + 1} {size}]"


def plain(text: str) -> str:
    """Text from elsewhere, safe in the line: line feeds for all ends of lines, no control sequence, no fold."""
    return _FOLD.sub("\ufffd", note_text(text.replace("\r\n", "\n").replace("\r", "\n")))


def paste_into(event: KeyPressEvent, pastes: Pastes) -> None:
    """What the key Keys.BracketedPaste does in the line."""
    event.current_buffer.insert_text(pastes.fold(event.data))


class ShowPastes(Processor):
    """Show the words of a fold in its place. The cursor is before them or after them."""

    def __init__(self, pastes: Pastes) -> None:
        self._pastes = pastes

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """One character becomes many, so positions move."""
        line = fragment_list_to_text(transformation_input.fragments)
        if not _FOLD.search(line):
            return Transformation(transformation_input.fragments)
        fragments: StyleAndTextTuples = []
        for style, text, *_ in transformation_input.fragments:
            fragments += [
                (f"{style} {STYLE}", self._pastes.shown(piece)) if _FOLD.match(piece) else (style, piece)
                for piece in _pieces(text)
            ]
        starts = [0]
        for character in line:
            starts.append(starts[-1] + len(self._pastes.shown(character)))
        # Behind the line stands the cursor, or more that others have put there.
        return Transformation(
            fragments,
            lambda position: starts[min(position, len(line))] + max(0, position - len(line)),
            lambda shown: bisect_right(starts, min(shown, starts[-1])) - 1 + max(0, shown - starts[-1]),
        )


def _pieces(text: str) -> Iterator[str]:
    """A text in pieces, each a fold or without one."""
    end = 0
    for fold in _FOLD.finditer(text):
        if fold.start() > end:
            yield text[end : fold.start()]
        yield fold[0]
        end = fold.end()
    if end < len(text):
        yield text[end:]


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))
