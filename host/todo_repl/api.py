"""pi's API for one extension: it registers, reads and stores through this, and through nothing else.

What is registered takes effect only if the manifest declares it. Source: the extension contract of pi.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from todo_context.pi import Capabilities, CommandHandler, Completer, Entry, Handler, LeftOver, Level, Tool, Ui
from todo_context.plan.model import Json
from todo_context.plan.problem import LineProblem
from todo_repl.agent import CustomMessage
from todo_repl.front import Front
from todo_repl.loader import Command, Registered, refuse_undeclared
from todo_repl.manifest import ExtensionError, Manifest
from todo_repl.session import Session

Widgets = dict[str, tuple[str, ...]]


class PersonUi:
    """The person, as an extension reaches them; widgets are kept for whoever draws."""

    def __init__(self, front: Front, widgets: Widgets) -> None:
        self._front = front
        self._widgets = widgets

    @property
    def is_there(self) -> bool:
        """Whether a person can be asked."""
        return self._front.has_ui

    async def editor(
        self, title: str, text: str, problems: Sequence[LineProblem] = (), *, opened: str | None = None
    ) -> str | None:
        """Let the person edit `text`; None means cancelled."""
        return await self._front.ui.editor(title, text, problems, opened=opened)

    def edit_settled(self) -> None:
        """What the editor gave last is stored, or not wanted."""
        self._front.ui.edit_settled()

    async def left_over(self) -> LeftOver | None:
        """A text that was never taken over, if the person wants to go on with it."""
        return await self._front.ui.left_over()

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        """Let the person choose one of `options`; None means cancelled."""
        return await self._front.ui.select(title, options)

    async def confirm(self, title: str, message: str) -> bool:
        """Ask a yes-or-no question."""
        return await self._front.ui.confirm(title, message)

    def copy(self, text: str) -> bool:
        """Hand text to the clipboard of the person; whether something took it."""
        return self._front.ui.copy(text)

    def notify(self, message: str, level: Level = "info") -> None:
        """Show one line in passing."""
        self._front.ui.notify(message, level)

    def set_widget(self, key: str, lines: Sequence[str] | None) -> None:
        """Keep the lines and show them; None takes them away."""
        if lines is None:
            self._widgets.pop(key, None)
        else:
            self._widgets[key] = tuple(lines)
        self._front.ui.set_widget(key, lines)


@dataclass(frozen=True, slots=True)
class HostContext:
    """Implements `todo_context.pi.Context` for tools, which belong to no one extension here."""

    ui: PersonUi
    cwd: str

    @property
    def has_ui(self) -> bool:
        """Whether a person can be asked."""
        return self.ui.is_there


class ExtensionApi:
    """Implements `todo_context.pi.Pi` and `Context` for one extension of one session."""

    def __init__(
        self, manifest: Manifest, session: Session, person: PersonUi, steer: Callable[[CustomMessage], None]
    ) -> None:
        self.manifest = manifest
        self.offered = Registered()
        self._session = session
        self._person = person
        self._steer = steer
        self._is_loading = True

    def finish_loading(self) -> None:
        """Hold what was registered against the manifest; entries may be stored from now on.

        Raises:
            ExtensionError: something is not declared.
        """
        refuse_undeclared(self.manifest, self.offered)
        self._is_loading = False

    @property
    def capabilities(self) -> Capabilities:
        """What this host can do beside what every host does."""
        return Capabilities()

    @property
    def storage(self) -> Literal["session", "memory"]:
        """Whether entries outlive the process."""
        return self._session.storage

    @property
    def has_ui(self) -> bool:
        """Whether a person can be asked."""
        return self._person.is_there

    @property
    def ui(self) -> Ui:
        """The person."""
        return self._person

    @property
    def cwd(self) -> str:
        """The folder the session works in."""
        return self._session.cwd

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler(event, ctx)` when `event` happens, after those registered before."""
        self._allow(Registered(handlers={event: [handler]}))
        self.offered.handlers.setdefault(event, []).append(handler)

    def register_tool(self, tool: Tool) -> None:
        """Offer a tool to the model; one of the same name gives way."""
        self._allow(Registered(tools={tool.name: tool}))
        self.offered.tools[tool.name] = tool

    def register_command(
        self,
        name: str,
        *,
        description: str,
        handler: CommandHandler,
        get_argument_completions: Completer | None = None,
    ) -> None:
        """Offer `/name` to the person; one of the same name gives way."""
        command = Command(description, handler, get_argument_completions)
        self._allow(Registered(commands={name: command}))
        self.offered.commands[name] = command

    def append_entry(self, custom_type: str, data: Mapping[str, Json]) -> str:
        """Store a custom entry at the leaf; its id.

        Raises:
            SessionError: it could not be stored; the session is as it was.
            ExtensionError: the extension is still being loaded.
        """
        self._loaded("stores an entry")
        return self._session.append_custom(custom_type, data)

    def branch(self) -> Sequence[Entry]:
        """The entries from the root to the leaf, the root first."""
        return self._session.branch()

    def send_message(self, text: str, *, custom_type: str, display: bool = True, trigger_turn: bool = False) -> None:
        """Have the model read a message with the next request; the person starts that one.

        Raises:
            SessionError: it could not be stored.
            ExtensionError: the extension is still being loaded, or asks for a turn.
        """
        self._loaded("sends a message")
        if trigger_turn:
            raise ExtensionError(self.manifest.name, "asks for a turn of its own.", "This host starts none.")
        self._steer(CustomMessage(custom_type=custom_type, text=text, display=display))
        if display:
            self._person.notify(text)

    def _allow(self, new: Registered) -> None:
        # While loading, all is judged at the end: an extension might catch the refusal and go on.
        if not self._is_loading:
            refuse_undeclared(self.manifest, new)

    def _loaded(self, does: str) -> None:
        if self._is_loading:
            raise ExtensionError(self.manifest.name, f"{does} while it is being loaded.", 'Wait for "session_start".')
