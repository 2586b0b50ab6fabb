"""An agent that stops with tasks to do is told so: a few times, and never where stopping was right."""

from collections.abc import Callable

import pytest

from tests.todo_context.attention.branches import DEFAULT, THREE, Branch, begun, golden
from todo_context.attention import stop_reminder
from todo_context.settings import AttentionSettings


def said(branch: Branch, *, most: int = 3, has_background_work: bool = False) -> str | None:
    return stop_reminder(branch.facts, AttentionSettings(stop_reminders=most), has_background_work=has_background_work)


def test_the_text() -> None:
    assert said(begun().works().answer("The config is wired.")) == golden("stop_reminder")


def test_it_names_a_few_and_counts_the_rest() -> None:
    tasks = "".join(f"- [ ] task {n}\n" for n in range(9))
    text = said(Branch().person().writes(tasks).answer()) or ""

    assert '9 tasks still to do: "task 0", "task 1", "task 2", "task 3", "task 4" and 4 more.' in text
    assert "with 1 task still to do" in (said(Branch().person().writes("- [/] a").answer()) or "")


def test_at_most_three_times_until_the_person_speaks() -> None:
    branch = begun().answer("a")
    for number in (1, 2, 3):
        text = said(branch)
        assert f"({number} of 3)" in (text or "")
        branch.ours(text).answer("b")

    assert said(branch) is None
    assert "(1 of 3)" in (said(branch.person("And the logger?").answer("c")) or "")


def test_progress_begins_the_count_anew() -> None:
    branch = begun().answer("a")
    for _ in range(3):
        branch.ours(said(branch)).answer("b")
    assert said(branch) is None

    branch.ours("<system-reminder>\nFrom the todo extension, not from the user: x\n</system-reminder>")
    branch.writes("# Build\n- [x] Wire config\n- [/] Port logger\n\n# Verify\n- [ ] Run tests\n").answer("c")
    assert "(1 of 3)" in (said(branch) or "")


@pytest.mark.parametrize("most", [0, 1, 5])
def test_how_often_is_a_setting(most: int) -> None:
    branch, given = begun().answer("a"), 0
    while (text := said(branch, most=most)) is not None:
        given += 1
        branch.ours(text).answer("b")

    assert given == most


@pytest.mark.parametrize(
    "branch",
    [
        pytest.param(lambda: Branch().person().answer(), id="no plan"),
        pytest.param(lambda: begun().writes("- [x] a\n- [-] b").answer(), id="all closed"),
        pytest.param(lambda: begun().writes("- [!] a\n- [x] b").answer(), id="what is left is blocked"),
        pytest.param(begun, id="the turn goes on"),
        pytest.param(lambda: begun().works().answer("So", ended="aborted"), id="aborted"),
        pytest.param(lambda: begun().works().answer("", ended="error"), id="an error"),
        pytest.param(lambda: begun().answer("", calls={"c": "bash"}), id="aborted while a tool ran"),
        pytest.param(lambda: begun().answer("", calls={"c": "bash"}, ended="aborted").answer("x"), id="aborted before, in the same run"),
        pytest.param(lambda: begun().answer(""), id="an answer without a word"),
        pytest.param(lambda: begun().answer("Shall I go on with the logger?"), id="it asks"),
        pytest.param(lambda: Branch().person("Do the first task, then stop.").writes(THREE).answer(), id="the person said to stop"),
    ],
)  # fmt: skip
def test_where_stopping_was_right_nothing_is_said(branch: Callable[[], Branch]) -> None:
    assert said(branch()) is None


def test_while_work_goes_on_in_the_background_the_check_waits_and_is_not_lost() -> None:
    branch = begun().works().answer("The build is running.")

    assert said(branch, has_background_work=True) is None
    assert said(branch) is not None


def test_it_says_the_same_however_often_it_is_asked() -> None:
    branch = begun().answer("a")

    assert said(branch) == said(branch)
    assert stop_reminder(branch.facts, DEFAULT) == said(branch)
