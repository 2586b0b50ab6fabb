"""Three-way merge: laws, and a table of what each side gets."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plans import plan
from todo_context.plan.apply import apply
from todo_context.plan.markdown import to_markdown
from todo_context.plan.merge import merge
from todo_context.plan.model import EMPTY, Phase, Plan, Status, Task
from todo_context.plan.ops import Replace

BASE = "# A\n- [/] one\n- [ ] two\n- [ ] three\n\n# B\n- [ ] four\n"

CASES: list[Any] = [
    pytest.param(BASE.replace("[ ] two", "[x] two"), BASE.replace("[ ] four", "[-] four"), "# A\n- [/] one\n- [x] two\n- [ ] three\n\n# B\n- [-] four\n", [], id="different tasks"),
    pytest.param(BASE.replace("two", "two!"), BASE.replace("[ ] two", "[x] two"), "# A\n- [/] one\n- [x] two!\n- [ ] three\n\n# B\n- [ ] four\n", [], id="renamed here, completed there"),
    pytest.param(BASE.replace("two", "something else"), BASE.replace("- [ ] two\n", ""), "# A\n- [/] one\n- [ ] something else\n- [ ] three\n\n# B\n- [ ] four\n", [], id="replaced here, removed there"),
    pytest.param(BASE.replace("[ ] two", "[x] two"), BASE.replace("[/] one", "[ ] one").replace("[ ] two", "[/] two"), "# A\n- [ ] one\n- [x] two\n- [ ] three\n\n# B\n- [ ] four\n", [], id="a moved pointer yields"),
    pytest.param(BASE.replace("[/] one", "[ ] one").replace("[ ] three", "[/] three"), BASE.replace("[/] one", "[ ] one").replace("[ ] two", "[/] two"), "# A\n- [ ] one\n- [ ] two\n- [/] three\n\n# B\n- [ ] four\n", [], id="of two moved pointers the person's stays"),
    pytest.param(BASE.replace("[ ] two", "[-] two"), BASE.replace("[ ] two", "[x] two"), "# A\n- [/] one\n- [-] two\n- [ ] three\n\n# B\n- [ ] four\n", ['"two" is abandoned, as you say; the agent had it completed'], id="both changed the status"),
    pytest.param(BASE.replace("two\n", "two\n  > mine\n"), BASE.replace("two\n", "two\n  > theirs\n"), "# A\n- [/] one\n- [ ] two\n  > mine\n  >\n  > theirs\n- [ ] three\n\n# B\n- [ ] four\n", [], id="notes unite"),
    pytest.param(BASE.replace("- [ ] two\n", ""), BASE, "# A\n- [/] one\n- [ ] three\n\n# B\n- [ ] four\n", [], id="removed here and left alone there"),
    pytest.param(BASE.replace("- [ ] two\n", ""), BASE.replace("[/] one", "[ ] one").replace("[ ] two", "[/] two").replace("[ ] four", "[x] four"), "# A\n- [ ] one\n- [ ] three\n\n# B\n- [x] four\n", [], id="a moved pointer keeps no removed task"),
    pytest.param(BASE.replace("- [ ] two\n", ""), BASE.replace("two\n", "two\n  > note\n"), "# A\n- [/] one\n- [ ] two\n  > note\n- [ ] three\n\n# B\n- [ ] four\n", ['"two" stays: you removed it, but the agent had changed it'], id="removed here and changed there"),
    pytest.param(BASE.replace("[ ] two", "[x] two"), BASE.replace("- [ ] two\n", ""), "# A\n- [/] one\n- [x] two\n- [ ] three\n\n# B\n- [ ] four\n", ['"two" stays: the agent removed it, but you had changed it'], id="changed here and removed there"),
    pytest.param(BASE.replace("- [ ] three\n", "- [ ] three\n- [ ] mine\n"), BASE.replace("- [ ] three\n", "- [ ] three\n- [ ] theirs\n"), "# A\n- [/] one\n- [ ] two\n- [ ] three\n- [ ] mine\n- [ ] theirs\n\n# B\n- [ ] four\n", [], id="added by both"),
    pytest.param(BASE + "- [x] five\n", BASE + "- [ ] five\n", BASE + "- [x] five\n", ['"five" is completed, as you say; the agent had it pending'], id="the same task added by both"),
    pytest.param("# A\n- [ ] three\n- [ ] two\n- [/] one\n\n# B\n- [ ] four\n", BASE.replace("- [ ] two\n", "- [ ] two\n- [ ] new\n"), "# A\n- [ ] three\n- [ ] two\n- [ ] new\n- [/] one\n\n# B\n- [ ] four\n", [], id="reordered here, added there"),
    pytest.param("# A\n- [/] one\n- [ ] two\n\n# B\n- [ ] four\n- [ ] three\n", BASE.replace("[ ] three", "[x] three"), "# A\n- [/] one\n- [ ] two\n\n# B\n- [ ] four\n- [x] three\n", [], id="moved to another phase here, completed there"),
    pytest.param(BASE.replace("# A", "# Build"), BASE.replace("- [ ] three\n", "- [ ] three\n- [ ] new\n"), "# Build\n- [/] one\n- [ ] two\n- [ ] three\n- [ ] new\n\n# B\n- [ ] four\n", [], id="a renamed phase takes what was added to it"),
    pytest.param(BASE.replace("# A", "# Mine"), BASE.replace("# A", "# Theirs"), "# Mine\n- [/] one\n- [ ] two\n- [ ] three\n\n# B\n- [ ] four\n", [], id="a phase renamed by both"),
    pytest.param("# A\n- [/] one\n- [ ] two\n- [ ] three\n", BASE, "# A\n- [/] one\n- [ ] two\n- [ ] three\n", [], id="a phase removed here"),
    pytest.param("# A\n- [/] one\n- [ ] two\n- [ ] three\n", BASE + "- [ ] five\n", "# A\n- [/] one\n- [ ] two\n- [ ] three\n\n# B\n- [ ] five\n", [], id="a phase removed here and added to there"),
    pytest.param(BASE.replace("[ ] two", "[!] two <!-- blocker: mine -->"), BASE.replace("[ ] two", "[!] two <!-- blocker: theirs -->"), "# A\n- [/] one\n- [!] two <!-- blocker: mine -->\n- [ ] three\n\n# B\n- [ ] four\n", [], id="blocked by both"),
    pytest.param(BASE.replace("[ ] four", "[x] four"), "", "# B\n- [x] four\n", ['"four" stays: the agent removed it, but you had changed it'], id="everything removed there"),
]  # fmt: skip


@pytest.mark.parametrize(("mine", "theirs", "together", "remarks"), CASES)
def test_merged(mine: str, theirs: str, together: str, remarks: list[str]) -> None:
    merged = merge(plan(BASE), plan(mine), plan(theirs))

    assert to_markdown(merged.plan) == together
    assert list(merged.remarks) == remarks


def test_keys_that_only_the_other_side_has_stay() -> None:
    base = Plan((Phase(name="A", tasks=(Task(content="x", id="7", extra={"k": 1}),), extra={"p": 2}),))
    theirs = apply(base, []).plan.with_phase(
        0, Phase(name="A", tasks=(*base.phases[0].tasks, Task(content="y")), extra={"p": 2})
    )
    mine = Plan((Phase(name="A", tasks=(Task(content="x", id="7", status=Status.COMPLETED, extra={"k": 1}),)),))

    merged = merge(base, mine, theirs).plan

    assert merged.phases[0].extra == {"p": 2}
    assert [(t.id, dict(t.extra), t.status.value) for t in merged.tasks()] == [
        ("7", {"k": 1}, "completed"),
        (None, {}, "pending"),
    ]


def test_hundreds_of_long_tasks_put_into_other_words_keep_what_the_agent_did_to_them() -> None:
    """Too many to compare each with each: those near the same place are."""
    words = "the quick brown fox jumps over the lazy dog, again and again, until it is done"
    base = Plan((Phase(name="A", tasks=tuple(Task(content=f"{n}: {words}") for n in range(400))),))
    mine = Plan((Phase(name="A", tasks=tuple(Task(content=f"{n}: {words}!") for n in range(400))),))
    done = Task(content=f"7: {words}", status=Status.COMPLETED)
    theirs = base.with_phase(0, Phase(name="A", tasks=(*base.phases[0].tasks[:7], done, *base.phases[0].tasks[8:])))

    merged = list(merge(base, mine, theirs).plan.tasks())

    assert len(merged) == 400
    assert merged[7] == Task(content=f"7: {words}!", status=Status.COMPLETED)


def test_hundreds_of_tasks_replaced_at_once_are_merged() -> None:
    base = Plan((Phase(name="A", tasks=tuple(Task(content=f"old number {n}") for n in range(600))),))
    mine = Plan((Phase(name="A", tasks=tuple(Task(content=f"new number {n}") for n in range(600))),))
    theirs = apply(base, []).plan.with_phase(0, Phase(name="A", tasks=(*base.phases[0].tasks, Task(content="added"))))

    assert [task.content for task in merge(base, mine, theirs).plan.tasks()][-1] == "added"


_contents = st.sampled_from(["alpha task", "beta task", "alpha tusk", "gamma", "delta work", "epsilon"])
_small = st.builds(
    lambda content, status, its: Task(
        content=content, status=status, notes=tuple(its), blocker="r" if status is Status.BLOCKED else None
    ),
    _contents,
    st.sampled_from(Status),
    st.lists(st.sampled_from(["n1", "n2"]), max_size=2),
)
_phases = st.builds(
    lambda name, its: Phase(name=name, tasks=tuple(its)), st.sampled_from("ABC"), st.lists(_small, max_size=4)
)
small_plans = st.lists(_phases, max_size=3).map(
    lambda its: apply(EMPTY, [Replace(Plan(tuple(its)), normalise=False)]).plan
)


@given(small_plans, small_plans)
def test_a_side_that_did_not_change_yields(base: Plan, other: Plan) -> None:
    assert merge(base, base, other).plan == other
    assert merge(base, other, base).plan == other


@given(small_plans, small_plans, small_plans)
def test_no_task_goes_unless_one_side_removed_it(base: Plan, mine: Plan, theirs: Plan) -> None:
    contents = [task.content for task in merge(base, mine, theirs).plan.tasks()]

    assert len(contents) == len(set(contents))
    for task in mine.tasks():
        was_there, is_there = base.find(task.content) is not None, theirs.find(task.content) is not None
        assert task.content in contents or (was_there and not is_there)
    added = [task.content for task in theirs.tasks() if base.find(task.content) is None]
    assert set(added) <= set(contents)
