"""What the adapter takes of Aelix: the shapes it calls, the objects it makes, and messages in pi's spelling.

Aelix is imported here alone, and late: where it is not installed, this still loads.
Source: aelix-coding-agent 0.1.0b2, extensions/api.py and extensions/ext_ui.py, and what they name.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from todo_context.pi import Entry, Tool, ToolResult
from todo_context.plan.model import Json
from todo_context.plan.sources import spelled_as_pi

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class Metadata(Protocol):
    """What a session says of itself."""

    @property
    def id(self) -> str:
        """Its id."""
        ...


class StoredEntry(Protocol):
    """One entry of a session."""

    @property
    def id(self) -> str:
        """Its id."""
        ...


class Session(Protocol):
    """A session. No call below gives way to another task, so a read and an append in a row are one step."""

    @property
    def session_file(self) -> str | None:
        """Its file; none with --no-session."""
        ...

    async def get_metadata(self) -> Metadata:
        """What it says of itself."""
        ...

    async def get_branch(self) -> Sequence[StoredEntry]:
        """The entries from the root to the leaf."""
        ...

    async def append_custom_entry(self, custom_type: str, data: object) -> str:
        """Store an entry at the leaf; its id."""
        ...


class SessionManager(Protocol):
    """How a context leads to the session."""

    def get_session(self) -> Session:
        """The session."""
        ...


class Ui(Protocol):
    """The dialogs of the TUI. Without one, each raises NotImplementedError."""

    async def editor(self, title: str, prefill: str | None = None) -> str | None:
        """The text when Ctrl-S is pressed; None after Esc."""
        ...

    async def select(self, title: str, options: list[str]) -> str | None:
        """One of the options; None after Esc."""
        ...

    async def confirm(self, title: str, message: str) -> bool:
        """Whether y is pressed."""
        ...

    async def input(self, title: str, placeholder: str | None = None) -> str | None:
        """What is typed when Enter is pressed; None after Esc."""
        ...

    def notify(self, message: str, kind: str = "info") -> None:
        """Show one line for three seconds."""
        ...

    def set_widget(self, key: str, content: list[str] | None) -> None:
        """Show lines above the prompt."""
        ...


class Context(Protocol):
    """What Aelix tells a handler. Reading any of it raises, once its session was left."""

    @property
    def cwd(self) -> str:
        """The folder the session works in."""
        ...

    @property
    def has_ui(self) -> bool:
        """Whether the TUI is up."""
        ...

    @property
    def ui(self) -> Ui:
        """The dialogs."""
        ...

    @property
    def session_manager(self) -> SessionManager:
        """The way to the session."""
        ...

    def is_idle(self) -> bool:
        """Whether no run goes on."""
        ...


class Call(Protocol):
    """What Aelix tells a tool."""

    @property
    def tool_call_id(self) -> str:
        """The call's id."""
        ...


class Events(Protocol):
    """The channels between extensions, and from the TUI to them."""

    def on(self, channel: str, handler: Callable[[object], object]) -> object:
        """Call the handler at each `emit`."""
        ...

    def emit(self, channel: str, data: object = None) -> None:
        """Call the handlers; what one raises is swallowed."""
        ...


class Api(Protocol):
    """What `setup` gets. One of these belongs to one session: Aelix runs `setup` again for the next."""

    @property
    def events(self) -> Events:
        """The channels."""
        ...

    def on(self, event: str, handler: Callable[[object, Context], Awaitable[object]]) -> object:
        """Call the handler at each event. KeyError: there is no such event."""
        ...

    def register_tool(self, tool: object) -> None:
        """Offer a tool."""
        ...

    def register_command(
        self, name: str, *, handler: Callable[[str, Context], Awaitable[str]], description: str | None = None
    ) -> None:
        """Offer a command of the TUI, which prints what the handler answers."""
        ...

    def get_active_tools(self) -> list[str]:
        """The names of the tools that the model is offered."""
        ...

    def send_message(self, message: str, *, trigger_turn: bool = False, deliver_as: str | None = None) -> None:
        """Have a task put a message of the user into a queue of Aelix's: "steer", "follow_up" or the next prompt's."""
        ...


Execute = Callable[[dict[str, Json], Call], Awaitable[object]]

_TOOLS = "aelix_ai.tools"
_MESSAGES = "aelix_ai.messages"
_HOOKS = "aelix_agent_core.harness.hooks"


def tool_of(tool: Tool, execute: Execute) -> object:
    """A tool of the extension as one of Aelix."""
    made: object = import_module("aelix_agent_core.types").AgentTool(
        name=tool.name, description=tool.description, parameters=dict(tool.parameters), execute=execute
    )
    return made


def result_of(result: ToolResult) -> object:
    """A result of a tool. Aelix shows `details` to its listeners and stores them nowhere."""
    made: object = import_module(_TOOLS).ToolResult(
        content=[_text(result.text)], details=result.details, is_error=result.is_error
    )
    return made


def handled() -> object:
    """The answer of an `input` handler that has done what was typed."""
    made: object = import_module(_HOOKS).InputHandled()
    return made


def started(answer: object) -> object:
    """The answer of a `before_agent_start` handler: the system prompt of the run, if it gives one."""
    system = cast("Mapping[str, object]", answer).get("systemPrompt") if isinstance(answer, Mapping) else None
    if not isinstance(system, str):
        return None
    made: object = import_module(_HOOKS).BeforeAgentStartResult(system_prompt=system)
    return made


def event_as_json(event: str, happened: object) -> dict[str, Json]:
    """An event with what is plain of its fields, and its message, in pi's spelling."""
    shown: dict[str, Json] = {"type": event}
    for name in [each.name for each in fields(happened)] if is_dataclass(happened) else []:
        value: object = getattr(happened, name)
        head, *rest = name.split("_")
        if name == "message" and is_dataclass(value):
            shown[name] = Spelling().of(asdict(cast("DataclassInstance", value)))
        elif isinstance(value, str | int | float | None):
            shown[head + "".join(map(str.title, rest))] = value
    return shown


class Request:
    """The messages of a request, as Aelix has them and, in `shown`, as pi would."""

    def __init__(self, happened: object) -> None:
        self._given = cast("Sequence[DataclassInstance]", getattr(happened, "messages", ()))
        spelling = Spelling()
        self.shown = [spelling.of(asdict(message)) for message in self._given]

    def instead(self, messages: Iterable[Json]) -> object:
        """The answer of a `context` handler: these messages are sent.

        Raises:
            ValueError: one is neither of the request nor the user's. Aelix's others carry what pi's do not.
        """
        made: object = import_module(_HOOKS).ContextResult(messages=[self._original(each) for each in messages])
        return made

    def _original(self, message: Json) -> object:
        pairs = zip(self._given, self.shown, strict=True)
        for given, shown in pairs:
            if shown is message or shown == message:
                return given
            if added := _added(shown, message):
                # With what it holds beside text, such as a picture.
                return replace(given, content=[*getattr(given, "content", ()), *map(_text, added)])
        return _user_message(message)


class Spelling:
    """Messages in pi's spelling, given one after the other as they stand on a branch.

    Aelix leaves the name of the tool out of a result; the call before it has the name.
    """

    def __init__(self) -> None:
        self._called: dict[str, Json] = {}

    def of(self, message: Json) -> dict[str, Json]:
        """One message; empty if it is none."""
        spelled = dict(spelled_as_pi(message))
        content = spelled.get("content")
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict) and part.get("type") == "toolCall":
                self._called[str(part.get("id"))] = part.get("name")
        if spelled.get("role") == "toolResult" and not spelled.get("toolName"):
            spelled["toolName"] = self._called.get(str(spelled.get("toolCallId")), "")
        return spelled


class Entries:
    """Entries of one session as pi stores them. Aelix never changes one, so each is spelled once."""

    def __init__(self) -> None:
        self._spelling = Spelling()
        self._shown: dict[str, Entry] = {}

    def of(self, branch: Sequence[StoredEntry]) -> list[Entry]:
        """Those of a branch, the root first."""
        to_json = import_module("aelix_agent_core.session.entries").entry_to_json
        for entry in branch:
            if entry.id not in self._shown:
                record: dict[str, Json] = to_json(entry)
                if "message" in record:
                    record["message"] = self._spelling.of(record["message"])
                self._shown[entry.id] = record
        return [self._shown[entry.id] for entry in branch]


def _added(shown: Mapping[str, Json], message: Json) -> list[str]:
    """The texts that stand in a message of the user behind what it was; none if it is another."""
    if not isinstance(message, dict) or message.get("role") != "user" or shown.get("role") != "user":
        return []
    before, now = shown.get("content"), message.get("content")
    if not isinstance(before, list) or not isinstance(now, list) or now[: len(before)] != before:
        return []
    return [text for part in now[len(before) :] if isinstance(part, dict) and isinstance(text := part.get("text"), str)]


def _user_message(message: Json) -> object:
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(message, dict) or role != "user":
        raise ValueError(f'a message of the role "{role}" that was not in the request. Add one of the role "user".')
    content = message.get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    content_of_text = [_text(text) for text in texts if isinstance(text, str)]
    made: object = import_module(_MESSAGES).UserMessage(content=content_of_text)
    return made


def _text(text: str) -> object:
    made: object = import_module(_MESSAGES).TextContent(text=text)
    return made
