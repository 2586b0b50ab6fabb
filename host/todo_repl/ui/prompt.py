"""The prompt: a person at a terminal, line by line.

While a run is on there is no prompt; Ctrl-C stops the run. At the prompt Ctrl-C clears the line; on
an empty one it leaves when it comes twice, as Ctrl-D does.
"""

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Iterable, Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.application.current import get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from todo_context.errors import TodoContextError
from todo_context.kept import Kept
from todo_context.paths import FILE_MODE, data_dir, make_private
from todo_context.pi import LeftOver, Ui
from todo_context.plan.problem import LineProblem
from todo_context.plan.text import for_screen
from todo_repl.runtime import Runtime
from todo_repl.signals import on_interrupt
from todo_repl.ui import dialogs
from todo_repl.ui.builtin_editor import ShowHidden, edit_here
from todo_repl.ui.clipboard import osc52
from todo_repl.ui.editor import Editor
from todo_repl.ui.output import Output
from todo_repl.ui.printer import Printer
from todo_repl.ui.tty import typing_unseen

MENU_ROWS = 6
"""Rows for completions below the line; a terminal of 12 rows still shows half a screen above."""


class PromptFront(Printer):
    """A person who can be asked. Errors are shown where all else is."""

    def __init__(self, out: Output, *, session_id: str = "") -> None:
        super().__init__(out, out)
        self.has_ui = True
        self.is_editing = False
        """While it is true, Ctrl-C is the editor's."""
        self._kept = Kept(notify=self.notify, owner=session_id, offer=self.confirm)
        self._editor = Editor(kept=self._kept, builtin=edit_here)

    @property
    def ui(self) -> Ui:
        """The person."""
        return self

    def is_of(self, session_id: str) -> None:
        """Keep and offer texts of this session from now on."""
        self._kept.owner = session_id

    async def editor(
        self, title: str, text: str, problems: Sequence[LineProblem] = (), *, opened: str | None = None
    ) -> str | None:
        """Let the person edit `text`; None means cancelled."""
        self.is_editing = True
        try:
            return await self._editor.edit(title, text, problems, opened=opened)
        finally:
            self.is_editing = False

    def edit_settled(self) -> None:
        """What the editor gave last is stored, or not wanted: its draft may go."""
        self._editor.settled()

    async def left_over(self) -> LeftOver | None:
        """A text that was never taken over, if the person wants to go on with it."""
        return await self._editor.left_over()

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        """Let the person choose one of `options`; None means cancelled."""
        return await dialogs.select(self.out, title, options)

    async def confirm(self, title: str, message: str) -> bool:
        """Ask a yes-or-no question."""
        return await dialogs.confirm(self.out, title, message)

    def copy(self, text: str) -> bool:
        """Hand text to the terminal, for its clipboard; whether it went there."""
        sequence = osc52(text, os.environ)
        if sequence is None:
            return False
        self.out.write(sequence)
        return not self.out.is_closed

    def set_widget(self, key: str, lines: Sequence[str] | None) -> None:
        """Nothing stands on this screen: what changed is printed when it changes."""


async def run_prompt(runtime: Runtime, front: PromptFront, *, keeps_history: bool) -> None:
    """Read lines and submit them until the person leaves."""
    session = _prompt_session(runtime, keeps_history=keeps_history)
    was_interrupted = False
    while not runtime.is_over and not front.out.is_closed:
        try:
            front.is_of(runtime.session.id)
            draft, runtime.draft = runtime.draft, ""
            line = await session.prompt_async("> ", default=draft)
        except KeyboardInterrupt:
            was_empty = not session.default_buffer.text
            if was_empty and was_interrupted:
                return
            was_interrupted = was_empty
            if was_empty:
                front.out.line("Ctrl-C again, or Ctrl-D, leaves.", "dim")
            continue
        except EOFError:
            return
        was_interrupted = False
        if line.strip():
            await _submit(runtime, front, line)


async def _submit(runtime: Runtime, front: PromptFront, line: str) -> None:
    # A command may have the terminal to itself, such as an editor.
    seen = contextlib.nullcontext() if line.lstrip().startswith("/") else typing_unseen()
    task = asyncio.ensure_future(runtime.submit(line))
    if not line.lstrip().startswith("/"):
        front.wait()
    was_stopped = False

    def stop() -> None:
        nonlocal was_stopped
        if not front.is_editing and not runtime.abort():
            was_stopped = True
            task.cancel()

    with seen, on_interrupt(stop):
        try:
            await task
        except asyncio.CancelledError:
            if not was_stopped:  # Not the line but the whole program is to end.
                raise
            front.notify("Stopped.", "warning")


def _prompt_session(runtime: Runtime, *, keeps_history: bool) -> PromptSession[str]:
    is_command = Condition(lambda: get_app().current_buffer.text.startswith("/"))
    return PromptSession(
        history=_history() if keeps_history else InMemoryHistory(),
        completer=_Completer(runtime),
        complete_while_typing=is_command,
        multiline=True,
        prompt_continuation="  ",
        key_bindings=_keys(),
        input_processors=[ShowHidden()],
        reserve_space_for_menu=MENU_ROWS,
        enable_suspend=True,
    )


def _keys() -> KeyBindings:
    keys, in_line = KeyBindings(), has_focus(DEFAULT_BUFFER)

    # The line may hold several: a pasted list is one message.
    @keys.add("enter", filter=in_line)
    def _submit_line(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    @keys.add("escape", "enter", filter=in_line)
    def _new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys


class _Completer(Completer):
    """Commands, and the arguments they offer."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Nothing: the prompt asks the other one."""
        del document, complete_event
        return ()

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        """What the text before the cursor can become; nothing for a message."""
        del complete_event
        text = document.text_before_cursor
        for found in await self._runtime.completions(text):
            label, description = for_screen(found.label), for_screen(found.description)
            yield Completion(found.value, -len(text), display=label, display_meta=description)


def _history() -> History:
    """The lines of earlier sessions. Where they cannot be kept, this session's alone."""
    try:
        path = make_private(data_dir()) / "history"
        os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, FILE_MODE))
    except (OSError, TodoContextError):
        return InMemoryHistory()
    return _FileHistory(path)


class _FileHistory(FileHistory):
    """A history that a full disk does not turn into a lost line of the person's."""

    def store_string(self, string: str) -> None:
        """Keep one line."""
        with contextlib.suppress(OSError):
            super().store_string(string)
