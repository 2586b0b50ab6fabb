"""What waited for the disk, behind another program's change: in order, and nothing of either side gone."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from todo_context.lane import ENTRY_VERSION
from todo_context.pi import Entry
from todo_context.plan.apply import apply
from todo_context.plan.load import plan_to_json
from todo_context.plan.model import Json, Plan, Status
from todo_context.plan.ops import Append, Done, Op, Rm, Start, Target
from todo_context.plan.replay import latest
from todo_repl.session_rebase import ELSEWHERE, rebased, without_plan

NAMES = ["a", "b", "c", "d"]
FIRST = apply(Plan(), [Append(phase="P", items=tuple(NAMES[:3]))]).plan


def entry(number: int, parent: str | None, plan: Plan, seq: int) -> Entry:
    data: Json = {"v": ENTRY_VERSION, "seq": seq, "phases": plan_to_json(plan), "by": "user", "action": "x"}
    return {"type": "custom", "id": f"e{number}", "parentId": parent, "customType": "todo_write", "data": data}


BASE = [entry(0, None, FIRST, 1)]


def after(ops: Sequence[Op], begin: int) -> list[Entry]:
    """The entries of a side that did these, one after the other."""
    plan, found = FIRST, list[Entry]()
    for place, op in enumerate(ops):
        plan = apply(plan, [op]).plan
        found.append(entry(begin + place, f"e{begin + place - 1}" if place else "e0", plan, 2 + place))
    return found


sides = st.lists(
    st.one_of(
        st.sampled_from(NAMES[:3]).map(lambda name: Done(target=Target(task=name))),
        st.sampled_from(NAMES[:3]).map(lambda name: Start(task=name)),
        st.sampled_from(NAMES[:3]).map(lambda name: Rm(target=Target(task=name))),
    ),
    max_size=4,
)


@given(sides, sides)
def test_at_most_one_is_in_progress_and_what_nobody_removed_is_there(mine: list[Op], theirs: list[Op]) -> None:
    waiting, other = after(mine, 10), [*BASE, *after(theirs, 50)]
    found = rebased(waiting, BASE, other)
    plan = latest([*other, *found.entries]).plan

    assert [one["id"] for one in found.entries] == [one["id"] for one in waiting]
    assert sum(task.status is Status.IN_PROGRESS for task in plan.tasks()) <= 1
    here = {task.content for side in (latest([*BASE, *waiting]), latest(other)) for task in side.plan.tasks()}
    both = {task.content for task in latest([*BASE, *waiting]).plan.tasks()}
    both &= {task.content for task in latest(other).plan.tasks()}
    assert both <= {task.content for task in plan.tasks()} <= here


def test_the_numbers_rise_and_the_parents_follow() -> None:
    waiting = after([Append(phase="P", items=("mine",)), Append(phase="P", items=("more",))], 10)
    other = [*BASE, *after([Append(phase="P", items=(f"t{n}",)) for n in range(5)], 50)]
    whole = rebased(waiting, BASE, other)
    found = whole.entries

    assert whole.remarks == ()
    assert [one["parentId"] for one in found] == ["e54", "e10"]
    assert [one["data"]["seq"] for one in found] == [7, 8]  # type: ignore[index, call-overload]


def test_what_was_done_elsewhere_in_the_tree_stays_there() -> None:
    waiting = [*after([Append(phase="P", items=("mine",))], 10), {"type": "message", "id": "m", "parentId": "e-1"}]
    found = rebased(waiting, BASE, [*BASE, *after([Done(target=Target(task="a"))], 50)])

    assert found.entries[1] is waiting[1]
    assert found.remarks == (ELSEWHERE,)


def test_a_result_keeps_its_words_and_not_its_plan() -> None:
    result: dict[str, Json] = {"role": "toolResult", "content": [], "details": {"op": "init", "seq": 3, "phases": []}}

    assert without_plan(result) == {"role": "toolResult", "content": [], "details": {"op": "init", "seq": 3}}
    assert without_plan({"role": "user", "details": {"phases": 1}}) == {"role": "user", "details": {"phases": 1}}
