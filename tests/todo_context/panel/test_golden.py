"""What the panel shows, row by row, on screens of several sizes: golden/panel.txt."""

from pathlib import Path

import pytest

from tests.todo_context.panel.boards import EIGHT, LONG, NONE, ONE, Board, many
from todo_context.plan.model import Plan

GOLDEN = Path(__file__).parents[2] / "golden" / "panel.txt"

SIZES = ((200, 50), (80, 24), (40, 12), (20, 5))
PLANS = {"no task": NONE, "1 task": ONE, "8 tasks": EIGHT, "400 tasks": many(closed=120), "a long task": LONG}


def shown(size: tuple[int, int], value: Plan, *, is_expanded: bool) -> str:
    board = Board(value)
    board.panel.expand(is_expanded=is_expanded)
    return "\n".join(board.rows(*size, tick=3, is_working=True))


def title(size: tuple[int, int], name: str, *, is_expanded: bool) -> str:
    return f"{name}, {size[0]}x{size[1]}{', expanded' if is_expanded else ''}"


def sections() -> dict[str, str]:
    """The golden rows by their titles."""
    parts = GOLDEN.read_text(encoding="utf-8").split("== ")[1:]
    return {part.partition("\n")[0]: part.partition("\n")[2].rstrip("\n") for part in parts}


@pytest.mark.parametrize("is_expanded", [False, True], ids=["folded", "expanded"])
@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_rows_are_those_of_the_golden_file(size: tuple[int, int], name: str, is_expanded: bool) -> None:
    assert shown(size, PLANS[name], is_expanded=is_expanded) == sections()[title(size, name, is_expanded=is_expanded)]
