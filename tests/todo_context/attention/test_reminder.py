"""The words of a reminder, as golden texts; and each part of it, on and off."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.todo_context.attention.branches import DEFAULT, THREE, Branch, begun, golden
from todo_context.attention import Facts, reminder
from todo_context.attention.wording import WHAT
from todo_context.plan.model import Phase, Plan, Task
from todo_context.settings import AttentionSettings

CLOSED = "# Build\n- [x] Wire config\n- [-] Port logger\n\n# Ship\n- [x] Push\n"

TEXTS: list[Any] = [
    pytest.param("plan", lambda: begun().works(), id="the open plan"),
    pytest.param("folded", lambda: Branch().person().writes("# Plan\n- [x] a\n- [-] b\n\n# Build\n- [x] c\n- [/] d\n  > a note\n  > of two lines\n- [ ] e\n\n# Wait\n- [!] f <!-- blocker: no key -->\n").works(), id="what is closed is folded"),
    pytest.param("edited", lambda: begun().answer().change("# Build\n- [x] Wire config\n- [/] Write notes\n").person(), id="edited"),
    pytest.param("undone", lambda: begun().ask().change(f"{THREE}- [ ] Write notes\n").writes(THREE), id="undone"),
    pytest.param("cleared", lambda: begun().answer().change("", action="rm").person(), id="cleared"),
    pytest.param("quiet", lambda: begun().works().works().works(), id="no call for a while"),
    pytest.param("unverified", lambda: begun().writes(CLOSED).works(), id="closed without a check"),
    pytest.param("handed_over", lambda: Branch().change(THREE, by="extension", action="handoff").person(), id="handed over"),
    pytest.param("compacted", lambda: begun().answer().compacted().person(), id="compacted"),
    pytest.param("interrupted", lambda: begun().works().answer("", ended="aborted").person("Another thing."), id="interrupted"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "branch"), TEXTS)
def test_the_text(name: str, branch: Callable[[], Branch]) -> None:
    assert branch().reminder() == golden(f"reminder_{name}")


def test_nothing_open_and_nothing_due_is_nothing_to_say() -> None:
    assert Branch().person().reminder() == ""
    assert begun().writes(CLOSED).answer().person().reminder() == ""


def test_it_is_left_out_after_a_fresh_result_of_ours_unless_an_edit_is_due() -> None:
    assert begun().reminder() == ""
    assert "edited the plan" in begun().change("# Build\n- [/] Wire config\n").writes(THREE).reminder()
    assert begun().change(CLOSED).writes(THREE).reminder(tell_edits=False) == ""


def test_that_nothing_was_checked_is_said_at_once_and_not_again_with_our_next_result() -> None:
    """The call that closes the last task is mostly the last one of its run."""
    closed = begun().writes(CLOSED)
    assert closed.reminder() == golden("reminder_unverified")
    assert closed.reminder(verify_from_tasks=0) == closed.reminder(verify_from_tasks=4) == ""

    viewed = closed.writes(CLOSED)
    assert viewed.reminder() == ""
    assert viewed.works().reminder() == golden("reminder_unverified")
    assert viewed.answer().person().reminder() == ""


def test_a_call_beside_others_that_closes_the_last_task_is_known_by_its_id() -> None:
    for others in (("read",), ("read", "grep")):
        assert begun().writes(CLOSED, *others).reminder() == golden("reminder_unverified")
    # Closed by the person, after the call and before the request: that is an edit, and told as one.
    edited = begun().change(CLOSED).reminder()
    assert "The user edited the plan" in edited
    assert "none of them was a check" in edited


def test_a_crossing_stands_in_one_request() -> None:
    branch = begun()
    due = []
    for rounds in range(1, 31):
        branch.works("read")
        due += [rounds] if "no call of todo_write" in branch.reminder() else []

    assert due == [3, 6, 12]


@pytest.mark.parametrize(
    ("branch", "changed", "words"),
    [
        pytest.param(lambda: begun().works(), {"reminder": False}, "todo", id="all of it"),
        pytest.param(lambda: begun().works(), {"plan_tasks": 0}, "todo", id="the plan"),
        pytest.param(lambda: begun().works().answer().change("").person(), {"tell_edits": False}, "todo", id="edits"),
        pytest.param(lambda: begun().compacted().person(), {"tell_carried_over": False}, "summarised", id="compaction"),
        pytest.param(lambda: begun().works().answer("", ended="error").person(), {"tell_interrupted": False}, "interrupted", id="interrupted"),
        pytest.param(lambda: begun().works().works().works(), {"quiet_rounds": 0}, "no call", id="quiet rounds"),
        pytest.param(lambda: begun().writes(CLOSED).works(), {"verify_from_tasks": 0}, "todo", id="verification"),
        pytest.param(lambda: begun().writes(CLOSED).works(), {"verify_from_tasks": 4}, "todo", id="too few to verify"),
        pytest.param(lambda: Branch().person().writes("- [/] a\n  > why").works(), {"plan_notes": False}, "why", id="notes"),
    ],
)  # fmt: skip
def test_each_part_can_be_turned_off(branch: Callable[[], Branch], changed: dict[str, Any], words: str) -> None:
    assert words in branch().reminder() or "verify_from_tasks" in changed
    assert words not in branch().reminder(**changed)


@pytest.mark.parametrize("check", ["- [x] Run tests", "# Verify\n- [x] All of it", "- [-] Ergebnis prüfen"])
def test_a_check_among_the_tasks_or_phases_is_enough(check: str) -> None:
    assert begun().writes(f"{CLOSED}{check}\n").works().reminder() == ""


def test_an_empty_phase_called_a_check_is_none() -> None:
    assert "none of them was a check" in begun().writes(f"{CLOSED}# Verify\n").works().reminder()


def test_other_crossings() -> None:
    assert AttentionSettings().quiet_crossings == (3, 6, 12)
    assert AttentionSettings(quiet_rounds=5).quiet_crossings == (5, 10, 20)
    assert AttentionSettings(quiet_rounds=0).quiet_crossings == ()


LONG = Plan(
    (
        Phase(name="Done", tasks=()),
        Phase(name="P", tasks=tuple(Task(content=f"Task number {n} of many") for n in range(400))),
    )
)


def test_a_long_plan_is_bounded_by_tasks_and_the_rest_is_counted() -> None:
    text = reminder(Facts(plan=LONG), DEFAULT) or ""

    assert text.count("- [ ]") == 20
    assert '… and 380 more open; {"op":"view"} shows all' in text


@pytest.mark.parametrize("most", [500, 700, 1_000, 2_000, 5_000])
def test_it_is_bounded_by_characters_and_uses_what_it_may(most: int) -> None:
    text = reminder(Facts(plan=LONG), AttentionSettings(reminder_characters=most, plan_tasks=400)) or ""

    assert most - 60 < len(text) <= most
    assert "more open" in text


def test_the_active_task_is_in_sight_however_long_the_plan() -> None:
    tasks = "".join(f"- [ ] task {n}\n" for n in range(100))
    text = Branch().person().writes(f"# P\n{tasks}- [/] the last one\n").works().reminder()

    assert "- [/] the last one" in text


def test_notes_yield_to_tasks_and_leave_a_mark() -> None:
    notes = "".join(f"  > {'why ' * 40}\n  >\n" for _ in range(20))
    text = Branch().person().writes(f"# P\n- [/] a\n{notes}- [ ] b\n").works().reminder(reminder_characters=500)

    assert "why" not in text
    assert text.endswith('- [ ] b\n… and the notes; {"op":"view"} shows them\n</system-reminder>')


def test_a_hundred_removed_tasks_are_named_by_the_newest_and_counted() -> None:
    before = "# P\n" + "".join(f"- [ ] task {n}\n" for n in range(100))
    text = Branch().person().writes(before).answer().change("# P\n- [/] task 0\n").person().reminder()

    assert '"task 99" and 91 more.' in text
    assert text.count('"task 9') == 8


def test_every_kind_of_edit_has_a_word() -> None:
    text = (
        Branch()
        .person()
        .writes("- [/] a\n- [x] b\n- [!] c\n- [ ] d\n- [ ] e\n- [ ] f\n- [ ] Port the logger\n- [ ] g\n")
        .answer()
        .change("- [x] a\n- [/] b\n- [ ] c\n- [-] d\n- [!] e\n- [ ] f\n  > n\n- [ ] Port the loggers\n- [ ] xyz\n")
        .person()
        .reminder()
    )

    assert (
        'The user edited the plan with /todo: removed "g"; added "xyz"; renamed "Port the logger" to "Port the loggers"; '
        'marked as done "a"; dropped "d"; reopened "b"; blocked "e"; unblocked "c"; changed the notes of "f". '
        "What they removed they do not want back, unless they ask for it."
    ) in text
    told = ["removed", "added", "renamed", "done", "dropped", "reopened", "blocked", "unblocked", "noted"]
    assert [*WHAT] == [*told, "started"]


def test_an_edit_that_was_changed_again_is_still_told_to_be_one() -> None:
    text = (
        begun()
        .answer()
        .change("# Build\n- [/] Wire config\n")
        .change(THREE, action="undo")
        .change("")
        .change(THREE, action="undo")
        .person()
        .reminder()
    )

    assert "The user edited the plan with /todo: added" in text


def test_what_a_later_call_took_back_is_said_and_never_that_the_plan_stands_as_the_person_wants_it() -> None:
    """The model may not have known of the edit: it was made while the answer with the call was under way."""
    edited = begun().ask().change("# Build\n- [/] Wire config\n- [x] Run tests\n- [ ] Tell\n")
    text = edited.writes(THREE).reminder()

    assert (
        'The user edited the plan with /todo. A call of todo_write after that took back: removed "Port logger"; '
        'added "Tell"; marked as done "Run tests". What they removed they do not want back, unless they ask for it.'
    ) in text
    for reorder in (True, False):
        branch = begun().ask().change(THREE.replace("# Verify", "# Check")) if reorder else begun()
        text = branch.change(THREE.replace("# Verify", "# Check")).works().reminder()
        assert "The user edited the plan with /todo, and it stands as they want it." in text
        assert "The user edited the plan with /todo.\n" in branch.writes(THREE).reminder()


@pytest.mark.parametrize(("left", "then"), [("[!]", "[ ]"), ("[/]", "[x]"), ("[x]", "[x]")])
def test_what_goes_on_from_an_edit_takes_nothing_back(left: str, then: str) -> None:
    text = begun().ask().change(f"- {left} Wire config\n").writes(f"- {then} Wire config\n- [ ] b\n").reminder()

    assert "The user edited the plan with /todo" in text
    assert "took back" not in text


def test_several_things_can_be_due_at_once_each_on_its_line() -> None:
    branch = begun().works().answer("", ended="aborted").compacted().change(CLOSED + "# More\n- [/] Another\n").person()
    branch.compacted().person().works().works().works()

    due = branch.reminder().split("\n")[-5:-1]

    assert [line[:14] for line in due] == ["The user edite", "The conversati", "An earlier run", "The last 3 ans"]
