"""Without a terminal: lines come in through a pipe, answers go out, one after the other.

Each line is done before the next one is looked at. Nobody can be asked.
"""

import asyncio
import codecs
import contextlib
import os
import threading
from collections.abc import AsyncIterator, Sequence
from typing import NoReturn

from todo_context.pi import LeftOver, Level, Ui, Widget
from todo_context.plan.problem import LineProblem
from todo_repl.runtime import Runtime, Submitted
from todo_repl.signals import on_interrupt
from todo_repl.ui.output import Output
from todo_repl.ui.printer import Printer

READ_BYTES = 65536


class LinesFront(Printer):
    """Prints; answers on one stream, errors on the other."""

    def __init__(self, out: Output, err: Output) -> None:
        super().__init__(out, err)
        self.has_ui = False
        self.draws_widgets = False
        self.ui: Ui = Nobody(self)


class Nobody:
    """The person where there is none: they can be told something, not asked."""

    def __init__(self, printer: Printer) -> None:
        self._printer = printer

    async def editor(
        self, title: str, text: str, problems: Sequence[LineProblem] = (), *, opened: str | None = None
    ) -> str | None:
        """Nobody edits."""
        del text, problems, opened
        _refuse(title)

    def edit_settled(self) -> None:
        """Nobody edited."""

    async def left_over(self) -> LeftOver | None:
        """Nobody left anything."""
        return None

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        """Nobody chooses."""
        del options
        _refuse(title)

    async def confirm(self, title: str, message: str) -> bool:
        """Nobody agrees."""
        del message
        _refuse(title)

    async def input(self, title: str, placeholder: str = "") -> str | None:
        """Nobody types."""
        del placeholder
        _refuse(title)

    def copy(self, text: str) -> bool:
        """There is no clipboard."""
        del text
        return False

    def notify(self, message: str, level: Level = "info") -> None:
        """Show one line in passing."""
        self._printer.notify(message, level)

    def set_widget(self, key: str, content: Sequence[str] | Widget | None) -> None:
        """There is no place where something could stand."""


def _refuse(title: str) -> NoReturn:
    message = f"{title}: there is nobody to ask; check has_ui first"
    raise RuntimeError(message)


async def run_lines(runtime: Runtime, front: LinesFront, lines: AsyncIterator[str]) -> Submitted:
    """Submit each line; the worst of how they ended. Ctrl-C stops the run and ends it all."""
    worst = Submitted.DONE
    this = asyncio.current_task()

    def stop() -> None:
        if not runtime.abort() and this is not None:
            this.cancel()

    with on_interrupt(stop):
        async for line in lines:
            if not line.strip():
                continue
            worst = max(worst, await runtime.submit(line))
            if worst is Submitted.ABORTED or runtime.is_over or front.out.is_closed:
                break
    return worst


async def stdin_lines() -> AsyncIterator[str]:
    """The lines of standard input as they come, without their ends; the last one may lack its end."""
    rest, decoder = "", codecs.getincrementaldecoder("utf-8")(errors="replace")
    async for piece in _pieces():
        *whole, rest = (rest + decoder.decode(piece)).split("\n")
        for line in whole:
            yield line.removesuffix("\r")
    rest += decoder.decode(b"", final=True)
    if rest:
        yield rest


async def _pieces() -> AsyncIterator[bytes]:
    # A thread, for a loop cannot wait for a file; a daemon reading the bare descriptor, for nothing can
    # end a read that waits, and the program must be able to leave in spite of it.
    loop, queue = asyncio.get_running_loop(), asyncio.Queue[bytes]()

    def read() -> None:
        piece = b" "
        while piece:
            try:
                piece = os.read(0, READ_BYTES)
            except OSError:  # closed, or a terminal that hung up
                piece = b""
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(queue.put_nowait, piece)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while piece := await queue.get():
        yield piece
