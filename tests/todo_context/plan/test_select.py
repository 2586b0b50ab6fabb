from hypothesis import given
from hypothesis import strategies as st

from tests.plans import plan, plans
from todo_context.plan.model import EMPTY, Plan, Status, TaskName
from todo_context.plan.select import active_task, counts, folded, progress

MIXED = plan("# A\n- [x] a\n- [-] b\n- [ ] c\n# B\n- [!] d\n- [/] e\n")


def test_counts_are_by_status() -> None:
    found = counts(MIXED)

    assert (found.total, found.open, found.closed, found.closed_words) == (5, 3, 2, "1 done, 1 dropped")


def test_the_active_task_is_named_with_its_phase() -> None:
    assert active_task(MIXED) == TaskName("B", "e")
    assert active_task(EMPTY) is None


def test_progress_is_one_line() -> None:
    assert progress(EMPTY) == "The plan is empty."
    assert progress(MIXED) == "1 of 5 done, 1 dropped, 3 open (1 blocked)."
    assert progress(plan("# A\n- [x] a\n")) == "All 1 closed: 1 done."


@given(plans, st.integers(1, 5))
def test_a_short_view_shows_at_most_its_limit_and_always_the_active_task(value: Plan, limit: int) -> None:
    view = folded(value, limit)
    shown = [task for phase in view.phases for task in phase.shown]

    assert len(shown) <= limit
    assert len(shown) + view.hidden == counts(value).open
    active = [task for task in value.tasks() if task.status is Status.IN_PROGRESS]
    assert not active or active[0] in shown
