"""Text in the cells of a terminal: what of it is seen, how wide it is, where it is cut, where it breaks. Pure.

What is printed passes `printable`, what is drawn in cells `safe_text`. A width is the sum of those of the code points,
which is how a terminal library addresses cells. Terminals and libraries agree on it only after `safe_text` has taken
out what joins several code points into one picture.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from todo_context.plan.text import for_screen, lines_for_screen

MARKS_ON_A_CELL = 4
"""Marks without a width that stay on one character. No script needs more; a thousand of them cover other rows."""

_UNSEEN = (
    "\u00ad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff0-\ufffb"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""What has no look of its own: joiners, variation selectors, tags, directions, what is unassigned and to be ignored.

Source: Unicode 16, Default_Ignorable_Code_Point and general category Cf. Not the signs of Cf that are drawn, such as
U+06DD, nor the fillers below.
"""

_FILLERS = "\u115f\u1160\u3164\uffa0"
"""Letters of Hangul that look like a blank."""

_PICTURE = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001f3fa\U0001f400-\U0001faff]"  # but for the tones
)
_TONE = "[\U0001f3fb-\U0001f3ff]"
_VARIED = f"{_PICTURE}[\ufe00\ufe0e\ufe0f]?{_TONE}?"
_TAG = "[\U000e0030-\U000e0039\U000e0061-\U000e007a]"
_IDEOGRAPH = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_MONGOLIAN = "[\u1820-\u18aa]"
_SHAPED = (  # Arabic, Syriac and N'Ko; the scripts of India; Tibetan to Khmer and Mongolian; those of South East Asia
    "[\u0620-\u08ff\u0900-\u0dff\u0f00-\u109f\u1700-\u17b3\u17b6-\u17ff\u1800-\u180a\u1810-\u18af"
    "\u1a20-\u1aaf\u1b00-\u1cff\ua840-\ua8ff\ua980-\uabff\U00010d00-\U00010eff\U00011000-\U00011fff]"
)

_SEEN_OR_NOT = re.compile(
    "(?P<seen>"
    f"\U0001f3f4{_TAG}{{2,6}}\U000e007f"  # the flag of a region
    f"|{_VARIED}(?:\u200d{_VARIED})*"
    "|[0-9#*]\ufe0f\u20e3"  # a keycap
    f"|{_IDEOGRAPH}[\ufe00-\ufe02\U000e0100-\U000e01ef]"
    f"|{_MONGOLIAN}[\u180b-\u180d\u180f]"
    f"|{_SHAPED}[\u200c\u200d]"
    f")|(?P<filler>[{_FILLERS}])|[{_UNSEEN}]"
)
_UNFINISHED = re.compile(
    f"(?:(?:{_VARIED}\u200d)*\U0001f3f4{_TAG}{{0,6}}|{_VARIED}(?:\u200d{_VARIED})*\u200d?|[0-9#*]\ufe0f?|{_IDEOGRAPH}|{_MONGOLIAN}|{_SHAPED})\\Z"
)
_PERHAPS_UNSEEN = re.compile(f"[{_UNSEEN}{_FILLERS}]")

UNFINISHED_AT_MOST = 32
"""Code points at the end of a text that may go on with what comes. The longest picture that is in use has ten."""

_JOINED = re.compile(
    f"\u200d{_PICTURE}?"  # a joiner and the picture it joins: a family is its first member
    f"|{_TONE}|\u20e3|[{_UNSEEN}]"  # skin tones, keycaps, and what has no width of its own, or one that is disputed
)
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
_FLAG_A = 0x1F1E6


def printable(text: str) -> str:
    """Make text of several lines safe to print: no control, and nothing that nobody sees.

    What makes a picture or a letter out of several code points stays where it does: 👩 + joiner + 🚒.
    """
    return visible(lines_for_screen(text))


def visible(text: str, instead: str = "") -> str:
    """The text without what nobody sees, or with `instead` for each such character. A filler shows as a blank."""
    if text.isascii() or not _PERHAPS_UNSEEN.search(text):
        return text

    def shown(found: re.Match[str]) -> str:
        return found["seen"] or (" " if found["filler"] else instead)

    return _SEEN_OR_NOT.sub(shown, text)


def unfinished(text: str) -> int:
    """How many code points at the end of a text that streams wait for the next: what comes may join them."""
    found = _UNFINISHED.search(text[-UNFINISHED_AT_MOST:])
    return len(found[0]) if found else 0


@lru_cache(maxsize=4096)
def safe_text(text: str) -> str:
    """Make text safe to draw, and as wide everywhere as `width_cells` says. A flag shows as its two letters."""
    text = for_screen(text)
    if text.isascii():
        return text
    text = _JOINED.sub("", visible(text))
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
