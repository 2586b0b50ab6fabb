"""A runtime with extensions of a test, before a scripted model behind HTTP."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.scripted_llm import Call, ScriptedLlm, Step
from tests.todo_repl.stage import Activate, Stage
from todo_context.pi import Context, Pi, Tool, ToolResult
from todo_context.plan.model import Json
from todo_repl.connect import online_model
from todo_repl.loader import Loadable
from todo_repl.manifest import Undeclared
from todo_repl.models import ModelSpec
from todo_repl.runtime import Runtime, Submitted
from todo_repl.session import Session

SYSTEM = "You plan."
ONE: Call = {"name": "echo", "arguments": {"n": 1}, "id": "c1"}
TWO: Call = {"name": "echo", "arguments": {"n": 2}, "id": "c2"}
TOOLS: Sequence[Step] = ({"text": "Now.", "tool_calls": [ONE, TWO]}, {"text": "Done."})
"""One message with two calls, and a last word."""


@dataclass
class Scene:
    """A runtime at work, and what came of it on the screen, in the session and before the model."""

    server: ScriptedLlm
    front: Stage
    runtime: Runtime

    async def type(self, *lines: str) -> Submitted:
        """Type lines, one after the other; the worst of how they ended."""
        return max([await self.runtime.submit(line) for line in lines])

    @property
    def bodies(self) -> list[Any]:
        """The requests."""
        return self.server.bodies

    @property
    def messages(self) -> list[Any]:
        """The messages that are stored, of extensions too, in the order stored."""
        return [
            entry.get("message") or {"role": "custom", **entry}
            for entry in self.runtime.session.branch()
            if entry["type"] in {"message", "custom_message"}
        ]

    @property
    def said(self) -> list[str]:
        """Each stored message: its role, and its text."""
        return [f"{message['role']}: {text(message)}" for message in self.messages]

    def sent(self, request: int = -1) -> list[str]:
        """Each message of a request: its role, and its text."""
        return [f"{message['role']}: {text(message)}" for message in self.bodies[request]["messages"]]


def text(message: Any) -> str:
    """The text of a message, stored or sent."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"text": content or ""}]
    return "".join(str(part.get("text", "")) for part in parts)


Job = Callable[[Scene], Awaitable[None]]


def play(job: Job | str, *extensions: Activate, steps: Sequence[Step] = TOOLS, path: Path | None = None) -> Scene:
    """Load `probe`, `probe2`, … and do the job, or say the text; the scene after it was closed."""

    async def go(server: ScriptedLlm) -> Scene:
        front = Stage()
        runtime = Runtime(
            session=Session.create(path, "/work") if path else Session.memory("/work"),
            model=online_model(ModelSpec(provider="openai", name="m", base_url=server.base_url, api_key="x")),
            front=front,
            system_prompt=SYSTEM,
            max_rounds=5,
        )
        scene = Scene(server, front, runtime)
        await runtime.load_all(lambda: [loading(echoing, "echo"), *named(extensions)])
        await runtime.start("startup")
        try:
            if isinstance(job, str):
                await scene.type(job)
            else:
                await job(scene)
        finally:
            await runtime.close()
        return scene

    with ScriptedLlm(steps) as server:
        return asyncio.run(go(server))


def loading(activate: Activate, name: str) -> Callable[[], Loadable]:
    """A source: an extension without a manifest."""
    return lambda: Loadable(Undeclared(name), activate, f"{name}.py")


def named(extensions: Sequence[Activate]) -> list[Callable[[], Loadable]]:
    return [loading(activate, f"probe{n or ''}") for n, activate in enumerate(extensions)]


def echoing(pi: Pi) -> None:
    """An extension with a tool that answers with its arguments."""

    async def execute(call_id: str, arguments: Json, ctx: Context) -> ToolResult:
        del call_id, ctx
        return ToolResult(text=f"got {arguments}", details={"sent": arguments})

    pi.register_tool(Tool(name="echo", label="Echo", description="", parameters={"type": "object"}, execute=execute))


def answering(**answers: object) -> Activate:
    """An extension that answers each of these events so; what can be called is called with the event."""

    def activate(pi: Pi) -> None:
        for name, answer in answers.items():
            pi.on(name, handler(answer))

    return activate


def handler(answer: object) -> Callable[[Mapping[str, Json], Context], object]:
    def handle(event: Mapping[str, Json], ctx: Context) -> object:
        del ctx
        return answer(event) if callable(answer) else answer

    return handle


def listening(log: list[Any], *names: str) -> Activate:
    """An extension that keeps these events."""
    return answering(**dict.fromkeys(names, log.append))


_MOMENT = re.compile(r'("(?:id|parentId|todoLeaf)":"[0-9a-f-]+"|"timestamp":(?:"[^"]+"|[0-9]+))')


def lasting(path: Path) -> str:
    """The lines of a session file without what differs from run to run: ids and times."""
    return _MOMENT.sub("", path.read_text())
