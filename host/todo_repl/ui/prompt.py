"""The person at a terminal: what they are shown, what they are asked, and the line they type meanwhile.

Where the screen stands, all of it happens there, also while the agent works. Before and after it the same questions
have an application of their own.
"""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import TypeVar

from prompt_toolkit.application import create_app_session

from todo_context.kept import Kept
from todo_context.looks import looks, shows_unicode
from todo_context.pi import Answer, LeftOver, Ui, Widget
from todo_context.plan.problem import LineProblem
from todo_context.settings import PanelSettings
from todo_repl.agent_events import AgentEvent
from todo_repl.runtime import Runtime
from todo_repl.ui.app.alone import ask_alone
from todo_repl.ui.app.frame import FrameOutput, real_stdout
from todo_repl.ui.app.modal import Choice, Confirm, Dialog, Wording
from todo_repl.ui.app.redirect import redirected
from todo_repl.ui.app.screen import Screen
from todo_repl.ui.app.transcript import Transcript
from todo_repl.ui.builtin_editor import edit_here
from todo_repl.ui.clipboard import osc52
from todo_repl.ui.editor import Editor, edit_line
from todo_repl.ui.large_paste import read_large_pastes
from todo_repl.ui.output import Output

T = TypeVar("T")

EDITOR_IS_OPEN = "An editor is open already. Save or leave it first."


class PromptFront(Transcript):
    """A person who can be asked. Errors are shown where all else is."""

    def __init__(self, out: Output, *, session_id: str = "", panel: PanelSettings | None = None) -> None:
        self.has_unicode = shows_unicode(real_stdout().encoding)
        super().__init__(out, looks(panel or PanelSettings(), os.environ, has_unicode=self.has_unicode))
        self.has_ui = True
        self.draws_widgets = True
        self.screen: Screen | None = None
        self.unsent = ""
        """What was typed and not sent when the screen was left."""
        self.widgets: dict[str, Sequence[str] | Widget] = {}
        self._kept = Kept(notify=self.notify, owner=session_id, offer=self.confirm)
        self._editor = Editor(kept=self._kept, builtin=partial(edit_here, looks=self.looks))
        self._is_editing = False

    @property
    def ui(self) -> Ui:
        """The person."""
        return self

    def is_of(self, session_id: str) -> None:
        """Keep and offer texts of this session from now on."""
        self._editor.follow(session_id)

    def answer(self, answer: Answer) -> None:
        """Show what a command said; nothing where it only changed what stands on the screen."""
        if answer.text or answer.view is not None:
            super().answer(answer)

    def show(self, event: AgentEvent) -> None:
        """Show what the agent does."""
        super().show(event)
        if self.screen is not None:
            self.screen.take(event)

    async def editor(
        self, title: str, text: str, problems: Sequence[LineProblem] = (), *, opened: str | None = None
    ) -> str | None:
        """Let the person edit `text`; None means cancelled, or that they are editing another one."""
        async with self._terminal() as is_mine:
            return await self._editor.edit(title, text, problems, opened=opened) if is_mine else None

    async def edit_line(self, text: str) -> str | None:
        """Let the person edit what they are typing; None means it stays as it is."""
        async with self._terminal() as is_mine:
            try:
                return await edit_line(text, partial(edit_here, looks=self.looks)) if is_mine else None
            except (OSError, ValueError) as error:
                self.notify(str(error), "error")
                return None

    def edit_settled(self) -> None:
        """What the editor gave last is stored, or not wanted: its draft may go."""
        self._editor.settled()

    async def left_over(self) -> LeftOver | None:
        """A text that was never taken over, if the person wants to go on with it."""
        return await self._editor.left_over()

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        """Let the person choose one of `options`; None means cancelled."""
        chosen = await self._ask(Choice(title, options, self.looks))
        self.line(f"{title} {chosen or '(nothing)'}", self.looks.styles["hint"])
        return chosen

    async def confirm(self, title: str, message: str) -> bool:
        """Ask a yes-or-no question."""
        is_yes = await self._ask(Confirm(title, message, self.looks)) or False
        self.line(f"{title} {'yes' if is_yes else 'no'}", self.looks.styles["hint"])
        return is_yes

    async def input(self, title: str, placeholder: str = "") -> str | None:
        """Ask for a line of text; None means cancelled."""
        said = await self._ask(Wording(title, placeholder, self.looks))
        self.line(f"{title} {said or '(nothing)'}", self.looks.styles["hint"])
        return said

    def copy(self, text: str) -> bool:
        """Hand text to the terminal, for its clipboard; whether it went there."""
        sequence = osc52(text, os.environ)
        if sequence is None:
            return False
        if self.screen is not None:
            self.screen.above.send(sequence)
        else:
            self.out.write(sequence)
        return not self.out.is_closed

    def set_widget(self, key: str, content: Sequence[str] | Widget | None) -> None:
        """Have it on the screen, or no more."""
        if content is None:
            self.widgets.pop(key, None)
        else:
            self.widgets[key] = content
        if self.screen is not None:
            self.screen.redraw()

    async def _ask(self, dialog: Dialog[T]) -> T | None:
        if self.screen is None:
            return await ask_alone(dialog)
        return await self.screen.ask(dialog)

    @asynccontextmanager
    async def _terminal(self) -> AsyncIterator[bool]:
        """Have the terminal for an editor; False where another one has it."""
        if self._is_editing:
            self.notify(EDITOR_IS_OPEN, "warning")
            yield False
            return
        self._is_editing = True
        try:
            async with nullcontext() if self.screen is None else self.screen.suspended():
                yield True
        finally:
            self._is_editing = False


async def run_prompt(runtime: Runtime, front: PromptFront, *, keeps_history: bool, reflows: bool) -> None:
    """Have the screen stand until the person leaves."""
    out = FrameOutput.to_terminal(real_stdout())
    # The editor of our own draws through it too; what stands in for standard output by then is no terminal.
    with create_app_session(output=out) as session:
        read_large_pastes(session.input)
        screen = Screen(runtime, front, out, keeps_history=keeps_history, reflows=reflows)
        front.screen = screen
        try:
            with redirected(screen.above.print):
                await screen.run()
        finally:
            front.screen, front.unsent = None, screen.typed.text


async def choose(out: Output, title: str, options: Sequence[str]) -> str | None:
    """Let the person choose before there is a session."""
    return await PromptFront(out).select(title, options)
