"""The windows of the screen, from top to bottom. Each is as high as the view says, and not there at no rows."""

from collections.abc import Callable
from typing import Any

from prompt_toolkit.filters import Condition
from prompt_toolkit.layout import (
    ConditionalContainer,
    Dimension,
    DynamicContainer,
    FormattedTextControl,
    HSplit,
    Window,
)
from prompt_toolkit.layout.containers import AnyContainer, Container

from todo_repl.ui.app.budget import INPUT_ROWS
from todo_repl.ui.app.modal import Dialog
from todo_repl.ui.app.rows import Row, joined
from todo_repl.ui.app.typed import Typed
from todo_repl.ui.app.view import View


class Body(HSplit):
    """Never as tall as the terminal: one row stays for what was said."""

    def __init__(self, view: View, typed: Typed, dialog: Callable[[], Dialog[Any] | None]) -> None:
        self._line = typed
        line = Window(
            typed.control,
            height=lambda: Dimension(min=1, max=max(1, view.typed_rows)),
            get_line_prefix=typed.prefix,
            wrap_lines=True,
            dont_extend_height=True,
        )
        menu = Window(typed.menu, height=lambda: Dimension.exact(view.menu_rows), dont_extend_height=True)

        def modal() -> AnyContainer:
            open_dialog = dialog()
            return open_dialog.container if open_dialog else menu

        super().__init__(
            [
                _rows(lambda: view.tail),
                _rows(lambda: view.widgets),
                _rows(lambda: view.waiting),
                _rows(lambda: view.status),
                _shown_if(DynamicContainer(modal), lambda: dialog() is not None),
                _shown_if(line, lambda: dialog() is None),
                typed.search.container,
                _rows(lambda: view.note),
                _shown_if(menu, lambda: view.menu_rows > 0),
                _rows(lambda: view.more),
            ]
        )

    def typed_rows(self, columns: int) -> int:
        """How many rows the line would take, as far as that matters."""
        control = self._line.control
        return control.preferred_height(columns, INPUT_ROWS, wrap_lines=True, get_line_prefix=self._line.prefix) or 1

    def preferred_height(self, width: int, max_available_height: int) -> Dimension:
        """Cut at the last row but one."""
        wanted = super().preferred_height(width, max_available_height)
        most = max(1, max_available_height - 1)
        return Dimension(min=min(wanted.min, most), max=most, preferred=min(wanted.preferred, most))


def _rows(rows: Callable[[], list[Row]]) -> Container:
    control = FormattedTextControl(lambda: joined(rows()))
    window = Window(control, height=lambda: Dimension.exact(len(rows())), dont_extend_height=True)
    # An empty window would still be a row high.
    return _shown_if(window, lambda: bool(rows()))


def _shown_if(container: Container, condition: Callable[[], bool]) -> Container:
    return ConditionalContainer(container, filter=Condition(condition))
