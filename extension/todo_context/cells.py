"""Text in the cells of a terminal: how wide it is, where it is cut, where it breaks. Pure.

A width is the sum of those of the code points, which is how a terminal library addresses cells. Terminals and
libraries agree on it only after `safe_text` has taken out what joins several code points into one picture.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from todo_context.plan.text import for_screen

MARKS_ON_A_CELL = 4
"""Marks without a width that stay on one character. No script needs more; a thousand of them cover other rows."""

_JOINED = re.compile(
    "\u200d[\u2190-\u2bff\U0001f000-\U0001faff]?"  # a joiner and the picture it joins: a family is its first member
    "|[\U0001f3fb-\U0001f3ff\u20e3\U000e0020-\U000e007f]"  # skin tones, keycaps, tags
    "|[\u00ad\u200b-\u200f\u2060-\u2069\ufe00-\ufe0f\ufeff]"  # no width of their own, or one that is disputed
)
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
_FLAG_A = 0x1F1E6


@lru_cache(maxsize=4096)
def safe_text(text: str) -> str:
    """Make text safe to print, and as wide everywhere as `width_cells` says. A flag shows as its two letters."""
    text = for_screen(text)
    if text.isascii():
        return text
    text = _JOINED.sub("", text).replace("\u3164", " ")  # a filler that some draw two cells wide
    return _FLAG.sub(lambda found: chr(ord(found[0]) - _FLAG_A + ord("A")), text)


@lru_cache(maxsize=4096)
def _width(character: str) -> int:
    from wcwidth import wcwidth  # noqa: PLC0415 - its tables take ten milliseconds, and ASCII needs none

    return max(0, wcwidth(character))


def width_cells(text: str) -> int:
    """How many cells a text takes."""
    return len(text) if text.isascii() else sum(map(_width, text))


def cut(text: str, width: int, ellipsis: str = "…") -> str:
    """The text on at most `width` cells, with `ellipsis`, of one cell or empty, at its end if some is left out."""
    if width <= 0:
        return ""
    fitting = _fitting(text, width)
    if fitting == len(text):
        return _without_piles(text)
    return _without_piles(text[: _fitting(text, width - len(ellipsis))]) + ellipsis


@lru_cache(maxsize=4096)
def wrapped(text: str, width: int) -> tuple[str, ...]:
    """The text on lines of at most `width` cells, broken between words where there are any. One line at least.

    A character that is wider than the line is left out.
    """
    return tuple(_lines(text, max(1, width))) or ("",)


def _lines(text: str, width: int) -> Iterator[str]:
    at = 0
    while at < len(text):
        end = at + _fitting(text[at : at + _most(width)], width)
        if end == at:
            at += 1
            continue
        if end < len(text) and text[end] != " ":
            blank = text.rfind(" ", at + 1, end)
            end = blank if blank > at else end
        yield _without_piles(text[at:end].rstrip(" "))
        at = end
        while at < len(text) and text[at] == " ":
            at += 1


def _most(width: int) -> int:
    # More code points than any line is made of, so that a long text is not looked at again for each line of it.
    return width * (1 + MARKS_ON_A_CELL) + 1


def _fitting(text: str, width: int) -> int:
    """How many code points of the text fit, with the marks that stand on the last of them."""
    if text.isascii():
        return min(len(text), max(0, width))
    used = 0
    for at, character in enumerate(text):
        used += _width(character)
        if used > width:
            return at
    return len(text)


def _without_piles(text: str) -> str:
    if text.isascii():
        return text
    kept: list[str] = []
    pile = 0
    for character in text:
        pile = 0 if _width(character) else pile + 1
        if pile <= MARKS_ON_A_CELL:
            kept.append(character)
    return "".join(kept)
