"""The lines that were sent and have not come to their end: each is a task of its own.

A command goes at once, also while the agent works; what the runtime gives back becomes the beginning of the next line.
"""

import asyncio
from collections.abc import Callable

from todo_repl.bugs import bug_line
from todo_repl.runtime import Runtime
from todo_repl.ui.app.transcript import Transcript


class Work:
    """What is under way. `changed` is called whenever something begins or ends."""

    def __init__(self, runtime: Runtime, transcript: Transcript, changed: Callable[[], None]) -> None:
        self._runtime = runtime
        self._transcript = transcript
        self._changed = changed
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_on(self) -> bool:
        """Whether a line has not come to its end."""
        return bool(self._tasks)

    def send(self, text: str, shown: str, *, is_quiet: bool = False) -> None:
        """Do what the line says. `is_quiet`: a key says it, and nobody wants to read it again."""
        # What waits for the agent stands above the line, and is shown where it comes to be read.
        waits = self._runtime.is_working and not text.lstrip().startswith("/")
        if not waits and not is_quiet:
            self._transcript.said(shown)
        task = asyncio.get_running_loop().create_task(self._submit(text, is_shown=not waits))
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def stop(self) -> bool:
        """Stop the agent, or else what hangs; whether there was something."""
        if self._runtime.abort():
            return True
        for task in self._tasks:
            task.cancel()
        return bool(self._tasks)

    async def end(self) -> None:
        """Stop all of it, and wait for that."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _submit(self, text: str, *, is_shown: bool) -> None:
        try:
            await self._runtime.submit(text, is_shown=is_shown)
        except asyncio.CancelledError:
            self._transcript.notify("Stopped.", "warning")
        except Exception as error:  # noqa: BLE001 (a bug of ours; the session and what is typed go on)
            self._transcript.notify(bug_line("A bug", error), "error")

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        self._changed()
