"""How the rows of a screen are shared out. Pure.

All together take a row less than the screen has, so that what was said last stays in sight. Low screens give up the
unfinished answer and the status line first.
"""

from dataclasses import dataclass

MENU_ROWS = 6
"""Completions at once; a screen of 12 rows still shows half of itself above."""

INPUT_ROWS = 10
WAITING_ROWS = 3
DIALOG_ROWS = 4
"""What a dialog needs: a title, two options and the line to type in. It gets two thirds of a screen that has more."""

LOW = 6
"""A screen of fewer rows has no room for what only accompanies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How many rows each part would take if there were room."""

    typed: int = 1
    menu: int = 0
    dialog: int = 0
    waiting: int = 0
    has_note: bool = False
    is_working: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """How many rows each part gets. `widgets` and `tail` are what is left for them, at most."""

    typed: int
    menu: int
    dialog: int
    note: int
    waiting: int
    status: int
    widgets: int
    tail: int


def shares(rows: int, wishes: Wishes) -> Shares:
    """Share out a screen of so many rows."""
    left = max(1, rows - 1)
    is_low = rows < LOW

    def take(wanted: int, most: int) -> int:
        nonlocal left
        taken = max(0, min(wanted, most, left))
        left -= taken
        return taken

    dialog = take(wishes.dialog, max(DIALOG_ROWS, rows * 2 // 3))
    typed = 0 if dialog else take(max(1, wishes.typed), min(INPUT_ROWS, max(1, rows // 3)))
    # Two rows are the least that a panel can say something on; below four it says nothing.
    kept = 2 if rows >= 4 else 0  # noqa: PLR2004
    menu = take(wishes.menu, min(MENU_ROWS, max(1, rows // 3), max(0, left - kept)))
    note = 0 if is_low else take(int(wishes.has_note), 1)
    status = 0 if is_low else take(1, 1)
    waiting = take(wishes.waiting, 1 if is_low else WAITING_ROWS)
    # A row for what the agent is at, so that it does not come and go with each line.
    tail = 0 if is_low else take(int(wishes.is_working), 1)
    widgets = left if rows >= 4 else 0  # noqa: PLR2004
    return Shares(
        typed=typed, menu=menu, dialog=dialog, note=note, waiting=waiting, status=status, widgets=widgets, tail=tail
    )


def tail_rows(rows: int, shared: Shares, drawn: int) -> int:
    """How many rows the unfinished answer may take, once the widgets have drawn theirs."""
    return 0 if shared.tail == 0 else min(max(1, rows // 3), shared.tail + shared.widgets - drawn)
