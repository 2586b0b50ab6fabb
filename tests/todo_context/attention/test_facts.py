"""Every fact is read off the branch: what the person changed and who was told, what was counted, how a run ended."""

import time
from typing import Any

import pytest

from tests.plans import plan
from tests.todo_context.attention.branches import DEFAULT, THREE, Branch, begun
from todo_context.attention import Facts, facts_of, reminder, stop_reminder
from todo_context.attention.edits import Edit
from todo_context.pi import Entry
from todo_context.plan.load import plan_to_json
from todo_context.plan.markdown import to_markdown

ONE_LESS = "# Build\n- [/] Wire config\n\n# Verify\n- [ ] Run tests\n"
DONE = "# Build\n- [x] Wire config\n- [x] Port logger\n\n# Ship\n- [x] Push\n"


def removed(facts: Facts) -> list[str]:
    return [edit.content for edit in facts.edits.each if edit.what == "removed"] if facts.edits else []


def told(branch: Branch) -> str:
    """Whether the model was told of the newest edits, as far as this branch proves it."""
    edits = branch.facts.edits
    return "told" if edits is None else "told in this run" if edits.is_told_in_this_run else "untold"


# --- edits: untold, told in this run, told ------------------------------------------------------------


def test_without_a_plan_there_are_no_facts() -> None:
    assert Branch().person().answer().facts == Facts()
    assert facts_of([]) == Facts()


def test_an_edit_between_two_runs_is_due_in_every_request_of_the_next_and_in_no_later_one() -> None:
    branch = begun().answer().change(ONE_LESS).person()
    assert (removed(branch.facts), told(branch)) == (["Port logger"], "untold")

    branch.works()
    assert told(branch) == "told in this run"
    branch.works()
    assert (removed(branch.facts), told(branch)) == (["Port logger"], "told in this run")

    branch.answer().person()
    assert (removed(branch.facts), told(branch)) == ([], "told")


def test_an_edit_after_another_was_told_is_untold() -> None:
    branch = begun().answer().change(ONE_LESS).person().works().change("# Build\n- [/] Wire config\n")

    assert (removed(branch.facts), told(branch)) == (["Port logger", "Run tests"], "untold")


def test_an_edit_during_a_run_is_due_in_the_rest_of_it() -> None:
    branch = begun().works().change(ONE_LESS)

    assert removed(branch.facts) == ["Port logger"]
    assert removed(branch.works().facts) == ["Port logger"]
    assert branch.answer().person().facts.edits is None


def test_an_edit_while_the_last_answer_was_under_way_is_due_in_the_next_run() -> None:
    branch = begun().works().change(ONE_LESS).answer().person()

    assert removed(branch.facts) == ["Port logger"]
    assert branch.answer().person().facts.edits is None


def test_an_answer_that_never_came_tells_nobody() -> None:
    """An error before the first word: the model may not have read the request."""
    branch = begun().answer().change(ONE_LESS).person().answer("", ended="error").person("Again.")

    assert removed(branch.facts) == ["Port logger"]


@pytest.mark.parametrize("by", ["model", "extension"])
def test_what_others_change_is_no_edit(by: str) -> None:
    assert begun().answer().change(ONE_LESS, by=by).person().facts.edits is None


def test_a_handoff_is_no_edit() -> None:
    facts = Branch().change(THREE, action="handoff").person().facts

    assert (facts.edits, facts.carried_by) == (None, "handoff")


def test_an_edit_by_omp_is_one() -> None:
    phases: Any = [{"name": "A", "tasks": [{"content": "x", "status": "pending"}]}]
    branch = Branch().person().answer().add("custom", customType="user_todo_edit", data={"phases": phases}).person()

    assert branch.facts.edits is not None
    assert branch.facts.edits.each == (Edit("added", "x"),)


def test_before_the_newest_compaction_an_edit_counts_as_untold() -> None:
    branch = begun().answer().change(ONE_LESS).person().works().answer().person()
    assert branch.facts.edits is None

    branch.compacted()
    assert removed(branch.facts) == ["Port logger"]
    branch.works().answer().person()
    assert branch.facts.edits is None


def test_a_stored_leaf_proves_that_an_edit_before_the_compaction_was_told() -> None:
    branch = (
        Branch(stores_leaf=True).person().writes(THREE).answer().change(ONE_LESS).person().works().answer().person()
    )

    assert branch.compacted().facts.edits is None


def test_a_stored_leaf_proves_it_exactly() -> None:
    """Positions alone say "told": the person's second message came before the answer, whose request is older than both."""
    branch = Branch(stores_leaf=True).person().writes(THREE).ask().change(ONE_LESS).person("Also this.").answer()

    assert removed(branch.person().facts) == ["Port logger"]
    branch.works().answer()
    assert branch.person().facts.edits is None


def test_an_edit_that_is_the_leaf_itself_is_told() -> None:
    branch = Branch(stores_leaf=True).person().writes(THREE).change(ONE_LESS).answer().person()

    assert branch.facts.edits is None


def test_an_edit_that_is_the_leaf_itself_is_told_in_this_run() -> None:
    branch = Branch(stores_leaf=True).person().writes(THREE).change(ONE_LESS)
    assert told(branch) == "untold"

    assert told(branch.works()) == "told in this run"


def test_a_leaf_that_is_not_on_the_branch_proves_nothing() -> None:
    branch = begun().answer().change(ONE_LESS).person()
    branch.message(
        {"role": "assistant", "content": [{"type": "text", "text": "x"}], "stopReason": "stop", "todoLeaf": "gone"}
    )

    assert removed(branch.person().facts) == ["Port logger"]


def test_several_edits_are_told_as_what_they_come_to() -> None:
    branch = (
        begun()
        .answer()
        .change(ONE_LESS)
        .change(THREE, action="undo")
        .change("# Build\n- [x] Wire config\n- [!] Port logger\n- [ ] New\n")
        .person()
    )

    assert branch.facts.edits is not None
    assert [(edit.what, edit.content) for edit in branch.facts.edits.each] == [
        ("removed", "Run tests"),
        ("done", "Wire config"),
        ("blocked", "Port logger"),
        ("added", "New"),
    ]


def test_what_was_changed_again_since_is_no_news_but_that_there_was_an_edit_is() -> None:
    branch = begun().answer().change(ONE_LESS).person().writes(THREE)

    assert branch.facts.edits is not None
    assert branch.facts.edits.each == ()


@pytest.mark.parametrize(
    ("before", "after", "edit"),
    [
        pytest.param("- [/] a", "- [/] a\n- [ ] b", Edit("added", "b"), id="added"),
        pytest.param("- [/] Port the logger", "- [/] Port the loggers", Edit("renamed", "Port the loggers", "Port the logger"), id="renamed"),
        pytest.param("- [/] a", "- [-] a", Edit("dropped", "a"), id="dropped"),
        pytest.param("- [x] a", "- [ ] a", Edit("reopened", "a"), id="reopened"),
        pytest.param("- [!] a", "- [ ] a", Edit("unblocked", "a"), id="unblocked"),
        pytest.param("- [!] a", "- [!] a <!-- blocker: b -->", Edit("blocked", "a"), id="another reason"),
        pytest.param("- [/] a", "- [/] a\n  > n", Edit("noted", "a"), id="noted"),
        pytest.param("- [/] a\n- [ ] b", "- [ ] a\n- [/] b", Edit("started", "b"), id="the pointer moved by hand"),
        pytest.param("- [/] a\n- [ ] b", "- [x] a\n- [/] b", Edit("done", "a"), id="the pointer moved by itself"),
    ],
)  # fmt: skip
def test_what_became_of_a_task(before: str, after: str, edit: Edit) -> None:
    facts = Branch().person().writes(before).answer().change(after).person().facts

    assert facts.edits is not None
    assert facts.edits.each == (edit,)


def test_of_many_tasks_that_went_and_came_no_rename_is_looked_for() -> None:
    old, new = ("".join(f"- [ ] Write the tests of {part} {n}\n" for n in range(30)) for part in ("part", "parts"))

    edits = Branch().person().writes(old).answer().change(new).person().facts.edits

    assert edits is not None
    assert {edit.what for edit in edits.each} == {"removed", "added"}


def test_a_plan_that_the_person_cleared_is_cleared_until_there_is_one_again() -> None:
    branch = begun().answer().change("", action="rm").person()
    edits, edits_later = branch.facts.edits, branch.writes(ONE_LESS).facts.edits

    assert edits is not None
    assert edits_later is not None
    assert (edits.cleared, edits_later.cleared) == (True, False)


# --- rounds -------------------------------------------------------------------------------------------


def test_rounds_are_answers_since_the_last_call() -> None:
    branch = begun()
    assert branch.facts.rounds == 0

    branch.works("read").works("bash", "web_search").answer().person().works()
    assert branch.facts.rounds == 4

    assert branch.writes(THREE, "read").facts.rounds == 0


def test_an_answer_without_a_word_is_no_round() -> None:
    assert begun().works().answer("", ended="error").facts.rounds == 1


def test_rounds_begin_anew_at_a_compaction() -> None:
    assert begun().works().works().compacted().works().facts.rounds == 1


def test_an_edit_does_not_begin_them_anew_but_where_it_opens_the_first_task() -> None:
    assert begun().works().works().change(ONE_LESS).works().facts.rounds == 3
    assert Branch().person().works().works().change(THREE).works().facts.rounds == 1
    assert begun().works().change("").works().change(THREE).works().facts.rounds == 1


# --- all closed ---------------------------------------------------------------------------------------


def test_all_is_closed_in_the_run_in_which_the_last_task_was() -> None:
    branch = begun().writes(DONE)
    assert branch.facts.all_closed_in_this_run

    branch.works().answer()
    assert branch.facts.all_closed_in_this_run
    assert not branch.person().facts.all_closed_in_this_run


def test_closed_opened_and_closed_again_in_one_run_is_closed_in_it() -> None:
    branch = begun().writes(DONE).answer().person().writes(f"{DONE}- [ ] More\n").writes(DONE)

    assert branch.facts.all_closed_in_this_run


def test_an_open_or_an_empty_plan_is_not_closed() -> None:
    assert not begun().facts.all_closed_in_this_run
    assert not begun().writes("").facts.all_closed_in_this_run


# --- where the plan comes from ------------------------------------------------------------------------


def test_a_compaction_carries_the_plan_until_it_is_touched() -> None:
    branch = begun().answer().compacted().person().works()
    assert branch.facts.carried_by == "compaction"

    assert branch.writes(THREE).facts.carried_by is None
    assert begun().compacted().change(ONE_LESS).works().facts.carried_by is None


def test_a_handoff_carries_it_likewise() -> None:
    branch = Branch().change(THREE, by="extension", action="handoff").person().works()

    assert branch.facts.carried_by == "handoff"
    assert branch.writes(THREE).facts.carried_by is None


@pytest.mark.parametrize(
    ("end", "is_interrupted"),
    [
        pytest.param(lambda b: b.works().answer("So far", ended="aborted"), True, id="aborted"),
        pytest.param(lambda b: b.works().answer("", ended="error"), True, id="an error"),
        pytest.param(lambda b: b.answer().person("And?"), True, id="no answer at all"),
        pytest.param(lambda b: b.answer("", calls={"c": "bash"}), True, id="killed while a tool ran"),
        pytest.param(lambda b: b.answer("", ended="error").answer("Now."), False, id="an error that was tried again"),
        pytest.param(lambda b: b.works(), False, id="the person threw something in"),
        pytest.param(lambda b: b.works().answer("Done."), False, id="ended well"),
        pytest.param(lambda b: b.works().answer("", ended="aborted").change(ONE_LESS), False, id="edited since"),
    ],
)
def test_a_run_is_interrupted(end: Any, is_interrupted: bool) -> None:
    assert end(begun()).person("Another thing.").facts.is_interrupted is is_interrupted


def test_it_stays_so_until_the_plan_is_touched() -> None:
    branch = (
        begun().works().answer("", ended="aborted").person("What is a monad?").answer("A monoid.").person("Thanks.")
    )
    assert branch.facts.is_interrupted

    assert not branch.writes(THREE).facts.is_interrupted
    assert not branch.answer().person().facts.is_interrupted


def test_an_edit_while_the_answer_was_under_way_that_broke_off_settles_nothing() -> None:
    assert begun().works().change(ONE_LESS).answer("So", ended="aborted").person().facts.is_interrupted


# --- the end of the request ---------------------------------------------------------------------------


def test_the_request_ends_in_our_result() -> None:
    assert begun().facts.ends_in_our_result
    assert begun().writes(THREE, "read").facts.ends_in_our_result
    assert not begun().works().facts.ends_in_our_result
    assert not begun().person("Wait, also this.").facts.ends_in_our_result


def test_a_result_whose_plan_was_changed_since_is_not_fresh() -> None:
    assert not begun().change(ONE_LESS).facts.ends_in_our_result
    assert not begun().change(ONE_LESS, by="extension").facts.ends_in_our_result


def test_a_host_that_keeps_no_details_and_no_name_of_the_tool() -> None:
    """Aelix."""
    called = {
        "role": "assistant",
        "content": [{"type": "toolCall", "tool_call_id": "c", "tool_name": "todo_write", "input": {}}],
        "stop_reason": "toolUse",
    }
    result = {
        "role": "toolResult",
        "tool_call_id": "c",
        "tool_name": "",
        "is_error": False,
        "content": [{"type": "text", "text": "ok"}],
    }
    branch = Branch().person().message(called).message(result).change(THREE, by="model")

    assert branch.facts.ends_in_our_result
    assert branch.facts.rounds == 0
    assert (
        not Branch()
        .person()
        .change(THREE)
        .message(called)
        .message({**result, "is_error": True})
        .facts.ends_in_our_result
    )


def test_a_call_that_the_host_refused_shows_no_plan() -> None:
    branch = begun().answer("", calls={"x": "todo_write"}).result("x", "todo_write", isError=True)

    assert not branch.facts.ends_in_our_result


# --- stops --------------------------------------------------------------------------------------------


def test_the_end_of_a_turn() -> None:
    stop = begun().works().answer("The config is wired.").facts.stop

    assert stop.is_now
    assert (stop.last_words, stop.person_said) == ("The config is wired.", "Port the logger.")


@pytest.mark.parametrize("as_user", [False, True])
def test_reminders_are_counted_until_the_person_speaks(as_user: bool) -> None:
    branch = begun().answer("a")
    for count in range(3):
        assert branch.facts.stop.reminders == count
        branch.ours(stop_reminder(branch.facts, DEFAULT), as_user=as_user).answer("b")

    assert branch.facts.stop.reminders == 3
    assert branch.person("Go on.").answer("c").facts.stop.reminders == 0


def test_a_message_of_ours_is_never_the_person() -> None:
    branch = begun().answer("a")
    branch.ours(stop_reminder(branch.facts, DEFAULT), as_user=True).answer("b")

    assert branch.facts.stop.person_said == "Port the logger."


def test_a_fence_with_other_words_around_it_is_the_person() -> None:
    branch = begun().answer("a")
    text = stop_reminder(branch.facts, DEFAULT)

    assert branch.person(f"Look what it says:\n{text}").facts.stop.person_said.startswith("Look")
    assert branch.person("<system-reminder>\nmine\n</system-reminder>").facts.stop.person_said.startswith("<system")


def test_fewer_open_tasks_than_at_every_stop_before_begin_the_count_anew() -> None:
    branch = begun().answer("a")
    branch.ours(stop_reminder(branch.facts, DEFAULT)).writes(ONE_LESS).answer("b")
    assert branch.facts.stop.reminders == 0

    branch.ours(stop_reminder(branch.facts, DEFAULT)).writes(THREE).answer("c")
    branch.ours(stop_reminder(branch.facts, DEFAULT)).writes(ONE_LESS).answer("d")
    assert branch.facts.stop.reminders == 2, "two is no fewer than at the second stop"


def test_a_result_that_comes_late_counts_for_no_stop() -> None:
    """Its plan has three open tasks; since the person's edit there is one, and two are no fewer."""
    branch = Branch().person().answer("", calls={"late": "todo_write"}).change(THREE, by="model")
    branch.change("- [/] one").works().answer().person()
    branch.answer("", calls={"wrong": "todo_write"}).result(
        "late", "todo_write", details={"phases": plan_to_json(plan(THREE)), "seq": 1}
    )
    branch.result("wrong", "todo_write", isError=True).answer("a")

    branch.ours(stop_reminder(branch.facts, DEFAULT)).writes("- [/] one\n- [ ] two").answer("b")

    assert branch.facts.stop.reminders == 1


def test_a_compaction_does_not_begin_that_count_anew() -> None:
    branch = begun().answer("a")
    branch.ours(stop_reminder(branch.facts, DEFAULT)).compacted().answer("b")

    assert branch.facts.stop.reminders == 1


# --- messages, and what it costs ----------------------------------------------------------------------


def test_the_messages_of_a_request_are_read_like_a_branch() -> None:
    """As far as they go: they hold what the model did, and what its results say of the plan."""
    branch = begun().works().works().works()

    facts = facts_of(branch.messages)

    assert to_markdown(facts.plan) == THREE
    assert facts.rounds == 3
    assert not facts.ends_in_our_result
    assert facts_of(begun().messages).ends_in_our_result


def test_messages_without_details_say_the_plan_by_their_calls() -> None:
    arguments = {"ops": [{"op": "init", "items": ["a", "b", "c"]}]}
    close = {"ops": [{"op": "done"}]}
    messages: list[Any] = [{"role": "user", "content": "Go."}]
    for call, sent in (("c1", arguments), ("c2", close)):
        messages.append(
            {
                "role": "assistant",
                "content": [{"type": "toolCall", "id": call, "name": "todo_write", "arguments": sent}],
                "stopReason": "toolUse",
            }
        )
        messages.append(
            {"role": "toolResult", "toolCallId": call, "toolName": "todo_write", "content": [], "isError": False}
        )

    facts = facts_of(messages)

    assert facts.all_closed_in_this_run
    assert facts.ends_in_our_result
    assert facts_of([{"role": "compactionSummary", "summary": "x"}, *messages[:3]]).carried_by is None


def test_messages_with_a_summary_and_one_of_another_extension() -> None:
    messages = [*begun().messages, {"role": "compactionSummary"}, {"role": "custom", "customType": "x", "content": "y"}]

    assert facts_of(messages).carried_by == "compaction"


LENGTH = 50_000


def long_branch(shape: str) -> list[Entry]:
    branch = Branch(stores_leaf=shape == "leaves")
    if shape != "no plan":
        branch.person().writes(THREE)
    while len(branch.entries) < LENGTH:
        branch.works("read").works("bash").answer().person()
        if shape == "edits":
            branch.change(THREE if len(branch.entries) % 2 else ONE_LESS)
        if shape == "calls":
            branch.writes(THREE)
    if shape == "compacted":
        branch.compacted()
    return branch.entries


@pytest.mark.parametrize("shape", ["no plan", "an old plan", "compacted", "leaves", "calls", "edits"])
def test_fifty_thousand_entries_cost_little(shape: str) -> None:
    entries = long_branch(shape)

    taken_s = []
    for _ in range(3):
        start_s = time.thread_time()
        facts_of(entries)
        taken_s.append(time.thread_time() - start_s)
    assert min(taken_s) < 2, "ten times what it takes"


def test_of_a_long_branch_only_the_end_is_looked_at() -> None:
    class Ended(dict[str, Any]):
        """An entry that must not be looked at."""

        def get(self, *asked: Any) -> Any:
            raise AssertionError(asked)

    entries = begun().works().answer().person().writes(ONE_LESS).answer().person().entries

    assert reminder(facts_of([*(Ended(type="message") for _ in range(1000)), *entries]), DEFAULT) == reminder(
        facts_of(entries), DEFAULT
    )


def test_a_stop_with_nothing_left_makes_the_agent_no_new_three_times() -> None:
    """It completes its task, and appends it again: nobody asked for that."""
    branch = Branch().person().writes("- [/] Ship it\n")
    for number in range(3):
        branch.answer("I rest.").ours(stop_reminder(branch.facts, DEFAULT))
        assert branch.facts.stop.reminders == number + 1
    branch.writes("- [x] Ship it\n").answer("Done.").writes("- [/] Ship it\n").answer("I rest.")

    assert branch.facts.stop.reminders == 3
    assert stop_reminder(branch.facts, DEFAULT) is None
