"""What waits for the disk, put behind what another program did to the session meanwhile. Pure.

An entry of the plan holds all of it, as it was without the other's change, and would undo that. So each is merged
with theirs, as an edit is; all else stays as it is.
"""

from collections.abc import Sequence

from todo_context.pi import Entry
from todo_context.plan.load import plan_to_json
from todo_context.plan.merge import merge
from todo_context.plan.replay import latest
from todo_context.plan.sources import Source, source_of


def rebased(waiting: Sequence[Entry], base: Sequence[Entry], theirs: Sequence[Entry]) -> list[Entry]:
    """The entries that wait behind the branch `base`, as they are behind the branch `theirs`.

    Where the person had gone elsewhere in the tree meanwhile, all from there on stays as it is.
    """
    mine, found = latest(base).plan, latest(theirs)
    plan, seq = found.plan, found.seq
    behind, parent = _leaf_id(base), _leaf_id(theirs)
    moved: list[Entry] = []
    for entry in waiting:
        if entry.get("parentId") != behind:
            break
        source = source_of(entry)
        new: Entry = {**entry, "parentId": parent}
        if isinstance(source, Source) and source.is_numbered_entry:
            wanted = source.load().plan
            plan, mine, seq = merge(mine, wanted, plan).plan, wanted, seq + 1
            new = {**new, "data": {**source.data, "seq": seq, "phases": plan_to_json(plan)}}
        moved.append(new)
        behind = parent = str(entry["id"])
    return [*moved, *waiting[len(moved) :]]


def _leaf_id(branch: Sequence[Entry]) -> str | None:
    last = next(reversed(branch), None)
    return None if last is None else str(last["id"])
