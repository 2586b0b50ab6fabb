"""The extensions of one session: loaded, told what happens, and let go together.

An event goes through the handlers in the order they were loaded and registered, each time as the one before
left it (answers.py). What an extension raises, or answers wrongly, is reported under its name and stops nothing.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from todo_context.awaiting import awaited
from todo_context.errors import TodoContextError
from todo_context.pi import Handler, Tool
from todo_context.plan.model import Json
from todo_context.plan.text import for_screen
from todo_repl.answers import Event, copy_of, is_settled, left_by
from todo_repl.api import ExtensionApi, Surroundings
from todo_repl.bugs import bug_line
from todo_repl.loader import Command, Loadable, Registered, refuse_undeclared
from todo_repl.manifest import ExtensionError, Undeclared

ABORT_WAIT_S = 5.0
"""How long an abort waits for a handler to clean up, in seconds. One that takes longer is left to itself."""

Report = Callable[[ExtensionApi, str, Exception], None]


class Extensions:
    """Those of one session. `taken` are the names of commands that no extension may have."""

    def __init__(self, surroundings: Surroundings, taken: Collection[str]) -> None:
        self._surroundings = surroundings
        self._taken = taken
        self._loaded: list[ExtensionApi] = []

    async def load(self, loadable: Loadable) -> None:
        """Take in an extension, wholly or not at all.

        Raises:
            ExtensionError: it registers what it does not declare or what is taken, or it raised.
            TodoContextError: it raised that.
        """
        api = ExtensionApi(loadable.manifest, self._surroundings, self._refuse)
        try:
            await awaited(loadable.activate(api))
            api.finish_loading()
        except BaseException as error:
            api.retire()
            if isinstance(error, TodoContextError) or not isinstance(error, Exception):
                raise
            line = bug_line(loadable.place, error)
            raise ExtensionError(loadable.manifest.name, "cannot be loaded:", line) from error
        self._loaded.append(api)

    async def shut_down(self, reason: str) -> None:
        """Tell them that it is over, and let go of them. A second call does nothing."""
        loaded, self._loaded = self._loaded, []
        try:
            for extension in loaded:
                for handler in tuple(extension.offered.handlers.get("session_shutdown", ())):
                    await self._told(extension, handler, {"type": "session_shutdown", "reason": reason})
        finally:
            for extension in loaded:
                extension.retire()
            self._surroundings.person.clear_widgets()

    async def happen(self, name: str, fields: Mapping[str, Json]) -> Event:
        """Tell an event to its handlers; the event as they left it."""
        event: Event = {"type": name, **fields}
        for extension in tuple(self._loaded):
            for handler in tuple(extension.offered.handlers.get(name, ())):
                event = await self._told(extension, handler, event)
                if is_settled(event):
                    return event
        return event

    @property
    def names(self) -> Sequence[str]:
        """Their names, in the order loaded, with a mark for those without a manifest."""
        return [
            f"{extension.manifest.name} (undeclared)"
            if isinstance(extension.manifest, Undeclared)
            else extension.manifest.name
            for extension in self._loaded
        ]

    def tools(self) -> Sequence[Tool]:
        """What the model can call."""
        return [tool for extension in self._loaded for tool in extension.offered.tools.values()]

    def commands(self) -> Mapping[str, Command]:
        """What the person can call, by name."""
        return {name: command for extension in self._loaded for name, command in extension.offered.commands.items()}

    def owner(self, command: str) -> ExtensionApi | None:
        """Whose command it is."""
        return next((extension for extension in self._loaded if command in extension.offered.commands), None)

    def report(self, extension: ExtensionApi, where: str, error: Exception) -> None:
        """Tell the person in one line what an extension raised."""
        begin = f"{extension.manifest.name}: "
        # An error of ours may begin with the name already.
        known = f"{where}: {str(error).removeprefix(begin)}"
        line = known if isinstance(error, TodoContextError) else bug_line(where, error)
        self._surroundings.person.notify(for_screen(begin + line), "error")

    async def _told(self, extension: ExtensionApi, handler: Handler, event: Event) -> Event:
        try:
            return left_by(event, await _answer(handler, copy_of(event), extension))
        except Exception as error:  # noqa: BLE001 (an extension's own; the host must go on)
            self.report(extension, f"at {event['type']}", error)
            return event

    def _refuse(self, extension: ExtensionApi, new: Registered) -> None:
        refuse_undeclared(extension.manifest, new)
        others = [other.offered for other in self._loaded if other is not extension]
        for name in new.commands:
            if name in self._taken or any(name in other.commands for other in others):
                raise ExtensionError(extension.manifest.name, f"/{name} is taken.", "Load one of the two.")
        for name in new.tools:
            if any(name in other.tools for other in others):
                raise ExtensionError(extension.manifest.name, f"the tool {name} is taken.", "Load one of the two.")


@contextmanager
def stays_here() -> Iterator[None]:
    """Turn what would end the program into an error: that is not for an extension to do."""
    try:
        yield
    except (Exception, asyncio.CancelledError, KeyboardInterrupt):
        raise
    except BaseException as error:  # a panic of a library in another language is one, too
        raise RuntimeError(f"it raised {type(error).__name__}({error})") from error


async def _staying_here(answer: Awaitable[object]) -> object:
    try:
        with stays_here():
            return await answer
    except KeyboardInterrupt as error:  # in a task of its own it is nobody's Ctrl-C
        raise RuntimeError("it raised KeyboardInterrupt") from error


async def _answer(handler: Handler, event: Event, extension: ExtensionApi) -> object:
    """What a handler answers. Whoever waits for it can be cancelled, also where the handler does not listen."""
    with stays_here():
        try:
            answer = handler(event, extension)
        except asyncio.CancelledError as error:  # nobody can have cancelled what does not wait
            raise RuntimeError("it cancelled itself") from error
    if not inspect.isawaitable(answer):
        return answer
    task = asyncio.ensure_future(_staying_here(answer))
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait([task], timeout=ABORT_WAIT_S)
        # Else the event loop prints a trace of what nobody waits for any more.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        raise
    if task.cancelled():
        raise RuntimeError("it cancelled itself")
    return task.result()
