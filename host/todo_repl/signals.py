"""Signals as calls in the event loop, for as long as a `with` block runs.

Where the platform has no such thing (Windows), Ctrl-C raises KeyboardInterrupt as always.
"""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

SHELL_BASE = 128
"""What a shell adds to a signal's number to name it as an exit code."""

LEAVING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def on_interrupt(act: Callable[[], object]) -> Iterator[None]:
    """Call `act` at each Ctrl-C. Meant for times when the terminal is not read key by key."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:  # a job in the background: Ctrl-C is for another program
        yield
        return
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):
        loop.add_signal_handler(signal.SIGINT, act)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            loop.remove_signal_handler(signal.SIGINT)
            # Removing leaves Python's own handler, not the one that stood here.
            signal.signal(signal.SIGINT, before)


class Leaving:
    """Cancels the task that made it when the system asks the program to end."""

    def __init__(self) -> None:
        self.exit_code: int | None = None
        self._task = asyncio.current_task()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """While this runs, SIGTERM and SIGHUP cancel the task and set `exit_code`."""
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):
            for number in LEAVING:
                # Ignored means: started by nohup, and to go on.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    loop.add_signal_handler(number, self._leave, number)
        yield

    def _leave(self, number: int) -> None:
        self.exit_code = SHELL_BASE + number
        if self._task is not None:
            self._task.cancel()
