"""Undo, redo and log, as typed."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.plans import phases, plan
from tests.todo_command.desk import THREE, Desk
from todo_command.verbs.history import LOGGED
from todo_context.plan.accept import accept
from todo_context.plan.load import plan_to_json


def model_calls(desk: Desk, arguments: object) -> None:
    asyncio.run(desk.lane.run(lambda now: accept(arguments, now), by="model", call="call_1"))


def model_done(desk: Desk) -> None:
    model_calls(desk, {"ops": [{"op": "done", "task": "Wire config"}]})


def types(args: str) -> Callable[[Desk], object]:
    return lambda desk: desk.type(args)


def foreign_edit(desk: Desk) -> None:
    edited = {"phases": phases(plan("# Build\n- [/] Wire config\n- [ ] Port logger\n- [ ] Write docs\n"))}
    desk.pi.append_entry("user_todo_edit", edited)  # type: ignore[arg-type]


def another_component(desk: Desk) -> None:
    turned = plan_to_json(plan(THREE.replace("Build", "Verify!").replace("Verify\n", "Build\n")))
    desk.pi.append_entry("todo_write", {"v": 1, "seq": 2, "phases": turned[::-1], "by": "extension", "action": "sort"})


@pytest.mark.parametrize(
    ("change", "undone", "redone"),
    [
        pytest.param(
            model_done,
            'Undone: done by the agent (2 as before). Next: "Wire config".',
            'Redone: done by the agent (2 changed). Next: "Port logger".',
            id="of the agent",
        ),
        pytest.param(
            types("rm"),
            'Undone: rm by you (3 back). Next: "Wire config".',
            "Redone: rm by you (3 removed). Nothing is open any more.",
            id="of the person",
        ),
        pytest.param(
            types("append Verify Ship"),
            "Undone: append by you (1 gone again).",
            "Redone: append by you (1 added).",
            id="an addition",
        ),
        pytest.param(
            foreign_edit,
            "Undone: edit by you (1 back, 1 gone again).",
            "Redone: edit by you (1 added, 1 removed).",
            id="in another program",
        ),
        pytest.param(
            another_component,
            "Undone: sort by an extension (3 as before).",
            "Redone: sort by an extension (3 changed).",
            id="of an extension",
        ),
    ],
)
def test_undo_and_redo_say_what_and_whose_in_one_line(
    change: Callable[[Desk], object], undone: str, redone: str
) -> None:
    desk = Desk(THREE)
    change(desk)
    changed = desk.markdown

    assert desk.type("undo").text == undone
    assert desk.markdown == THREE
    assert desk.type("redo").text == redone
    assert desk.markdown == changed


def test_an_order_that_comes_back_is_said_so() -> None:
    desk = Desk(THREE)
    desk.put(plan("# Verify\n- [ ] Run tests\n\n# Build\n- [/] Wire config\n- [ ] Port logger\n"))

    assert desk.type("undo").text == "Undone: init by the agent (phases or order as before)."
    assert desk.markdown == THREE


def test_undo_and_redo_are_edits_of_the_person() -> None:
    desk = Desk(THREE)
    model_done(desk)

    desk.type("undo")
    desk.type("redo")

    assert desk.actions == ["undo", "redo"]


def test_what_a_shorter_whole_list_dropped_comes_back() -> None:
    """S06."""
    five = "# Tasks\n- [/] Item 1\n- [ ] Item 2\n- [ ] Item 3\n- [ ] Item 4\n- [ ] Item 5\n"
    desk = Desk(five)
    model_calls(desk, {"todos": [{"content": "Item 2", "status": "completed"}]})
    assert desk.markdown == "# Tasks\n- [x] Item 2\n"

    answer = desk.type("undo")

    assert answer.text == 'Undone: replace by the agent (4 back, 1 as before). Next: "Item 1".'
    assert desk.markdown == five


def test_undo_goes_back_step_by_step_to_the_beginning_and_redo_to_the_end() -> None:
    desk = Desk()
    texts = [desk.markdown]
    for args in ("append Build one", "append Build two", "block one waiting", "rm", "append Build three"):
        desk.type(args)
        texts.append(desk.markdown)

    for text in texts[-2::-1]:
        desk.type("undo")
        assert desk.markdown == text
    assert desk.type("undo").text == "No change: there is nothing to undo."
    for text in texts[1:]:
        desk.type("redo")
        assert desk.markdown == text
    assert desk.type("redo").text == "No change: there is nothing to redo."


def test_after_a_change_there_is_nothing_to_redo() -> None:
    desk = Desk(THREE)
    desk.type("rm")
    desk.type("undo")
    desk.type("done wire")

    answer = desk.type("redo")

    assert (answer.text, answer.is_error) == ("No change: there is nothing to redo.", False)
    assert desk.actions == ["rm", "undo", "done"]


@pytest.mark.parametrize("verb", ["undo", "redo"])
def test_with_a_name_or_number_nothing_is_undone(verb: str) -> None:
    desk = Desk(THREE)

    answer = desk.type(f"{verb} 3")

    assert answer.is_error
    assert answer.text == (
        f"{verb} takes no name: it goes back or forth by one change. Usage: /todo {verb}, for instance /todo {verb}"
    )
    assert desk.markdown == THREE


def test_the_answer_to_a_bare_rm_names_the_way_back() -> None:
    desk = Desk(THREE)

    assert "/todo undo" in desk.type("rm").text
    desk.type("undo")
    assert desk.markdown == THREE


def test_the_log_of_an_untouched_plan() -> None:
    assert Desk().type("log").text == "Nothing has changed the plan yet."


def test_the_log_lists_the_newest_first_and_marks_what_is_undone() -> None:
    desk = Desk(THREE)
    model_done(desk)
    foreign_edit(desk)
    another: Any = {"v": 1, "seq": 3, "phases": [], "by": "extension", "action": "clear"}
    desk.pi.append_entry("todo_write", another)
    desk.type("undo")

    assert desk.type("log").text.split("\n") == [
        '#4 you       undo: 3 added ("Wire config", "Port logger", …)',
        '#3 extension clear: 3 removed ("Wire config", "Port logger", …) (undone)',
        ' - you       edit: 1 added, 1 removed, 2 changed ("Write docs", "Run tests", …)',
        '#2 agent     done: 2 changed ("Wire config", "Port logger")',
        '#1 agent     init: 3 added ("Wire config", "Port logger", …)',
    ]


def test_the_log_changes_nothing() -> None:
    desk = Desk(THREE)

    desk.type("log")

    assert len(desk.pi.stored) == 1


def test_the_log_lists_twenty_and_counts_the_rest() -> None:
    desk = Desk()
    for number in range(LOGGED + 3):
        desk.type(f"append A task-{number}")

    lines = desk.type("log").text.split("\n")

    assert (lines[0], lines[-2:]) == (
        '#23 you       append: 1 added ("Task-22")',
        [' #4 you       append: 1 added ("Task-3")', "… and 3 before"],
    )
    assert len(lines) == LOGGED + 1


def test_what_a_file_calls_an_action_is_bounded_and_safe() -> None:
    desk = Desk()
    for seq, action in enumerate(["\x1b[2Jwipe\x1b]0;t\x07\r\nit\u202e", "x" * 5_000, "\x1b[2J"], start=1):
        its: Any = plan_to_json(plan(f"# A\n- [ ] t{seq}\n"))
        desk.pi.append_entry("todo_write", {"v": 1, "seq": seq, "phases": its, "by": "model", "action": action})

    assert desk.type("log").text.split("\n") == [
        '#3 agent     ?: 1 added, 1 removed ("t3", "t2")',
        f'#2 agent     {"x" * 23}…: 1 added, 1 removed ("t2", "t1")',
        '#1 agent     wipe it: 1 added ("t1")',
    ]
    assert desk.type("undo").text == "Undone: ? by the agent (1 back, 1 gone again)."
