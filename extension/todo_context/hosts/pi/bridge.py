"""pi as a host of extensions in Python: the port over the wire.

Nothing that matters is kept here. What is known of the branch only saves sending it again: pi is told the last
entry known, and sends what comes after it, or everything if that entry is on the branch no more.
"""

import asyncio
import traceback
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, cast

from todo_context.awaiting import awaited
from todo_context.errors import TodoContextError
from todo_context.hosts.pi.person import Moment, Person
from todo_context.hosts.pi.wire import GoneError, Message, PiError, Wire
from todo_context.kept import Kept
from todo_context.pi import (
    Answer,
    Capabilities,
    CommandHandler,
    Completer,
    Completion,
    Entry,
    Handler,
    Level,
    Preview,
    Tool,
    session_name,
)
from todo_context.plan.model import Json

# A system prompt that "before_agent_start" answers takes the place of the sections which pi 1.6 keeps apart: a change
# of one would then be written anew from there on, and not behind what a cache holds.
CAPABILITIES = Capabilities(
    validates_arguments=True, context_hook=True, goes_on=True, payload_hook=True, system_prompt="guideline"
)

NO_MOMENT = Moment(number=0)
"""When pi asks for nothing; its requests are numbered from 1."""


@dataclass(frozen=True, slots=True)
class Now:
    """`Context` in pi. `ui` may be used while the request is not answered."""

    moment: Moment
    ui: Person

    @property
    def has_ui(self) -> bool:
        """Whether a person can be asked."""
        return self.moment.has_ui

    @property
    def cwd(self) -> str:
        """The folder the session works in."""
        return self.moment.cwd

    @property
    def session(self) -> str:
        """What names the session."""
        return session_name("pi", self.moment.session)


@dataclass(frozen=True, slots=True)
class _Command:
    description: str
    handler: CommandHandler
    completer: Completer | None


class Bridge:
    """Implements `todo_context.pi.Pi`. Everything is registered before pi is answered the first time."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._tools: dict[str, Tool] = {}
        self._commands: dict[str, _Command] = {}
        self._hooks: list[tuple[str, Handler]] = []
        self._kept: dict[str, Kept] = {}
        self._known: tuple[Entry, ...] = ()
        self._moment = ContextVar("moment", default=NO_MOMENT)
        self._open: set[int] = set()

    @property
    def capabilities(self) -> Capabilities:
        """What pi can do."""
        return CAPABILITIES

    @property
    def storage(self) -> Literal["session", "memory"]:
        """Whether pi keeps this session in a file."""
        return "session" if self._moment.get().is_stored else "memory"

    def on(self, event: str, handler: Handler) -> None:
        """Have pi call for this event; what the handler answers goes back to pi as it is."""
        self._hooks.append((event, handler))

    def register_tool(self, tool: Tool) -> None:
        """Offer a tool. pi draws it in its own way."""
        self._tools[tool.name] = tool

    async def offers(self, tool: str) -> bool:
        """Whether the tool is among pi's active ones."""
        active = await self.ask("active")
        return isinstance(active, list) and tool in active

    def has_background_work(self) -> bool:
        """Pi does not know."""
        return False

    def register_command(
        self,
        name: str,
        *,
        description: str,
        handler: CommandHandler,
        get_argument_completions: Completer | None = None,
        preview: Preview | None = None,  # noqa: ARG002 - pi has no place for it
    ) -> None:
        """Offer a command."""
        self._commands[name] = _Command(description, handler, get_argument_completions)

    async def append_entry(self, custom_type: str, data: Mapping[str, Json]) -> str:
        """Store a custom entry; its id.

        Raises:
            PiError: pi could not store it.
        """
        entry = await self.ask("append", custom_type, dict(data))
        if not isinstance(entry, dict):
            raise PiError(f"pi stored no entry {custom_type}, but answered {entry!r}")
        if self._known and self._known[-1].get("id") == entry.get("parentId"):
            # Completions, which pi asks for without a session to look into, are of the newest plan then.
            self._known = (*self._known, entry)
        return str(entry["id"])

    async def branch(self) -> Sequence[Entry]:
        """The entries from the root to the leaf; where pi gives no session to look into, those known last."""
        if not self._moment.get().session:
            return self._known
        known = self._known
        answer = cast("Mapping[str, Json]", await self.ask("branch", known[-1].get("id") if known else None))
        after = cast("list[Entry]", answer["entries"])
        self._known = (*known, *after) if answer.get("known") else tuple(after)
        return self._known

    def send_message(self, text: str, *, custom_type: str, display: bool = True, trigger_turn: bool = False) -> None:
        """Put a message into the conversation; one that triggers a turn comes after the agent has stopped.

        Where pi would end before that turn, the model would be asked for nothing: the message is left out.
        """
        if trigger_turn and not self._moment.get().can_go_on:
            return
        options: dict[str, Json] = {"triggerTurn": True, "deliverAs": "followUp"} if trigger_turn else {}
        self.post("send", {"customType": custom_type, "content": text, "display": display}, options)

    async def ask(self, what: str, *args: Json) -> Json:
        """Ask something of pi in the moment of now."""
        return await asyncio.wrap_future(self._wire.ask(what, *args, serving=self._served()))

    def ask_at_once(self, what: str, *args: Json, timeout_s: float) -> Json:
        """Ask likewise, and let everything else wait for the answer."""
        return self._wire.ask(what, *args, serving=self._served()).result(timeout_s)

    def post(self, what: str, *args: Json) -> None:
        """Ask likewise, without an answer."""
        self._wire.post(what, *args, serving=self._served())

    async def serve(self, message: Message) -> None:
        """Do what pi asks, and answer it, whatever happens."""
        number = cast("int", message["id"])
        self._moment.set(Moment.of(number, message.get("ctx")))
        self._open.add(number)
        try:
            answer = await self._done(message)
        except GoneError:
            # pi 0.74 does not wait for the handlers of some events before it ends.
            self._wire.answer(number, None)
        except (OSError, TodoContextError) as error:
            self._wire.refuse(number, str(error))
        except Exception as error:  # noqa: BLE001 (the top: pi waits for an answer)
            traceback.print_exc()
            self._wire.refuse(number, f"{type(error).__name__}: {error}")
        else:
            self._wire.answer(number, answer)
        finally:
            self._open.discard(number)

    def _served(self) -> int:
        """The number of the request that is served now."""
        number = self._moment.get().number
        if number not in self._open:
            raise PiError("pi is there only while a handler runs. Ask it in one, and wait there for what it answers.")
        return number

    async def _done(self, message: Message) -> Json:
        match message["ask"]:
            case "hello":
                return self._hello()
            case "tool":
                return await self._run_tool(str(message["name"]), str(message["call"]), message["args"])
            case "command":
                return await self._run_command(str(message["name"]), str(message["args"]))
            case "complete":
                return await self._complete(str(message["name"]), str(message["prefix"]))
            case "event":
                _, handler = self._hooks[cast("int", message["hook"])]
                answer = handler(cast("Mapping[str, Json]", message["event"]), self._now())
                return cast("Json", await awaited(answer))
            case unknown:
                raise PiError(f'shim.ts asks for "{unknown}", which is unknown here. Run: todo-context install pi')

    def _hello(self) -> Json:
        tools: list[Json] = [
            {
                "name": tool.name,
                "label": tool.label,
                "description": tool.description,
                "parameters": dict(tool.parameters),
                "promptGuidelines": [tool.guideline] if tool.guideline else [],
            }
            for tool in self._tools.values()
        ]
        commands: list[Json] = [
            {"name": name, "description": command.description} for name, command in self._commands.items()
        ]
        return {"tools": tools, "commands": commands, "hooks": [event for event, _ in self._hooks]}

    async def _run_tool(self, name: str, call: str, args: Json) -> Json:
        result = await self._tools[name].execute(call, args, self._now())
        details = None if result.details is None else dict(result.details)
        content: list[Json] = [{"type": "text", "text": result.text}]
        return {"content": content, "details": details, "isError": result.is_error}

    async def _run_command(self, name: str, args: str) -> Json:
        answer = await self._commands[name].handler(args, self._now())
        if answer is not None:
            self._show(answer)
        return None

    def _show(self, answer: Answer) -> None:
        """Say it where the person reads. None of these ways reaches the session or the model."""
        moment = self._moment.get()
        if moment.has_ui:
            self.post("ui", "notify", answer.text, "error" if answer.is_error else "info")
        else:
            # In pi's mode "json", stdout is a stream of events.
            stream = "stderr" if answer.is_error or moment.mode == "json" else "stdout"
            self.post("print", stream, f"{answer.text}\n")

    async def _complete(self, name: str, prefix: str) -> Json:
        completer = self._commands[name].completer
        found = await awaited(completer(prefix)) if completer else ()
        # What stands there already is left out: Enter would only take it once more, and run nothing.
        return [_item(completion) for completion in found if completion.value != prefix]

    def _now(self) -> Now:
        moment = self._moment.get()
        kept = self._kept.setdefault(moment.session, Kept(notify=self._notify, owner=moment.session, offer=self._offer))
        return Now(moment, Person(moment, self, kept))

    def _notify(self, message: str, level: Level) -> None:
        self.post("ui", "notify", message, level)

    async def _offer(self, title: str, message: str) -> bool:
        return await self.ask("ui", "confirm", title, message) is True


def _item(completion: Completion) -> Json:
    return {"value": completion.value, "label": completion.label, "description": completion.description}
