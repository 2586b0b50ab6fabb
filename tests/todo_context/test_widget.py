import pytest

from tests.plans import plan
from todo_context.plan.model import EMPTY, Plan
from todo_context.widget import LINE_CHARACTERS, lines

PI_SHOWS = 10
"""Lines of a widget that pi shows; it cuts the rest. Source: MAX_WIDGET_LINES in pi."""


@pytest.mark.parametrize("nothing_open", [EMPTY, plan("# A\n- [x] one\n- [-] two\n")])
def test_nothing_open_shows_nothing(nothing_open: Plan) -> None:
    assert lines(nothing_open) is None


def test_open_tasks_stand_in_order_below_the_progress() -> None:
    assert lines(plan("# A\n- [x] one\n- [/] two\n# B\n- [!] three <!-- blocker: key -->\n- [ ] four\n")) == [
        "1 of 4 done, 3 open (1 blocked).",
        "- [/] two",
        "- [!] three",
        "- [ ] four",
    ]


def test_four_hundred_tasks_stay_within_what_pi_shows_with_the_active_one_among_them() -> None:
    tasks = "\n".join(f"- [{'/' if number == 399 else ' '}] task {number}" for number in range(400))

    shown = lines(plan(f"# A\n{tasks}\n"))

    assert shown is not None
    assert len(shown) <= PI_SHOWS
    assert shown[0] == "0 of 400 done, 400 open."
    assert shown[-2:] == ["- [/] task 399", "… +394 more open"]


def test_a_hostile_name_is_harmless_and_short() -> None:
    shown = lines(plan(f"# A\n- [ ] \u202ex {'y' * 200}\n"))

    assert shown is not None
    assert shown[1].startswith("- [ ] x yyy")
    assert len(shown[1]) == LINE_CHARACTERS
    assert "\u202e" not in shown[1]
