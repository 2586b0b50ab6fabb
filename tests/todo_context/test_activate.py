"""What a host gets by the one call: a tool with the schema it can bear, and a widget that follows the branch."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from tests.plans import INIT
from tests.todo_context.unasked import Unasked
from todo_context import activate
from todo_context.hosts.memory import MemoryPi
from todo_context.pi import Capabilities, Level, Widget


class Person(Unasked):
    """Someone with a screen that shows widgets, who is asked nothing here."""

    def __init__(self) -> None:
        self.widgets: dict[str, list[str]] = {}
        self.told: list[str] = []

    def notify(self, message: str, level: Level = "info") -> None:
        self.told.append(f"{level}: {message}")

    def set_widget(self, key: str, content: Sequence[str] | Widget | None) -> None:
        self.widgets.pop(key, None)
        if content is not None:
            assert not callable(content)
            self.widgets[key] = list(content)


@pytest.fixture
def person() -> Person:
    return Person()


@pytest.fixture
def pi(person: Person) -> MemoryPi:
    host = MemoryPi(ui=person)
    activate(host)
    return host


def test_a_host_that_validates_first_is_given_a_schema_that_refuses_no_object() -> None:
    strict, lenient = MemoryPi(), MemoryPi(capabilities=Capabilities(validates_arguments=True))
    for host in (strict, lenient):
        activate(host)

    assert strict.tools["todo_write"].parameters["required"] == ["ops"]
    assert "required" not in lenient.tools["todo_write"].parameters
    assert strict.tools["todo_write"].description == lenient.tools["todo_write"].description


def test_the_widget_stands_after_a_call_after_a_command_and_where_the_branch_leads_elsewhere(
    pi: MemoryPi, person: Person
) -> None:
    seen: list[Any] = []

    async def go() -> None:
        await pi.emit("session_start")
        seen.append(person.widgets.get("todo"))
        await pi.call_tool("todo_write", INIT)
        seen.append(person.widgets["todo"])
        await pi.run_command("todo", "done wire")
        seen.append(person.widgets["todo"])
        del pi.path[1:]
        await pi.emit("session_tree")
        seen.append(person.widgets["todo"])
        await pi.run_command("todo", "done")
        seen.append(person.widgets.get("todo"))

    asyncio.run(go())

    first = ["0 of 3 done, 3 open.", "- [/] Wire config", "- [ ] Port logger", "- [ ] Run tests"]
    second = ["1 of 3 done, 2 open.", "- [/] Port logger", "- [ ] Run tests"]
    assert seen == [None, first, second, first, None]


def test_coming_back_says_how_far_the_plan_is_and_shows_it(pi: MemoryPi, person: Person) -> None:
    asyncio.run(pi.call_tool("todo_write", INIT))
    person.widgets.clear()

    asyncio.run(pi.emit("session_start"))

    assert person.told == ["info: Plan: 0 of 3 done, 3 open. /todo shows it."]
    assert person.widgets["todo"][1] == "- [/] Wire config"


def test_a_command_that_is_refused_leaves_the_widget_as_it_was(pi: MemoryPi, person: Person) -> None:
    asyncio.run(pi.call_tool("todo_write", INIT))
    before = dict(person.widgets)

    asyncio.run(pi.run_command("todo", "done nothing like it"))

    assert person.widgets == before


def test_without_a_person_nothing_is_shown_anywhere() -> None:
    host = MemoryPi()
    activate(host)

    asyncio.run(host.emit("session_start"))
    result = asyncio.run(host.call_tool("todo_write", INIT))

    assert not result.is_error
