"""The port: what the extension asks of a host, and what it gives to one.

A host adapter implements `Pi` and `Ui`; the names are pi's, in Python's spelling. Nothing in the
extension knows a host by name: what one may lack is a capability, or an answer that may be awaited.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from todo_context.plan.model import Json
from todo_context.plan.problem import LineProblem

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

Entry = Mapping[str, Json]
"""One record of a session as a JSON object, in pi's format: type, id, parentId, timestamp, …"""

Level = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class LeftOver:
    """A text of an earlier edit that was never taken over, and the text it began from."""

    text: str
    opened: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a widget may take at this redraw: `width` in cells, `rows` of it at most, on a screen of `screen_rows`.

    `tick` counts up while the agent works and motion is wanted, and is 0 else. `has_unicode` says whether the
    terminal shows more than ASCII.
    """

    width: int
    rows: int
    screen_rows: int
    tick: int = 0
    is_working: bool = False
    has_unicode: bool = True


Widget = Callable[[Room], "Sequence[Text]"]
"""Draws what stands on the screen, at each redraw: a Text a row, no wider than the room. Fast, and without any I/O.

A host cuts what is too wide or too much, and makes it safe to print.
"""


class Ui(Protocol):
    """The person at the screen. Only called while `has_ui` is true."""

    async def editor(
        self, title: str, text: str, problems: Sequence[LineProblem] = (), *, opened: str | None = None
    ) -> str | None:
        """Let the person edit `text`; None means cancelled.

        The host owns the process, the temporary file and what is left over. With `problems`, they
        stand as comments above the text, and the person who then leaves it unchanged has their text
        kept in a file whose path the host shows; the answer is None. `opened` is the text that the edit
        began from, where `text` is the person's already.
        """
        ...

    def edit_settled(self) -> None:
        """Say that what the editor gave last is stored, or not wanted; until then the host keeps the text."""
        ...

    async def left_over(self) -> LeftOver | None:
        """A text of this session that a crash or a failing editor left, if the person wants to go on with it."""
        ...

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        """Let the person choose one of `options`; None means cancelled."""
        ...

    async def confirm(self, title: str, message: str) -> bool:
        """Ask a yes-or-no question."""
        ...

    async def input(self, title: str, placeholder: str = "") -> str | None:
        """Ask for a line of text; None means cancelled. `placeholder` says what may be typed."""
        ...

    def copy(self, text: str) -> bool:
        """Hand text to the clipboard of the person; whether something took it.

        Taken is not arrived: a terminal may be told to ignore it, and does not say so.
        """
        ...

    def notify(self, message: str, level: Level = "info") -> None:
        """Show one line in passing."""
        ...

    def set_widget(self, key: str, content: Sequence[str] | Widget | None) -> None:
        """Show these lines for as long as they stand; None takes them away.

        Where `Capabilities.draws_widgets` is true it may be a function that draws. To set it again is to have it
        drawn again.
        """
        ...


class Context(Protocol):
    """What a handler is told of the moment it is called in. Never keep one for later."""

    @property
    def has_ui(self) -> bool:
        """Whether a person can be asked."""
        ...

    @property
    def ui(self) -> Ui:
        """The person. Its methods may only be called while `has_ui` is true."""
        ...

    @property
    def cwd(self) -> str:
        """The folder the session works in."""
        ...

    @property
    def session(self) -> str:
        """What names this session among all on the machine: `session_name(host, id)`, or empty where nobody knows.

        The same after a resume, another one after a fork.
        """
        ...


SESSION_CHARACTERS = 8
"""Of the id of a session in its name. The last ones: an id may begin with the time, and so be much like the next."""


def session_name(host: str, session_id: str) -> str:
    """The name of a session: which host, which session."""
    return f"{host}:{session_id[-SESSION_CHARACTERS:]}" if session_id else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool answers: `text` for the model, `details` for programs, stored beside it."""

    text: str
    details: Mapping[str, Json] | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool for the model.

    `execute(call_id, arguments, ctx)` gets the arguments as the model sent them: an object, or the
    raw text where that was no JSON. `render_call(arguments)` is one line for the screen and must
    bear anything; `render_result` is a Rich renderable, or None for nothing more than the line.
    `guideline` is a line for the system prompt, where the host has that way and as long as the tool is offered.
    """

    name: str
    label: str
    description: str
    parameters: Mapping[str, Json]
    execute: Callable[[str, Json, Context], Awaitable[ToolResult]]
    render_call: Callable[[Json], str] | None = None
    render_result: "Callable[[ToolResult], RenderableType | None] | None" = None
    guideline: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a command says to the person. `view` is the same in colour, for a host that prints Rich."""

    text: str
    is_error: bool = False
    view: "RenderableType | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One way to go on. `value` replaces the whole argument text of the command."""

    value: str
    label: str
    description: str = ""


Handler = Callable[[Mapping[str, Json], Context], Awaitable[object] | object]
CommandHandler = Callable[[str, Context], Awaitable[Answer | None]]
Completer = Callable[[str], Sequence[Completion] | Awaitable[Sequence[Completion]]]
Preview = Callable[[str], str | Awaitable[str | None] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a host can do that another cannot. As it stands without arguments, it is a host that can do none of it.

    `validates_arguments`: it holds a call against the schema before the tool sees it, so the schema must
    let pass what the tool would read. `context_hook`: handlers of `context` are called before each request,
    and the messages they answer are sent in place of the stored ones. `goes_on`: a message with
    `trigger_turn` makes the agent go on after it stopped. `payload_hook`: handlers of `before_provider_request` are
    shown the body of each request, with the marks for the provider's cache in it, and what they answer is sent
    instead. `draws_widgets`: there is a screen that stays, and a widget may be a function that draws.
    `system_prompt`: by which way a text comes into each request's system prompt, if by any: an answer to
    "before_agent_start", or `Tool.guideline`.
    """

    validates_arguments: bool = False
    context_hook: bool = False
    goes_on: bool = False
    payload_hook: bool = False
    draws_widgets: bool = False
    system_prompt: Literal["", "before_agent_start", "guideline"] = ""


class Pi(Protocol):
    """A host, as an extension sees it.

    Source: the extension contract of pi (registerTool, registerCommand, appendEntry, on, …).
    """

    @property
    def capabilities(self) -> Capabilities:
        """What this host can do. Asked when the extension is activated."""
        ...

    @property
    def storage(self) -> Literal["session", "memory"]:
        """Whether entries outlive the process."""
        ...

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler(event, ctx)` when `event` happens; the names are pi's, such as session_start.

        An event that never happens in a host is no error there.
        """
        ...

    def register_tool(self, tool: Tool) -> None:
        """Offer a tool to the model."""
        ...

    def offers(self, tool: str) -> bool | Awaitable[bool]:
        """Whether the model is offered the tool of this name now: a host may leave tools out."""
        ...

    def has_background_work(self) -> bool:
        """Whether something that the agent began still runs. False in a host that does not know."""
        ...

    def register_command(
        self,
        name: str,
        *,
        description: str,
        handler: CommandHandler,
        get_argument_completions: Completer | None = None,
        preview: Preview | None = None,
    ) -> None:
        """Offer `/name` to the person. `handler(args, ctx)` gets the text after the name.

        `preview(args)` is asked while that is typed: one line, safe for the screen, of what it would do, or None. A
        host passes over what it has no place for.
        """
        ...

    def append_entry(self, custom_type: str, data: Mapping[str, Json]) -> str | Awaitable[str]:
        """Store a custom entry at the leaf of the branch; its id, or nothing where the host tells none.

        Raises:
            OSError: the entry could not be stored; the session is as it was.
        """
        ...

    def branch(self) -> Sequence[Entry] | Awaitable[Sequence[Entry]]:
        """The entries from the root to the leaf, the root first, without the header.

        What `append_entry` has stored is among them. Where a host shows it late, or never, its adapter adds it.
        """
        ...

    def send_message(self, text: str, *, custom_type: str, display: bool = True, trigger_turn: bool = False) -> None:
        """Put a message of the extension's own into the conversation, before the next request."""
        ...
