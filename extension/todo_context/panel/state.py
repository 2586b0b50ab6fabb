"""The panel of one session: a plan, what the plan alone does not say, and how both are drawn.

It is told of each change, and drawn at each redraw. What closed last is known from one plan to the next; nothing of
it is stored, for after a resume nothing closes before one's eyes.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from todo_context.looks import looks
from todo_context.panel.choose import budget
from todo_context.pi import Room
from todo_context.plan.model import EMPTY, Plan, Task
from todo_context.plan.select import counts
from todo_context.settings import PanelSettings

if TYPE_CHECKING:
    from rich.text import Text

    from todo_context.panel.rows import Moment

STROKE_TICKS = 6
"""Ticks in which a stroke sweeps over a task that closes: less than a second."""


class Panel:
    """One panel. `fills`: it has a screen of its own, where it takes all rows, stays, and nothing can be typed."""

    def __init__(self, settings: PanelSettings, environ: Mapping[str, str], *, fills: bool = False) -> None:
        self.is_expanded = False
        self._settings = settings
        self._environ = environ
        self._fills = fills
        self._plan = EMPTY
        self._last_closed: str | None = None
        self._closing: frozenset[str] = frozenset()
        self._closed_at: int | None = None
        self._has_just_ended = False
        self._tick = 0
        self._scrolled = 0
        self._page = 1

    def begin(self, plan: Plan) -> None:
        """Show the plan of another branch: nothing has closed on the way there."""
        self._plan = plan
        self.start_turn()

    def update(self, plan: Plan) -> None:
        """Show the plan as it is now, after a change of the one before."""
        closed = [task for task in plan.tasks() if not task.status.is_open and _was_open(task, self._plan)]
        if closed:
            self._last_closed = closed[-1].content
            self._closing = frozenset(task.content for task in closed)
            self._closed_at = self._tick
        is_open = counts(plan).open > 0
        self._has_just_ended = not is_open and (self._has_just_ended or counts(self._plan).open > 0)
        self._plan = plan

    def start_turn(self) -> None:
        """Let go of what closed before: the agent begins anew."""
        self._last_closed, self._closing, self._closed_at = None, frozenset(), None
        self._has_just_ended = False

    def end_turn(self) -> None:
        """Put the panel away if nothing is open any more."""
        self._has_just_ended = False

    def expand(self, *, is_expanded: bool) -> None:
        """Show all of the plan, or what fits on a few rows."""
        self.is_expanded, self._scrolled = is_expanded, 0

    def scroll(self, rows: int) -> None:
        """Move the window over an expanded plan, down by so many rows; up, below 0."""
        self._scrolled += rows

    def scroll_pages(self, pages: int) -> None:
        """Move it by what it showed last."""
        self.scroll(pages * self._page)

    def draw(self, room: Room) -> "Sequence[Text]":
        """The rows of this moment, the heading first; none where there is nothing to show or no room."""
        self._tick = room.tick
        rows = self._rows(room)
        if rows <= 0 or room.width <= 0 or not self._is_visible():
            return ()
        from todo_context.panel.draw import expanded, folded  # noqa: PLC0415 - Rich comes with the first panel

        moment = self._moment(room)
        if not self.is_expanded:
            return folded(self._plan, rows, self._last_closed, moment)
        window = expanded(self._plan, rows, self._scrolled, moment)
        self._scrolled, self._page = window.scrolled, window.page
        return window.rows

    def _rows(self, room: Room) -> int:
        if self._fills:
            return room.rows
        most = budget(room.screen_rows, self._settings.rows)
        return room.rows if self.is_expanded and most else min(room.rows, most)

    def _is_visible(self) -> bool:
        found = counts(self._plan)
        return found.open > 0 or (found.total > 0 and (self._fills or self._has_just_ended))

    def _moment(self, room: Room) -> "Moment":
        from todo_context.panel.rows import HINT, Moment  # noqa: PLC0415 - likewise

        chosen = looks(self._settings, self._environ, has_unicode=room.has_unicode)
        ticks = STROKE_TICKS if self._closed_at is None else room.tick - self._closed_at
        is_moving = chosen.is_animated and room.tick > 0 and 0 <= ticks < STROKE_TICKS
        return Moment(
            looks=chosen,
            width=room.width,
            tick=room.tick if self._settings.motion else 0,
            is_working=room.is_working,
            closing=self._closing,
            swept=room.width * ticks // STROKE_TICKS if is_moving else None,
            hint="" if self._fills else HINT,
        )


def _was_open(task: Task, before: Plan) -> bool:
    place = before.find(task.content)
    return place is not None and before.at(place).status.is_open
