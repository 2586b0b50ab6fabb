"""Aelix as a host: `setup` is its entry point, `AelixPi` the port over its API.

Aelix runs `setup` anew for each session and after /reload, so one `AelixPi` belongs to one session for life. What
it keeps of a hook is the newest context: that leads to the session, and raises once the session was left, so
nothing is ever stored in another one. An error of ours becomes a line, never the end of Aelix's turn.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Literal, cast

from todo_context.activate import activate
from todo_context.awaiting import awaited
from todo_context.errors import TodoContextError
from todo_context.hosts import aelix_parts as parts
from todo_context.hosts.aelix_ui import Moment, say, warn
from todo_context.kept import Kept
from todo_context.pi import (
    Answer,
    Capabilities,
    CommandHandler,
    Completer,
    Entry,
    Handler,
    Level,
    Preview,
    Tool,
    session_name,
)
from todo_context.plan.model import Json

IS_HERE = "todo-context:is-here"
"""The channel on which an extension that is loaded twice finds itself."""

SCREEN_IS_UP = "ui:list-modules"
"""Aelix's TUI asks on this channel, once, right after it is there: after the session_start of a start."""


def setup(aelix: parts.Api) -> None:
    """Offer the tool and /todo to this session of Aelix.

    Loaded twice (installed, and named with -e too), the first one serves: else each of both would do all of it.
    """
    here: list[object] = []
    aelix.events.emit(IS_HERE, here)
    if here:
        return
    activate(AelixPi(aelix))
    aelix.events.on(IS_HERE, lambda found: cast("list[object]", found).append(setup))


class AelixPi:
    """Implements `todo_context.pi.Pi` for the session that `aelix` belongs to."""

    def __init__(self, aelix: parts.Api) -> None:
        self._aelix = aelix
        self._commands: dict[str, CommandHandler] = {}
        self._now: parts.Context | None = None
        self._entries = parts.Entries()
        self._kept: Kept | None = None
        self._name = ""
        self._notes: list[str] = []
        self._has_sent = False
        self._unseen: list[tuple[Handler, Mapping[str, Json]]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        # A tool is told of no session, but this comes right before it. The answer is none: nothing is blocked.
        aelix.on("tool_call", self._come_by)
        aelix.on("input", self._typed)
        aelix.events.on(SCREEN_IS_UP, self._screen_is_up)

    @property
    def capabilities(self) -> Capabilities:
        """Arguments are held against the schema; `context` runs before each request; a follow-up goes on.

        A guideline of a tool would be cut after 200 characters, and left out where the person has another prompt.
        """
        return Capabilities(
            validates_arguments=True, context_hook=True, goes_on=True, system_prompt="before_agent_start"
        )

    @property
    def storage(self) -> Literal["session", "memory"]:
        """Memory with --no-session."""
        return "memory" if self._now is not None and self._session().session_file is None else "session"

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` when Aelix has this event; what it answers to `context` and `before_agent_start` counts."""

        async def heard(happened: object, context: parts.Context) -> object:
            if event == "input" and self._is_command(happened):
                return None  # commands come before `input`, and are not told there
            if event == "session_start" and not context.has_ui:
                self._unseen.append((handler, parts.event_as_json(event, happened)))
            self._now = context
            if event == "context":
                return await self._transform(handler, happened)
            answer = await self._call(handler, parts.event_as_json(event, happened))
            return parts.started(answer) if event == "before_agent_start" else None

        try:
            self._aelix.on(event, heard)
        except KeyError:
            return  # Aelix has no such event: it never happens here

    def register_tool(self, tool: Tool) -> None:
        """Offer a tool to the model."""

        async def execute(arguments: dict[str, Json], call: parts.Call) -> object:
            return parts.result_of(await tool.execute(call.tool_call_id, arguments, await self._moment()))

        self._aelix.register_tool(parts.tool_of(tool, execute))

    def offers(self, tool: str) -> bool:
        """Whether the tool is among the active ones."""
        return tool in self._aelix.get_active_tools()

    def has_background_work(self) -> bool:
        """Aelix does not know."""
        return False

    def register_command(
        self,
        name: str,
        *,
        description: str,
        handler: CommandHandler,
        get_argument_completions: Completer | None = None,  # noqa: ARG002 - Aelix completes names alone
        preview: Preview | None = None,  # noqa: ARG002 - Aelix has no place for it
    ) -> None:
        """Offer `/name`: to the TUI as a command, to --print and RPC through what is typed."""

        async def typed(args: str, context: parts.Context) -> str:
            self._now = context
            return (await self._answer(name, args)).text

        self._commands[name] = handler
        self._aelix.register_command(name, handler=typed, description=description)

    async def append_entry(self, custom_type: str, data: Mapping[str, Json]) -> str:
        """Store a custom entry at the leaf; its id.

        Raises:
            TodoContextError: it could not be stored; the session is as it was.
        """
        # Not aelix.append_entry: that only makes a task of it, and a read right after does not see the entry.
        try:
            return await self._session().append_custom_entry(custom_type, dict(data))
        except TodoContextError:
            raise
        except Exception as error:
            # Aelix's SessionError, which a module that loads without Aelix cannot name.
            raise TodoContextError(f"Aelix could not store the plan: {error}. It is as it was; try again.") from error

    async def branch(self) -> Sequence[Entry]:
        """The entries from the root to the leaf."""
        return self._entries.of(await self._session().get_branch())

    def send_message(self, text: str, *, custom_type: str, display: bool = True, trigger_turn: bool = False) -> None:  # noqa: ARG002 - see below
        """Have the model read a message: in the run that goes on, else with the next one.

        Aelix keeps the text alone, as a message of the user; it is shown, and its type is lost.
        """
        is_idle = self._context().is_idle()
        if trigger_turn:
            self._aelix.send_message(text, trigger_turn=True, deliver_as=None if is_idle else "follow_up")
        else:
            self._aelix.send_message(text, deliver_as=None if is_idle else "steer")
        self._has_sent = True

    async def _come_by(self, _happened: object, context: parts.Context) -> None:
        self._now = context

    async def _typed(self, happened: object, context: parts.Context) -> object:
        """Do a command that came in as a prompt. The TUI does its commands before, and asks nobody."""
        if not self._is_command(happened):
            return None
        name, _, args = str(getattr(happened, "text", "")).strip().partition(" ")
        self._now = context
        answer = await self._answer(name[1:], args)
        if context.has_ui:
            context.ui.notify(answer.text, "error" if answer.is_error else "info")
        else:
            say(answer, str(getattr(happened, "source", "")))
        return parts.handled()

    def _is_command(self, happened: object) -> bool:
        name = str(getattr(happened, "text", "")).strip().partition(" ")[0]
        return name.startswith("/") and name[1:] in self._commands

    async def _answer(self, name: str, args: str) -> Answer:
        """What the command says, below what was noted while it ran."""
        self._notes.clear()
        try:
            answer = await self._commands[name](args, await self._moment()) or Answer(text="")
        except Exception as error:  # noqa: BLE001 - the edge: Aelix's loop goes on
            answer = Answer(text=_failed(f"/{name}", error), is_error=True)
        return Answer(text="\n".join(filter(None, [*self._notes, answer.text])), is_error=answer.is_error)

    async def _call(self, handler: Handler, event: Mapping[str, Json]) -> object:
        answer: object = None
        try:
            answer = await awaited(handler(event, await self._moment()))
        except Exception as error:  # noqa: BLE001 - the edge: raised, it would end Aelix's turn
            self._report(_failed(str(event["type"]), error))
        if self._has_sent:
            self._has_sent = False
            # Aelix makes a task of each message, and looks for messages as soon as this returns.
            await asyncio.sleep(0)
        return answer

    async def _transform(self, handler: Handler, happened: object) -> object:
        """Ask a handler of `context` for other messages; None leaves them as they are."""
        request = parts.Request(happened)
        answer = await self._call(handler, {"type": "context", "messages": [*request.shown]})
        messages = answer.get("messages") if isinstance(answer, dict) else None
        if not isinstance(messages, list):
            return None
        try:
            return request.instead(cast("list[Json]", messages))
        except ValueError as error:
            self._report(_failed("context", error))
            return None

    def _report(self, line: str) -> None:
        context = self._now
        if context is not None and context.has_ui:
            context.ui.notify(line, "error")
        else:
            warn(line)

    def _screen_is_up(self, _probe: object) -> None:
        task = asyncio.get_running_loop().create_task(self._tell_again())
        self._tasks.add(task)  # else the loop alone knows it, and may drop it
        task.add_done_callback(self._tasks.discard)

    async def _tell_again(self) -> None:
        """Tell of the session's start a second time: at the first, there was no screen to show anything on."""
        unseen, self._unseen = self._unseen, []
        for handler, event in unseen:
            await self._call(handler, event)

    def _context(self) -> parts.Context:
        if self._now is None:
            raise TodoContextError("Aelix has not begun a session yet. Wait for session_start.")
        return self._now

    def _session(self) -> parts.Session:
        context = self._context()
        try:
            return context.session_manager.get_session()
        except Exception as error:
            # Aelix's ExtensionError, mostly because the session was left (/new, /resume, /reload) while this ran.
            raise TodoContextError(f"Aelix gives no session here: {error} Type it again where you are now.") from error

    async def _moment(self) -> Moment:
        if self._kept is None:
            owner = (await self._session().get_metadata()).id
            self._kept = Kept(notify=self._note, owner=owner, offer=self._offer)
            self._name = session_name("aelix", owner)
        return Moment(self._context(), self._kept, self._name)

    def _note(self, message: str, _level: Level) -> None:
        # With the answer of the command: a notice of Aelix's is gone in three seconds, and this names a file.
        self._notes.append(message)

    async def _offer(self, title: str, message: str) -> bool:
        return await self._context().ui.confirm(title, message)


def _failed(what: str, error: Exception) -> str:
    return f"{what} failed: {error}" if isinstance(error, TodoContextError) else f"{what} failed: {error!r}"
