from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plans import lines, plan, plans, texts
from todo_context.plan.apply import apply
from todo_context.plan.markdown import to_markdown
from todo_context.plan.model import EMPTY, Plan, Status, TaskName
from todo_context.plan.ops import (
    EVERYTHING,
    Append,
    Block,
    Done,
    Drop,
    Init,
    Note,
    Op,
    PhaseItems,
    Replace,
    Rm,
    Start,
    Target,
    Unblock,
    View,
)

THREE = plan("# Build\n- [/] Wire config\n- [ ] Port logger\n\n# Verify\n- [ ] Run tests\n")


def task(content: str) -> Target:
    return Target(task=content)


def phase(name: str) -> Target:
    return Target(phase=name)


APPLIED: list[Any] = [
    pytest.param(THREE, [Init((PhaseItems("A", ("x", "y")),))], "# A\n- [/] x\n- [ ] y\n", id="init replaces the plan"),
    pytest.param(THREE, [Init(())], "", id="init of nothing empties it"),
    pytest.param(
        THREE,
        [Append("build", ("x",))],
        "# Build\n- [/] Wire config\n- [ ] Port logger\n\n# Verify\n- [ ] Run tests\n\n# build\n- [ ] x\n",
        id="append makes a phase; names tell upper from lower case",
    ),
    pytest.param(
        THREE,
        [Start("Run tests")],
        "# Build\n- [ ] Wire config\n- [ ] Port logger\n\n# Verify\n- [/] Run tests\n",
        id="start moves the pointer",
    ),
    pytest.param(
        THREE,
        [Done(task("Wire config"))],
        "# Build\n- [x] Wire config\n- [/] Port logger\n\n# Verify\n- [ ] Run tests\n",
        id="done hands the pointer on",
    ),
    pytest.param(
        THREE,
        [Done(phase("Build"))],
        "# Build\n- [x] Wire config\n- [x] Port logger\n\n# Verify\n- [/] Run tests\n",
        id="done takes the open tasks of a phase",
    ),
    pytest.param(plan("# A\n- [-] x\n- [ ] y\n"), [Done(EVERYTHING)], "# A\n- [-] x\n- [x] y\n", id="what was dropped stays dropped"),
    pytest.param(plan("# A\n- [-] x\n"), [Done(task("x"))], "# A\n- [x] x\n", id="a closed task can be named"),
    pytest.param(plan("# A\n- [x] x\n"), [Start("x")], "# A\n- [/] x\n", id="start reopens"),
    pytest.param(THREE, [Rm(phase("Build"))], "# Build\n\n# Verify\n- [/] Run tests\n", id="an emptied phase stays"),
    pytest.param(THREE, [Note("Port logger", "see\nlog  \n")], to_markdown(THREE).replace("- [ ] Port logger\n", "- [ ] Port logger\n  > see\n  > log\n"), id="a note is added, its end trimmed"),
    pytest.param(plan("# A\n- [/] x\n- [ ] y\n"), [Block(task("x"), " no\n key ")], "# A\n- [!] x <!-- blocker: no key -->\n- [/] y\n", id="block hands the pointer on"),
    pytest.param(plan("# A\n- [!] x <!-- blocker: r -->\n"), [Block(task("x"))], "# A\n- [!] x\n", id="blocking again without a reason clears it"),
    pytest.param(plan("# A\n- [x] x\n"), [Block(phase("A"), "r")], "# A\n- [x] x\n", id="only open tasks are blocked"),
    pytest.param(plan("# A\n- [!] x <!-- blocker: r -->\n- [/] y\n"), [Unblock(task("x"))], "# A\n- [ ] x\n- [/] y\n", id="unblock makes it pending"),
    pytest.param(plan("# A\n- [!] x <!-- blocker: r -->\n"), [Done(task("x"))], "# A\n- [x] x\n", id="who leaves blocked loses the blocker"),
    pytest.param(plan("# A\n- [!] x\n"), [Append("A", ("y",))], "# A\n- [!] x\n- [/] y\n", id="a blocked task never starts by itself"),
    pytest.param(plan("# A\n- [ ] x\n"), [View()], "# A\n- [ ] x\n", id="view normalises nothing"),
    pytest.param(EMPTY, [Replace(plan("# A\n- [/] x\n- [/] y\n"))], "# A\n- [/] x\n- [ ] y\n", id="of several in progress the first stays"),
    pytest.param(EMPTY, [Replace(plan("# A\n- [ ] x\n"), normalise=False)], "# A\n- [ ] x\n", id="replace may leave it as it is"),
    pytest.param(EMPTY, [Replace(plan("# A\n- [ ] x\n# B\n- [x] x\n# A\n- [ ] y\n"))], "# A\n- [/] x\n- [ ] y\n\n# B\n", id="contents and phases are there once"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "ops", "after"), APPLIED)
def test_applied(before: Plan, ops: list[Op], after: str) -> None:
    assert to_markdown(apply(before, ops).plan) == after


REFUSED: list[Any] = [
    pytest.param([Start("shpi")], "not_found", 'no task "shpi". There is "Wire config", "Port logger", "Run tests". Use the text of a task as it stands.', id="no task"),
    pytest.param([Start("port loger")], "not_found", 'no task "port loger". Closest: "Port logger". Use the text of a task as it stands.', id="nearly a task"),
    pytest.param([Done(task("task-12"))], "not_found", '"task-12" is no task. Tasks have no ids: use the text of the task as it stands.', id="an id"),
    pytest.param([Done(Target("nix", "Build"))], "not_found", 'no task "nix". There is "Wire config", "Port logger", "Run tests". Use the text of a task as it stands.', id="task wins over phase"),
    pytest.param([Drop(phase("Bild"))], "not_found", 'no phase "Bild". Closest: "Build". Use the text of a phase as it stands.', id="no phase"),
    pytest.param([Init((PhaseItems("A", ()),))], "missing", 'phase "A" has no items. Give it at least one, or leave it out.', id="init with an empty phase"),
    pytest.param([Init((PhaseItems(" ", ("x",)),))], "blank", 'a phase of init has a blank name. Name it, for instance "Build".', id="init with a blank phase"),
    pytest.param([Init((PhaseItems("A", ("x", "\x07")),))], "blank", 'an item of phase "A" is blank. Say in it what is to be done.', id="init with a blank item"),
    pytest.param([Append("New", ("Run tests",))], "exists", '"Run tests" is already in the plan.', id="append of what is there makes no phase"),
    pytest.param([Note("Run tests", " \n")], "blank", 'the note has no text. Give it in "text".', id="a blank note"),
]  # fmt: skip


@pytest.mark.parametrize(("ops", "code", "message"), REFUSED)
def test_refused(ops: list[Op], code: str, message: str) -> None:
    outcome = apply(THREE, ops)

    assert outcome.plan is THREE
    assert [(p.code, p.message) for p in outcome.problems] == [(code, message)]


def test_a_refused_operation_says_that_the_plan_is_empty() -> None:
    problem = apply(EMPTY, [Start("x")]).problems[0]

    assert problem.message == 'no task "x". The plan is empty: begin with init or append.'


def test_the_good_operations_of_a_batch_apply_and_the_bad_one_does_not() -> None:
    outcome = apply(THREE, [Done(task("Wire config"), index=0), Done(task("No such"), index=1)])

    assert outcome.plan.at(outcome.plan.find("Wire config")).status is Status.COMPLETED  # type: ignore[arg-type]
    assert [op.index for op in outcome.accepted] == [0]
    assert [problem.index for problem in outcome.problems] == [1]


def test_append_adds_the_new_ones_and_names_the_others() -> None:
    outcome = apply(THREE, [Append("Build", ("Run tests", "x", "x", " "))])

    assert [p.code for p in outcome.problems] == ["exists", "exists", "blank"]
    assert to_markdown(outcome.plan).startswith("# Build\n- [/] Wire config\n- [ ] Port logger\n- [ ] x\n")


def test_without_auto_start_nothing_starts_by_itself() -> None:
    assert to_markdown(apply(EMPTY, [Append("A", ("x",))], auto_start=False).plan) == "# A\n- [ ] x\n"


def test_the_outcome_names_what_became_completed() -> None:
    outcome = apply(plan("# A\n- [x] x\n- [ ] y\n# B\n- [ ] z\n"), [Done(EVERYTHING)])

    assert outcome.completed == (TaskName("A", "y"), TaskName("B", "z"))


def test_a_batch_that_comes_back_to_where_it_was_changed_nothing() -> None:
    outcome = apply(THREE, [Start("Run tests"), Start("Wire config")])

    assert not outcome.changed
    assert outcome.plan is THREE


def test_accepted_operations_without_effect_are_told_apart() -> None:
    outcome = apply(THREE, [Start("Wire config", index=0), Done(task("Wire config"), index=1), View(index=2)])

    assert [op.index for op in outcome.idle] == [0]


def test_of_many_unknown_names_only_the_first_are_answered_with_the_closest_ones() -> None:
    """To look for them among hundreds of tasks takes a while each."""
    problems = apply(THREE, [Start(f"Wire confi{n}", index=n) for n in range(300)]).problems

    assert [("Closest" in problem.message) for problem in problems] == [True] * 10 + [False] * 290


targets = st.builds(Target, st.none() | lines, st.none() | lines)
operations = st.one_of(
    st.builds(Init, st.lists(st.builds(PhaseItems, texts, st.lists(texts, max_size=3).map(tuple))).map(tuple)),
    st.builds(Append, texts, st.lists(texts, max_size=3).map(tuple)),
    st.builds(Start, texts),
    st.builds(Done, targets),
    st.builds(Drop, targets),
    st.builds(Rm, targets),
    st.builds(Note, texts, texts),
    st.builds(Block, targets, st.none() | texts),
    st.builds(Unblock, targets),
    st.just(View()),
    st.builds(Replace, plans),
)


@given(plans, st.lists(operations, max_size=6))
def test_after_a_change_at_most_one_task_is_in_progress(before: Plan, ops: list[Op]) -> None:
    outcome = apply(before, ops)

    if outcome.changed:
        assert sum(t.status is Status.IN_PROGRESS for t in outcome.plan.tasks()) <= 1


@given(plans, st.lists(operations, max_size=6))
def test_contents_stay_unique_if_they_were(before: Plan, ops: list[Op]) -> None:
    unique = apply(EMPTY, [Replace(before)]).plan
    contents = [t.content for t in apply(unique, ops).plan.tasks()]

    assert len(contents) == len(set(contents))


@given(plans, operations)
def test_an_operation_that_is_refused_leaves_the_plan_equal(before: Plan, op: Op) -> None:
    outcome = apply(before, [op])

    if not outcome.accepted:
        assert outcome.plan is before
        assert outcome.problems
