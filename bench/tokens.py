"""Tokens of what a model reads of the plan, beside the numbers of the peers in economy.json.

Counts the definition of `todo_write` (description and schema as compact JSON) and the replies of one session in
three shapes. The counts are kept in tokens.json together with a hash of the texts they are of.
"""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TypedDict, cast

from bench.counting import counted, fingerprint, keep
from todo_context import activate
from todo_context.config import Settings
from todo_context.hosts.memory import MemoryPi
from todo_context.plan.model import Json

HERE = Path(__file__).parent
TABLE = HERE / "tokens.json"
DEFINITION = "definition"

DEFINITION_TOKENS = 330
"""The most that the definition may cost: it goes with every request. OMP 18's costs 333, OMP 14's 956."""

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
    tool = _host().tools["todo_write"]
    schema = json.dumps(tool.parameters, separators=(",", ":"), ensure_ascii=False)
    replies = {name: _replies(shape["phases"], session["tasks"]) for name, shape in session["shapes"].items()}
    return {DEFINITION: [tool.description, schema], **replies}


def hashes() -> dict[str, str]:
    """A hash of the texts of each count."""
    return {name: fingerprint(some) for name, some in texts().items()}


def limits() -> dict[str, float]:
    """The most tokens that each count may come to."""
    shares = {name: REPLIES_SHARE * shape["omp14"]["replies"] for name, shape in economy()["shapes"].items()}
    return {DEFINITION: DEFINITION_TOKENS, **shares}


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
        if name == DEFINITION:
            omp14, omp18 = definitions["omp14"], definitions["omp18"]
        else:
            omp14, omp18 = shapes[name]["omp14"]["replies"], shapes[name]["omp18"]["replies"]
        print(f"{name:12}{count:>8}{limits()[name]:>8.0f}{count / omp14:>12.2f}{count / omp18:>12.2f}")


if __name__ == "__main__":
    sys.exit(main())
