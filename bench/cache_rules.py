"""What requests cost where a provider keeps what it has read, by the two rules there are.

Pure. A request is its blocks in order: tools, system prompt, messages. A cache knows a block only behind the very
same blocks. Left out, for it is the same for every way to tell a plan: how long an entry lives, and that a provider
keeps nothing of less than some 1,000 tokens.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate, pairwise

READ, WRITE = 0.1, 1.25
"""What a token costs that is read from a cache, and one that is written into it, of one that is read as input.

Source: Anthropic, prompt caching. Providers with an automatic cache take nothing for the writing.
"""

LOOKBACK = 20
"""At how many places an entry is looked for from a mark; the mark's own is the first. Source: as above."""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a request. Of the same `text` is the same block. `is_marked`: an entry is to be written up to here."""

    text: str
    tokens: int
    is_marked: bool = False


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens of a request, or of several: read from the cache, written into it, and neither."""

    read: int = 0
    written: int = 0
    plain: int = 0

    @property
    def equivalents(self) -> float:
        """What it comes to, in tokens of plain input."""
        return READ * self.read + WRITE * self.written + self.plain

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.read + other.read, self.written + other.written, self.plain + other.plain)


def automatic(requests: Sequence[Sequence[Block]]) -> Iterator[Cost]:
    """The cost of each, where what it has in common with the beginning of the one before is read."""
    for before, blocks in pairwise([(), *requests]):
        same = 0
        while same < min(len(before), len(blocks)) and before[same].text == blocks[same].text:
            same += 1
        yield Cost(read=_tokens(blocks[:same]), plain=_tokens(blocks[same:]))


def explicit(requests: Sequence[Sequence[Block]]) -> Iterator[Cost]:
    """The cost of each, where an entry is written up to each mark and found again from one.

    The longest entry found is read, what is between it and the last mark is written, and the rest is plain.
    """
    entries: set[str] = set()
    for blocks in requests:
        beginnings = [*accumulate((block.text for block in blocks), _beginning, initial="")]
        marks = [place for place, block in enumerate(blocks, start=1) if block.is_marked]
        looked_at = (at for mark in marks for at in range(mark, max(0, mark - LOOKBACK), -1))
        found = max((at for at in looked_at if beginnings[at] in entries), default=0)
        last = max(found, *marks, 0)
        entries.update(beginnings[mark] for mark in marks)
        yield Cost(_tokens(blocks[:found]), _tokens(blocks[found:last]), _tokens(blocks[last:]))


def _tokens(blocks: Sequence[Block]) -> int:
    return sum(block.tokens for block in blocks)


def _beginning(before: str, text: str) -> str:
    return sha256(f"{before}\0{text}".encode()).hexdigest()
