"""The history of a branch: what changed the plan, and the two stacks of undo and redo."""

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plans import INIT, plan, plans
from todo_context.hosts.memory import MemoryPi
from todo_context.lane import Lane
from todo_context.plan.load import plan_to_json
from todo_context.plan.model import EMPTY, Plan
from todo_context.plan.replay import Change, History, history, latest, plan_of

A, B, C = (plan(f"# P\n- [ ] {name}\n") for name in "abc")
TWICE = Plan((*A.phases, *A.phases))
"""What only a foreign session holds: a phase and a task twice."""

Branch = Sequence[Any]


def ours(entry_id: str, value: Plan, seq: int, **more: Any) -> dict[str, Any]:
    data = {"v": 1, "seq": seq, "phases": plan_to_json(value), "by": "user", "action": "done", **more}
    return {"type": "custom", "customType": "todo_write", "id": entry_id, "data": data, "timestamp": "then"}


def omp_edit(entry_id: str, value: Plan) -> dict[str, Any]:
    data = {"phases": plan_to_json(value)}
    return {"type": "custom", "customType": "user_todo_edit", "id": entry_id, "data": data}


def result(entry_id: str, value: Plan, *, is_error: bool = False, **details: Any) -> dict[str, Any]:
    message = {"role": "toolResult", "toolName": "todo_write", "toolCallId": f"call-{entry_id}", "isError": is_error}
    return {
        "type": "message",
        "id": entry_id,
        "message": {**message, "details": {"phases": plan_to_json(value), **details}},
    }


def call(call_id: str, arguments: object) -> dict[str, Any]:
    part = {"type": "toolCall", "id": call_id, "name": "todo_write", "arguments": arguments}
    return {"type": "message", "id": f"said-{call_id}", "message": {"role": "assistant", "content": [part]}}


def answer(call_id: str, *, is_error: bool = False) -> dict[str, Any]:
    message = {"role": "toolResult", "toolName": "todo_write", "toolCallId": call_id, "isError": is_error}
    return {"type": "message", "message": message}


def ids(changes: Sequence[Change]) -> list[str]:
    return [change.id for change in changes]


def stacks(past: History) -> tuple[list[str], list[str]]:
    return ids(past.done), ids(past.undone)


def test_no_entries_are_no_history() -> None:
    assert history([]) == History(EMPTY, 0, (), (), (), ())


def test_a_change_says_who_did_what_from_where_to_where() -> None:
    (_, change) = history([ours("e1", A, 1), ours("e2", B, 2, by="model", action="init, done")]).changes

    assert change == Change("e2", "model", "init, done", A, B, 2, "then")


@pytest.mark.parametrize(
    ("entry", "by", "action"),
    [
        pytest.param(ours("e", A, 1, by="extension"), "extension", "done", id="ours says so"),
        pytest.param(ours("e", A, 1, by="root"), "extension", "done", id="an unknown author"),
        pytest.param(ours("e", A, 1, by=["user"], action=7), "extension", "edit", id="no text"),
        pytest.param(omp_edit("e", A), "user", "edit", id="an edit in OMP"),
        pytest.param(result("e", A), "model", "todo_write", id="a result names its tool"),
        pytest.param(result("e", A, op="done"), "model", "done", id="a result of OMP 18 its operation"),
        pytest.param(result("e", A, seq=4), "model", "todo_write", id="a result of ours without its entry"),
    ],
)
def test_who_and_what(entry: Any, by: str, action: str) -> None:
    (change,) = history([entry]).changes

    assert (change.id, change.by, change.action) == ("e", by, action)


def test_a_record_without_an_id_goes_by_its_call() -> None:
    nameless = result("1", A)
    del nameless["id"]

    assert ids(history([nameless]).changes) == ["call-1"]


UNDONE_ONCE = [ours("1", A, 1), ours("2", B, 2), ours("3", A, 3, undoes="2")]


@pytest.mark.parametrize(
    ("branch", "done", "undone"),
    [
        pytest.param([ours("1", A, 1), ours("2", B, 2)], ["1", "2"], [], id="each change goes on top"),
        pytest.param([ours("1", A, 1), ours("2", A, 2)], ["1"], [], id="what changes nothing does not"),
        pytest.param(UNDONE_ONCE, ["1"], ["2"], id="an undo moves the top"),
        pytest.param([*UNDONE_ONCE, ours("4", EMPTY, 4, undoes="1")], [], ["2", "1"], id="and the next"),
        pytest.param([*UNDONE_ONCE, ours("4", B, 4, redoes="2")], ["1", "2"], [], id="a redo moves it back"),
        pytest.param([*UNDONE_ONCE, ours("4", C, 4)], ["1", "4"], [], id="a change clears what was undone"),
        pytest.param([*UNDONE_ONCE, ours("4", A, 4)], ["1"], ["2"], id="what changes nothing clears nothing"),
        pytest.param([*UNDONE_ONCE, omp_edit("4", C)], ["1", "4"], [], id="so does a foreign one"),
        pytest.param([*UNDONE_ONCE, result("4", B, seq=2)], ["1"], ["2"], id="a late result does nothing"),
        pytest.param([ours("1", A, 1), ours("2", B, 2), ours("3", EMPTY, 3, undoes="1")], ["1", "2", "3"], [], id="an undo of what is not on top is a change"),
        pytest.param([ours("1", A, 1), ours("2", B, 2), ours("3", A, 3, undoes="1")], ["1", "2", "3"], [], id="even if it restores what the top would"),
        pytest.param([ours("1", A, 1), omp_edit("2", B), result("3", A, seq=1)], ["1", "2"], [], id="the result of a change is no second one"),
        pytest.param([ours("1", A, 1), ours("2", B, 2), ours("3", C, 3, undoes="2")], ["1", "2", "3"], [], id="an undo that restores something else is a change"),
        pytest.param([*UNDONE_ONCE, ours("4", C, 4, redoes="2")], ["1", "4"], [], id="a redo of something else is a change"),
        pytest.param([ours("1", A, 1), ours("2", B, 2, redoes="1")], ["1", "2"], [], id="a redo of what was not undone is a change"),
        pytest.param([ours("1", A, 1), {**ours("2", EMPTY, 2, undoes="1"), "customType": "user_todo_edit"}], ["1", "2"], [], id="only an entry of ours undoes"),
        pytest.param([*UNDONE_ONCE, ours("4", C, 4, action="handoff")], [], [], id="a handoff is the floor"),
        pytest.param([*UNDONE_ONCE, ours("4", A, 4, action="handoff")], [], [], id="also with the same plan"),
        pytest.param([ours("1", A, 1, action="handoff"), ours("2", B, 2)], ["2"], [], id="what comes after it can be undone"),
        pytest.param([*UNDONE_ONCE, {**omp_edit("4", C), "data": {"phases": 7}}], ["1"], ["2"], id="what cannot be read is passed over"),
    ],
)  # fmt: skip
def test_the_stacks(branch: Branch, done: list[str], undone: list[str]) -> None:
    assert stacks(history(branch)) == (done, undone)


def test_undoing_stands_among_the_changes_and_what_was_undone_is_one_of_them() -> None:
    past = history(UNDONE_ONCE)

    assert ids(past.changes) == ["1", "2", "3"]
    assert past.undone[0] is past.changes[1]


def test_a_handoff_stands_among_the_changes() -> None:
    assert ids(history([ours("1", A, 1, action="handoff")]).changes) == ["1"]


def test_calls_without_a_snapshot_are_changes_too_and_stay_when_the_first_snapshot_comes() -> None:
    calls = [call("c1", INIT), answer("c1"), call("c2", {"ops": [{"op": "rm"}]}), answer("c2")]
    restored = history(calls).done[-1].before

    past = history([*calls, ours("e", restored, 1, undoes="c2")])

    assert [(change.id, change.action) for change in past.changes] == [("c1", "init"), ("c2", "rm"), ("e", "done")]
    assert stacks(past) == (["c1"], ["c2"])
    assert past.plan == restored


def test_a_result_that_carries_a_plan_is_one_change_with_its_call() -> None:
    assert ids(history([call("c1", INIT), result("1", A), call("c2", INIT), answer("c2")]).changes) == ["1"]


def test_a_stale_result_alone_does_not_hide_what_the_calls_came_to() -> None:
    """Our own tool answers a view on a branch on which only calls stand: with `seq` 0, for nothing was stored."""
    calls = [call("c1", INIT), answer("c1")]
    viewed = result("2", plan_of(calls), seq=0)

    assert plan_of([*calls, viewed]) == plan_of(calls) != EMPTY
    assert ids(history([*calls, viewed]).changes) == ["c1"]


def test_warnings_tell_what_was_passed_over_and_what_was_mended_last() -> None:
    broken = {**ours("bad", A, 1), "data": {"seq": 1}}
    odd: Any = omp_edit("odd", A)
    odd["data"]["phases"][0]["tasks"][0]["status"] = "odd"

    assert history([broken, odd]).warnings == (
        "entry bad holds no plan; the one before it counts",
        'task "a" has an unknown status "odd"; read as pending',
    )


# --- laws, on branches as nobody should write them --------------------------------------------------

_IDS = st.sampled_from(["1", "2", "3", ""])
_VALUES = st.sampled_from([EMPTY, A, B, C, TWICE]) | plans
_SEQS: st.SearchStrategy[Any] = st.sampled_from([-1, 0, 1, 2, 3, 5, None, True, "2"])
_ACTIONS: st.SearchStrategy[Any] = st.sampled_from(["done", "done", "handoff", "", None])
_MORE: st.SearchStrategy[Any] = st.fixed_dictionaries({"action": _ACTIONS}, optional={"undoes": _IDS, "redoes": _IDS})
_ARGUMENTS = st.sampled_from([INIT, {"ops": [{"op": "done"}]}, {"ops": [{"op": "rm"}]}, {"ops": "?"}, None])
_ENTRIES = st.one_of(
    st.builds(lambda i, v, s, more: ours(i, v, s, **more), _IDS, _VALUES, _SEQS, _MORE),
    st.builds(omp_edit, _IDS, _VALUES),
    st.builds(result, _IDS, _VALUES),
    st.builds(lambda i, v, s: result(i, v, seq=s), _IDS, _VALUES, _SEQS),
    st.builds(lambda i, v: result(i, v, op="view"), _IDS, _VALUES),
    st.builds(lambda i, v, e: result(i, v, is_error=e), _IDS, _VALUES, st.booleans()),
    st.builds(call, _IDS, _ARGUMENTS),
    st.builds(lambda i, e: answer(i, is_error=e), _IDS, st.booleans()),
    st.sampled_from(
        [
            {},
            {"type": "message", "message": {"role": "user", "content": "go on"}},
            {"type": "message", "message": None},
            {"type": "custom", "customType": "todo_write", "data": None},
            {"type": "custom", "customType": "todo_write", "id": 7, "data": {"todos": ["a", {"content": "b"}]}},
            {"type": "custom", "customType": "user_todo_edit", "data": {"phases": [{"name": 1}]}},
            {**ours("1", A, 2), "id": ["1"]},
        ]
    ),
)
branches = st.lists(_ENTRIES, max_size=12)


@given(branches)
def test_the_plan_of_the_history_is_the_plan_of_the_branch_at_every_prefix(branch: list[Any]) -> None:
    for end in range(len(branch) + 1):
        past, snapshot = history(branch[:end]), latest(branch[:end])
        assert (past.plan, past.seq) == (snapshot.plan, snapshot.seq)
        assert past.plan == plan_of(branch[:end])


def is_chain(changes: Sequence[Change]) -> bool:
    return all(one.after == next_one.before for one, next_one in pairwise(changes))


@given(branches)
def test_the_stacks_hang_together_and_meet_at_the_plan(branch: list[Any]) -> None:
    past = history(branch)

    # From the oldest change that can be undone, over the plan, to the last that can be done again.
    assert is_chain([*past.done, *reversed(past.undone)])
    assert [change.after for change in past.done[-1:]] in ([], [past.plan])
    assert [change.before for change in past.undone[-1:]] in ([], [past.plan])
    assert is_chain(past.changes)
    assert [change.before for change in past.changes[:1]] in ([], [EMPTY])
    assert [change.after for change in past.changes[-1:]] in ([], [past.plan])
    assert all(change.before != change.after for change in past.changes)
    of_the_branch = set(map(id, past.changes))
    assert all(id(change) in of_the_branch for change in (*past.done, *past.undone))


@given(branches, st.integers(1, 4))
def test_whatever_the_branch_n_undos_and_n_redos_lead_back(branch: list[Any], steps: int) -> None:
    pi = MemoryPi()
    pi.path = [{"id": f"host-{number}", **entry} for number, entry in enumerate(branch)]
    lane = Lane(pi)
    before = asyncio.run(lane.history())
    taken = min(steps, len(before.done))

    async def go() -> None:
        for number in range(taken):
            top = (await lane.history()).done[-1]
            assert (await lane.undo()).retraced == top
            assert await lane.plan() == top.before
            assert len((await lane.history()).undone) == len(before.undone) + number + 1
        for _ in range(taken):
            await lane.redo()

    asyncio.run(go())

    after = asyncio.run(lane.history())
    assert after.plan == before.plan
    assert (ids(after.done), ids(after.undone)) == (ids(before.done), ids(before.undone))
