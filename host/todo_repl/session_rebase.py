"""What waits for the disk, put behind what another program did to the session meanwhile. Pure.

An entry of the plan holds all of it, as it was without the other's change, and would undo that. So each is merged
with theirs, as an edit is; all else stays as it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from todo_context.pi import Entry
from todo_context.plan.apply import apply
from todo_context.plan.load import plan_to_json
from todo_context.plan.merge import merge
from todo_context.plan.model import Json
from todo_context.plan.ops import Replace
from todo_context.plan.replay import latest
from todo_context.plan.select import active_task
from todo_context.plan.sources import Source, source_of

ELSEWHERE = "You had gone to another point before, and are there still. /tree leads to what the other program did."


@dataclass(frozen=True, slots=True)
class Rebased:
    """The entries, in order, and a sentence for each thing on which the two disagreed, or that may surprise."""

    entries: Sequence[Entry]
    remarks: Sequence[str]


def rebased(waiting: Sequence[Entry], base: Sequence[Entry], theirs: Sequence[Entry]) -> Rebased:
    """The entries that wait behind the branch `base`, as they are behind the branch `theirs`.

    Where the person had gone elsewhere in the tree meanwhile, all from there on stays as it is.
    """
    mine, found = latest(base).plan, latest(theirs)
    plan, seq = found.plan, found.seq
    behind, parent = _leaf_id(base), _leaf_id(theirs)
    moved: list[Entry] = []
    remarks: list[str] = []
    for entry in waiting:
        if entry.get("parentId") != behind:
            break
        source = source_of(entry)
        new: Entry = {**entry, "parentId": parent}
        if isinstance(source, Source) and source.is_numbered_entry:
            wanted = source.load().plan
            merged = merge(mine, wanted, plan)
            # In order again, as after any edit; a task starts by itself where it did before.
            starts = active_task(wanted) is not None
            plan, mine, seq = apply(plan, [Replace(merged.plan)], auto_start=starts).plan, wanted, seq + 1
            remarks += merged.remarks
            new = {**new, "data": {**source.data, "seq": seq, "phases": plan_to_json(plan)}}
        elif isinstance(message := entry.get("message"), dict):
            new = {**new, "message": without_plan(message)}
        moved.append(new)
        behind = parent = str(entry["id"])
    elsewhere = waiting[len(moved) :]
    if elsewhere:
        remarks.append(ELSEWHERE)
    return Rebased([*moved, *elsewhere], tuple(dict.fromkeys(remarks)))


def without_plan(message: Mapping[str, Json]) -> dict[str, Json]:
    """A message without the whole plan that a result of ours carries: behind another program's it would count as newer.

    The plan stands in an entry of its own.
    """
    details = message.get("details")
    if message.get("role") != "toolResult" or not isinstance(details, dict):
        return dict(message)
    return {**message, "details": {key: value for key, value in details.items() if key not in {"phases", "todos"}}}


def _leaf_id(branch: Sequence[Entry]) -> str | None:
    last = next(reversed(branch), None)
    return None if last is None else str(last["id"])
