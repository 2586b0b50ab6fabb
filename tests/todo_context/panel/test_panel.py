import sys
import unicodedata
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from tests.plans import plan, plans
from tests.todo_context.panel.boards import EIGHT, LONG, ONE, Board, many
from todo_context.looks import GLYPHS
from todo_context.panel.choose import budget
from todo_context.panel.rows import roman
from todo_context.panel.state import STROKE_TICKS, Panel
from todo_context.pi import Room
from todo_context.plan.model import EMPTY, Phase, Plan, Status, Task
from todo_context.plan.select import counts
from todo_context.settings import PanelSettings

TWO = plan("- [/] one\n- [ ] two\n")
TWO_LATER = plan("- [x] one\n- [/] two\n")
TWO_DONE = plan("- [x] one\n- [x] two\n")


@pytest.mark.parametrize(
    ("screen_rows", "most", "rows"),
    [(3, 8, 0), (4, 8, 2), (5, 8, 2), (9, 8, 3), (12, 8, 4), (24, 8, 8), (50, 8, 8), (50, 20, 16), (50, 2, 2)],
)
def test_the_budget_is_a_third_of_the_screen_at_most(screen_rows: int, most: int, rows: int) -> None:
    assert budget(screen_rows, most) == rows


@pytest.mark.parametrize("screen_rows", range(60))
@pytest.mark.parametrize("tasks", [1, 3, 9, 40])
@pytest.mark.parametrize("phases", [1, 3])
def test_the_panel_never_takes_more_than_its_budget_and_uses_all_of_it_for_a_long_plan(
    screen_rows: int, tasks: int, phases: int
) -> None:
    shown = Board(many(tasks, phases)).rows(60, screen_rows)

    most = min(budget(screen_rows, 8), max(0, screen_rows - 3))
    assert len(shown) <= most
    if tasks == 40 and phases == 1:
        assert len(shown) == most


def test_the_active_task_is_in_sight_wherever_it_stands_and_turns_while_the_agent_works() -> None:
    board = Board(many(400, 30, closed=350))

    still = board.rows()
    turning = [board.rows(tick=tick, is_working=True) for tick in (1, 2)]

    assert "  ▸ Task 350" in still
    assert ["  ⠙ Task 350" in turning[0], "  ⠹ Task 350" in turning[1]] == [True, True]
    # What turns is one cell.
    assert sum(a != b for a, b in zip(*turning, strict=True)) == 1


def test_the_active_form_stands_for_the_task_while_the_agent_works() -> None:
    task = replace(ONE.phases[0].tasks[0], active_form="Wiring config")
    board = Board(Plan((replace(ONE.phases[0], tasks=(task,)),)))

    assert board.rows()[1] == "▸ Wire config"
    assert board.rows(tick=1, is_working=True)[1] == "⠙ Wiring config"


def test_without_motion_nothing_turns() -> None:
    board = Board(ONE, motion=False)

    assert board.rows(tick=1, is_working=True)[1] == "▸ Wire config"


def test_the_task_closed_last_stays_struck_through_until_the_next_turn() -> None:
    long = many(40, 1, closed=10)
    board = Board(long)
    board.panel.update(many(40, 1, closed=11))

    texts = board.texts()
    (row,) = [text for text in texts if "Task 10" in text.plain]
    assert row.plain == "✓ Task 10"
    assert "strike" in str(row.spans[-1].style)
    assert "✓ Task 9" not in board.rows()

    board.panel.start_turn()
    assert "✓ Task 10" not in board.rows()


def test_what_was_reopened_is_not_struck_through() -> None:
    board = Board(many(40, 1, closed=10))
    board.panel.update(many(40, 1, closed=11))

    board.panel.update(many(40, 1, closed=10))

    assert "▸ Task 10" in board.rows()


def test_the_panel_goes_after_the_turn_in_which_everything_was_closed() -> None:
    board = Board(TWO)
    board.panel.update(TWO_DONE)

    assert board.rows() == ["Plan 2/2 done ━━━━━━━━━━━━━━━━━━━━ · /todo changes it", "✓ one", "✓ two"]
    board.panel.update(TWO_DONE)
    assert board.rows() != []
    board.panel.end_turn()
    assert board.rows() == []
    board.panel.update(TWO_LATER)
    assert board.rows()[1:] == ["✓ one", "▸ two"]


@pytest.mark.parametrize("nothing_open", [EMPTY, TWO_DONE], ids=["empty", "all closed before"])
def test_nothing_open_shows_nothing(nothing_open: Plan) -> None:
    assert Board(nothing_open).rows() == []


def test_closed_rows_go_first_the_oldest_first_and_then_the_tail() -> None:
    value = plan("- [x] a\n- [x] b\n- [/] c\n- [ ] d\n- [ ] e\n")
    rows = {height: Board(value, rows=height).rows(60, 60)[1:] for height in (2, 3, 4, 5, 6)}

    assert rows == {
        2: ["▸ c"],
        3: ["▸ c", "+4 more (2 done, 2 open)"],
        4: ["▸ c", "○ d", "+3 more (2 done, 1 open)"],
        5: ["▸ c", "○ d", "○ e", "+2 more (2 done)"],
        6: ["✓ a", "✓ b", "▸ c", "○ d", "○ e"],
    }


def test_phases_are_numbered_when_there_are_several_and_emptied_ones_hidden() -> None:
    shown = Board(plan("# A\n- [/] a\n# Gone\n# B\n- [ ] b\n")).rows()

    assert shown[1:] == ["I. A", "  ▸ a", "II. B", "  ○ b"]
    assert [roman(number) for number in (1, 4, 9, 14, 30, 40, 90, 399)] == [
        *("I", "IV", "IX", "XIV", "XXX", "XL", "XC", "CCCXCIX")
    ]


def test_the_heading_names_the_phase_where_phases_have_no_rows() -> None:
    assert Board(EIGHT).rows(80, 12)[0].endswith("━━━━━━━───────────── I. Build")


def test_a_blocked_task_says_why_and_notes_are_counted() -> None:
    tasks = (
        Task(content="a", status=Status.BLOCKED, blocker="no key", notes=("n",)),
        Task(content="b", status=Status.IN_PROGRESS, notes=("one", "two")),
    )
    shown = Board(Plan((Phase(name="A", tasks=tasks),))).rows()

    assert shown[1:] == ["! a — no key · 1 note", "▸ b · 2 notes"]


def test_a_long_reason_leaves_half_of_the_row_to_the_task() -> None:
    shown = Board(plan(f"- [!] {'a' * 60} <!-- blocker: {'b' * 60} -->\n")).rows(40)

    assert shown[1] == f"! {'a' * 18}… — {'b' * 15}…"


def test_expanded_every_text_is_whole_with_the_notes_of_the_active_task() -> None:
    """P10."""
    long = " ".join(f"word{n}" for n in range(30))
    board = Board(plan(f"- [/] {long}\n  > a note\n- [ ] b\n  > another\n"))
    board.panel.expand(is_expanded=True)

    shown = board.rows()

    assert "".join(shown[1:-3]).replace("▸", "").split() == long.split()
    assert shown[-3:] == ["  > a note", "○ b", "  · 1 note"]


def test_an_expanded_plan_is_scrolled_to_the_active_task_and_by_hand_to_both_ends() -> None:
    board = Board(many(100, 1, closed=50))
    board.panel.expand(is_expanded=True)

    assert "▸ Task 50" in board.rows()
    for _ in range(9):
        board.panel.scroll_pages(-1)
        board.rows()
    assert board.rows()[1] == "✓ Task 0"
    board.panel.scroll_pages(1)
    assert board.rows()[1] == "✓ Task 18"
    for _ in range(9):
        board.panel.scroll_pages(1)
        board.rows()
    assert board.rows()[-2:] == ["○ Task 99", "+81 more (50 done, 31 open)"]


def test_the_stroke_sweeps_over_the_row_of_a_task_that_closes_and_touches_no_other() -> None:
    board = Board(TWO)
    board.texts(tick=7, is_working=True)
    board.panel.update(TWO_LATER)

    frames = [board.texts(tick=7 + tick, is_working=True) for tick in range(STROKE_TICKS + 2)]

    struck = [
        sum(len(frame[1].plain[span.start : span.end]) for span in frame[1].spans if "strike" in str(span.style))
        for frame in frames
    ]
    assert struck[0] == 0
    assert struck == sorted(struck)
    assert struck[-1] == len("one")
    assert len({frame[0].markup for frame in frames}) == 1
    assert len({frame[2].plain[1:] for frame in frames}) == 1


@pytest.mark.parametrize(
    ("environ", "settings", "tick"),
    [
        pytest.param({"NO_COLOR": "1"}, {}, 8, id="NO_COLOR"),
        pytest.param({}, {"motion": False}, 8, id="motion = false"),
        pytest.param({}, {}, 0, id="the agent does not work"),
    ],
)
def test_without_motion_a_closed_task_is_struck_through_at_once(
    environ: dict[str, str], settings: dict[str, Any], tick: int
) -> None:
    board = Board(TWO, environ, **settings)
    board.texts(tick=tick)
    board.panel.update(TWO_LATER)

    assert "strike" in str(board.texts(tick=tick)[1].spans[-1].style)


def test_hostile_text_shows_only_what_can_be_printed() -> None:
    """P06."""
    hostile = "\x1b[2J\x1b]52;c;ZXZpbA==\x07ok\u202e\r\x9b31m"
    value = Plan(
        tuple(
            replace(
                phase,
                name=hostile,
                tasks=tuple(replace(task, content=hostile, blocker=hostile, notes=(hostile,)) for task in phase.tasks),
            )
            for phase in EIGHT.phases
        )
    )
    board = Board(value)

    for is_expanded in (False, True):
        board.panel.expand(is_expanded=is_expanded)
        text = "\n".join(board.rows())
        assert all(line.isprintable() for line in text.split("\n"))
        assert "I. ok " in f"{text.replace(chr(10), ' ')} "


WIDTHS = st.one_of(st.integers(0, 8), st.integers(9, 100))


ROOMS = st.builds(
    lambda width, rows, tick, **flags: Room(width=width, rows=rows, screen_rows=rows, tick=tick, **flags),
    width=WIDTHS,
    rows=st.integers(0, 50),
    tick=st.integers(0, 9),
    is_working=st.booleans(),
    has_unicode=st.booleans(),
)


@given(plans, plans, ROOMS, st.booleans(), st.booleans())
def test_no_row_is_wider_than_the_screen_and_no_screen_is_too_small(
    before: Plan, value: Plan, room: Room, is_expanded: bool, fills: bool
) -> None:
    panel = Panel(PanelSettings(), {}, fills=fills)
    panel.begin(before)
    panel.update(value)
    panel.expand(is_expanded=is_expanded)

    shown = panel.draw(room)

    assert len(shown) <= room.rows
    assert all(get_cwidth(text.plain) <= room.width for text in shown)
    assert not {unicodedata.category(character) for text in shown for character in text.plain} & {"Cc", "Cf", "Cs"}


@given(plans, st.integers(1, 12))
def test_what_is_shown_and_what_is_counted_is_all_of_the_plan(value: Plan, rows: int) -> None:
    shown = Board(value, rows=max(2, rows)).texts(200, 60)
    marks = "".join(map(GLYPHS["unicode"].mark, Status))

    if counts(value).open:
        more = sum(int(text.plain[1:].split()[0]) for text in shown if text.plain.startswith("+"))
        tasks = sum(text.plain.strip()[:1] in marks for text in shown[1:] if text.plain)
        assert tasks + more == counts(value).total or len(shown) <= 2
        assert tasks >= 1


@pytest.mark.parametrize("is_expanded", [False, True])
def test_a_huge_plan_is_drawn_with_little_work(is_expanded: bool) -> None:
    """30 phases, 400 tasks; a task of 20,000 characters. Counted as calls, not timed."""
    for value in (many(400, 30, closed=200), LONG):
        board = Board(value)
        board.panel.expand(is_expanded=is_expanded)
        board.rows()
        calls = 0

        def count(*_: object) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(count)
        try:
            board.rows(tick=1, is_working=True)
        finally:
            sys.setprofile(None)
        assert calls < 60_000


def test_only_the_statuses_that_are_open_count_as_such() -> None:
    assert [status for status in Status if status.is_open] == [Status.PENDING, Status.IN_PROGRESS, Status.BLOCKED]


@pytest.mark.parametrize("phases", [1, 3])
def test_through_many_changes_a_long_plan_keeps_its_height(phases: int) -> None:
    """P01."""
    board = Board(many(40, phases))
    heights = set[int]()
    for closed in range(25):
        board.panel.update(many(40, phases, closed=closed))
        heights.add(len(board.rows(tick=closed + 1, is_working=True)))

    assert heights == {8}
