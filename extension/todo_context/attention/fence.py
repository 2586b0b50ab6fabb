# ruff: noqa: RUF001 (what looks like another character is the subject)
"""The fence around what we say to a model: one opening tag, one closing tag, and text that breaks neither.

Pure. Whatever a task says, in whatever spelling, it stays between our tags, on one line, and can be read. Only
a bracket that begins our tag, or what could become it together with the next line, is shown as a round one:
a model names tasks by their text, so all other text stays as it is.
"""

import html
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from todo_context.plan.text import for_screen

OPEN, CLOSE = "<system-reminder>", "</system-reminder>"
"""The tags that models know for what neither the person nor the model has said."""

SENDER = "From the todo extension, not from the user"
"""How every text of ours begins; by it a stored one is known again."""

_NAME = "systemreminder"
"""The letters of the tag: what stands between them makes no difference."""

_OPENING = frozenset("<˂‹«ᐸᚲ≪≺⋖⋘⟨⟪⟬⦑⧼⩹⪡⪦⪻⫷❬❮❰〈〈《﹤＜︿︽𝈶")
_CLOSING = frozenset(">˃›»ᐳ≫≻⋗⋙⟩⟫⟭⦒⧽⩺⪢⪧⪼⫸❭❯❱〉〉》﹥＞﹀︾𝈷")
"""Brackets, and what looks like one. Source: Unicode's confusables of < and >, and its other angles."""

_ALIKE = {
    "s": "ѕꜱƨ",
    "y": "уүγʏყ",
    "t": "тτᴛ",
    "e": "еєεᴇ",
    "m": "мᴍ",
    "r": "гʀᴦ",
    "i": "іιıɪј",
    "n": "пηոɴ",
    "d": "ԁɗᴅ",
}
_SAME_LETTER = {ord(alike): letter for letter, each in _ALIKE.items() for alike in each}
"""Letters of other scripts that look like one of the tag's."""

_INVISIBLE_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")
"""Hangul fillers: letters to Unicode, nothing to the eye."""

_UNIT = re.compile(
    r"&(?:amp;)*\#?[0-9A-Za-z]{1,31};?"  # an entity, perhaps escaped again
    r"|\\u\{?[0-9A-Fa-f]{2,6}\}?|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}"  # escapes that models read as well
    r"|.",
    re.DOTALL,
)
_NESTED = 4
"""How often an entity is read anew: &amp;amp;lt; is one in three layers, and nobody writes more in earnest."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """One character as it is written, and what it means: more than one, where an entity has no end of its own."""

    written: str
    meant: str


def fenced(lines: Iterable[str]) -> str:
    """Our text between its tags. The lines are ours, or went through `harmless`."""
    return "\n".join([OPEN, *lines, CLOSE])


def is_ours(text: str) -> bool:
    """Whether a message is one fence of ours and nothing else: then nobody but us has said it."""
    text = text.strip()
    if not (text.startswith(f"{OPEN}\n{SENDER}") and text.endswith(f"\n{CLOSE}")):
        return False
    return text.count(OPEN) == 1 and text.count(CLOSE) == 1


def harmless(text: str, most: int) -> str:
    """Text of a task as data inside the fence: one line, no control, no tag of ours, at most `most` characters.

    What is cut ends in "…".
    """
    line = for_screen(text)
    return _without_tags(line if len(line) <= most else f"{line[: most - 1]}…")


def quoted(name: str, most: int) -> str:
    """A name in a sentence of ours, in quotes that it cannot leave."""
    return json.dumps(harmless(name, most), ensure_ascii=False)


def _without_tags(line: str) -> str:
    units = list(_units(line))
    if not any(char in _OPENING for unit in units for char in unit.meant):
        return line
    meant = "".join(unit.meant for unit in units)
    begin = _first_tag(meant)
    if begin is None:
        return line
    shown: list[str] = []
    position = 0
    for unit in units:
        end = position + len(unit.meant)
        shown.append(_round(unit.meant) if end > begin and _round(unit.meant) != unit.meant else unit.written)
        position = end
    return "".join(shown)


def _units(line: str) -> Iterator[_Unit]:
    for match in _UNIT.finditer(line):
        written = match[0]
        yield _Unit(written, _meaning(written) if len(written) > 1 else written)


def _meaning(written: str) -> str:
    if written[0] != "&":
        code = int(written.strip("\\ux{}%"), 16)
        return chr(code) if code <= 0x10FFFF else written  # noqa: PLR2004 (the last character of Unicode)
    for _ in range(_NESTED):
        written = html.unescape(written)
    return written


def _first_tag(meant: str) -> int | None:
    """Where a bracket begins our tag, or stands with a part of its name at the end of the line."""
    for position, char in enumerate(meant):
        if char in _OPENING:
            letters = _letters(meant, position + 1)
            if letters == _NAME[: len(letters)]:
                return position
    return None


def _letters(meant: str, begin: int) -> str:
    """The letters and digits that follow, as many as the name has; fewer at the end of the line."""
    found = ""
    for char in meant[begin:]:
        if char not in _INVISIBLE_LETTERS:
            plain = unicodedata.normalize("NFKD", char).casefold().translate(_SAME_LETTER)
            found += "".join(part for part in plain if unicodedata.category(part)[0] in "LN")
        if len(found) >= len(_NAME):
            break
    return found[: len(_NAME)]


def _round(text: str) -> str:
    return "".join("(" if char in _OPENING else ")" if char in _CLOSING else char for char in text)
