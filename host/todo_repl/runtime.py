"""One session, one model, and the extensions around them: what a line of the person sets in motion.

A line that begins with "/name" is a command and runs at once, also while the agent runs; any other line
is a message to the agent, one run at a time, unless a handler of `input` deals with it. A session has its own
agent and its own instances of the extensions: to begin anew is to let go of them and to load them again.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import partial
from typing import Literal

from todo_context.awaiting import awaited
from todo_context.errors import TodoContextError
from todo_context.pi import Answer, CommandHandler, Completion, Tool
from todo_context.plan.model import Json
from todo_context.plan.text import for_screen
from todo_repl.agent import Agent
from todo_repl.agent_events import RunEnd
from todo_repl.answers import Event
from todo_repl.api import ExtensionApi, HostContext, PersonUi, Surroundings, Widgets
from todo_repl.extensions import Extensions
from todo_repl.front import Front
from todo_repl.help_text import help_text, model_words, unknown_command
from todo_repl.loader import Activate, Loadable, Source
from todo_repl.manifest import Manifest
from todo_repl.models import Model
from todo_repl.session import Session
from todo_repl.steering import CustomMessage

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
    handler: Callable[[], Answer | Awaitable[Answer] | None]


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
        self._lines_at_work = 0
        self._finders: list[Callable[[], Iterable[Source]]] = []
        self._host_commands = {
            "help": HostCommand("Show the commands and keys", self._help),
            "reload": HostCommand("Read the extensions anew", self._reload),
            "quit": HostCommand("Leave; the session is kept", self._quit),
            "exit": HostCommand("The same as /quit", self._quit),
        }
        self._begin(self.session)

    def _begin(self, session: Session) -> None:
        """Make the agent of a session, with room for the extensions that are then loaded. They know no others."""
        person = PersonUi(self.front, self.widgets)

        def steer(message: CustomMessage) -> None:
            agent.steer(message)

        surroundings = Surroundings(session, person, steer, self._may_take_turn)
        extensions = Extensions(surroundings, self._host_commands)
        agent = Agent(
            session,
            self.model,
            tools=extensions.tools,
            context=HostContext(person, session.cwd),
            emit=self.front.show,
            system_prompt=self.system_prompt,
            on_event=partial(self._happen_in_run, extensions),
            max_rounds=self.max_rounds,
        )
        self.session, self._agent, self._extensions = session, agent, extensions

    async def load(self, manifest: Manifest, activate: Activate) -> None:
        """Take in an extension, wholly or not at all.

        Raises:
            ExtensionError: it registers what it does not declare or what is taken, or it raised.
        """
        loadable = Loadable(manifest, activate, manifest.entrypoint)
        await self._extensions.load(loadable)
        self._finders.append(lambda: [lambda: loadable])

    async def load_all(self, find: Callable[[], Iterable[Source]]) -> None:
        """Take in what is found, now and whenever all are loaded anew; each that cannot be is one line."""
        self._finders.append(find)
        await self._load_found(find)

    async def start(self, reason: Literal["startup", "resume"]) -> None:
        """Tell the extensions that the session begins."""
        await self.happen("session_start", {"reason": reason})

    async def close(self) -> None:
        """End the run, tell the extensions, and give the session's file free. A second call does nothing."""
        self._agent.abort()
        # What the model had said by then is still to be stored.
        await self._idle.wait()
        await self._extensions.shut_down("quit")
        self.session.close()

    async def submit(self, text: str) -> Submitted:
        """Do what the person typed, and wait for its end."""
        self._lines_at_work += 1
        try:
            ended = await self._line(text.strip())
            # A command asked for a turn. One that did so during a run has had it there.
            if self._agent.wants_turn and not self._agent.is_running:
                ended = max(ended, await self._run(None))
            return ended
        finally:
            self._lines_at_work -= 1

    async def _line(self, text: str) -> Submitted:
        match = _COMMAND.match(text)
        name = match[1].casefold() if match else text.casefold() if text.casefold() in _BARE else ""
        if name in self.commands():
            return await self._command(name, text[match.end() :] if match else "")
        left = await self.happen("input", {"text": text, "source": "interactive" if self.front.has_ui else "print"})
        if left.get("action") == "handled":
            return Submitted.DONE
        if match and left["text"] == text:
            return self._answer(unknown_command(name, self.commands()))
        if self._agent.is_running:
            return self._fail("The agent is at work. Wait for its answer, or stop it with Ctrl-C.")
        return await self._run(str(left["text"]))

    def abort(self) -> bool:
        """Stop the run; whether there was one."""
        was_running = self._agent.is_running
        self._agent.abort()
        return was_running

    def commands(self) -> Mapping[str, str]:
        """All commands with their descriptions, by name."""
        found = {name: command.description for name, command in self._host_commands.items()}
        found |= {name: command.description for name, command in self._extensions.commands().items()}
        return dict(sorted(found.items()))

    def tools(self) -> Sequence[Tool]:
        """What the model can call."""
        return self._extensions.tools()

    async def completions(self, text: str) -> Sequence[Completion]:
        """How a line that begins with "/" can go on. Each value is the whole line."""
        match = re.match(r"/([a-z][a-z0-9_-]*)\s", text)
        if match is None:
            names = [name for name in self.commands() if text.startswith("/") and name.startswith(text[1:])]
            return [Completion(value=f"/{name}", label=f"/{name}", description=self.commands()[name]) for name in names]
        extension = self._extensions.owner(match[1])
        complete = extension.offered.commands[match[1]].get_argument_completions if extension else None
        if extension is None or complete is None:
            return []
        try:
            found = await awaited(complete(text[match.end() :]))
        except Exception as error:  # noqa: BLE001 (an extension's own; the prompt must go on)
            self._extensions.report(extension, f"completions of /{match[1]}", error)
            return []
        return [replace(c, value=f"/{match[1]} {c.value}") for c in found]

    async def happen(self, event: str, fields: Mapping[str, Json]) -> Event:
        """Tell an event to its handlers, in the order registered; the event as they left it."""
        return await self._extensions.happen(event, fields)

    async def _happen_in_run(self, extensions: Extensions, event: str, fields: Mapping[str, Json]) -> Event:
        left = await extensions.happen(event, fields)
        if event == "before_agent_start":
            messages = left.get("messages")
            for message in messages if isinstance(messages, list) else ():
                if isinstance(message, dict) and message["display"]:
                    self.front.ui.notify(str(message["content"]))
        return left

    async def _begin_anew(self, session: Session, reason: Literal["reload"]) -> None:
        """Let go of the extensions, and load them again for this session."""
        try:
            await self._extensions.shut_down(reason)
        finally:
            # Also when Ctrl-C ended the wait for one that did not let go: else nothing would be there any more.
            self._begin(session)
            for find in self._finders:
                await self._load_found(find)
        await self.happen("session_start", {"reason": reason})

    async def _load_found(self, find: Callable[[], Iterable[Source]]) -> None:
        for source in find():
            try:
                await self._extensions.load(source())
            except TodoContextError as error:
                self.front.ui.notify(for_screen(str(error)), "error")

    def _may_take_turn(self) -> bool:
        # Else nobody would see what the agent says, nor could stop it.
        return self._agent.is_running or self._lines_at_work > 0

    async def _command(self, name: str, args: str) -> Submitted:
        extension = self._extensions.owner(name)
        if extension is None:
            return self._answer(await awaited(self._host_commands[name].handler()))
        return await self._call(extension, name, extension.offered.commands[name].handler, args)

    async def _call(self, extension: ExtensionApi, name: str, handler: CommandHandler, args: str) -> Submitted:
        try:
            return self._answer(await handler(args, extension))
        except (TodoContextError, OSError) as error:
            return self._fail(str(error))
        except Exception as error:  # noqa: BLE001 (an extension's own; the session must go on)
            self._extensions.report(extension, f"/{name}", error)
            return Submitted.BUG

    async def _run(self, text: str | None) -> Submitted:
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

    async def _reload(self) -> Answer:
        if self._agent.is_running:
            line = "The agent is at work. /reload when it has answered, or stop it with Ctrl-C."
            return Answer(text=line, is_error=True)
        await self._begin_anew(self.session, "reload")
        return Answer(text=for_screen(f"Loaded: {self._extension_words()}."))

    def _help(self) -> Answer:
        facts = {
            "Model": model_words(self.model),
            "Session": str(self.session.path or "kept nowhere"),
            "Extensions": self._extension_words(),
        }
        return Answer(text=help_text(self.commands(), facts, has_keys=self.front.has_ui))

    def _extension_words(self) -> str:
        return ", ".join(self._extensions.names) or "none"

    def _quit(self) -> None:
        self.is_over = True


def _submitted(end: RunEnd) -> Submitted:
    match end.reason:
        case "stop":
            return Submitted.DONE
        case "aborted":
            return Submitted.ABORTED
        case "error" | "limit":
            return Submitted.FAILED
