"""The whole list of Claude Code and OpenCode. Rows named A.. and S.. are cases of public reports."""

from typing import Any

import pytest

from tests.plans import plan
from todo_context.plan.accept import accept
from todo_context.plan.apply import apply
from todo_context.plan.load import plan_from_json, plan_to_json
from todo_context.plan.markdown import to_markdown
from todo_context.plan.model import EMPTY, Phase, Plan, Status, Task
from todo_context.plan.reply import for_model

TWO = plan("# Build\n- [/] Wire config\n  > see log\n- [ ] Port logger\n\n# Verify\n- [ ] Run tests\n")


def send(arguments: Any, before: Plan = EMPTY) -> tuple[str, str]:
    """The plan after a call, and the reply."""
    accepted = accept(arguments, before)
    outcome = apply(before, accepted.ops)
    return to_markdown(outcome.plan), for_model(outcome, accepted)


def item(content: str, status: str = "pending", **more: Any) -> dict[str, Any]:
    return {"content": content, "status": status, **more}


ONE_A = "# Tasks\n- [/] A\n"

READ: list[Any] = [
    pytest.param({"todos": [item("A")]}, ONE_A, id="a list"),
    pytest.param({"todos": '[{"content":"A","status":"pending"}]'}, ONE_A, id="A04 as a string"),
    pytest.param({"todos": ['{"content":"A","status":"pending"}']}, ONE_A, id="A04 an element as a string"),
    pytest.param({"todos": "[{'content':'A','status':'pending'}]"}, ONE_A, id="A03 a Python literal"),
    pytest.param({"todos": item("A")}, ONE_A, id="one object for the list"),
    pytest.param([item("A")], ONE_A, id="the list alone"),
    pytest.param({"todos": [item("T1"), item("T2")]}, "# Tasks\n- [/] T1\n- [ ] T2\n", id="A13 two items without ids"),
    pytest.param({"todos": [item("A", "done"), item("B", "in-progress"), item("C", "cancelled")]}, "# Tasks\n- [x] A\n- [/] B\n- [-] C\n", id="A08 other spellings"),
    pytest.param({"todos": [{"content": "A"}]}, ONE_A, id="no status is pending"),
    pytest.param({"todos": [item("A", "in_progress"), item("B", "in_progress")]}, "# Tasks\n- [/] A\n- [ ] B\n", id="one in progress"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "markdown"), READ)
def test_read(arguments: Any, markdown: str) -> None:
    assert send(arguments)[0] == markdown


REFUSED: list[Any] = [
    pytest.param({"todos": []}, '- not applied: "todos" is empty. To empty the plan send {"ops":[{"op":"rm"}]}; for a new one, use init.', id="empty"),
    pytest.param({"todos": 5}, '- not applied: "todos" is the number 5, not a list. One that works: {"todos":[{"content":"Write it","status":"pending"}]}', id="A07 a number"),
    pytest.param({"todos": None}, '- not applied: "todos" is null, not a list. One that works: {"todos":[{"content":"Write it","status":"pending"}]}', id="A07 null"),
    pytest.param({"todos": "__import__('os').system('touch pwn')"}, '- not applied: "todos" is the text "__import__(\'os\').system(\'touch pwn\')", not a list. One that works: {"todos":[{"content":"Write it","status":"pending"}]}', id="A03 code"),
    pytest.param({"todos": [item("A"), item("B", "later")]}, '- todos[1] not applied: "status" is the text "later". There is: pending, in_progress, completed, abandoned, blocked.', id="A08 an unknown status refuses all"),
    pytest.param({"todos": [item("A"), {"status": "pending"}]}, '- todos[1] not applied: it has no "content". One that works: {"todos":[{"content":"Write it","status":"pending"}]}', id="no content refuses all"),
    pytest.param({"todos": ["x"]}, '- todos[0] not applied: it is the text "x", not an object. One that works: {"todos":[{"content":"Write it","status":"pending"}]}', id="bare text"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "line"), REFUSED)
def test_refused_whole(arguments: Any, line: str) -> None:
    markdown, reply = send(arguments, TWO)

    assert markdown == to_markdown(TWO)
    assert reply.startswith(f"Nothing was applied.\n{line}\nNo change.\n")


def test_a_task_keeps_its_notes_and_its_phase_and_a_new_one_joins_the_one_before_it() -> None:
    """A12: the same contents keep their identity when seven new ones come in between."""
    todos = [item("Wire config", "completed"), item("New"), item("Run tests"), item("Newer"), item("Port logger")]

    assert send({"todos": todos}, TWO)[0] == (
        "# Build\n- [x] Wire config\n  > see log\n- [/] New\n- [ ] Port logger\n\n# Verify\n- [ ] Run tests\n- [ ] Newer\n"
    )


def test_an_id_finds_a_task_whose_content_changed_but_content_beats_id() -> None:
    before = Plan((Phase(name="P", tasks=(Task(content="a", id="1", notes=("n",)), Task(content="b", id="2"))),))

    assert (
        send({"todos": [item("a, better", id="1"), item("b")]}, before)[0] == "# P\n- [/] a, better\n  > n\n- [ ] b\n"
    )
    assert send({"todos": [item("b", id="1"), item("a", id="2")]}, before)[0] == "# P\n- [/] b\n- [ ] a\n  > n\n"


def test_ids_forms_and_unknown_keys_are_kept() -> None:
    accepted = accept({"todos": [item("A", id=7, activeForm="Doing A", priority="high")]}, EMPTY)
    task = next(apply(EMPTY, accepted.ops).plan.tasks())

    assert (task.id, task.active_form, dict(task.extra)) == ("7", "Doing A", {"priority": "high"})


def test_a_blocked_task_keeps_its_reason_while_it_is_blocked() -> None:
    before = plan("# P\n- [!] a <!-- blocker: r -->\n")

    assert send({"todos": [item("a", "blocked")]}, before)[0] == "# P\n- [!] a <!-- blocker: r -->\n"
    assert send({"todos": [item("a", "completed")]}, before)[0] == "# P\n- [x] a\n"


def test_an_entry_gives_notes_and_a_reason_but_takes_no_note_away() -> None:
    before = plan("# P\n- [!] a <!-- blocker: old -->\n  > kept\n- [ ] b\n")
    entries = [
        item("a", "blocked", notes=[], blocker=None),
        item("b", "blocked", notes=["new", " "], blocker="no\nkey"),
        item("c", notes="one"),
    ]

    assert send({"todos": entries}, before)[0] == (
        "# P\n- [!] a <!-- blocker: old -->\n  > kept\n- [!] b <!-- blocker: no key -->\n  > new\n- [/] c\n  > one\n"
    )
    assert send({"todos": [item("a", "blocked", notes=["kept"], blocker="new")]}, before)[0] == (
        "# P\n- [!] a <!-- blocker: new -->\n  > kept\n"
    )


def test_what_is_stored_of_notes_and_reasons_is_what_the_plan_says() -> None:
    accepted = accept({"todos": [item("a", "pending", notes=["x"], blocker="gone")]}, EMPTY)
    outcome = apply(EMPTY, accepted.ops)

    assert plan_from_json(plan_to_json(outcome.plan)).plan == outcome.plan


@pytest.mark.parametrize("notes", [5, ["x", 5], {"a": 1}])
def test_notes_that_are_no_texts_refuse_the_list(notes: Any) -> None:
    assert not accept({"todos": [item("a", notes=notes)]}, EMPTY).ops


def test_of_repetitions_the_first_wins_and_the_rest_are_reported() -> None:
    markdown, reply = send({"todos": [item("A"), item(" A ", "completed")]})

    assert markdown == ONE_A
    assert '- todos[1] not applied: "A" is there twice; the first one stays.' in reply


def test_a_shorter_list_replaces_the_plan_and_the_reply_names_what_fell_out_unfinished() -> None:
    """S06."""
    before = plan("# P\n" + "".join(f"- [ ] Item {n}\n" for n in range(1, 6)) + "- [x] Old\n")

    markdown, reply = send({"todos": [item("Item 2", "completed")]}, before)

    assert markdown == "# P\n- [x] Item 2\n"
    assert reply == (
        'Your list replaced the plan; unfinished and gone from it: "Item 1", "Item 3", "Item 4", "Item 5". '
        "Append what is still to be done.\n"
        "All 1 closed: 1 done.\n"
        "# P: 1 done"
    )


def test_operations_beat_a_list_beside_them() -> None:
    accepted = accept({"ops": [{"op": "done", "task": "Wire config"}], "todos": [item("A")]}, TWO)

    assert len(accepted.ops) == 1
    assert [problem.message for problem in accepted.problems] == [
        '"todos" was passed over: a call has either "ops" or "todos".'
    ]


def test_every_status_is_known_by_its_own_name() -> None:
    todos = [item(status.value, status.value) for status in Status]

    assert [t.status for t in apply(EMPTY, accept({"todos": todos}, EMPTY).ops).plan.tasks()] == list(Status)
