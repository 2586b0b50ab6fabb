"""One session, one model, and the extensions around them: what a line of the person sets in motion.

A line that begins with "/name" is a command and runs at once, also while the agent runs; any other line
is a message to the agent, one run at a time. What an extension raises is reported and stops nothing.
"""

import asyncio
import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Literal

from todo_context.awaiting import awaited
from todo_context.errors import TodoContextError
from todo_context.pi import Answer, CommandHandler, Completion, Tool
from todo_context.plan.model import Json
from todo_context.plan.text import for_screen
from todo_repl.agent import Agent
from todo_repl.agent_events import RunEnd
from todo_repl.api import ExtensionApi, HostContext, PersonUi, Widgets
from todo_repl.bugs import bug_line
from todo_repl.front import Front
from todo_repl.loader import Activate
from todo_repl.manifest import ExtensionError, Manifest
from todo_repl.models import OFFLINE, Model
from todo_repl.session import Session

_COMMAND = re.compile(r"/([a-z][a-z0-9_-]*)(?:\s+|\Z)", re.IGNORECASE)
"""Else it is text: a path, a regular expression, a closing tag."""

_BARE = frozenset({"quit", "exit"})
"""Words that are commands without the slash too: who types one alone wants to leave."""


class Submitted(IntEnum):
    """How a line ended; of several, the highest counts."""

    DONE = 0
    FAILED = 1
    BUG = 2
    ABORTED = 3


@dataclass(frozen=True, slots=True)
class HostCommand:
    """A command of the host itself."""

    description: str
    handler: Callable[[str], Answer | None]


@dataclass(eq=False)
class Runtime:
    """`load` the extensions, `start`, then `submit` line by line, and `close` at the end."""

    session: Session
    model: Model
    front: Front
    system_prompt: str
    max_rounds: int
    widgets: Widgets = field(default_factory=dict)
    is_over: bool = False
    """Whether the person wants to leave."""

    def __post_init__(self) -> None:
        self._idle = asyncio.Event()
        self._idle.set()
        self._extensions: list[ExtensionApi] = []
        self._host_commands = {
            "help": HostCommand("Show the commands and keys", self._help),
            "quit": HostCommand("Leave; the session is kept", self._quit),
            "exit": HostCommand("The same as /quit", self._quit),
        }
        self._agent = Agent(
            self.session,
            self.model,
            tools=self.tools,
            context=HostContext(PersonUi(self.front, self.widgets), self.session.cwd),
            emit=self.front.show,
            system_prompt=self.system_prompt,
            on_event=self.happen,
            max_rounds=self.max_rounds,
        )

    async def load(self, manifest: Manifest, activate: Activate) -> None:
        """Take in an extension, wholly or not at all.

        Raises:
            ExtensionError: it registers what it does not declare or what is taken, or it raised.
        """
        api = ExtensionApi(manifest, self.session, PersonUi(self.front, self.widgets), self._agent.steer)
        try:
            await awaited(activate(api))
            api.finish_loading()
        except TodoContextError:
            raise
        except Exception as error:
            raise ExtensionError(manifest.name, "cannot be loaded:", bug_line(manifest.entrypoint, error)) from error
        for name in api.offered.commands:
            if name in self.commands():
                raise ExtensionError(manifest.name, f"/{name} is taken.", "Load one of the two.")
        self._extensions.append(api)

    async def start(self, reason: Literal["startup", "resume"]) -> None:
        """Tell the extensions that the session begins."""
        await self.happen("session_start", {"reason": reason})

    async def close(self) -> None:
        """End the run, tell the extensions, and give the session's file free. A second call does nothing."""
        self._agent.abort()
        # What the model had said by then is still to be stored.
        await self._idle.wait()
        extensions, self._extensions = self._extensions, []
        for extension in extensions:
            await self._tell(extension, "session_shutdown", {"reason": "quit"})
        self.session.close()

    async def submit(self, text: str) -> Submitted:
        """Do what the person typed, and wait for its end."""
        text = text.strip()
        match = _COMMAND.match(text)
        if match:
            return await self._command(match[1].casefold(), text[match.end() :])
        if text.casefold() in _BARE:
            return await self._command(text.casefold(), "")
        if self._agent.is_running:
            return self._fail("The agent is at work. Wait for its answer, or stop it with Ctrl-C.")
        return await self._run(text)

    def abort(self) -> bool:
        """Stop the run; whether there was one."""
        was_running = self._agent.is_running
        self._agent.abort()
        return was_running

    def commands(self) -> Mapping[str, str]:
        """All commands with their descriptions, by name."""
        found = {name: command.description for name, command in self._host_commands.items()}
        for extension in self._extensions:
            found |= {name: command.description for name, command in extension.offered.commands.items()}
        return dict(sorted(found.items()))

    def tools(self) -> Sequence[Tool]:
        """What the model can call."""
        return [tool for extension in self._extensions for tool in extension.offered.tools.values()]

    async def completions(self, text: str) -> Sequence[Completion]:
        """How a line that begins with "/" can go on. Each value is the whole line."""
        match = re.match(r"/([a-z][a-z0-9_-]*)\s", text)
        if match is None:
            names = [name for name in self.commands() if text.startswith("/") and name.startswith(text[1:])]
            return [Completion(value=f"/{name}", label=f"/{name}", description=self.commands()[name]) for name in names]
        extension = self._owner(match[1])
        complete = extension.offered.commands[match[1]].get_argument_completions if extension else None
        if extension is None or complete is None:
            return []
        try:
            found = await awaited(complete(text[match.end() :]))
        except Exception as error:  # noqa: BLE001 (an extension's own; the prompt must go on)
            self._report(extension, f"completions of /{match[1]}", error)
            return []
        return [replace(c, value=f"/{match[1]} {c.value}") for c in found]

    async def happen(self, event: str, fields: Mapping[str, Json]) -> None:
        """Call the handlers of an event, in the order registered."""
        for extension in self._extensions:
            await self._tell(extension, event, fields)

    async def _tell(self, extension: ExtensionApi, event: str, fields: Mapping[str, Json]) -> None:
        for handler in tuple(extension.offered.handlers.get(event, ())):
            try:
                await awaited(handler({"type": event, **fields}, extension))
            except Exception as error:  # noqa: BLE001 (an extension's own; the host must go on)
                self._report(extension, f"at {event}", error)

    async def _command(self, name: str, args: str) -> Submitted:
        host_command = self._host_commands.get(name)
        if host_command:
            return self._answer(host_command.handler(args))
        extension = self._owner(name)
        if extension is None:
            return self._answer(self._unknown(name))
        return await self._call(extension, name, extension.offered.commands[name].handler, args)

    async def _call(self, extension: ExtensionApi, name: str, handler: CommandHandler, args: str) -> Submitted:
        try:
            return self._answer(await handler(args, extension))
        except (TodoContextError, OSError) as error:
            return self._fail(str(error))
        except Exception as error:  # noqa: BLE001 (an extension's own; the session must go on)
            self._report(extension, f"/{name}", error)
            return Submitted.BUG

    async def _run(self, text: str) -> Submitted:
        self._idle.clear()
        try:
            end = await self._agent.run(text)
        except (TodoContextError, OSError) as error:
            return self._fail(str(error))
        finally:
            self._idle.set()
        return _submitted(end)

    def _answer(self, answer: Answer | None) -> Submitted:
        if answer is None:
            return Submitted.DONE
        self.front.answer(answer)
        return Submitted.FAILED if answer.is_error else Submitted.DONE

    def _fail(self, line: str) -> Submitted:
        return self._answer(Answer(text=for_screen(line), is_error=True))

    def _report(self, extension: ExtensionApi, where: str, error: Exception) -> None:
        line = str(error) if isinstance(error, TodoContextError) else bug_line(where, error)
        self.front.ui.notify(for_screen(f"{extension.manifest.name}: {line}"), "error")

    def _owner(self, name: str) -> ExtensionApi | None:
        return next((e for e in self._extensions if name in e.offered.commands), None)

    def _unknown(self, name: str) -> Answer:
        known = ", ".join(f"/{known}" for known in self.commands())
        close = difflib.get_close_matches(name, self.commands(), n=1)
        hint = f" Closest: /{close[0]}." if close else ""
        return Answer(text=f"/{name}: no such command.{hint} There are {known}.", is_error=True)

    def _help(self, args: str) -> Answer:
        del args
        commands = self.commands()
        width = max(map(len, commands)) + 3
        lines = [f"{f'/{name}':<{width}}{for_screen(description)}" for name, description in commands.items()]
        lines.append("Any other line is a message to the agent.")
        if self.front.has_ui:
            lines.append("Ctrl-C stops a run, or clears the line. Ctrl-D leaves. Alt-Enter begins a new line.")
        lines += ["", f"Model: {self._model_words()}", f"Session: {self.session.path or 'kept nowhere'}"]
        return Answer(text="\n".join(lines))

    def _model_words(self) -> str:
        if self.model.provider != OFFLINE:
            return for_screen(f"{self.model.provider}:{self.model.name}")
        return "the offline planner, which is none. To connect one, start with --model openai:NAME or anthropic:NAME."

    def _quit(self, args: str) -> Answer | None:
        del args
        self.is_over = True
        return None


def _submitted(end: RunEnd) -> Submitted:
    match end.reason:
        case "stop":
            return Submitted.DONE
        case "aborted":
            return Submitted.ABORTED
        case "error" | "limit":
            return Submitted.FAILED
