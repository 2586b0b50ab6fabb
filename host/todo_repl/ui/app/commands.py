"""What the keys at the prompt do, by the names of the actions that can be bound.

Esc closes what is open, one thing at a time: the menu, a dialog, the run. Ctrl-C stops the run, else clears the line,
and on an empty one leaves when it comes twice.
"""

import signal
from collections.abc import Mapping
from typing import TYPE_CHECKING

from prompt_toolkit.filters import Condition, has_completions
from prompt_toolkit.key_binding import KeyBindings, KeyBindingsBase, KeyPressEvent, merge_key_bindings
from prompt_toolkit.keys import Keys

from todo_context.settings import KeySettings
from todo_context.widget import NAME as PLAN
from todo_repl.ui.keys import Handler, bindings
from todo_repl.ui.paste import paste_into
from todo_repl.ui.tab import complete

if TYPE_CHECKING:
    from todo_repl.ui.app.screen import Screen

LEAVES = "Ctrl-C again, or Ctrl-D, leaves."


class KeyCommands:
    """The handlers, over one screen."""

    def __init__(self, screen: "Screen") -> None:
        self._screen = screen
        self._was_interrupted = False
        screen.typed.buffer.on_text_changed += self._typed

    def bindings(self, keys: KeySettings) -> KeyBindingsBase:
        """Bind them. Raises as `keys.bindings`."""
        fixed = KeyBindings()
        in_line = self._in_line

        @fixed.add(Keys.BracketedPaste, filter=in_line)
        def _paste(event: KeyPressEvent) -> None:
            paste_into(event, self._screen.typed.pastes)

        @fixed.add("<sigint>")
        def _interrupted(event: KeyPressEvent) -> None:
            # An editor of the person's has its Ctrl-C to itself.
            if not self._screen.above.is_held:
                self.interrupt(event)

        @fixed.add("c-z")
        def _suspend(event: KeyPressEvent) -> None:
            del event
            if hasattr(signal, "SIGTSTP"):
                self._screen.begin(self._screen.suspend())

        return merge_key_bindings([fixed, bindings(keys, self._handlers())])

    def _handlers(self) -> Mapping[str, Handler]:
        in_line, has_dialog = self._in_line, Condition(lambda: self._screen.dialog is not None)
        is_empty = Condition(lambda: self._screen.typed.is_empty)
        has_panel = Condition(lambda: PLAN in self._screen.front.widgets)
        return {
            "submit": Handler(self.submit, in_line),
            "newline": Handler(lambda event: event.current_buffer.insert_text("\n"), in_line),
            "complete": Handler(complete, in_line),
            "search": Handler(self._screen.typed.search.older, in_line | self._screen.typed.search.is_on),
            "editor": Handler(lambda _: self._screen.begin(self._screen.edit_line()), in_line),
            "panel": Handler(lambda _: self._panel(""), ~has_dialog & has_panel),
            "panel_up": Handler(lambda _: self._panel(" up"), in_line & has_panel),
            "panel_down": Handler(lambda _: self._panel(" down"), in_line & has_panel),
            "redraw": Handler(lambda _: self._screen.above.redraw()),
            "abort": Handler(self.abort, in_line),
            "interrupt": Handler(self.interrupt, in_line),
            "leave": Handler(self.leave, in_line & is_empty),
        }

    @property
    def _in_line(self) -> Condition:
        return Condition(lambda: self._screen.app.layout.has_focus(self._screen.typed.control))

    def submit(self, _event: KeyPressEvent) -> None:
        """Send the line."""
        self._was_interrupted = False
        text, shown = self._screen.typed.take()
        if text.strip():
            self._screen.send(text, shown)

    def abort(self, event: KeyPressEvent) -> None:
        """Close the menu, or stop what is under way."""
        if has_completions():
            event.current_buffer.cancel_completion()
        else:
            self._screen.work.stop()

    def interrupt(self, _event: KeyPressEvent) -> None:
        """Stop what is under way; else clear the line; on an empty one leave, the second time."""
        typed = self._screen.typed
        was_interrupted, self._was_interrupted = self._was_interrupted, False
        if self._screen.dialog is not None:
            self._screen.dialog.give_up()
        elif self._screen.work.stop():
            return
        elif not typed.is_empty:
            typed.clear()
        elif was_interrupted:
            self.leave(_event)
        else:
            self._was_interrupted = True
            self._screen.front.line(LEAVES, self._screen.front.looks.styles["hint"])

    def _typed(self, _buffer: object) -> None:
        self._was_interrupted = False

    def leave(self, _event: KeyPressEvent) -> None:
        """Leave, as /quit does, which asks where something would be gone."""
        self._screen.send("/quit", "/quit", is_quiet=True)

    def _panel(self, how: str) -> None:
        # What stands on the screen belongs to an extension, which is told by its command.
        line = f"/todo panel{how}"
        self._screen.send(line, line, is_quiet=True)
