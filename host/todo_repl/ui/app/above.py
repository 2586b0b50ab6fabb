"""Prints above a running inline application, in one write with the repaint, and never leaves raw mode.

Of the event loop's thread alone. The one module that uses private names of prompt_toolkit; they are those of 3.0.53.
"""

import asyncio
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.application.current import set_app
from prompt_toolkit.application.run_in_terminal import in_terminal
from prompt_toolkit.data_structures import Point
from prompt_toolkit.layout import Layout
from prompt_toolkit.layout.screen import Screen
from prompt_toolkit.renderer import Renderer
from prompt_toolkit.styles import BaseStyle

from todo_context.cells import width_cells
from todo_repl.ui.app.frame import FrameOutput

DELAY_S = 0.02
"""How long lines wait for others: streamed lines cost one frame together. Too short to be seen."""

JUST_NOW_S = 0.5
"""How long a signal may take that was for the editor. Nobody reads what is on the screen then so quickly."""

HELD_LINES = 20_000
"""How many lines wait at most while an editor has the terminal; the session holds them all."""

_SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")

KEPT_LINES = 500
"""How much of what was printed can be drawn anew; more than fits on any screen."""


class ReflowingRenderer(Renderer):
    """Prints lines above what it draws, and knows that a terminal which became narrower has wrapped what it drew."""

    output: FrameOutput
    reflows = True

    def __init__(self, style: BaseStyle, output: FrameOutput) -> None:
        super().__init__(style, output)
        self.take_lines: Callable[[], list[str]] = list
        self.work_out: Callable[[], object] = list
        """Called before each drawing: what is drawn is for the size of that moment."""

    def erase(self, leave_alternate_screen: bool = True) -> None:  # noqa: FBT001, FBT002 (as the library declares it)
        """Erase what was drawn."""
        self._fix_cursor()
        super().erase(leave_alternate_screen)

    def render(self, app: Application[Any], layout: Layout, is_done: bool = False) -> None:  # noqa: FBT001, FBT002
        """Draw, with the lines that wait. It may come before the signal that tells of the new size."""
        lines = self.take_lines()
        for is_last in (False, False, True):
            before, size = dict(vars(self)), self.output.get_size()
            self.work_out()
            with self.output.frame(is_marked=bool(lines)):
                self._fix_cursor()
                if lines:
                    self.output.cursor_up(self._cursor_pos.y)
                    self._print(lines)
                super().render(app, layout, is_done)
                is_right = is_last or self.output.get_size() == size
                if not is_right:
                    self.output.discard()
            if is_right:
                return
            # The window became another one meanwhile: what was drawn would stand in the wrong rows.
            vars(self).update(before)

    @property
    def drawn(self) -> Screen | None:
        """What stands there now."""
        return self._last_screen

    def begin_with(self, lines: list[str]) -> None:
        """Have nothing on the screen but these lines; what is drawn then stands below them."""
        with self.output.frame():
            self.output.cursor_goto(1, 1)
            self._print(lines)

    def _print(self, lines: list[str]) -> None:
        """Erase from this row on, print, and know of nothing drawn."""
        out = self.output
        out.write_raw("\r")
        out.erase_down()
        out.reset_attributes()
        out.enable_autowrap()
        self._cursor_pos = Point(0, 0)
        self._last_screen = self._last_style = None
        self._min_available_height = 0
        out.write_raw(_with_returns(lines))

    def _fix_cursor(self) -> None:
        """Find how far below its first row the cursor is by now."""
        size, old, screen = self.output.get_size(), self._last_size, self._last_screen
        if not self.reflows or old is None or screen is None or size.columns >= old.columns:
            return
        width, at = max(1, size.columns), self._cursor_pos
        y = sum(max(1, -(-_used(screen, row) // width)) for row in range(at.y)) + at.x // width
        self._cursor_pos = Point(x=min(at.x, width), y=min(y, max(0, size.rows - 1)))


def _used(screen: Screen, row: int) -> int:
    """How many cells of a row hold something."""
    cells = screen.data_buffer[row].items()
    return max((x + (cell.width or 1) for x, cell in cells if cell.char != " "), default=0)


class Above:
    """What is said stands above the application, each line once."""

    def __init__(
        self, app: Application[Any], out: FrameOutput, work_out: Callable[[], object], *, reflows: bool = True
    ) -> None:
        self._app = app
        self._out = out
        self._renderer = ReflowingRenderer(app.renderer.style, out)
        self._renderer.reflows = reflows
        self._renderer.take_lines, self._renderer.work_out = self._take, work_out
        app.renderer = self._renderer
        self._pending: deque[str] = deque()
        self._kept: deque[str] = deque(maxlen=KEPT_LINES)
        self._dropped = 0
        self._held = 0
        self._released_s = float("-inf")
        self._drawing: asyncio.TimerHandle | None = None
        self._is_over = False

    @property
    def is_held(self) -> bool:
        """Whether something else has the terminal, or had it just now: what it died of comes to all, and late."""
        return self._held > 0 or time.monotonic() - self._released_s < JUST_NOW_S

    def print(self, text: str) -> None:
        """Print whole lines, which are safe for a screen, with the next redraw."""
        lines = text.removesuffix("\n").split("\n")
        self._pending.extend(lines)
        self._kept.extend(lines)
        while len(self._pending) > HELD_LINES:
            self._pending.popleft()
            self._dropped += 1
        if self._is_over:
            self.finish()
        self.draw_soon()

    def draw_soon(self) -> None:
        """Draw, with all that is changed and printed until then."""
        if self._drawing is None and self._app.is_running:
            self._drawing = asyncio.get_running_loop().call_later(DELAY_S, self._draw)

    def finish(self) -> None:
        """Print what is left, where the application is over, and from now on at once."""
        self._is_over = True
        self._out.write_raw(_with_returns(self._take()))
        self._out.flush()

    def redraw(self) -> None:
        """Draw the whole screen anew: what was said last, and the application below it."""
        if not self._held:
            # What waits first, in the usual way: it is to be in the scrollback, once.
            self._app._redraw()  # noqa: SLF001 (an invalidate would come too late)
            self._renderer.begin_with(self._in_sight())
            self._app.invalidate()

    def send(self, sequence: str) -> None:
        """Send what shows nothing, such as text for the clipboard."""
        self._out.write_raw(sequence)
        self._out.flush()

    @asynccontextmanager
    async def suspended(self) -> AsyncIterator[None]:
        """Let something else have the terminal, in its usual mode. What is said meanwhile waits."""
        # What the editor belongs to is to be read before it comes.
        self._app._redraw()  # noqa: SLF001 (an invalidate would come too late)
        self._held += 1
        try:
            with set_app(self._app):
                async with in_terminal():
                    # Else one that waits for the rest of an Esc would take it from the editor.
                    await self._app.cancel_and_wait_for_background_tasks()
                    yield
        finally:
            self._held -= 1
            self._released_s = time.monotonic()
            self.draw_soon()

    def _in_sight(self) -> list[str]:
        """The last lines, as many as stand above what is drawn: more would scroll away, and be there twice."""
        size, screen = self._out.get_size(), self._renderer.drawn
        room = size.rows - (0 if screen is None else screen.height)
        found: list[str] = []
        for line in reversed(self._kept):
            room -= max(1, -(-width_cells(_SEQUENCE.sub("", line)) // max(1, size.columns)))
            if room < 0:
                break
            found.append(line)
        return found[::-1]

    def _draw(self) -> None:
        self._drawing = None
        self._app.invalidate()

    def _take(self) -> list[str]:
        lines = list(self._pending)
        if self._dropped:
            lines[:0] = [f"… +{self._dropped} lines that are in the session, and were too many to keep for the screen"]
        self._dropped = 0
        self._pending.clear()
        return lines


def _with_returns(lines: list[str]) -> str:
    return "".join(f"{line}\r\n" for line in lines)
