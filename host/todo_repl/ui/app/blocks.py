"""A Markdown text while it streams, block by block.

A block at the top level that has another one behind it is finished: it comes out once, whole. A long one comes out in
parts, a line of a paragraph or an item of a list at a time. What is not finished is the rest, as it was written.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONG_LINES = 8
"""From here on a block comes out in parts: what is not finished stands on a few rows, and a resize may leave them."""

MOST_CHARACTERS = 20_000
"""The longest rest. Beyond it, what is there comes out although it is not finished: else each line would cost more."""

MOST_NESTED = 200
"""Lists and quotes in each other; below that the parser would leave out words."""

OFTEN_CHARACTERS = 2_000
"""Up to here the rest is parsed with each line."""

_FENCE = re.compile(r"[ ]{0,3}(`{3,}(?=[^`\n]*(?:\n|\Z))|~{3,})")
_TABLE = re.compile(r"\n*[^\n]*\|[^\n]*\n[ ]{0,3}\|?[ \t]*:?-+:?[ \t]*\|[ \t:|-]*\n")
"""The head of a table, at the beginning of a text."""
_ITEM = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|$)")


@dataclass(frozen=True, slots=True)
class Block:
    """Markdown that can be drawn. `goes_on`: it is a part of the block before it."""

    text: str
    goes_on: bool = False
    blank_after: int = 0
    """How many blank lines end it, in a part of a fence: elsewhere they say nothing."""


def markdown_parser() -> "MarkdownIt":
    """A parser that leaves no word out: what stands in <> is none of HTML, and where a link leads is told in place."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 (takes long; most lines are commands)

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": MOST_NESTED})
    return parser.enable(["table", "strikethrough"]).disable(["reference", "image"])


class Blocks:
    """`feed` each piece, then `finish`."""

    def __init__(self) -> None:
        self.rest = ""
        """What is not finished."""
        self._goes_on = False
        self._looks_again = 0
        """The length of the rest from which it is parsed again."""
        self._parser: MarkdownIt | None = None

    def feed(self, piece: str) -> list[Block]:
        """What is finished now."""
        self.rest += piece
        if "\n" not in piece:
            return []
        fence = self._open_fence()
        found = [] if fence else self._finished()
        if fence and self.rest.count("\n") > LONG_LINES:
            found = self._part_of_fence(fence)
        if len(self.rest) > MOST_CHARACTERS:
            found.append(self._part())
        return [block for block in found if block.text.strip()]

    def finish(self) -> list[Block]:
        """The rest. A new text may begin."""
        block = self._cut(len(self.rest), goes_on=False)
        return [block] if block.text.strip() else []

    def _cut(self, at: int, *, goes_on: bool) -> Block:
        """Take off the beginning of the rest; whether what then is the beginning belongs to the same block."""
        block, self.rest = Block(self.rest[:at], self._goes_on), self.rest[at:]
        self._goes_on, self._looks_again = goes_on, 0
        return block

    def _open_fence(self) -> str | None:
        """The mark of the fence that the rest begins with, if it is still open. To parse it is not worth it."""
        text = self.rest.lstrip("\n")
        begin = _FENCE.match(text)
        if begin is None:
            return None
        mark = begin[1]
        end = rf"^[ ]{{0,3}}{re.escape(mark)}{re.escape(mark[0])}*[ \t]*$"
        return None if re.search(end, text[begin.end() :], re.MULTILINE) else mark

    def _part(self) -> Block:
        """Take off what is there, whatever it is."""
        head = _TABLE.match(self.rest)
        block = self._cut(self.rest.rindex("\n") + 1, goes_on=True)
        if head:
            # What comes is rows of the same table.
            self.rest = head[0] + self.rest
        return block

    def _part_of_fence(self, mark: str) -> list[Block]:
        first = self.rest.lstrip("\n").partition("\n")[0]
        block = self._cut(self.rest.rindex("\n") + 1, goes_on=True)
        # This part ends as a fence, and the rest begins as the same kind of one.
        self.rest = f"{first}\n{self.rest}"
        blank = len(re.findall("\n", block.text[len(block.text.rstrip()) :])) - 1
        return [Block(f"{block.text}{mark}\n", block.goes_on, max(0, blank))]

    def _finished(self) -> list[Block]:
        if len(self.rest) < self._looks_again:
            return []
        found = self._looked()
        # A block that cannot be parted grows, and is not parsed for each line of it.
        size = len(self.rest)
        self._looks_again = 0 if found or size < OFTEN_CHARACTERS else size + size // 4
        return found

    def _looked(self) -> list[Block]:
        tops = [token for token in self._parsed() if token.level == 0 and token.map and token.nesting >= 0]
        lines = self.rest.split("\n")
        begins = sorted({token.map[0] for token in tops if token.map})
        if len(begins) > 1:
            places = [0, *(sum(len(line) + 1 for line in lines[:begin]) for begin in begins[1:])]
            return [self._cut(end - begin, goes_on=False) for begin, end in pairwise(places)]
        at = _place_to_part(tops[0], lines) if tops else 0
        return [self._cut(sum(len(line) + 1 for line in lines[:at]), goes_on=True)] if at else []

    def _parsed(self) -> "list[Token]":
        if self._parser is None:
            self._parser = markdown_parser()
        return self._parser.parse(self.rest)


def _place_to_part(block: "Token", lines: list[str]) -> int:
    """The line before which a block can be parted; 0: nowhere. What the last whole line is, the next one may tell."""
    last = len(lines) - 2
    if block.map is None or not block.map[0] < last < block.map[1]:
        return 0  # One line, or a blank one ends it; what comes then begins another block.
    if block.type == "paragraph_open":
        part = "\n".join(lines[:last])
        is_whole = part.count("**") % 2 == 0 and part.count("`") % 2 == 0
        return last if is_whole or last > LONG_LINES else 0
    if block.type in {"bullet_list_open", "ordered_list_open"}:
        return next((at for at in range(last, block.map[0], -1) if _ITEM.match(lines[at])), 0)
    return 0
