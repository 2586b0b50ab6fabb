"""The process beside pi: it lives as long as its standard input is open, and ends then, whatever it is doing."""

import asyncio
import importlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import BinaryIO

from todo_context.awaiting import awaited
from todo_context.errors import TodoContextError
from todo_context.hosts.pi.bridge import Bridge
from todo_context.hosts.pi.wire import Message, Wire

OURS = ("todo_context:activate",)

END_S = 2.0
"""How long what is still running may take to notice that pi is gone."""


def main(names: Sequence[str]) -> int:
    """Serve pi on standard input and output until pi is gone; the exit code."""
    reader, writer = _take_streams()
    try:
        asyncio.run(_serve(Wire(reader, writer), names or OURS))
    except (OSError, TodoContextError) as error:
        print(error, file=sys.stderr)  # noqa: T201 (shim.ts shows the last line of it)
        return 1
    return 0


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep the pipes to pi for the messages alone: what else is printed goes to stderr, and nothing is typed."""
    # Not for what is started from here.
    os.environ.pop("PYTHONSAFEPATH", None)
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return reader, writer


async def _serve(wire: Wire, names: Sequence[str]) -> None:
    bridge = Bridge(wire)
    for name in names:
        await awaited(_function(name)(bridge))
    loop, gone = asyncio.get_running_loop(), asyncio.Event()
    running: set[asyncio.Task[None]] = set()

    def begin(message: Message) -> None:
        task = loop.create_task(bridge.serve(message))
        running.add(task)
        task.add_done_callback(running.discard)

    def listen() -> None:
        try:
            wire.read(lambda message: loop.call_soon_threadsafe(begin, message))
        finally:
            loop.call_soon_threadsafe(gone.set)
            end = threading.Timer(END_S, os._exit, (1,))
            end.daemon = True
            end.start()

    threading.Thread(target=listen, daemon=True).start()
    await gone.wait()


def _function(name: str) -> Callable[[Bridge], object]:
    module, _, function = name.partition(":")
    found: Callable[[Bridge], object] = getattr(importlib.import_module(module), function)
    return found
