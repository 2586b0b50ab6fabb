"""The lane over a host in memory: what is stored, when, and that no change is lost."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.plans import INIT, phases, plan
from todo_context.hosts.memory import MemoryPi
from todo_context.lane import Lane, Recorded
from todo_context.pi import Entry
from todo_context.plan.accept import accept
from todo_context.plan.load import plan_to_json
from todo_context.plan.markdown import to_markdown
from todo_context.plan.model import Json
from todo_context.plan.ops import Append, Done, Start, Target


class AwaitedPi(MemoryPi):
    """A host whose branch and appends are awaited, and let others run in between."""

    def branch(self) -> Any:
        async def later() -> Sequence[Entry]:
            await asyncio.sleep(0)
            found = super(AwaitedPi, self).branch()
            await asyncio.sleep(0)
            return found

        return later()

    def append_entry(self, custom_type: str, data: Mapping[str, Json]) -> Any:
        async def later() -> str:
            await asyncio.sleep(0)
            return super(AwaitedPi, self).append_entry(custom_type, data)

        return later()


def model_call(lane: Lane, arguments: object, call: str = "call_1") -> Any:
    return lane.run(lambda now: accept(arguments, now), by="model", call=call)


def test_a_change_is_one_entry_that_says_who_and_what() -> None:
    pi = MemoryPi()
    lane = Lane(pi)

    recorded = asyncio.run(model_call(lane, INIT))

    assert [entry["customType"] for entry in pi.stored] == ["todo_write"]
    assert pi.stored[0]["data"] == {
        "v": 1,
        "seq": 1,
        "phases": plan_to_json(asyncio.run(lane.plan())),
        "by": "model",
        "action": "init",
        "call": "call_1",
    }
    assert recorded.entry_id == pi.stored[0]["id"]


def test_an_edit_by_the_person_says_so() -> None:
    pi = MemoryPi()

    asyncio.run(Lane(pi).apply([Append("A", ("x",))], action="append"))

    data: Any = pi.stored[0]["data"]
    assert (data["by"], data["action"], "call" in data) == ("user", "append", False)


def test_no_change_is_no_entry() -> None:
    """A11."""
    pi = MemoryPi()
    lane = Lane(pi)

    async def go() -> Recorded:
        await model_call(lane, INIT)
        await model_call(lane, {"ops": [{"op": "done", "task": "Wire config"}]})
        return await lane.apply([Done(Target(task="Wire config"))], action="done")

    again = asyncio.run(go())

    assert len(pi.stored) == 2
    assert again.entry_id is None
    assert again.seq == 2


def test_reading_never_writes() -> None:
    """A17: a plan in which nothing is in progress stays so until something changes."""
    pi = MemoryPi()
    pi.append_entry("todo_write", {"v": 1, "seq": 4, "phases": plan_to_json(plan("# A\n- [ ] x\n"))})
    lane = Lane(pi)

    assert to_markdown(asyncio.run(lane.plan())) == "# A\n- [ ] x\n"
    asyncio.run(model_call(lane, {"ops": [{"op": "view"}]}))
    assert len(pi.stored) == 1


def test_what_another_component_stored_is_not_lost_by_the_next_call() -> None:
    """S01."""
    pi = MemoryPi()
    lane = Lane(pi)

    async def go() -> None:
        await model_call(lane, INIT)
        theirs: Any = phases(await lane.plan())
        theirs[1]["tasks"].append({"content": "User item", "status": "pending"})
        pi.append_entry("todo_write", {"v": 1, "seq": 2, "phases": theirs, "by": "user", "action": "append"})
        await model_call(lane, {"ops": [{"op": "done", "task": "Wire config"}]})

    asyncio.run(go())

    assert "User item" in to_markdown(asyncio.run(lane.plan()))
    assert asyncio.run(lane.read()).seq == 3


@pytest.mark.parametrize("host", [MemoryPi, AwaitedPi])
def test_calls_at_the_same_time_take_turns_and_none_is_lost(host: type[MemoryPi]) -> None:
    """S03."""
    pi = host()
    lane = Lane(pi)

    async def go() -> None:
        await asyncio.gather(
            *(model_call(lane, {"ops": [{"op": "append", "phase": "A", "items": [f"t{n}"]}]}) for n in range(50)),
            lane.apply([Append("B", ("mine",))], action="append"),
        )

    asyncio.run(go())

    assert len(list(asyncio.run(lane.plan()).tasks())) == 51
    assert [entry["data"]["seq"] for entry in pi.stored] == list(range(1, 52))  # type: ignore[index, call-overload]


def test_listeners_are_told_after_the_entry_is_stored() -> None:
    pi = MemoryPi()
    lane = Lane(pi)
    told: list[tuple[int, str]] = []
    lane.listen(lambda recorded: told.append((len(pi.stored), recorded.action)))

    async def go() -> None:
        await lane.apply([Append("A", ("x",))], action="append")
        await lane.apply([Start("x")], action="start")  # x is in progress already: no change, nobody is told

    asyncio.run(go())

    assert told == [(1, "append")]


def test_an_entry_that_cannot_be_stored_changes_nothing_and_the_next_one_can() -> None:
    class FullPi(MemoryPi):
        is_full = True

        def append_entry(self, custom_type: str, data: Mapping[str, Json]) -> str:
            if self.is_full:
                raise OSError(28, "No space left on device")
            return super().append_entry(custom_type, data)

    pi = FullPi()
    lane = Lane(pi)
    told: list[Recorded] = []
    lane.listen(told.append)

    async def go() -> None:
        with pytest.raises(OSError, match="No space"):
            await lane.apply([Append("A", ("x",))], action="append")
        assert not (await lane.plan()).phases
        assert not told
        pi.is_full = False
        await lane.apply([Append("A", ("y",))], action="append")

    asyncio.run(go())

    assert to_markdown(asyncio.run(lane.plan())) == "# A\n- [/] y\n"


def test_a_rewound_branch_has_the_plan_of_then_and_goes_on_from_there() -> None:
    """R01, as far as the lane sees it: the plan follows the leaf."""
    pi = MemoryPi()
    lane = Lane(pi)

    async def go() -> None:
        await lane.apply([Append("A", ("x",))], action="append")
        await lane.apply([Append("A", ("y",))], action="append")
        later = pi.path.pop()
        assert to_markdown(await lane.plan()) == "# A\n- [/] x\n"
        pi.path.append(later)
        assert to_markdown(await lane.plan()) == "# A\n- [/] x\n- [ ] y\n"
        pi.path.pop()
        await lane.apply([Append("A", ("z",))], action="append")

    asyncio.run(go())

    assert to_markdown(asyncio.run(lane.plan())) == "# A\n- [/] x\n- [ ] z\n"
    assert asyncio.run(lane.read()).seq == 2


def test_two_sessions_in_one_process_share_no_plan() -> None:
    one, two = Lane(MemoryPi()), Lane(MemoryPi())

    asyncio.run(one.apply([Append("A", ("x",))], action="append"))

    assert not asyncio.run(two.plan()).phases
