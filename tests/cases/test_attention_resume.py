"""Group R through a whole host: what a request says of a plan after a summary, and after a run that was broken off."""

import asyncio
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cases.host import Host, calling, run, until
from tests.cases.test_attention import reminders
from tests.cases.test_attention_pure import ORDERS
from tests.cases.test_compaction import LONG, compact
from todo_context.attention import wording
from todo_repl.runtime import Submitted

if TYPE_CHECKING:
    from tests.scripted_llm import Step

TWO = {"ops": [{"op": "init", "list": [{"phase": "Build", "items": ["A", "B"]}]}]}
SEVEN = {"ops": [{"op": "init", "list": [{"phase": "Build", "items": [f"Item {n}" for n in range(1, 8)]}]}]}


def reminder_of(host: Host, request: int = -1) -> str:
    """The one reminder of a request; nothing if it has none."""
    found = reminders(host.server.bodies[request])
    assert len(found) <= 1
    return "".join(found)


def test_r05_after_a_compaction_an_old_item_in_progress_is_a_fact_and_no_order(tmp_path: Path) -> None:
    """A is written and waits for the person, B is next in the list."""

    async def job(host: Host) -> None:
        await host.type("Do A, and then ask me.")
        await host.type(LONG)
        await compact(host)
        assert await host.runtime.submit("Looks good so far. What did you name it?") is Submitted.DONE
        said = reminder_of(host)
        assert wording.COMPACTED in said.split("\n")
        assert "confirm against the latest message of the user" in said
        assert "- [/] A" in said
        assert "- [/] A\n- [ ] B" in said
        assert not any(order in said.casefold() for order in ORDERS)

    steps: list[Step] = [*calling(TWO)[:-1], {"text": "A is written. Please review it."}, {"text": LONG}]
    run(tmp_path / "s.jsonl", [*steps, {"text": "It is called A."}], job)


def break_off(path: Path) -> None:
    """A session with seven items, whose run was broken off while the model spoke, and which was left then."""
    gate = threading.Event()
    steps: list[Step] = [*calling(SEVEN)[:-1], {"text": "I begin with the first.", "hold": gate}]

    async def job(host: Host) -> None:
        running = asyncio.create_task(host.runtime.submit("Do all seven."))
        await asyncio.to_thread(host.server.wait_for, 2)
        await until(lambda: "begin" in host.screen.getvalue())
        assert host.runtime.abort()
        await running
        gate.set()

    run(path, steps, job)


ALL_DONE = {"ops": [{"op": "done"}]}


def test_r10_an_interrupted_list_is_shown_as_such_and_clears_when_it_is_completed(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    break_off(path)

    async def resume(host: Host) -> None:
        assert await host.runtime.submit("Where are we?") is Submitted.DONE
        assert wording.INTERRUPTED in reminder_of(host).split("\n")
        assert "0 of 7 done, 7 open." in reminder_of(host)
        assert await host.runtime.submit("Finish it then.") is Submitted.DONE
        # In the first request of the run still, until todo_write was called.
        assert wording.INTERRUPTED in reminder_of(host, 1)
        assert "interrupted" not in reminder_of(host, 2)
        assert await host.runtime.submit("Thanks.") is Submitted.DONE
        assert reminder_of(host) == ""

    async def again(host: Host) -> None:
        assert (await host.agreed()).count("- [x]") == 7
        assert await host.runtime.submit("Hello again.") is Submitted.DONE
        assert reminder_of(host) == ""

    run(path, [{"text": "At the first."}, *calling(ALL_DONE), {"text": "My pleasure."}], resume)
    run(path, [{"text": "Hello."}], again)


@pytest.mark.parametrize(
    ("line", "left"),
    [
        pytest.param("/todo drop", "", id="dropped"),
        pytest.param("/todo rm", "", id="removed"),
        pytest.param('/todo drop "Item 1"', "0 of 7 done, 1 dropped, 6 open.", id="taken up again"),
    ],
)
def test_r10_an_interrupted_list_can_be_dismissed_by_the_person(line: str, left: str, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    break_off(path)

    async def resume(host: Host) -> None:
        await host.type(line)
        assert await host.runtime.submit("What is a monad?") is Submitted.DONE
        # Told in this run, and then no more.
        assert "The user" in reminder_of(host)
        assert "interrupted" not in reminder_of(host)
        assert await host.runtime.submit("And a functor?") is Submitted.DONE
        assert left in reminder_of(host)
        assert bool(reminder_of(host)) is bool(left)
        assert "interrupted" not in reminder_of(host)

    run(path, [{"text": "A monoid."}, {"text": "A map."}], resume)
