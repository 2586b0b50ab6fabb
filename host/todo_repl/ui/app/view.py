"""What stands on the screen at one redraw: the rows of each part, worked out before anything is drawn.

Whatever the parts want, all together take a row less than the screen has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from todo_context.cells import cut, safe_text, width_cells
from todo_context.looks import Looks, Role
from todo_context.pi import Room, Widget
from todo_context.widget import NAME as PLAN
from todo_repl.ui.app.budget import Wishes, shares, tail_rows
from todo_repl.ui.app.modal import Dialog
from todo_repl.ui.app.rows import Row, prompt_style
from todo_repl.ui.app.tail import STOPS, Tail
from todo_repl.ui.app.widgets import Drawing

TELLS_MORE = 3
"""The least rows of a menu of which one says that there is more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a redraw is made of. `tick` as in `Room`."""

    columns: int
    rows: int
    typed_rows: int
    completions: int
    dialog: Dialog[Any] | None
    waiting: Sequence[str]
    widgets: Mapping[str, Sequence[str] | Widget]
    note: str
    tail: Tail
    status: Sequence[str]
    is_working: bool
    can_stop: bool
    """Whether Esc stops something."""
    tick: int


class View:
    """The rows of the newest redraw."""

    def __init__(self, looks: Looks, *, has_unicode: bool) -> None:
        self.looks = looks
        self.shows_plan = False
        self.tail: list[Row] = []
        self.waiting: list[Row] = []
        self.widgets: list[Row] = []
        self.status: list[Row] = []
        self.note: list[Row] = []
        self.typed_rows = 1
        self.menu_rows = 0
        self.more: list[Row] = []
        """What stands below the menu, if not all of it is shown."""
        self._has_unicode = has_unicode
        self._drawing = Drawing(looks)

    def work_out(self, facts: Facts) -> None:
        """Work all of it out."""
        # The last column stays empty: a row that fills the screen is two on a narrower one.
        width = max(1, facts.columns - 1)
        dialog = facts.dialog
        wishes = Wishes(
            typed=facts.typed_rows,
            menu=0 if dialog else facts.completions,
            dialog=dialog.wanted_rows(width) if dialog else 0,
            waiting=len(facts.waiting),
            has_note=bool(facts.note) and dialog is None,
            is_working=facts.is_working,
        )
        shared = shares(facts.rows, wishes)
        room = Room(
            width=width,
            rows=shared.widgets,
            screen_rows=facts.rows,
            tick=facts.tick,
            is_working=facts.is_working,
            has_unicode=self._has_unicode,
        )
        drawn = self._drawing.rows(facts.widgets, room)
        self.shows_plan = bool(drawn.get(PLAN))
        self.widgets = [row for part in drawn.values() for row in part]
        most = tail_rows(facts.rows, shared, len(self.widgets))
        self.tail = facts.tail.rows(width, most, self.looks, facts.tick) if facts.is_working else []
        self.waiting = self._waiting(facts.waiting, width, shared.waiting)
        self.status = [self._status(facts, width)] if shared.status else []
        note = cut(f"  {facts.note}", width, self.looks.glyphs.ellipsis)
        self.note = [[(self._style("preview"), note)]] if shared.note else []
        self.typed_rows, self.menu_rows = shared.typed, shared.menu
        self.more = []
        if facts.completions > shared.menu >= TELLS_MORE:
            self.menu_rows -= 1
            self.more = [[(self._style("hint"), cut(f"  {facts.completions} in all; Down shows the rest", width))]]
        if dialog is not None:
            dialog.rows = shared.dialog

    def _waiting(self, waiting: Sequence[str], width: int, most: int) -> list[Row]:
        shown = [f"  waits: {safe_text(text)}" for text in waiting[:most]]
        if len(waiting) > most > 0:
            shown[-1] = f"  {len(waiting) - most + 1} more wait"
        return [[(self._style("hint"), cut(text, width, self.looks.glyphs.ellipsis))] for text in shown]

    def _status(self, facts: Facts, width: int) -> Row:
        """The most important parts come first; as many as fit."""
        parts = [STOPS, *facts.status] if facts.can_stop else list(facts.status)
        dot = f" {self.looks.glyphs.dot} "
        while len(parts) > 1 and width_cells(dot.join(parts)) > width:
            parts.pop()
        return [(self._style("status"), cut(dot.join(parts), width, self.looks.glyphs.ellipsis))]

    def _style(self, role: Role) -> str:
        return prompt_style(self.looks.styles[role])
