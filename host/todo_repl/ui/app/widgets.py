"""What extensions keep on the screen, drawn anew at each redraw into the room there is.

Whatever a widget does, the screen stands: what it draws is made safe and cut, what it raises is one row with its key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from prompt_toolkit.formatted_text import ANSI, to_formatted_text

from todo_context.cells import cut, safe_text
from todo_context.looks import Looks
from todo_context.pi import Room, Widget
from todo_repl.ui.app.rows import Row, cut_row, prompt_style

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

LINES_AT_MOST = 10
"""Of a widget that is lines of text. As in pi."""


class Drawing:
    """Makes rows of Rich's texts, with the colours that the terminal has."""

    def __init__(self, looks: Looks) -> None:
        self._looks = looks
        self._console: Console | None = None

    def rows(self, widgets: Mapping[str, Sequence[str] | Widget], room: Room) -> Mapping[str, list[Row]]:
        """The rows of each widget, all together no more than the room has."""
        found: dict[str, list[Row]] = {}
        left = room.rows
        for key, content in widgets.items():
            if left > 0:
                drawn = self._widget(key, content, replace(room, rows=left))[:left]
                found[key] = drawn
                left -= len(drawn)
        return found

    def row(self, text: "Text", width: int) -> Row:
        """One text as a row."""
        console = self._console or self._new_console()
        safe = safe_text(text.plain)
        if safe != text.plain:
            text = text.copy()
            text.plain = safe
        with console.capture() as capture:
            console.print(text, end="", soft_wrap=True)
        return cut_row(to_formatted_text(ANSI(capture.get())), width)

    def _widget(self, key: str, content: Sequence[str] | Widget, room: Room) -> list[Row]:
        if not callable(content):
            return [[("", cut(safe_text(line), room.width))] for line in content[:LINES_AT_MOST]]
        try:
            return [self.row(text, room.width) for text in content(room)]
        except Exception as error:  # noqa: BLE001 (an extension's own; the screen must stand)
            line = safe_text(f"{key}: its widget: {type(error).__name__}: {error}")
            return [[(prompt_style(self._looks.styles["error"]), cut(line, room.width))]]

    def _new_console(self) -> "Console":
        from rich.console import Console  # noqa: PLC0415 (not before something is drawn)

        self._console = Console(force_terminal=True, highlight=False, markup=False, emoji=False, width=10_000)
        return self._console
