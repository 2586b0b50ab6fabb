"""A talk with an agent, kept so that a test can look at all of it; and what such tests have in common."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import cast, get_args

import pytest

from tests.scripted_llm import Call, ScriptedLlm
from todo_context.hosts.memory import MemoryContext
from todo_context.pi import Context, Tool, ToolResult
from todo_context.plan.model import Json
from todo_repl.agent import Agent
from todo_repl.agent_events import AgentEvent, RunEnd
from todo_repl.connect import online_model
from todo_repl.context import context_of
from todo_repl.messages import AssistantMessage, Message, ToolResultMessage, message_from_json
from todo_repl.models import Model, ModelSpec, ProviderName, TextDelta
from todo_repl.session import Session

BOTH = pytest.mark.parametrize("provider", get_args(ProviderName))
ONE: Call = {"name": "echo", "arguments": {"n": 1}}
TWO: Call = {"name": "echo", "arguments": {"n": 2}}


@dataclass
class Talk:
    """An agent in a session, what it showed and what it told."""

    model: Model
    tools: list[Tool] = field(default_factory=list)
    session: Session = field(default_factory=lambda: Session.memory("/"))
    max_rounds: int = 20
    listen: Callable[[AgentEvent], object] = id

    def __post_init__(self) -> None:
        self.shown: list[AgentEvent] = []
        self.told: list[dict[str, Json]] = []
        self.agent = Agent(
            self.session,
            self.model,
            tools=lambda: self.tools,
            context=MemoryContext("/"),
            emit=self._show,
            on_event=self._tell,
            system_prompt="You plan.",
            max_rounds=self.max_rounds,
        )

    def say(self, text: str) -> RunEnd:
        """Have one run, in an event loop of its own."""
        return asyncio.run(self.agent.run(text))

    @property
    def stored(self) -> list[Message]:
        """The messages in the session, as they are stored."""
        entries = (entry.get("message") for entry in self.session.branch() if entry["type"] == "message")
        return [message for stored in entries if (message := message_from_json(stored)) is not None]

    @property
    def answers(self) -> list[AssistantMessage]:
        return [message for message in self.stored if isinstance(message, AssistantMessage)]

    @property
    def results(self) -> list[ToolResultMessage]:
        return [message for message in self.stored if isinstance(message, ToolResultMessage)]

    @property
    def context(self) -> tuple[Message, ...]:
        return context_of(self.session.branch())

    @property
    def seen(self) -> str:
        """The text that came to the screen."""
        return "".join(event.text for event in self.shown if isinstance(event, TextDelta))

    def _show(self, event: AgentEvent) -> None:
        self.shown.append(event)
        self.listen(event)

    async def _tell(self, name: str, event: dict[str, Json]) -> None:
        assert event["type"] == name
        self.told.append(event)


def tool(
    name: str, execute: Callable[[Json], Awaitable[ToolResult]], render_call: Callable[[Json], str] | None = None
) -> Tool:
    """A tool of a test: what it does with the arguments."""

    async def run(_call_id: str, arguments: Json, _ctx: Context) -> ToolResult:
        return await execute(arguments)

    return Tool(
        name=name,
        label=name.title(),
        description=f"The tool {name}.",
        parameters={"type": "object", "properties": {"n": {"type": "integer"}}},
        execute=run,
        render_call=render_call,
    )


def echo() -> Tool:
    """A tool that answers with its arguments."""

    async def execute(arguments: Json) -> ToolResult:
        return ToolResult(text=f"got {arguments}", details={"sent": arguments})

    return tool("echo", execute)


def talk_with(
    server: ScriptedLlm, *tools: Tool, provider: ProviderName = "openai", session: Session | None = None
) -> Talk:
    model = online_model(ModelSpec(provider=provider, name="m", base_url=server.base_url))
    return Talk(model, list(tools), session or Session.memory("/"))


def wire(body: dict[str, object]) -> list[str]:
    """One word a message of a request, in either protocol: its role, with the ids of calls or of the results."""
    words: list[str] = []
    for message in cast("list[dict[str, Json]]", body["messages"]):
        content = message.get("content")
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        calls = message.get("tool_calls") or [block for block in blocks if block["type"] == "tool_use"]
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if message["role"] == "tool":
            results = [message["tool_call_id"]]
        assert isinstance(calls, list)
        ids = [str(call["id"]) for call in calls if isinstance(call, dict)] + [f"={result}" for result in results]
        words.append(" ".join([str(message["role"]), *ids]))
    return [word for word in words if word != "system"]
