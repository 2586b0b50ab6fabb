"""Undo and redo through the lane, against a plain editor's two stacks, over branches that grow and are cut."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plans import INIT, plan
from todo_context.hosts.memory import MemoryPi
from todo_context.lane import Lane, Recorded
from todo_context.plan.accept import accept
from todo_context.plan.load import plan_to_json
from todo_context.plan.markdown import to_markdown
from todo_context.plan.model import EMPTY, Json, Plan
from todo_context.plan.ops import Append, Done, Drop, Op, Replace, Rm, Start, Target
from todo_context.plan.replay import history, latest


def test_an_undo_is_one_entry_by_the_person_that_names_what_it_undoes() -> None:
    pi = MemoryPi()
    lane = Lane(pi)

    async def go() -> Recorded:
        await lane.apply([Append("A", ("x",))], by="model", action="append")
        await lane.apply([Append("A", ("y",))], by="model", action="append")
        return await lane.undo()

    recorded = asyncio.run(go())

    assert pi.stored[2]["data"] == {
        "v": 1,
        "seq": 3,
        "phases": plan_to_json(plan("# A\n- [/] x\n")),
        "by": "user",
        "action": "undo",
        "undoes": "00000002",
    }
    assert (recorded.by, recorded.seq, recorded.entry_id) == ("user", 3, "00000003")
    assert recorded.retraced is not None
    assert recorded.retraced.id == "00000002"


def test_a_redo_names_the_entry_that_was_undone() -> None:
    pi = MemoryPi()
    lane = Lane(pi)

    async def go() -> None:
        await lane.apply([Append("A", ("x",))], action="append")
        await lane.undo()
        await lane.redo()

    asyncio.run(go())

    data: Any = pi.stored[2]["data"]
    assert (data["by"], data["action"], data["redoes"], "undoes" in data) == ("user", "redo", "00000001", False)
    assert to_markdown(asyncio.run(lane.plan())) == "# A\n- [/] x\n"


def test_with_nothing_to_go_back_to_or_forth_nothing_is_stored_and_nobody_is_told() -> None:
    pi = MemoryPi()
    lane = Lane(pi)
    told: list[Recorded] = []
    lane.listen(told.append)

    async def go() -> list[Recorded]:
        return [await lane.undo(), await lane.redo()]

    recorded = asyncio.run(go())

    assert [(one.retraced, one.entry_id, one.outcome.changed) for one in recorded] == [(None, None, False)] * 2
    assert (pi.stored, told) == ([], [])


@pytest.mark.parametrize(
    "markdown",
    [
        pytest.param("# A\n- [ ] x\n- [ ] y\n", id="nothing in progress"),
        pytest.param("# A\n- [/] x\n- [/] y\n", id="two in progress"),
        pytest.param("# A\n- [ ] x\n- [x] x\n\n# A\n- [ ] x\n", id="names twice, as in a foreign session"),
    ],
)
def test_what_comes_back_is_exactly_what_was_there(markdown: str) -> None:
    pi = MemoryPi()
    odd = plan(markdown)
    pi.append_entry("user_todo_edit", {"phases": plan_to_json(odd)})
    lane = Lane(pi)

    async def go() -> None:
        await lane.apply([Replace(EMPTY)], action="rm")
        await lane.undo()

    asyncio.run(go())

    assert asyncio.run(lane.plan()) == odd
    assert len(asyncio.run(lane.history()).undone) == 1


def test_undo_takes_its_turn_after_a_change_that_is_being_stored() -> None:
    class SlowPi(MemoryPi):
        def append_entry(self, custom_type: str, data: Mapping[str, Json]) -> Any:
            async def later() -> str:
                await asyncio.sleep(0)
                return super(SlowPi, self).append_entry(custom_type, data)

            return later()

    lane = Lane(SlowPi())

    async def go() -> None:
        await lane.apply([Append("A", ("x",))], action="append")
        await asyncio.gather(lane.apply([Append("A", ("y",))], by="model", action="append"), lane.undo(), lane.redo())

    asyncio.run(go())

    assert to_markdown(asyncio.run(lane.plan())) == "# A\n- [/] x\n- [ ] y\n"
    assert len(asyncio.run(lane.history()).changes) == 4


def test_a_rewind_takes_the_undo_back_too() -> None:
    pi = MemoryPi()
    lane = Lane(pi)

    async def go() -> None:
        await lane.apply([Append("A", ("x",))], action="append")
        await lane.undo()
        pi.path.pop()
        assert to_markdown(await lane.plan()) == "# A\n- [/] x\n"
        await lane.undo()

    asyncio.run(go())

    assert asyncio.run(lane.plan()) == EMPTY
    assert len(asyncio.run(lane.history()).changes) == 2


# --- against a model ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Desired:
    """What an editor with two stacks would know at one point of the branch; a step is (before, after)."""

    plan: Plan = EMPTY
    done: tuple[tuple[Plan, Plan], ...] = ()
    undone: tuple[tuple[Plan, Plan], ...] = ()

    def changed(self, now: Plan) -> "Desired":
        return self if now == self.plan else Desired(now, (*self.done, (self.plan, now)))

    def back(self) -> "Desired":
        *rest, top = self.done
        return Desired(top[0], tuple(rest), (*self.undone, top))

    def forth(self) -> "Desired":
        *rest, top = self.undone
        return Desired(top[1], (*self.done, top), tuple(rest))


@dataclass
class Branch:
    """A branch that three authors write, and what it should say at each of its lengths."""

    pi: MemoryPi = field(default_factory=MemoryPi)
    desired: list[Desired] = field(default_factory=lambda: [Desired()])
    late: list[dict[str, Json]] = field(default_factory=list[dict[str, Json]])

    def __post_init__(self) -> None:
        self.lane = Lane(self.pi)

    @property
    def now(self) -> Desired:
        return self.desired[-1]

    def settle(self, desired: Desired) -> None:
        """Whatever was appended, this holds from here on."""
        self.desired += [desired] * (len(self.pi.path) + 1 - len(self.desired))
        self.check(desired)

    def check(self, desired: Desired) -> None:
        past = history(self.pi.path)
        assert past.plan == latest(self.pi.path).plan == desired.plan
        assert tuple((change.before, change.after) for change in past.done) == desired.done
        assert tuple((change.before, change.after) for change in past.undone) == desired.undone

    async def model(self, arguments: Json) -> None:
        recorded = await self.lane.run(lambda now: accept(arguments, now), by="model", call="c")
        self.late.append({"phases": plan_to_json(recorded.outcome.plan), "seq": recorded.seq})
        self.settle(self.now.changed(recorded.outcome.plan))

    async def person(self, op: Op) -> None:
        recorded = await self.lane.apply([op], action="edit")
        self.settle(self.now.changed(recorded.outcome.plan))

    async def extension(self, op: Op) -> None:
        recorded = await self.lane.apply([op], by="extension", action="edit")
        self.settle(self.now.changed(recorded.outcome.plan))

    async def foreign(self, value: Plan) -> None:
        self.pi.append_entry("user_todo_edit", {"phases": plan_to_json(value)})
        self.settle(self.now.changed(value))

    async def handoff(self, value: Plan) -> None:
        recorded = await self.lane.apply([Replace(value)], by="extension", action="handoff")
        desired = Desired(recorded.outcome.plan) if recorded.outcome.changed else self.now
        self.settle(desired)

    async def late_result(self, which: int) -> None:
        stale = [details for details in self.late if details["seq"] <= latest(self.pi.path).seq]  # type: ignore[operator]
        if stale:
            message: dict[str, Json] = {"role": "toolResult", "toolName": "todo_write", "isError": False}
            self.pi.append("message", {"message": {**message, "details": stale[which % len(stale)]}})
        self.settle(self.now)

    async def undo(self, _: int) -> None:
        recorded = await self.lane.undo()
        assert recorded.outcome.changed == bool(self.now.done)
        self.settle(self.now.back() if self.now.done else self.now)

    async def redo(self, _: int) -> None:
        recorded = await self.lane.redo()
        assert recorded.outcome.changed == bool(self.now.undone)
        self.settle(self.now.forth() if self.now.undone else self.now)

    async def rewind(self, by: int) -> None:
        length = max(0, len(self.pi.path) - by)
        del self.pi.path[length:]
        del self.desired[length + 1 :]
        self.check(self.now)


_NAMES = st.sampled_from(["Wire config", "Port logger", "Run tests", "x", "y"])
_OPS: st.SearchStrategy[Op] = st.one_of(
    st.builds(lambda name: Append("A", (name,)), _NAMES),
    st.builds(Start, _NAMES),
    st.builds(lambda name: Done(Target(task=name)), _NAMES),
    st.builds(lambda name: Drop(Target(task=name)), _NAMES),
    st.builds(lambda name: Rm(Target(task=name)), _NAMES),
    st.just(Done(Target())),
    st.just(Replace(EMPTY)),
)
_WHOLE = st.lists(_NAMES, min_size=1, max_size=4).map(
    lambda names: {"todos": [{"content": name, "status": "pending"} for name in names]}
)
_CALLS = st.one_of(st.just(INIT), _WHOLE, _NAMES.map(lambda name: {"ops": [{"op": "done", "task": name}]}))
_PLANS = st.sampled_from(
    [
        EMPTY,
        plan("# A\n- [ ] x\n"),
        plan("# A\n- [/] x\n- [/] y\n\n# B\n"),
        replace(EMPTY, phases=plan("# A\n- [ ] x\n").phases * 2),
    ]
)
_NUMBERS = st.integers(0, 5)
_STEPS = st.one_of(
    st.tuples(st.just("model"), _CALLS),
    st.tuples(st.just("person"), _OPS),
    st.tuples(st.just("extension"), _OPS),
    st.tuples(st.just("foreign"), _PLANS),
    st.tuples(st.just("handoff"), _PLANS),
    st.tuples(st.just("late_result"), _NUMBERS),
    st.tuples(st.just("rewind"), _NUMBERS),
    *[st.tuples(st.just(word), _NUMBERS) for word in ("undo", "redo") * 2],
)


@given(st.lists(_STEPS, max_size=25))
def test_the_branch_knows_at_every_length_what_an_editor_with_two_stacks_would(steps: list[tuple[str, Any]]) -> None:
    branch = Branch()

    async def go() -> None:
        for word, what in steps:
            await getattr(branch, word)(what)
        while branch.pi.path:  # every prefix is a branch of its own
            await branch.rewind(1)

    asyncio.run(go())
