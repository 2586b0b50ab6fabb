"""A branch without any snapshot of the plan: what the calls of the tool came to, one after the other.

Pure. A call counts when its result is there and is no error, and when its arguments can be read wholly.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from todo_context.plan.accept import accept
from todo_context.plan.apply import apply
from todo_context.plan.model import EMPTY, Json, Plan
from todo_context.plan.ops import op_names
from todo_context.plan.sources import OURS, TOOLS, Entry, spelled_as_pi


@dataclass(frozen=True, slots=True)
class Step:
    """One call: its id, its entry, a word for what it did, and the plan after it."""

    call: str
    entry: Entry
    action: str
    plan: Plan


def steps(entries: Sequence[Entry]) -> Iterator[Step]:
    """The calls that count, in the order of the branch."""
    plan = EMPTY
    results = dict(_results(entries))
    for entry, part in _calls(entries):
        call = str(part.get("id"))
        if results.get(call) is not False:
            continue  # no result, or an error
        accepted = accept(part.get("arguments"), plan)
        if not accepted.problems:
            outcome = apply(plan, accepted.ops)
            plan = outcome.plan
            yield Step(call, entry, op_names(outcome.accepted), plan)


def _results(entries: Iterable[Entry]) -> Iterator[tuple[str, bool]]:
    for entry in entries:
        match entry:
            case {"type": "message", "message": {"role": "toolResult"} as message}:
                result = spelled_as_pi(message)
                if isinstance(call := result.get("toolCallId"), str):
                    yield call, bool(result.get("isError"))
            case _:
                pass


def _calls(entries: Iterable[Entry]) -> Iterator[tuple[Entry, Mapping[str, Json]]]:
    for entry in entries:
        match entry:
            case {"type": "message", "message": {"role": "assistant", "content": list()} as message}:
                parts = cast("list[Json]", spelled_as_pi(message)["content"])
                yield from ((entry, part) for part in parts if isinstance(part, dict) and _is_call(part))
            case _:
                pass


def _is_call(part: Mapping[str, Json]) -> bool:
    if part.get("type") != "toolCall" or part.get("name") not in tuple(TOOLS):
        return False
    arguments = part.get("arguments")
    if part["name"] == OURS or not isinstance(arguments, dict):
        return part["name"] == OURS
    return "action" not in arguments and any(key in arguments for key in ("op", "ops", "list", "items"))
