"""When to plan: said once, where the host lets it be said, and with its limit beside it."""

import asyncio
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.todo_context.attention.branches import golden
from todo_context import activate
from todo_context.errors import TodoContextError
from todo_context.guidance import WHEN, guidance
from todo_context.hosts.memory import MemoryPi
from todo_context.pi import Capabilities
from todo_context.prompt import prompt
from todo_context.settings import AttentionSettings, Settings

Lane = Literal["", "before_agent_start", "guideline"]

LANES: tuple[Lane, ...] = ("", "before_agent_start", "guideline")
EAGER = ("off", "soft", "first")
LIMIT = {"off": "Not for a single step or a question.", "soft": "needs none", "first": "needs none"}


def host(eager: str, lane: Lane) -> MemoryPi:
    pi = MemoryPi(capabilities=Capabilities(system_prompt=lane))
    activate(pi, chosen=Settings(attention=AttentionSettings(eager=eager)))
    return pi


def system_prompt(pi: MemoryPi, before: str) -> str:
    """The system prompt of a run that would begin with this one."""
    answers: list[Any] = asyncio.run(pi.emit("before_agent_start", {"prompt": "x", "systemPrompt": before}))
    return str(answers[-1]["systemPrompt"]) if answers and answers[-1] else before


@pytest.mark.parametrize("eager", EAGER)
def test_the_words(eager: str) -> None:
    assert prompt(f"eager_{eager}") == golden(f"eager_{eager}")


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("eager", EAGER)
def test_it_is_said_in_one_place(eager: str, lane: Lane) -> None:
    pi = host(eager, lane)
    tool = pi.tools["todo_write"]
    is_added = lane == "before_agent_start" and eager != "off"

    assert system_prompt(pi, "Be brief.") == ("Be brief." + f"\n\n{golden(f'eager_{eager}')}" * is_added)
    assert tool.guideline == (golden(f"eager_{eager}") if lane == "guideline" and eager != "off" else "")
    assert (golden("eager_off") in tool.description) is not is_added
    assert "{when}" not in tool.description


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("eager", EAGER)
def test_no_text_asks_for_a_plan_without_saying_when_it_is_not_worth_one(eager: str, lane: Lane) -> None:
    found = guidance(eager, Capabilities(system_prompt=lane))

    assert LIMIT["off"] in found.description
    assert all(LIMIT[eager] in line for line in (found.added, found.guideline) if line)


def test_soft_is_the_default() -> None:
    assert AttentionSettings().eager == "soft"


@pytest.mark.parametrize("eager", ["soft", "first"])
def test_a_line_costs_less_than_sixty_tokens(eager: str) -> None:
    """A token of English is more than three characters long in every tokenizer we know."""
    assert len(golden(f"eager_{eager}")) < 60 * 3.2
    assert "\n" not in golden(f"eager_{eager}")


def test_it_is_the_same_each_time_and_grows_by_no_repetition() -> None:
    pi = host("soft", "before_agent_start")

    said = {system_prompt(pi, "Be brief.") for _ in range(5)}

    assert said == {f"Be brief.\n\n{golden('eager_soft')}"}
    assert system_prompt(pi, "") == golden("eager_soft")


def test_where_the_tool_is_off_nothing_is_said() -> None:
    pi = host("first", "before_agent_start")
    del pi.tools["todo_write"]

    assert system_prompt(pi, "Be brief.") == "Be brief."


def test_a_persons_own_words_take_their_place_as_one_line(tmp_path: Path) -> None:
    (tmp_path / "eager_first.md").write_text("Plan\n\n  first.\n")
    (tmp_path / "todo_write.md").write_text("Mine.")
    can = Capabilities(system_prompt="before_agent_start")

    found = guidance("first", can, str(tmp_path))

    assert (found.description, found.added) == ("Mine.", "Plan first.")
    assert guidance("soft", can, str(tmp_path)).added == golden("eager_soft")
    assert WHEN not in guidance("off", can, str(tmp_path)).description


def test_a_text_that_cannot_be_used_is_an_error_before_anything_is_registered(tmp_path: Path) -> None:
    (tmp_path / "eager_soft.md").write_text(" \n")

    with pytest.raises(TodoContextError, match=r"eager_soft\.md: it is blank"):
        guidance("soft", Capabilities(system_prompt="guideline"), str(tmp_path))
