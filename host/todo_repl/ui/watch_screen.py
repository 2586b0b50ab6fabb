"""The screen of `watch`: the panel with all rows for itself, and one below it that says how to leave.

Draws when the file or the size of the terminal changed, or a key was pressed, and only what is different.
"""

import asyncio
import os
import signal
import sys
from contextlib import suppress

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import FormattedTextControl, Layout, Window

from todo_context.cells import cut, safe_text
from todo_context.looks import looks, shows_unicode
from todo_context.panel.state import STROKE_TICKS, Panel
from todo_context.pi import Room
from todo_context.plan.select import counts
from todo_context.settings import PanelSettings
from todo_repl.signals import LEAVING, SHELL_BASE
from todo_repl.ui.app.rows import Row, joined, prompt_style
from todo_repl.ui.app.widgets import Drawing
from todo_repl.ui.watch import NO_PLAN
from todo_repl.watch import LOOKS_PER_S, Sight, Watch

HINT_FROM = 6
"""Rows from which the last one says which keys there are; with fewer, each is for the plan."""

TICKS_PER_S = 10
"""While a task that closed is struck through. It takes `STROKE_TICKS`; then nothing moves until the next change."""


def run(watched: Watch, settings: PanelSettings) -> int:
    """Show it until the person leaves; the exit code."""
    return asyncio.run(_Screen(watched, settings).run())


class _Screen:
    def __init__(self, watched: Watch, settings: PanelSettings) -> None:
        self._watched = watched
        self._has_unicode = shows_unicode(sys.stdout.encoding)
        self._looks = looks(settings, os.environ, has_unicode=self._has_unicode)
        self._panel = Panel(settings, os.environ, fills=True)
        self._drawing = Drawing(self._looks)
        self._sight = Sight(name="")
        self._tick = 1
        self._app: Application[int] = Application(
            layout=Layout(Window(FormattedTextControl(self._text, show_cursor=False), always_hide_cursor=True)),
            key_bindings=self._keys(),
            full_screen=True,
        )
        self._app.ttimeoutlen = self._app.timeoutlen = 0.05

    async def run(self) -> int:
        """Look and draw, until a key or a signal ends it."""
        loop = asyncio.get_running_loop()
        for number in LEAVING:
            if signal.getsignal(number) is not signal.SIG_IGN:  # else started by nohup, and to go on
                with suppress(NotImplementedError):
                    loop.add_signal_handler(number, self._leave, SHELL_BASE + number)
        self._look()
        following = asyncio.ensure_future(self._follow())
        try:
            return await self._app.run_async()
        except EOFError:  # the terminal is gone
            return 0
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(1 / LOOKS_PER_S)
            if self._look():
                await self._draw()

    def _look(self) -> bool:
        """Take in what is there now; whether it is something else than before."""
        before, sight = self._sight, self._watched.look()
        if sight is None:
            return False
        self._sight = sight
        if sight.name != before.name:
            self._panel.begin(sight.plan)
        elif not sight.line:
            if sight.turn not in ("", before.turn):
                self._panel.start_turn()
            self._panel.update(sight.plan)
        return True

    async def _draw(self) -> None:
        for _ in range(STROKE_TICKS + 1 if self._looks.is_animated else 1):
            self._app.invalidate()
            await asyncio.sleep(1 / TICKS_PER_S)
            self._tick += 1
        self._app.invalidate()

    def _text(self) -> StyleAndTextTuples:
        size = self._app.output.get_size()
        width, rows = size.columns, size.rows
        has_hint = rows >= HINT_FROM
        sight = self._sight
        if sight.line or not counts(sight.plan).total:
            shown: list[Row] = [[("", cut(safe_text(sight.line) or NO_PLAN, width, self._looks.glyphs.ellipsis))]]
        else:
            room = Room(
                width=width,
                rows=rows - has_hint,
                screen_rows=rows,
                tick=self._tick,
                has_unicode=self._has_unicode,
            )
            shown = self._drawing.rows({"todo": self._panel.draw}, room)["todo"]
        if has_hint:
            shown += [[] for _ in range(rows - 1 - len(shown))]
            shown.append(self._hint(width))
        return joined(shown)

    def _hint(self, width: int) -> Row:
        dot, folds = self._looks.glyphs.dot, "folds" if self._panel.is_expanded else "unfolds"
        text = f"q leaves {dot} t {folds}{f' {dot} {safe_text(self._sight.name)}' if self._sight.name else ''}"
        return [(prompt_style(self._looks.styles["hint"]), cut(text, width, self._looks.glyphs.ellipsis))]

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        def leave(_event: KeyPressEvent) -> None:
            self._leave(0)

        def toggle(_event: KeyPressEvent) -> None:
            self._panel.expand(is_expanded=not self._panel.is_expanded)

        for name in ("q", "c-c", "c-d"):
            keys.add(name)(leave)
        for name in ("t", "c-t"):
            keys.add(name)(toggle)
        keys.add("up")(lambda _: self._panel.scroll(-1))
        keys.add("down")(lambda _: self._panel.scroll(1))
        keys.add("pageup")(lambda _: self._panel.scroll_pages(-1))
        keys.add("pagedown")(lambda _: self._panel.scroll_pages(1))
        return keys

    def _leave(self, code: int) -> None:
        if self._app.is_running and not self._app.is_done:
            self._app.exit(result=code)
