"""The offline planner, alone and in talks with the real tool."""

import asyncio
import re

import pytest

from tests.todo_repl.talk import Talk, echo
from todo_context.hosts.memory import MemoryPi
from todo_context.lane import Lane
from todo_context.plan.model import Json
from todo_context.plan.ops import Append, Done, Start, Target
from todo_context.plan.select import active_task
from todo_context.tool import todo_write
from todo_repl.messages import AssistantMessage, ToolResultMessage, UserMessage
from todo_repl.models import Finished, Request, TextDelta
from todo_repl.offline import EMPTY, HELP, NO_LIST, TOOL_OFF, OfflinePlanner
from todo_repl.offline_rules import Act, Intent, NewList, NewPhase, Other, Status, intent_of


def tasks(*items: str, is_fresh: bool = False) -> NewList:
    return NewList((NewPhase("Tasks", items),), is_fresh=is_fresh)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("- a\n- b", tasks("a", "b")),
        ("* a\n• b\n+ c\n\u2013 d", tasks("a", "b", "c", "d")),
        ("1. a\n2) b", tasks("a", "b")),
        ("[ ] a\n[ ] b", tasks("a", "b")),
        ("- [ ] a\n- [x] b", NewList((NewPhase("Tasks", ("a", "b"), ("b",)),))),
        ("Please do this for me today:\n- a\n- b", tasks("a", "b")),
        ("Build:\n- a\n- b\n\n# Ship it\n1. c", NewList((NewPhase("Build", ("a", "b")), NewPhase("Ship it", ("c",))))),
        ("# My plan\n## Build #\n- a\n- b", NewList((NewPhase("Build", ("a", "b")),))),
        ("Build:\n- a\nShip:\n- b\nBuild:\n- c", NewList((NewPhase("Build", ("a", "c")), NewPhase("Ship", ("b",))))),
        ("- a\r\n- b\r\n", tasks("a", "b")),
        ("- one dash", Other()),
        ("first wire, then test", tasks("wire", "test")),
        (
            "First wire the config. Then port the logger, and finally ship it.",
            tasks("wire the config", "port the logger", "ship it"),
        ),
        ("Please first buy milk, eggs, then\nbake; after that eat", tasks("buy milk, eggs", "bake", "eat")),
        ("I thought of it first", Other()),
        ("plan: a, b, and c", tasks("a", "b", "c")),
        ("My todo list: a, b; c", tasks("a, b", "c")),
        ("note: a, b", Other()),
        ("new plan: a, b", tasks("a", "b", is_fresh=True)),
        ("New plan\nBuild:\n- a\n- b", NewList((NewPhase("Build", ("a", "b")),), is_fresh=True)),
        ("start over: first a, then b", tasks("a", "b", is_fresh=True)),
        ("start over", NewList((), is_fresh=True)),
        ("next", Act("next")),
        ("Next one, please!", Act("next")),
        ("next week I am away", Other()),
        ("start", Act("start")),
        ("start Port logger", Act("start", "Port logger")),
        ("work is hard", Other()),
        ("done", Act("done")),
        ("Done.", Act("done")),
        ("ok, I'm done with it", Act("done")),
        ("finished with \u201cWire config\u201d", Act("done", "Wire config")),
        ("Wire config is done", Act("done", "Wire config")),
        ("skip", Act("drop")),
        ("skip this task", Act("drop")),
        ("drop port", Act("drop", "port")),
        ("blocked", Act("block")),
        ("I'm blocked by the review", Act("block", None, "the review")),
        ("block: no key yet", Act("block", None, "no key yet")),
        ("What is left?", Status()),
        ("what's next", Status()),
        ("status", Status()),
        ("show me the plan", Status()),
        ("Hello!", Other()),
        ("", Other()),
        ("done " * 100, Other()),
    ],
)
def test_what_a_person_means(text: str, intent: Intent) -> None:
    assert intent_of(text) == intent


@pytest.mark.parametrize(
    "text", ["first " + " " * 50_000 + "x", "." * 50_000 + "x", "#" * 50_000, "-" * 50_000, "a: " * 20_000]
)
def test_no_text_takes_long(text: str) -> None:
    assert intent_of(text) == Other()


class Desk(Talk):
    """A talk with the planner over a plan; `lane` is how the person changes it by command."""

    def __init__(self) -> None:
        self.lane = Lane(MemoryPi())
        super().__init__(OfflinePlanner(), [todo_write(self.lane)])

    def ask(self, text: str) -> str:
        """What it answers."""
        assert self.say(text).reason == "stop"
        return self.answers[-1].text

    def ops(self) -> list[Json]:
        """The operations it called since the person's last words, one call after the other."""
        ops: list[Json] = []
        for message in self.stored:
            if isinstance(message, UserMessage):
                ops = []
            elif isinstance(message, AssistantMessage):
                ops += [call.arguments["ops"] for call in message.calls]
        return ops

    def plan(self) -> list[str]:
        """The tasks with their marks."""
        marks = {"pending": " ", "in_progress": "/", "completed": "x", "abandoned": "-", "blocked": "!"}
        return [
            f"{phase.name}: [{marks[task.status]}] {task.content}"
            for phase in asyncio.run(self.lane.plan()).phases
            for task in phase.tasks
        ]


def test_a_first_minute() -> None:
    desk = Desk()

    assert desk.ask("Build:\n- Wire config\n- Port logger\nShip:\n- Tag it") == (
        'That is the plan now. 0 of 3 closed. In progress: "Wire config".'
    )
    assert desk.ops()[-1] == [
        {
            "op": "init",
            "list": [
                {"phase": "Build", "items": ["Wire config", "Port logger"]},
                {"phase": "Ship", "items": ["Tag it"]},
            ],
        }
    ]
    assert desk.ask("done") == 'Done: "Wire config". 1 of 3 closed. In progress: "Port logger".'
    assert desk.ask("skip") == 'Dropped "Port logger". 2 of 3 closed. In progress: "Tag it".'
    assert desk.ask("What is left?") == "1 of 3 is left:\n- Tag it (in progress, Ship)"
    assert desk.ask("Tag it is done") == 'Done: "Tag it". All 3 tasks are closed.'
    assert desk.ask("done") == "No task is in progress. All 3 tasks are closed."
    assert desk.plan() == ["Build: [x] Wire config", "Build: [-] Port logger", "Ship: [x] Tag it"]


def test_it_looks_before_it_acts_for_the_person_may_have_changed_the_plan() -> None:
    desk = Desk()
    desk.ask("plan: a, b, c")
    asyncio.run(desk.lane.apply([Done(Target(task="a")), Start("c")], action="person"))

    assert desk.ask("done") == 'Done: "c". 2 of 3 closed. In progress: "b".'
    assert desk.ops() == [[{"op": "view"}], [{"op": "done", "task": "c"}]]


def test_a_list_joins_a_plan_that_only_the_person_made() -> None:
    desk = Desk()
    asyncio.run(desk.lane.apply([Append("Build", ("Mine",))], action="append"))

    desk.ask("- a\n- b")

    assert desk.plan() == ["Build: [/] Mine", "Tasks: [ ] a", "Tasks: [ ] b"]


def test_a_second_list_gets_a_phase_of_its_own() -> None:
    desk = Desk()
    desk.ask("- a\n- b")

    assert desk.ask("- c\n- d") == 'Added to "Tasks 2". 0 of 4 closed. In progress: "a".'
    assert desk.plan() == ["Tasks: [/] a", "Tasks: [ ] b", "Tasks 2: [ ] c", "Tasks 2: [ ] d"]


def test_after_a_plan_that_is_finished_a_list_is_the_plan() -> None:
    desk = Desk()
    desk.ask("- a\n- b")
    desk.ask("done")
    assert desk.ask("done") == 'Done: "b". All 2 tasks are closed.'

    assert desk.ask("- c\n- d") == 'That is the plan now. 0 of 2 closed. In progress: "c".'
    assert desk.plan() == ["Tasks: [/] c", "Tasks: [ ] d"]


def test_a_list_with_headings_goes_where_they_say() -> None:
    desk = Desk()
    desk.ask("Build:\n- a\n- b")
    desk.ask("Build:\n- c\nShip:\n- d")

    assert desk.plan() == ["Build: [/] a", "Build: [ ] b", "Build: [ ] c", "Ship: [ ] d"]


def test_a_new_plan_takes_the_place_of_the_old() -> None:
    desk = Desk()
    desk.ask("plan: a, b")
    desk.ask("new plan: c, d")

    assert desk.plan() == ["Tasks: [/] c", "Tasks: [ ] d"]


def test_a_new_plan_without_a_list_changes_nothing() -> None:
    desk = Desk()
    desk.ask("plan: a, b")

    assert desk.ask("start over") == NO_LIST
    assert desk.plan() == ["Tasks: [/] a", "Tasks: [ ] b"]


def test_ticked_tasks_of_a_list_are_done() -> None:
    desk = Desk()
    desk.ask("- [x] a\n- [ ] b\n- [ ] c")

    assert desk.plan() == ["Tasks: [x] a", "Tasks: [/] b", "Tasks: [ ] c"]


def test_next_moves_on_and_says_what_waits() -> None:
    desk = Desk()
    desk.ask("plan: a, b")

    assert desk.ask("next") == 'Started "b"; "a" waits again. 0 of 2 closed. In progress: "b".'
    assert desk.ask("next") == 'Started "a"; "b" waits again. 0 of 2 closed. In progress: "a".'


def test_blocked_keeps_the_reason() -> None:
    desk = Desk()
    desk.ask("plan: a, b")

    assert desk.ask("blocked by the review") == 'Blocked "a". 0 of 2 closed. In progress: "b".'
    task = asyncio.run(desk.lane.plan()).phases[0].tasks[0]
    assert task.blocker == "the review"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("done with port", 'Done: "Port logger"', id="a part of one name"),
        pytest.param("done with WIRE CONFIG", 'Done: "Wire config"', id="a name in another case"),
        pytest.param("done with config", '"config" may be: "Wire config", "Test config". Say more', id="of two names"),
        pytest.param("done with deploy", 'No task is called "deploy". 3 of 3 are left:', id="of no name"),
    ],
)
def test_a_task_is_named_by_a_part_of_it(text: str, told: str) -> None:
    desk = Desk()
    desk.ask("plan: Wire config; Port logger; Test config")

    assert desk.ask(text).startswith(told)


@pytest.mark.parametrize("text", ["done", "next", "skip", "done with a", "what is left"])
def test_an_empty_plan_is_said_to_be_empty(text: str) -> None:
    assert Desk().ask(text) == EMPTY


def test_anything_else_is_answered_with_what_it_understands_and_how_to_connect_a_model() -> None:
    desk = Desk()

    assert desk.ask("Write me a poem.") == HELP
    assert desk.ops() == []
    for words in (
        "openai:NAME",
        "--base-url",
        "anthropic:NAME",
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "settings.toml",
    ):
        assert words in HELP


def test_without_the_tool_it_says_so() -> None:
    talk = Talk(OfflinePlanner(), [echo()])
    talk.say("- a\n- b")

    assert [message.text for message in talk.answers] == [TOOL_OFF]


def test_what_the_tool_refuses_is_told() -> None:
    desk = Desk()
    desk.ask("- a\n- b")
    told = desk.ask("- a\n- b")

    assert told.startswith("Not all of it was applied: ")
    assert desk.plan() == ["Tasks: [/] a", "Tasks: [ ] b"]


def test_it_speaks_in_pieces_and_says_who_it_is() -> None:
    async def collect() -> list[object]:
        request = Request(system="", messages=(UserMessage("hello", 1),), tools=())
        return [delta async for delta in OfflinePlanner().stream(request)]

    *deltas, last = asyncio.run(collect())

    assert len(deltas) > 3
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == HELP
    assert isinstance(last, Finished)
    assert (last.message.provider, last.message.model, last.message.api) == ("offline", "planner", "offline")
    assert last.message.text == HELP


def test_a_result_without_details_is_told_by_its_first_line() -> None:
    desk = Desk()
    desk.ask("plan: a, b")
    call = desk.answers[0].calls[0]
    old = ToolResultMessage(call_id=call.id, tool_name="todo_write", text="Closed.\nMore.", timestamp_ms=1)

    async def last() -> object:
        messages = (UserMessage("done", 1), desk.answers[0], old)
        request = Request(system="", messages=messages, tools=tuple(desk.tools))
        return [delta async for delta in OfflinePlanner().stream(request)][-1]

    finished = asyncio.run(last())
    assert isinstance(finished, Finished)
    assert finished.message.text == "Closed."


def test_each_call_has_an_id_of_its_own_also_after_a_resume() -> None:
    desk = Desk()
    for text in ("plan: a, b, c", "done", "done"):
        desk.ask(text)
    ids = [call.id for message in desk.answers for call in message.calls]

    assert len(ids) == len(set(ids)) == 6
    assert all(re.fullmatch("[A-Za-z0-9_-]+", call_id) for call_id in ids)


def test_the_plan_of_the_talk_is_the_plan_of_the_lane() -> None:
    desk = Desk()
    desk.ask("plan: a, b")
    details = desk.results[-1].details
    active = active_task(asyncio.run(desk.lane.plan()))

    assert details is not None
    assert active is not None
    assert details["activeTask"] == active.content == "a"
