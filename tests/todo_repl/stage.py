"""A runtime in memory: a session, the offline planner or a scripted model, and a front that keeps what it shows."""

import io
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from todo_context.pi import Answer, LeftOver, Level, Pi, Ui, Widget
from todo_context.plan.problem import LineProblem
from todo_repl.agent_events import AgentEvent
from todo_repl.manifest import Manifest, Named
from todo_repl.messages import AssistantMessage, TextPart, ToolCall, now_ms
from todo_repl.models import Delta, Finished, Model, Request, TextDelta
from todo_repl.offline import OfflinePlanner
from todo_repl.runtime import Runtime
from todo_repl.session import Session
from todo_repl.ui.output import Output
from todo_repl.ui.printer import Printer


class Stage(Printer):
    """A front over two texts. It has a person who answers what is written in `choice` and `edited`."""

    def __init__(self, *, has_ui: bool = False) -> None:
        self.out_text, self.err_text = io.StringIO(), io.StringIO()
        super().__init__(Output(self.out_text), Output(self.err_text))
        self.has_ui = has_ui
        self.draws_widgets = False
        self.choice: str | None = None
        self.edited: str | None = None
        self.stored = 0
        self.copied: list[str] = []
        self.widgets: list[tuple[str, Sequence[str] | Widget | None]] = []
        self.events: list[AgentEvent] = []

    @property
    def ui(self) -> Ui:
        return self

    @property
    def shown(self) -> str:
        return self.out_text.getvalue()

    @property
    def errors(self) -> str:
        return self.err_text.getvalue()

    def show(self, event: AgentEvent) -> None:
        self.events.append(event)
        super().show(event)

    async def editor(
        self, title: str, text: str, problems: Sequence[LineProblem] = (), *, opened: str | None = None
    ) -> str | None:
        del title, text, problems, opened
        return self.edited

    def edit_settled(self) -> None:
        self.stored += 1

    async def left_over(self) -> LeftOver | None:
        return None

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        del title, options
        return self.choice

    async def confirm(self, title: str, message: str) -> bool:
        del title, message
        return True

    async def input(self, title: str, placeholder: str = "") -> str | None:
        del title, placeholder
        return None

    def copy(self, text: str) -> bool:
        self.copied.append(text)
        return True

    def notify(self, message: str, level: Level = "info") -> None:
        super().notify(message, level)

    def set_widget(self, key: str, content: Sequence[str] | Widget | None) -> None:
        self.widgets.append((key, content))


Script = Callable[[Request], AsyncGenerator[Delta, None]]


@dataclass
class ScriptedModel:
    """A model whose answers are `answers`, one after the other: words, or calls of tools."""

    answers: Sequence[str | Sequence[ToolCall]]
    name: str = "scripted"
    provider: str = "test"
    api: str = "test"
    requests: list[Request] = field(default_factory=list[Request])

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        answer = self.answers[len(self.requests)]
        self.requests.append(request)
        if isinstance(answer, str):
            for character in answer:
                yield TextDelta(character)
            yield Finished(self._message(TextPart(answer)))
        else:
            yield Finished(self._message(*answer))

    def _message(self, *parts: TextPart | ToolCall) -> AssistantMessage:
        reason = "toolUse" if any(isinstance(part, ToolCall) for part in parts) else "stop"
        return AssistantMessage(
            parts=parts,
            provider=self.provider,
            model=self.name,
            api=self.api,
            stop_reason="toolUse" if reason == "toolUse" else "stop",
            timestamp_ms=now_ms(),
        )


def runtime(front: Stage, *, model: Model | None = None, path: Path | None = None, max_rounds: int = 20) -> Runtime:
    """A runtime without extensions, over a session in memory or in the file `path`."""
    return Runtime(
        session=Session.create(path, "/work") if path else Session.memory("/work"),
        model=model or OfflinePlanner(),
        front=front,
        system_prompt="",
        max_rounds=max_rounds,
    )


def manifest(
    *, tools: Sequence[str] = (), commands: Sequence[str] = (), hooks: Sequence[str] = (), name: str = "probe"
) -> Manifest:
    """A manifest that declares these."""
    return Manifest(
        name=name,
        version="1",
        entrypoint="probe:activate",
        tools=tuple(Named(name=tool) for tool in tools),
        commands=tuple(Named(name=command) for command in commands),
        hooks=tuple(hooks),
    )


async def say(text: str) -> Answer:
    """An answer, for a command's handler."""
    return Answer(text=text)


Activate = Callable[[Pi], object]
