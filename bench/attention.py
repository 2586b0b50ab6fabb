"""What it costs to tell a model the plan, in several ways, over one talk of forty requests.

Each way is held against no reminder, under both rules of caching: the automatic one over requests in OpenAI's
protocol, explicit marks over those in Anthropic's. The talk is recorded anew; the numbers are kept in attention.json
with a hash of all that was sent, so that a test without a tokenizer can tell whether they still hold.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypedDict

from bench.cache_rules import Block, Cost, automatic, explicit
from bench.counting import counted, fingerprint, keep
from bench.parts import Part, Request, parts_of
from bench.talk import recorded
from bench.ways import WAYS, shortened
from todo_context.settings import AttentionSettings

TABLE = Path(__file__).parent / "attention.json"

TALKS: Mapping[str, int] = {"as recorded": 1, "outputs half as long": 2, "outputs a quarter as long": 4}
"""The talk, and what it would be if other tools were sent and answered so much less: then the plan is more of it."""

Protocols = tuple[Sequence[Request], Sequence[Request]]
"""A talk in OpenAI's protocol and in Anthropic's."""


class Costs(TypedDict):
    """What a way costs over a talk: the tokens that it adds to its requests, and the price of all in plain input."""

    added: int
    automatic: int
    marks: int


class Kept(TypedDict):
    """attention.json. The costs are by talk and way."""

    sha256: str
    requests: int
    talks: dict[str, dict[str, Costs]]


@cache
def talk() -> Protocols:
    """The talk as our host has it."""
    openai, anthropic = (
        [parts_of(body) for body in recorded(provider, AttentionSettings())] for provider in ("openai", "anthropic")
    )
    return openai, anthropic


def sent() -> str:
    """A hash of all that was sent, and of where the marks stood."""
    return fingerprint(
        f"{part.kind} {part.is_marked:d} {part.text}" for way in talk() for request in way for part in request
    )


def costs(found: Protocols, tokens: Mapping[str, int]) -> dict[str, Costs]:
    """What each way costs, where each text has so many tokens."""
    ways = {name: [_blocks(change(each), tokens) for each in found] for name, change in WAYS.items()}
    bare = _length(ways["no reminder"][0])
    return {
        name: Costs(
            added=_length(openai) - bare,
            automatic=round(sum(automatic(openai), Cost()).equivalents),
            marks=round(sum(explicit(anthropic), Cost()).equivalents),
        )
        for name, (openai, anthropic) in ways.items()
    }


def kept() -> Kept:
    """What was counted last."""
    found: Kept = json.loads(TABLE.read_text(encoding="utf-8"))
    return found


def rows(ways: Mapping[str, Costs]) -> Iterator[str]:
    """The table of a talk, as docs/attention.md has it: what each way adds, and how much dearer it makes the talk."""
    bare = ways["no reminder"]
    for name, found in ways.items():
        dearer = [f"{(found[rule] / bare[rule] - 1) * 100:+.1f} %" for rule in ("automatic", "marks")]
        if found is not bare:
            yield f"| {name} | {found['added']:,} | {' | '.join(dearer)} |"


def main() -> int:
    """Count, print, and keep the counts; 1 if there is no tokenizer although what is sent has changed."""
    talks = {name: (shortened(talk()[0], by), shortened(talk()[1], by)) for name, by in TALKS.items()}
    texts = sorted({part.text for found in talks.values() for part in _all_parts(found)})
    counts = counted(texts)
    if counts is None:
        if kept()["sha256"] != sent():
            print("What is sent has changed and cannot be counted: install npm, then make bench.", file=sys.stderr)
            return 1
        print("No tokenizer is there; these counts are those of attention.json, and what is sent is the same.")
    else:
        tokens = dict(zip(texts, counts, strict=True))
        found = {name: costs(each, tokens) for name, each in talks.items()}
        keep(TABLE, sha256=sent(), requests=len(talk()[0]), talks=found)
    _print(kept())
    return 0


def _all_parts(found: Protocols) -> Iterator[Part]:
    return (part for change in WAYS.values() for each in found for request in change(each) for part in request)


def _blocks(requests: Sequence[Request], tokens: Mapping[str, int]) -> list[list[Block]]:
    return [
        [Block(f"{part.kind} {part.text}", tokens[part.text], part.is_marked) for part in request]
        for request in requests
    ]


def _length(requests: Sequence[Sequence[Block]]) -> int:
    return sum(block.tokens for request in requests for block in request)


def _print(table: Kept) -> None:
    for name, ways in table["talks"].items():
        bare = ways["no reminder"]
        print(f"{table['requests']} requests, {name}. Without a reminder they cost as much as {bare['automatic']:,}")
        print(f"tokens of plain input where the cache is automatic, and {bare['marks']:,} with marks. Beside that:\n")
        print("| the plan is told | tokens added | automatic cache | cache marks |\n|---|---|---|---|")
        print("\n".join(rows(ways)), end="\n\n")


if __name__ == "__main__":
    sys.exit(main())
