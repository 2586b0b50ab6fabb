"""The screen of a session: what is typed at the bottom, what stands above it, what was said above that.

It is drawn when something changed, and at each tick while the agent works; else not a byte goes out. The agent, each
line that was sent and the application are tasks of one loop, and only the application's end ends the screen.
"""

import asyncio
import contextlib
import importlib
import os
import signal
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from prompt_toolkit.application import Application
from prompt_toolkit.key_binding.key_processor import KeyProcessor
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout

from todo_repl.agent import IS_OF_RUN
from todo_repl.agent_events import AgentEvent, RunEnded
from todo_repl.bugs import bug_line
from todo_repl.runtime import Runtime
from todo_repl.ui.app.above import Above
from todo_repl.ui.app.body import Body
from todo_repl.ui.app.commands import KeyCommands
from todo_repl.ui.app.frame import FrameOutput
from todo_repl.ui.app.modal import Dialog
from todo_repl.ui.app.status import Status
from todo_repl.ui.app.typed import Typed
from todo_repl.ui.app.view import Facts, View
from todo_repl.ui.app.work import Work
from todo_repl.ui.builtin_editor import ESCAPE_WAIT_S
from todo_repl.ui.tty import Attributes, attributes, terminal_as
from todo_repl.ui.typed_ahead import take_typed_ahead

if TYPE_CHECKING:
    from todo_repl.ui.prompt import PromptFront

T = TypeVar("T")

MOST_BUGS = 5
"""A bug in drawing would come with each redraw; then it is better to end."""

CHORD_WAIT_S = 1.5
"""How long a key that begins a chord, such as Ctrl-X, waits for the next one: a hand is slower than a program."""

TICK_S = 0.1
"""How often what moves is drawn while the agent works: as often as an eye takes for motion."""


ROW_AWAY = "\r\x1b[K"
"""Back to the begin of the row, and erase it."""


class Screen:
    """The screen of one front. `run` it once."""

    def __init__(
        self, runtime: Runtime, front: "PromptFront", out: FrameOutput, *, keeps_history: bool, reflows: bool
    ) -> None:
        self.runtime = runtime
        self.front = front
        self.typed = Typed(runtime, keeps_history=keeps_history)
        self.work = Work(runtime, front, self._line_ended)
        self.dialog: Dialog[Any] | None = None
        self._out = out
        self._status = Status(runtime)
        self._view = View(front.looks, has_unicode=front.has_unicode)
        self._found: Attributes | None = None
        self._bugs = 0
        self._is_over = False
        """Whether what comes back has no line to come back to."""
        self._tick = 0
        self._ticking: asyncio.Task[None] | None = None
        self._asking = asyncio.Lock()
        self._jobs: set[asyncio.Task[None]] = set()
        self._body = Body(self._view, self.typed, lambda: self.dialog)
        self.app: Application[None] = Application(
            layout=Layout(self._body, focused_element=self.typed.control),
            key_bindings=KeyCommands(self).bindings(runtime.keys),
            output=out,
            erase_when_done=True,
            terminal_size_polling_interval=None,
        )
        self.app.ttimeoutlen = self.app.timeoutlen = ESCAPE_WAIT_S
        self.app.key_processor.after_key_press += self._wait_for_the_next_key
        self.above = Above(self.app, out, self._work_out, reflows=reflows)
        front.shows_plan = self._shows_plan

    async def run(self) -> None:
        """Until the person leaves, or the terminal is gone."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._tell_bug)
        self._out.on_lost = self._lost
        self._found = attributes()
        self._line_ended()
        # While nobody waits: the first answer would.
        self.begin(_load_markdown())
        # Raw from here on, or the keys between would be none of both kinds.
        with self.app.input.raw_mode(), self.front.out.diverted(self.above.print):
            if take_typed_ahead(self.app.input):
                self.above.send(ROW_AWAY)
            running = asyncio.ensure_future(self.app.run_async(handle_sigint=True, set_exception_handler=False))
            try:
                with contextlib.suppress(EOFError):  # the terminal hung up
                    await asyncio.shield(running)
            finally:
                await self._end(running)
                loop.set_exception_handler(None)

    def _wait_for_the_next_key(self, processor: KeyProcessor) -> None:
        """Give a hand its time between two keys that mean something together; Esc, which stops the agent, has none."""
        begun = processor.key_buffer
        self.app.timeoutlen = CHORD_WAIT_S if begun and begun[0].key != Keys.Escape else ESCAPE_WAIT_S

    def leave(self) -> None:
        """End it."""
        if self.app.is_running and not self.app.is_done:
            self.app.exit()

    def take(self, event: AgentEvent) -> None:
        """Take note of what the agent does; it is printed already."""
        self._status.take(event)
        if isinstance(event, RunEnded):
            self._status.refresh()
            self.begin(self._status.find_window())
        self.redraw()

    def redraw(self) -> None:
        """Draw soon, for something changed."""
        if self.app.is_running:
            if self._ticking is None and self._is_at_work and self._view.looks.is_animated:
                self._ticking = asyncio.get_running_loop().create_task(self._keep_ticking())
            self.above.draw_soon()

    def send(self, text: str, shown: str, *, is_quiet: bool = False) -> None:
        """Do what a line says."""
        self.work.send(text, shown, is_quiet=is_quiet)
        self.redraw()

    async def ask(self, dialog: Dialog[T]) -> T | None:
        """What the person says to a question; one question after the other."""
        async with self._asking:
            self.dialog = dialog
            dialog.is_sudden = not self.typed.is_empty
            dialog.holds_run = IS_OF_RUN.get()
            self.app.layout.focus(dialog.control)
            self.redraw()
            try:
                return await dialog.answer
            finally:
                self.dialog = None
                self.app.layout.focus(self.typed.control)
                if dialog.interrupted:
                    self.typed.set(f"{self.typed.buffer.text}{dialog.interrupted}")
                self.redraw()

    @asynccontextmanager
    async def suspended(self) -> AsyncIterator[None]:
        """Let something else have the terminal, as the program found it."""
        async with self.above.suspended():
            with terminal_as(self._found):
                yield

    async def edit_line(self) -> None:
        """Have the line edited in the person's editor."""
        edited = await self.front.edit_line(self.typed.text)
        if edited is not None:
            self.typed.set(edited)

    async def suspend(self) -> None:
        """Stop the program until the shell has it go on."""
        async with self.suspended():
            os.kill(0, signal.SIGTSTP)

    def begin(self, job: Coroutine[Any, Any, None]) -> None:
        """Do something meanwhile."""
        task = asyncio.get_running_loop().create_task(job)
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)

    def _line_ended(self) -> None:
        self.front.is_of(self.runtime.session.id)
        if self.runtime.draft and not self._is_over:
            self.typed.put_back(self.runtime.draft)
            self.runtime.draft = ""
        self._status.refresh()
        if self.runtime.is_over:
            self.leave()
        self.redraw()

    async def _end(self, running: "asyncio.Future[None]") -> None:
        if not running.done():
            # First of all an editor: the application waits until it has the terminal back.
            for job in self._jobs:
                job.cancel()
            await self.work.end()
            self.leave()
            with contextlib.suppress(EOFError):
                await running
        self._is_over = True
        self.above.finish()

    async def _keep_ticking(self) -> None:
        try:
            while self._is_at_work and self.app.is_running:
                await asyncio.sleep(TICK_S)
                self._tick += 1
                self.above.draw_soon()
        finally:
            self._ticking = None

    @property
    def _is_at_work(self) -> bool:
        """Whether the agent is at work, and does not wait for what the person says to a question."""
        return self.runtime.is_working and not (self.dialog and self.dialog.holds_run)

    def _shows_plan(self) -> bool:
        # What was set just now is not drawn yet.
        self._work_out()
        return self._view.shows_plan

    def _work_out(self) -> None:
        self._view.work_out(self._facts())

    def _facts(self) -> Facts:
        size = self._out.get_size()
        is_working = self._is_at_work
        return Facts(
            columns=size.columns,
            rows=size.rows,
            typed_rows=self._body.typed_rows(size.columns),
            completions=self.typed.completions,
            dialog=self.dialog,
            waiting=self.runtime.waiting,
            widgets=self.front.widgets,
            note=self.typed.note,
            tail=self.front.tail,
            status=self._status.parts,
            is_working=is_working,
            can_stop=(is_working or self.work.is_on) and self.dialog is None,
            tick=max(1, self._tick) if self._ticking is not None and is_working else 0,
        )

    def _lost(self, error: OSError) -> None:
        self.front.out.lost(error)
        self.leave()

    def _tell_bug(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, Exception):
            loop.default_exception_handler(context)
            return
        self._bugs += 1
        if self._bugs < MOST_BUGS:
            self.front.notify(bug_line("todo-context", error), "error")
        elif self.app.is_running and not self.app.is_done:
            self.app.exit(exception=error)


async def _load_markdown() -> None:
    await asyncio.to_thread(importlib.import_module, "todo_repl.ui.app.markdown")
