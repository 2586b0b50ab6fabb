"""Tokens of what a model reads of plan and backlog, beside the numbers of the peers in economy.json.

Counts the definitions of `todo_write` and `todo` (description and schema as compact JSON), the replies of one session
in three shapes, and what a session is told of a backlog that has more than it is told. The counts are kept in
tokens.json together with a hash of the texts they are of.
"""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TypedDict, cast

from bench.counting import counted, fingerprint, keep
from todo_context import activate
from todo_context.backlog.item import ID_ALPHABET, PRIORITIES, Item, Status
from todo_context.backlog.telling import Sight, block
from todo_context.hosts.memory import MemoryPi
from todo_context.plan.model import Json
from todo_context.settings import Settings

HERE = Path(__file__).parent
TABLE = HERE / "tokens.json"
DEFINITION = "definition"
BACKLOG = "backlog"
TOLD = "told"

DEFINITION_TOKENS = 330
"""The most that the definition may cost: it goes with every request. OMP 18's costs 333, OMP 14's 956."""

TOLD_TOKENS = 500
"""The most that a session is told of the backlog at once."""

REPLIES_SHARE = 0.45
"""The most that the replies of a session may cost, as a share of OMP 14's."""


class Shape(TypedDict):
    """The phases of a session with the number of their tasks, and the tokens of the peers: replies and calls."""

    phases: list[tuple[str, int]]
    omp14: dict[str, int]
    omp18: dict[str, int]


class Economy(TypedDict):
    """economy.json: a session in several shapes, and the tokens of the peers' definitions."""

    tasks: list[str]
    shapes: dict[str, Shape]
    definitions: dict[str, int]


def economy() -> Economy:
    """The session and the counts of the peers."""
    return cast("Economy", json.loads((HERE / "economy.json").read_text(encoding="utf-8")))


def texts() -> dict[str, list[str]]:
    """What is counted: the definition, and the replies of each shape."""
    session = economy()
    replies = {name: _replies(shape["phases"], session["tasks"]) for name, shape in session["shapes"].items()}
    told = [_told("Port logger to the new API and keep the old format for readers")]
    return {DEFINITION: _definition("todo_write"), BACKLOG: _definition("todo"), TOLD: told, **replies}


def hashes() -> dict[str, str]:
    """A hash of the texts of each count."""
    return {name: fingerprint(some) for name, some in texts().items()}


def limits() -> dict[str, float]:
    """The most tokens that each count may come to."""
    shares = {name: REPLIES_SHARE * shape["omp14"]["replies"] for name, shape in economy()["shapes"].items()}
    return {DEFINITION: DEFINITION_TOKENS, BACKLOG: DEFINITION_TOKENS, TOLD: TOLD_TOKENS, **shares}


def main() -> int:
    """Count, print, and keep the counts; 1 if there is no tokenizer although a text has changed."""
    kept = json.loads(TABLE.read_text(encoding="utf-8"))
    counts = _counted()
    if counts is None:
        if kept["sha256"] != hashes():
            print("A text has changed and cannot be counted: install npm, then make bench.", file=sys.stderr)
            return 1
        print("No tokenizer is there; these counts are those of tokens.json, and the texts are the same.")
        counts = kept["tokens"]
    else:
        keep(TABLE, tokens=counts, sha256=hashes())
    _print(counts)
    return 0


def _host() -> MemoryPi:
    host = MemoryPi()
    activate(host, chosen=Settings())
    return host


def _definition(name: str) -> list[str]:
    tool = _host().tools[name]
    return [tool.description, json.dumps(tool.parameters, separators=(",", ":"), ensure_ascii=False)]


def _told(text: str) -> str:
    """What a session is told where 40 items are open here and some elsewhere, two of them in others' hands."""
    now = datetime(2026, 11, 30, 12, tzinfo=UTC)
    items = [
        Item(
            id=f"td-{ID_ALPHABET[number % 32]}4k{ID_ALPHABET[number // 32]}",
            text=f"{text} {number}",
            project="core",
            priority=PRIORITIES[-1 - number // 4 % 4],
            status=Status.IN_PROGRESS if number < HELD else Status.OPEN,
            owner="todo-context:9f3a1b2c" if number < HELD else "",
        )
        for number in range(40)
    ]
    elsewhere = tuple(replace(item, project="docs", status=Status.OPEN, owner="") for item in items[-5:])
    sight = Sight(
        project="core",
        me="pi:00000000",
        seq=1234,
        here=tuple(items[:15]),
        elsewhere=elsewhere,
        active=40,
        parked=3,
        critical=5,
        held=HELD,
    )
    return block(sight, now) or ""


HELD = 2


def _replies(phases: Sequence[tuple[str, int]], tasks: Sequence[str]) -> list[str]:
    """The texts of one session: one init, then done for each task in order."""
    rest = iter(tasks)
    init: list[Json] = [{"phase": name, "items": list[Json](islice(rest, count))} for name, count in phases]
    done: list[Json] = [{"op": "done", "task": task} for task in tasks]
    operations: list[Json] = [{"op": "init", "list": init}, *done]
    host = _host()

    async def answers() -> list[str]:
        return [(await host.call_tool("todo_write", {"ops": [operation]})).text for operation in operations]

    return asyncio.run(answers())


def _counted() -> dict[str, int] | None:
    found = texts()
    counts = counted([text for some in found.values() for text in some])
    if counts is None:
        return None
    rest = iter(counts)
    return {name: sum(islice(rest, len(some))) for name, some in found.items()}


def _print(counts: Mapping[str, int]) -> None:
    shapes, definitions = economy()["shapes"], economy()["definitions"]
    print(f"{'':12}{'tokens':>8}{'limit':>8}{'of OMP 14':>12}{'of OMP 18':>12}")
    for name, count in counts.items():
        if name in {BACKLOG, TOLD}:
            print(f"{name:12}{count:>8}{limits()[name]:>8.0f}")
            continue
        if name == DEFINITION:
            omp14, omp18 = definitions["omp14"], definitions["omp18"]
        else:
            omp14, omp18 = shapes[name]["omp14"]["replies"], shapes[name]["omp18"]["replies"]
        print(f"{name:12}{count:>8}{limits()[name]:>8.0f}{count / omp14:>12.2f}{count / omp18:>12.2f}")


if __name__ == "__main__":
    sys.exit(main())
