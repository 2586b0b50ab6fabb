"""pi's API for one extension: it registers, reads and stores through this, and through nothing else.

Where there is a manifest, only what it declares can be registered. Source: the extension contract of pi.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from todo_context.pi import (
    Capabilities,
    CommandHandler,
    Completer,
    Entry,
    Handler,
    LeftOver,
    Level,
    Preview,
    Tool,
    Ui,
    Widget,
    session_name,
)
from todo_context.plan.model import Json
from todo_context.plan.problem import LineProblem
from todo_repl.front import Front
from todo_repl.loader import Command, Registered
from todo_repl.manifest import ExtensionError, Manifest, Undeclared
from todo_repl.session import Session
from todo_repl.steering import CustomMessage

HOST = "todo-context"
"""What this host is called among others."""

Widgets = dict[str, tuple[str, ...] | Widget]


class PersonUi:
    """The person, as an extension reaches them; widgets are kept for whoever draws."""

    def __init__(self, front: Front, widgets: Widgets) -> None:
        self._front = front
        self._widgets = widgets

    @property
    def is_there(self) -> bool:
        """Whether a person can be asked."""
        return self._front.has_ui

    @property
    def draws_widgets(self) -> bool:
        """Whether there is a screen that stays."""
        return self._front.draws_widgets

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

    async def input(self, title: str, placeholder: str = "") -> str | None:
        """Ask for a line of text; None means cancelled."""
        return await self._front.ui.input(title, placeholder)

    def copy(self, text: str) -> bool:
        """Hand text to the clipboard of the person; whether something took it."""
        return self._front.ui.copy(text)

    def notify(self, message: str, level: Level = "info") -> None:
        """Show one line in passing."""
        self._front.ui.notify(message, level)

    def set_widget(self, key: str, content: Sequence[str] | Widget | None) -> None:
        """Keep it and show it; None takes it away."""
        if content is None:
            self._widgets.pop(key, None)
        else:
            self._widgets[key] = content if callable(content) else tuple(content)
        self._front.ui.set_widget(key, content)

    def clear_widgets(self) -> None:
        """Take all of them away."""
        for key in tuple(self._widgets):
            self.set_widget(key, None)


@dataclass(frozen=True, slots=True)
class HostContext:
    """Implements `todo_context.pi.Context` for tools, which belong to no one extension here."""

    ui: PersonUi
    cwd: str
    session: str = ""

    @property
    def has_ui(self) -> bool:
        """Whether a person can be asked."""
        return self.ui.is_there


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the extensions of one session work with. `may_take_turn`: whether a run can follow right now."""

    session: Session
    person: PersonUi
    steer: Callable[[CustomMessage], None]
    may_take_turn: Callable[[], bool]
    goes_on: bool = True
    """Whether the model can do more when it is told to; rules cannot."""
    with_tools: bool = True
    """Whether the model is offered any tool at all."""
    at_work: set[object] = field(default_factory=set[object])
    """What runs in the background, for as long as it does."""


def name_of(session: Session) -> str:
    """What names a session among all on the machine."""
    return session_name(HOST, session.id)


class ExtensionApi:
    """Implements `todo_context.pi.Pi` and `Context` for one extension of one session.

    `refuse(extension, registered)` raises an ExtensionError for what it must not register.
    """

    def __init__(
        self,
        manifest: Manifest | Undeclared,
        surroundings: Surroundings,
        refuse: "Callable[[ExtensionApi, Registered], None]",
    ) -> None:
        self.manifest = manifest
        self.offered = Registered()
        self._session = surroundings.session
        self._person = surroundings.person
        self._steer = surroundings.steer
        self._may_take_turn = surroundings.may_take_turn
        self._goes_on = surroundings.goes_on
        self._with_tools = surroundings.with_tools
        self._at_work = surroundings.at_work
        self._refuse = refuse
        self._is_loading = True
        self._is_over = False

    def finish_loading(self) -> None:
        """Judge what was registered; entries may be stored from now on.

        Raises:
            ExtensionError: something must not be registered.
        """
        self._refuse(self, self.offered)
        self._is_loading = False

    def retire(self) -> None:
        """From now on it can register, store and send nothing: its session is over, or it was loaded anew."""
        self._is_over = True

    @property
    def capabilities(self) -> Capabilities:
        """What this host can do beside what every host does."""
        return Capabilities(
            context_hook=True,
            goes_on=self._goes_on,
            draws_widgets=self._person.draws_widgets,
            system_prompt="before_agent_start",
        )

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

    @property
    def session(self) -> str:
        """What names the session."""
        return name_of(self._session)

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler(event, ctx)` when `event` happens, after those registered before."""
        self._allow(Registered(handlers={event: [handler]}))
        self.offered.handlers.setdefault(event, []).append(handler)

    def register_tool(self, tool: Tool) -> None:
        """Offer a tool to the model; one of the same name gives way."""
        self._allow(Registered(tools={tool.name: tool}))
        self.offered.tools[tool.name] = tool

    def offers(self, tool: str) -> bool:
        """Whether the model is offered the tool of this name."""
        return self._with_tools and tool in self.offered.tools

    def has_background_work(self) -> bool:
        """Whether an extension says that something still runs."""
        return bool(self._at_work)

    @contextmanager
    def background_work(self) -> Iterator[None]:
        """Say, for as long as this is open, that something still runs which the agent began: it may stop and wait."""
        job = object()
        self._at_work.add(job)
        try:
            yield
        finally:
            self._at_work.discard(job)

    def register_command(
        self,
        name: str,
        *,
        description: str,
        handler: CommandHandler,
        get_argument_completions: Completer | None = None,
        preview: Preview | None = None,
    ) -> None:
        """Offer `/name` to the person; one of the same name gives way."""
        command = Command(description, handler, get_argument_completions, preview)
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
        """Have the model read a message with the next request.

        A run that is on makes that request. With `trigger_turn` one follows also at the end of a run, or of the
        command that is being done.

        Raises:
            SessionError: it could not be stored.
            ExtensionError: the extension is still being loaded, or wants a turn where nothing is under way.
        """
        self._loaded("sends a message")
        if trigger_turn and not self._may_take_turn():
            raise ExtensionError(
                self.manifest.name,
                "wants a turn of the agent while nothing is under way.",
                "Ask for it in a command, or in an event of a run.",
            )
        self._steer(CustomMessage(custom_type=custom_type, text=text, display=display, trigger_turn=trigger_turn))
        if display:
            self._person.notify(text)

    def _allow(self, new: Registered) -> None:
        self._not_over("registers something")
        # While loading, all is judged at the end: an extension might catch the refusal and go on.
        if not self._is_loading:
            self._refuse(self, new)

    def _loaded(self, does: str) -> None:
        self._not_over(does)
        if self._is_loading:
            raise ExtensionError(self.manifest.name, f"{does} while it is being loaded.", 'Wait for "session_start".')

    def _not_over(self, does: str) -> None:
        if self._is_over:
            raise ExtensionError(
                self.manifest.name, f"{does} after its end.", 'Let go of everything at "session_shutdown".'
            )
