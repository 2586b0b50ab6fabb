"""Aelix as far as the adapter touches it, for where it is not installed. tests/e2e/test_aelix.py holds the real one.

Source: aelix-coding-agent 0.1.0b2.
"""

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


@dataclass(frozen=True)
class TextContent:
    text: str = ""
    text_signature: str = ""
    type: str = "text"


@dataclass(frozen=True)
class ToolCallContent:
    tool_call_id: str = ""
    tool_name: str = ""
    input: dict[str, Any] = field(default_factory=dict)
    type: str = "toolCall"


@dataclass(frozen=True)
class UserMessage:
    content: list[Any] = field(default_factory=list)
    role: str = "user"


@dataclass(frozen=True)
class AssistantMessage:
    content: list[Any] = field(default_factory=list)
    stop_reason: str | None = None
    role: str = "assistant"


@dataclass(frozen=True)
class ToolResultMessage:
    tool_call_id: str = ""
    content: list[Any] = field(default_factory=list)
    is_error: bool = False
    tool_name: str = ""
    role: str = "toolResult"


@dataclass(frozen=True)
class Happened:
    """An event. Those of Aelix have a class each."""

    type: str = ""
    text: str = ""
    source: str = "interactive"
    reason: str | None = None
    previous_session_file: str | None = None
    system_prompt: str | None = None
    message: Any = None
    messages: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class Entry:
    id: str
    type: str
    custom_type: str | None = None
    data: Any = None
    message: Any = None


def entry_to_json(entry: Entry) -> dict[str, Any]:
    if entry.type == "message":
        return {"type": entry.type, "id": entry.id, "message": asdict(entry.message)}
    return {"type": entry.type, "id": entry.id, "customType": entry.custom_type, "data": entry.data}


class Session:
    session_file: str | None = "/sessions/s.jsonl"

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    async def get_metadata(self) -> Any:
        return SimpleNamespace(id="5e55")

    async def get_branch(self) -> list[Entry]:
        return list(self.entries)

    async def append_custom_entry(self, custom_type: str, data: object) -> str:
        if custom_type == "full":
            raise RuntimeError("Failed to append session entry: no space left")
        self.entries.append(Entry(f"{len(self.entries):08x}", "custom", custom_type, data))
        return self.entries[-1].id

    def add(self, message: Any) -> None:
        self.entries.append(Entry(f"{len(self.entries):08x}", "message", message=message))


class Screen:
    """The TUI, with a person who answers what `answers` says."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.asked: list[tuple[Any, ...]] = []
        self.notices: list[tuple[str, str]] = []
        self.widgets: dict[str, list[str] | None] = {}
        self.chrome = SimpleNamespace(copy_to_clipboard=bool)

    async def editor(self, *asked: Any) -> Any:
        return self._answer(asked)

    async def select(self, *asked: Any) -> Any:
        return self._answer(asked)

    async def confirm(self, *asked: Any) -> Any:
        return self._answer(asked)

    async def input(self, *asked: Any) -> Any:
        return self._answer(asked)

    def notify(self, message: str, kind: str = "info") -> None:
        self.notices.append((message, kind))

    def set_widget(self, key: str, content: list[str] | None) -> None:
        self.widgets[key] = content

    def _answer(self, asked: tuple[Any, ...]) -> Any:
        self.asked.append(asked)
        return self.answers.pop(0)


class Events:
    def __init__(self) -> None:
        self._handlers: dict[str, list[Callable[[Any], object]]] = {}

    def on(self, channel: str, handler: Callable[[Any], object]) -> None:
        self._handlers.setdefault(channel, []).append(handler)

    def emit(self, channel: str, data: Any = None) -> None:
        for handler in self._handlers.get(channel, []):
            handler(data)


class Aelix:
    """What `setup` gets, the session, and whoever sits there."""

    cwd = "/project"

    def __init__(self, screen: Screen | None = None) -> None:
        self.events = Events()
        self.session = Session()
        self.screen = screen
        self.is_left = False
        self.runs = False
        self.handlers: dict[str, list[Any]] = {}
        self.tools: dict[str, Any] = {}
        self.commands: dict[str, Any] = {}
        self.messages: list[tuple[str, bool, str | None]] = []

    def on(self, event: str, handler: Any) -> None:
        if event == "no_such_event":
            raise KeyError(event)
        self.handlers.setdefault(event, []).append(handler)

    def register_tool(self, tool: Any) -> None:
        self.tools[tool.name] = tool

    def register_command(self, name: str, *, handler: Any, description: str | None = None) -> None:
        self.commands[name] = (handler, description)

    def get_active_tools(self) -> list[str]:
        return ["todo_write"]

    def send_message(self, message: str, *, trigger_turn: bool = False, deliver_as: str | None = None) -> None:
        self.messages.append((message, trigger_turn, deliver_as))

    # The context of a moment

    @property
    def has_ui(self) -> bool:
        return self.screen is not None

    @property
    def ui(self) -> Any:
        return self.screen

    @property
    def session_manager(self) -> Any:
        if self.is_left:
            raise RuntimeError("This context is stale.")
        return SimpleNamespace(get_session=lambda: self.session)

    def is_idle(self) -> bool:
        return not self.runs

    async def happen(self, kind: str, **fields: Any) -> list[Any]:
        """Tell the handlers; what they answered, but for None."""
        answers = [await handler(Happened(type=kind, **fields), self) for handler in self.handlers.get(kind, [])]
        return [answer for answer in answers if answer is not None]

    async def call(self, **arguments: Any) -> Any:
        """What a call of the tool does."""
        await self.happen("tool_call")
        return await self.tools["todo_write"].execute(arguments, SimpleNamespace(tool_call_id="call_1"))

    async def type(self, args: str) -> str:
        """What /todo does in the TUI."""
        handler, _ = self.commands["todo"]
        return str(await handler(args, self))


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the modules of Aelix importable."""
    parts: dict[str, dict[str, Any]] = {
        "aelix_ai.messages": {"TextContent": TextContent, "UserMessage": UserMessage},
        "aelix_ai.tools": {"ToolResult": SimpleNamespace},
        "aelix_agent_core.types": {"AgentTool": SimpleNamespace},
        "aelix_agent_core.harness.hooks": {
            "InputHandled": lambda: "handled",
            "ContextResult": SimpleNamespace,
            "BeforeAgentStartResult": SimpleNamespace,
        },
        "aelix_agent_core.session.entries": {"entry_to_json": entry_to_json},
    }
    for name, found in parts.items():
        package, *rest = name.split(".")
        for end in range(len(rest) + 1):
            module = ".".join([package, *rest[:end]])
            if module not in sys.modules:
                monkeypatch.setitem(sys.modules, module, ModuleType(module))
        vars(sys.modules[name]).update(found)
