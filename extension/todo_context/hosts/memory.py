"""A host that lives in memory: the reference to copy for a new one, and the host of the tests.

It keeps what every host keeps: the branch, what extensions registered, and perhaps a person to ask.
What an extension stores is copied as JSON on its way in, as a file would, so that nothing is shared
with the caller. All of it may be looked at; only `path` is meant to be changed from outside: cutting
its end is a rewind, and the next entry then hangs on the new leaf.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from todo_context.awaiting import awaited
from todo_context.pi import (
    Answer,
    Capabilities,
    CommandHandler,
    Completer,
    Context,
    Entry,
    Handler,
    Preview,
    Tool,
    ToolResult,
    Ui,
)
from todo_context.plan.model import Json

NOTHING_MORE = Capabilities()
"""A host that can do what every host can, and nothing more."""


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """The moment a handler is called in."""

    cwd: str
    person: Ui | None = None
    session: str = ""

    @property
    def has_ui(self) -> bool:
        """Whether a person can be asked."""
        return self.person is not None

    @property
    def ui(self) -> Ui:
        """The person.

        Raises:
            RuntimeError: there is none; ask `has_ui` first.
        """
        if self.person is None:
            message = "this host has no person to ask; check has_ui first"
            raise RuntimeError(message)
        return self.person


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCommand:
    """A registered command. Calling `handler` is what typing it does."""

    description: str
    handler: CommandHandler
    get_argument_completions: Completer | None
    preview: Preview | None


def utc_now() -> datetime:
    """The time of the machine."""
    return datetime.now(UTC)


class MemoryPi:
    """Implements `todo_context.pi.Pi` over plain lists. Ids count up from 00000001."""

    def __init__(
        self,
        *,
        ui: Ui | None = None,
        cwd: str = "/",
        session: str = "",
        now: Callable[[], datetime] = utc_now,
        capabilities: Capabilities = NOTHING_MORE,
    ) -> None:
        """Start with an empty session. With `ui` there is a person; `session` names it, `now` dates the entries."""
        self.stored: list[Entry] = []
        self.path: list[Entry] = []
        self.tools: dict[str, Tool] = {}
        self.commands: dict[str, MemoryCommand] = {}
        self.handlers: dict[str, list[Handler]] = {}
        self.turns_wanted = 0
        self._ui = ui
        self._cwd = cwd
        self._session = session
        self._now = now
        self._capabilities = capabilities

    @property
    def capabilities(self) -> Capabilities:
        """What this host can do beside what every host does: what it was made with."""
        return self._capabilities

    @property
    def storage(self) -> Literal["session", "memory"]:
        """Nothing here outlives the process."""
        return "memory"

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` at each `emit` of this event, in the order registered."""
        self.handlers.setdefault(event, []).append(handler)

    def register_tool(self, tool: Tool) -> None:
        """Offer a tool; a later one of the same name takes its place."""
        self.tools[tool.name] = tool

    def offers(self, tool: str) -> bool:
        """Whether the tool was registered; nothing is left out here."""
        return tool in self.tools

    def has_background_work(self) -> bool:
        """Nothing runs here."""
        return False

    def register_command(
        self,
        name: str,
        *,
        description: str,
        handler: CommandHandler,
        get_argument_completions: Completer | None = None,
        preview: Preview | None = None,
    ) -> None:
        """Offer a command; a later one of the same name takes its place."""
        self.commands[name] = MemoryCommand(
            description=description,
            handler=handler,
            get_argument_completions=get_argument_completions,
            preview=preview,
        )

    def append_entry(self, custom_type: str, data: Mapping[str, Json]) -> str:
        """Store a custom entry at the leaf; its id."""
        return self.append("custom", {"customType": custom_type, "data": dict(data)})

    def branch(self) -> Sequence[Entry]:
        """The entries from the root to the leaf."""
        return tuple(self.path)

    def send_message(self, text: str, *, custom_type: str, display: bool = True, trigger_turn: bool = False) -> None:
        """Store a message of an extension; `turns_wanted` counts those that ask for a turn."""
        self.append("custom_message", {"customType": custom_type, "content": text, "display": display})
        self.turns_wanted += trigger_turn

    def append(self, kind: str, fields: Mapping[str, Json]) -> str:
        """Store an entry of any type at the leaf, as the host itself does with messages; its id."""
        entry: dict[str, Json] = {
            "type": kind,
            **json.loads(json.dumps(dict(fields))),
            "id": f"{len(self.stored) + 1:08x}",
            "parentId": self.path[-1]["id"] if self.path else None,
            "timestamp": self._now().isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
        self.stored.append(entry)
        self.path.append(entry)
        return str(entry["id"])

    def context(self) -> Context:
        """What a handler called now is told."""
        return MemoryContext(cwd=self._cwd, person=self._ui, session=self._session)

    async def run_command(self, name: str, args: str = "") -> Answer | None:
        """Do what typing `/name args` does."""
        return await self.commands[name].handler(args, self.context())

    async def call_tool(self, name: str, arguments: Json, call_id: str = "call_1") -> ToolResult:
        """Do what a call by the model does. Storing the result is left to the caller, who may be late."""
        return await self.tools[name].execute(call_id, arguments, self.context())

    async def emit(self, event: str, fields: Mapping[str, Json] | None = None) -> list[object]:
        """Tell every handler of the event, one after the other; what they gave back."""
        told = {"type": event, **(fields or {})}
        return [await awaited(handler(told, self.context())) for handler in self.handlers.get(event, [])]
