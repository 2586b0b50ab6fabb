"""However long an agent idles, it is told to go on three times at most until the person speaks.

Turns without the person are those of another extension, whose command /tick asks for one.
"""

import os
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

from tests.cases.host import Host, run
from tests.conftest import STOP_REMINDERS
from tests.scripted_llm import Step
from tests.todo_repl.stage import manifest
from todo_context.pi import Answer, Context, Pi
from todo_repl.runtime import Submitted
from todo_repl.session import read_branch

TURNS = int(os.environ.get("SOAK_TURNS", "12"))
"""Idle turns; `make soak` has 100 of them."""

MOST = 3


def ticking(pi: Pi) -> None:
    """An extension that has the agent take a turn, as one that watches a build would."""

    async def tick(_args: str, _ctx: Context) -> Answer | None:
        pi.send_message("The build is done.", custom_type="tick", display=False, trigger_turn=True)
        return None

    pi.register_command("tick", description="Take a turn", handler=tick)


def listed(status: str) -> dict[str, Any]:
    """The whole list, of one task."""
    return {"todos": [{"content": "Ship it", "status": status}]}


DONE = {"ops": [{"op": "done", "task": "Ship it"}]}
AGAIN = {"ops": [{"op": "rm", "task": "Ship it"}, {"op": "append", "phase": "Tasks", "items": ["Ship it"]}]}

IDLE = [
    pytest.param([listed("in_progress"), listed("pending")], id="it flips the status"),
    pytest.param([DONE, AGAIN], id="done and append in turn"),
]


def two_turns(arguments: dict[str, Any]) -> list[Step]:
    """A turn of one call of the tool and a last word, and one of a word alone."""
    return [{"tool_calls": [{"name": "todo_write", "arguments": arguments}]}, {"text": "I rest."}, {"text": "I wait."}]


def told(path: Path) -> int:
    return sum(entry.get("customType") == "todo_stop" for entry in read_branch(path))


@pytest.mark.slow
@pytest.mark.parametrize("calls", IDLE)
def test_an_agent_that_idles_is_told_at_most_three_times(
    calls: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(STOP_REMINDERS)
    path = tmp_path / "s.jsonl"
    steps = [*two_turns(listed("pending")), *(step for call in islice(cycle(calls), TURNS) for step in two_turns(call))]

    async def job(host: Host) -> None:
        assert await host.runtime.submit("Ship it.") is Submitted.DONE
        for _ in range(TURNS):
            assert await host.runtime.submit("/tick") is Submitted.DONE
        in_idle_turns = told(path)
        assert await host.runtime.submit("Go on with it.") is Submitted.DONE
        assert await host.runtime.submit("/tick") is Submitted.DONE

        assert 1 <= in_idle_turns <= MOST
        assert in_idle_turns < told(path) <= in_idle_turns + MOST

    run(path, steps, job, extensions=[(manifest(commands=["tick"]), ticking)])
