"""Messages between this process and pi, in both directions at once: JSON, one object a line.

A request has an `id` and says in `ask` what is wanted; its answer has that number as `re`, with either `ok` or
`error`. What is asked of pi names in `for` the request of pi that it serves. Nothing here knows what is said.
"""

import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import BinaryIO

from todo_context.plan.model import Json

Message = Mapping[str, Json]


class PiError(OSError):
    """What pi answered when it could not do what it was asked."""


class GoneError(PiError):
    """The session was left, or pi is about to end: nobody is there who could be told."""


STALE = "ctx is stale"
"""What both versions of pi say then."""


class Wire:
    """Both ends of the pipes. Requests are answered in any order; `read` runs in a thread of its own."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader = reader
        self._writer = writer
        self._turn = threading.Lock()
        self._asked: dict[int, Future[Json]] = {}
        self._count = 0

    def ask(self, what: str, *args: Json, serving: int) -> "Future[Json]":
        """Ask something of pi; what it answers, or a PiError."""
        future: Future[Json] = Future()
        # Else it could be cancelled, and the answer that comes all the same would find it so.
        future.set_running_or_notify_cancel()
        with self._turn:
            self._count += 1
            number = self._count
            self._asked[number] = future
        self._write({"id": number, "for": serving, "ask": what, "args": list(args)})
        return future

    def post(self, what: str, *args: Json, serving: int) -> None:
        """Tell pi to do something, without an answer."""
        self._write({"for": serving, "ask": what, "args": list(args)})

    def answer(self, number: int, value: Json) -> None:
        """Answer a request of pi."""
        self._write({"re": number, "ok": value})

    def refuse(self, number: int, error: str) -> None:
        """Answer a request of pi with what went wrong."""
        self._write({"re": number, "error": error})

    def read(self, on_request: Callable[[Message], object]) -> None:
        """Hand on the requests of pi until it closes the pipe. Answers reach those who asked."""
        for line in self._reader:
            message: Message = json.loads(line)
            if "ask" in message:
                on_request(message)
                continue
            number = message["re"]
            future = self._asked.pop(number) if isinstance(number, int) else Future[Json]()
            if "error" in message:
                error = str(message["error"])
                future.set_exception(GoneError(error) if STALE in error else PiError(error))
            else:
                future.set_result(message.get("ok"))

    def _write(self, message: Message) -> None:
        line = json.dumps(message).encode("ascii") + b"\n"
        with self._turn:
            self._writer.write(line)
            self._writer.flush()
