"""One session, one model, and the extensions around them: what a line of the person sets in motion.

A line that begins with "/name" is a command and runs at once, also while the agent runs; any other line
is a message to the agent, unless a handler of `input` deals with it. One run at a time: what is said while one is on
goes along with its next request, and comes back as a draft where there is none. A session has its own
agent and its own instances of the extensions: to begin anew is to let go of them and to load them again.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from todo_context.errors import TodoContextError
from todo_context.pi import Answer, Completion, Tool
from todo_context.plan.model import Json
from todo_context.plan.text import for_screen
from todo_context.settings import KeySettings
from todo_repl.agent_events import CompactionEnd
from todo_repl.answers import Event
from todo_repl.api import Widgets
from todo_repl.compaction import Compacting
from todo_repl.completing import CALL, completions, preview
from todo_repl.extensions import stays_here
from todo_repl.front import Front
from todo_repl.help_text import unknown_command
from todo_repl.host_commands import at_work, host_commands
from todo_repl.life import begun
from todo_repl.loader import Activate, Loadable, Source
from todo_repl.manifest import Manifest
from todo_repl.messages import Message
from todo_repl.models import Model
from todo_repl.session import Session
from todo_repl.session_moved import may_go_on
from todo_repl.session_place import Place
from todo_repl.session_points import last_exchange
from todo_repl.session_rebase import without_plan
from todo_repl.steering import Said
from todo_repl.submitted import Submitted, submitted

__all__ = ["Runtime", "Submitted"]

Reason = Literal["reload", "new", "resume", "fork"]
"""Why the extensions begin anew. Source: pi, session_start."""

_BARE = frozenset({"quit", "exit"})
"""Words that are commands without the slash too: who types one alone wants to leave."""


@dataclass(eq=False)
class Runtime:
    """`load` the extensions, `start`, then `submit` line by line, and `close` at the end."""

    session: Session
    model: Model
    front: Front
    system_prompt: str
    max_rounds: int
    compacting: Compacting = field(default=Compacting())
    place: Place = field(default=Place())
    handoff: str = "plan"
    """How /handoff hands over, as in the settings."""
    keys: KeySettings = field(default=KeySettings())
    """What the keys at the prompt do."""
    with_tools: bool = True
    widgets: Widgets = field(default_factory=dict)
    is_over: bool = False
    """Whether the person wants to leave."""
    draft: str = ""
    """What the next line of the person begins with."""

    def __post_init__(self) -> None:
        self._idle = asyncio.Event()
        self._idle.set()
        self._lines_at_work = 0
        self._saying = asyncio.Lock()
        self._said_meanwhile: list[str] = []
        """What the person said while a summary was made: the next message."""
        self._finders: list[Callable[[], Iterable[Source]]] = []
        self._host_commands = host_commands(self)
        self._begin(self.session)

    def _begin(self, session: Session, refused: Sequence[Message] = ()) -> None:
        self.session = session
        self._agent, self.extensions = begun(self, self._host_commands)
        self._agent.refused.extend(refused)

    async def load(self, manifest: Manifest, activate: Activate) -> None:
        """Take in an extension, wholly or not at all.

        Raises:
            ExtensionError: it registers what it does not declare or what is taken, or it raised.
        """
        loadable = Loadable(manifest, activate, manifest.entrypoint)
        await self.extensions.load(loadable)
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
        await self.extensions.shut_down("quit")
        is_rescued = bool(self.unsaved) and not self.is_over and self._rescue()
        self.session.close()
        # Of what waited for the disk the session has told by then.
        if self.unsaved and not self.session.is_waiting and not is_rescued:
            self.front.ui.notify(for_screen(f"{self.session.path}: {self.unsaved}: it is kept nowhere."), "error")

    def _rescue(self) -> bool:
        """Put what is in no file into a session of its own, for nobody gave it up; whether it is kept."""
        fact = self.unsaved
        with contextlib.suppress(TodoContextError, OSError):
            self.session.flush()
        if not self.unsaved:
            return True
        try:
            forked = self.forked()
        except (TodoContextError, OSError):
            return False
        forked.close()
        self.front.ui.notify(for_screen(f"{self.session.path}: {fact}: all of it is kept in {forked.path}"), "warning")
        return True

    async def submit(self, text: str, *, is_shown: bool = True) -> Submitted:
        """Do what the person typed, and wait for its end; what goes to a run that is on has its end with it.

        `is_shown`: they see it among what was said.
        """
        self._lines_at_work += 1
        try:
            ended = await self._line(text.strip(), is_shown=is_shown)
            if ended is Submitted.FAILED and not self._agent.is_running and not self.draft:
                # For want of a place to store something, perhaps; who was asked before has the line back as a draft.
                await may_go_on(self)
            if self._said_meanwhile and not self._agent.is_running:
                text, self._said_meanwhile = "\n\n".join(self._said_meanwhile), []
                ended = max(ended, await self._run(Said(text=text)))
            # A command asked for a turn. One that did so during a run has had it there.
            if self._agent.wants_turn and not self._agent.is_running:
                ended = max(ended, await self._run(None))
            return ended
        finally:
            self._lines_at_work -= 1

    async def _line(self, text: str, *, is_shown: bool) -> Submitted:
        match = CALL.match(text)
        name = match[1].casefold() if match else text.casefold() if text.casefold() in _BARE else ""
        refused = await self._refused(name, text)
        if refused is not None:
            return refused
        if name in self.commands():
            return await self._command(name, text[match.end() :] if match else "")
        # One line after the other, in their order, however long a handler thinks; the run begins without a wait.
        async with self._saying:
            source = "interactive" if self.front.has_ui else "print"
            left = await self.happen("input", {"text": text, "source": source})
        if left.get("action") == "handled":
            return Submitted.DONE
        if match and left["text"] == text:
            return self._answer(unknown_command(name, self.commands()))
        said = Said(text=str(left["text"]), is_shown=is_shown)
        if self._agent.is_running:
            self._agent.say(said)
            return Submitted.DONE
        return await self._run(said)

    async def _refused(self, name: str, text: str) -> Submitted | None:
        """How a line ended that cannot be done now; None if it can."""
        host_command = self._host_commands.get(name)
        when = "stored" if host_command is None else host_command.when
        if when == "always":
            return None
        if self._agent.is_running:
            return None if host_command is None else self._answer(at_work(name))
        if when == "idle" or await may_go_on(self):
            return None
        self.draft = text
        return Submitted.FAILED

    def forked(self) -> Session:
        """Begin another session as the branch of this one, with all that could not be stored in this one.

        Raises:
            TodoContextError: none is kept, or the disk does not take it.
        """
        forked = self.session.fork(self.place.new_path(self.session.cwd))
        self.store_refused(forked)
        return forked

    def store_refused(self, session: Session, *, is_moved: bool = False) -> None:
        """Store what the model and the tools said while the session took nothing; `is_moved`: behind another's work.

        Raises:
            SessionError: as `Session.append`; nothing is forgotten.
        """
        refused = self._agent.refused
        while refused:
            message = refused[0].to_json()
            session.append_message(without_plan(message) if is_moved else message)
            del refused[0]

    @property
    def unsaved(self) -> str:
        """What would be gone with this session, in words for the person; empty if all is on the disk."""
        return self.session.unsaved or ("what was said last is in no file" if self._agent.refused else "")

    @property
    def is_working(self) -> bool:
        """Whether the agent is at work, or a summary is being made."""
        return self._agent.is_running

    @property
    def waiting(self) -> Sequence[str]:
        """What the person said and the agent has not read yet."""
        return self._agent.waiting

    def may_take_turn(self) -> bool:
        """Whether the agent may begin by itself: else nobody would see what it says, nor could stop it."""
        return self._agent.is_running or self._lines_at_work > 0

    def abort(self) -> bool:
        """Stop the run; whether there was one."""
        was_running = self._agent.is_running
        self._agent.abort()
        return was_running

    def commands(self) -> Mapping[str, str]:
        """All commands with their descriptions, by name: first those of the extensions, then those of the host."""
        found = {name: command.description for name, command in self.extensions.commands().items()}
        own = {name: command.description for name, command in self._host_commands.items()}
        return found | {name: words for name, words in own.items() if name not in found}

    def tools(self) -> Sequence[Tool]:
        """What the model can call."""
        return self.extensions.tools() if self.with_tools else ()

    async def completions(self, text: str) -> Sequence[Completion]:
        """How a line that begins with "/" can go on. Each value is the whole line."""
        return await completions(text, self.commands(), self.extensions, self._host_commands)

    async def preview(self, text: str) -> str | None:
        """What a line would do, in one line for the screen; None where there is nothing to say."""
        return await preview(text, self.extensions)

    async def happen(self, event: str, fields: Mapping[str, Json]) -> Event:
        """Tell an event to its handlers, in the order registered; the event as they left it."""
        return await self.extensions.happen(event, fields)

    async def begin_anew(self, session: Session, reason: Reason, *, saying: str = "") -> None:
        """Let go of the extensions and, if it is another one, of the session; and load them again for this session.

        `saying` is said before what the extensions have to say of it.
        """
        before, fields = self.session, dict[str, Json](reason=reason)
        if session is not before and before.path is not None and before.leaf_id is not None:
            fields["previousSessionFile"] = str(before.path)
        try:
            await self.extensions.shut_down(reason)
        finally:
            # Also when Ctrl-C ended the wait for one that did not let go: else nothing would be there any more.
            if session is not before:
                before.close()
            # What the session that goes on did not take is kept in mind; of another it was stored, or given up.
            self._begin(session, self._agent.refused if session is before else ())
            for find in self._finders:
                await self._load_found(find)
        if saying:
            self.front.answer(Answer(text=saying))
        if reason == "resume":
            self.front.recall(*last_exchange(session.branch()))
        await self.happen("session_start", fields)

    async def _load_found(self, find: Callable[[], Iterable[Source]]) -> None:
        for source in find():
            try:
                await self.extensions.load(source())
            except TodoContextError as error:
                self.front.ui.notify(for_screen(str(error)), "error")

    async def _command(self, name: str, args: str) -> Submitted:
        extension = self.extensions.owner(name)
        try:
            if extension is None:
                return self._answer(await self._host_commands[name].handler(args.strip()))
            with stays_here():
                return self._answer(await extension.offered.commands[name].handler(args, extension))
        except (TodoContextError, OSError) as error:
            return self._fail(str(error))
        except Exception as error:
            if extension is None:
                raise
            self.extensions.report(extension, f"/{name}", error)
            return Submitted.BUG

    async def compact(self, wish: str) -> CompactionEnd:
        """Have older messages become a summary. Raises as `Agent.compact`."""
        self._idle.clear()
        try:
            end = await self._agent.compact(wish)
            if end.reason != "aborted":
                self._said_meanwhile.extend(self._agent.take_back())
            return end
        finally:
            self._idle.set()
            self._give_back()

    async def _run(self, said: Said | None) -> Submitted:
        self._idle.clear()
        try:
            if said is None:
                return submitted(await self._agent.run(None))
            return submitted(await self._agent.run(said.text, is_shown=said.is_shown))
        except (TodoContextError, OSError) as error:
            return self._fail(str(error))
        finally:
            self._idle.set()
            self._give_back()

    def _give_back(self) -> None:
        """What the person said, and the agent did not come to read, is what their next line begins with."""
        self.draft = "\n\n".join(filter(None, [self.draft, *self._agent.take_back()]))

    def _answer(self, answer: Answer | None) -> Submitted:
        if answer is None:
            return Submitted.DONE
        self.front.answer(answer)
        return Submitted.FAILED if answer.is_error else Submitted.DONE

    def _fail(self, line: str) -> Submitted:
        return self._answer(Answer(text=for_screen(line), is_error=True))
