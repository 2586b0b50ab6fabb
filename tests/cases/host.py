"""What the cases are shown in: the extension alone in memory, and a whole host with a person at it.

The host is real to its edges: a session file, a scripted model behind an HTTP server on loopback, and the front of
the prompt, whose editor is whatever program `EDITOR` names.
"""

import asyncio
import json
import re
import shlex
import sys
from collections.abc import Awaitable, Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.scripted_llm import ScriptedLlm, Step
from todo_context import activate, plan_of, to_markdown
from todo_context.hosts.memory import MemoryPi
from todo_context.pi import Answer, Entry, ToolResult
from todo_repl.connect import online_model
from todo_repl.manifest import own_manifest
from todo_repl.models import ModelSpec
from todo_repl.runtime import Runtime, Submitted
from todo_repl.session import Session, read_branch
from todo_repl.ui.lines import LinesFront
from todo_repl.ui.output import Output
from todo_repl.ui.prompt import PromptFront

if TYPE_CHECKING:
    from todo_repl.front import Front

POLL_S, WAIT_S = 0.01, 30.0
"""How often a condition is looked at while it is waited for, and how long; a loaded machine is slow, not broken."""


def changes(branch: Sequence[Entry]) -> list[Any]:
    """What the extension stored on a branch: one object a change."""
    return [entry["data"] for entry in branch if entry.get("customType") == "todo_write"]


class Extension:
    """The extension alone, in the host that lives in memory. Without a person."""

    def __init__(self, pi: MemoryPi | None = None) -> None:
        self.pi = pi or MemoryPi()
        activate(self.pi)

    def call(self, *calls: Any) -> ToolResult:
        """Call the tool, once for each of these arguments, and store the results as a host does; the last one."""
        for arguments in calls[:-1]:
            self._call(arguments)
        return self._call(calls[-1])

    def type(self, args: str) -> Answer:
        """Type /todo with these arguments."""
        answer = asyncio.run(self.pi.run_command("todo", args))
        assert answer is not None
        return answer

    @property
    def markdown(self) -> str:
        """The plan, as any reader of the branch finds it."""
        return to_markdown(plan_of(self.pi.branch()))

    @property
    def changes(self) -> list[Any]:
        return changes(self.pi.branch())

    def _call(self, arguments: Any) -> ToolResult:
        call_id = f"call_{len(self.pi.stored)}"
        result = asyncio.run(self.pi.call_tool("todo_write", arguments, call_id))
        message: dict[str, Any] = {
            "role": "toolResult",
            "toolCallId": call_id,
            "toolName": "todo_write",
            "content": [{"type": "text", "text": result.text}],
            "details": dict(result.details or {}),
            "isError": result.is_error,
        }
        self.pi.append("message", {"message": message})
        return result


class Person(PromptFront):
    """The front of the prompt, with a text for a screen. The person says what `confirms` is to every question."""

    def __init__(self, screen: StringIO, session_id: str) -> None:
        super().__init__(Output(screen), session_id=session_id)
        self.confirms = True
        self.asked: list[str] = []

    async def confirm(self, title: str, message: str) -> bool:
        self.asked.append(f"{title} {message}")
        return self.confirms


class Host:
    """A runtime over a session file, and what came of it on the screen, in the file and before the model."""

    def __init__(self, path: Path, server: ScriptedLlm, *, has_person: bool = False) -> None:
        self.path = path
        self.server = server
        self.is_resumed = path.exists()
        session = Session.open(path) if self.is_resumed else Session.create(path, str(path.parent))
        self.screen = StringIO()
        self.person = Person(self.screen, session.id)
        self.front: Front = self.person if has_person else LinesFront(Output(self.screen), Output(self.screen))
        self.runtime = Runtime(
            session=session,
            model=online_model(ModelSpec(provider="openai", name="scripted", base_url=server.base_url, api_key="x")),
            front=self.front,
            system_prompt="Plan.",
            max_rounds=50,
        )

    async def type(self, line: str) -> str:
        """Type a line; what was printed until it was done."""
        start = len(self.screen.getvalue())
        await self.runtime.submit(line)
        return self.screen.getvalue()[start:].strip("\n")

    async def agreed(self) -> str:
        """The plan in the file, which must be the one that /todo shows."""
        markdown = to_markdown(plan_of(read_branch(self.path)))
        assert await self.type("/todo") == markdown.rstrip("\n")
        return markdown

    @property
    def results(self) -> list[Any]:
        """The stored results of tools, in the order stored."""
        messages: list[Any] = [entry["message"] for entry in read_branch(self.path) if entry["type"] == "message"]
        return [message for message in messages if message["role"] == "toolResult"]

    @property
    def changes(self) -> list[Any]:
        return changes(read_branch(self.path))


Job = Callable[[Host], Awaitable[None]]


def run(
    path: Path, steps: Sequence[Step], job: Job, *, has_person: bool = False, extensions: Sequence[Any] = ()
) -> None:
    """Begin or go on with the session in this file, do the job, and close it."""

    async def go(server: ScriptedLlm) -> None:
        host = Host(path, server, has_person=has_person)
        await host.runtime.load(own_manifest(), activate)
        for manifest, function in extensions:
            await host.runtime.load(manifest, function)
        await host.runtime.start("resume" if host.is_resumed else "startup")
        try:
            await job(host)
        finally:
            await host.runtime.close()

    with ScriptedLlm(steps) as server:
        asyncio.run(go(server))


def said(text: str) -> Job:
    """A job: one message to the agent, whose run ends well."""

    async def job(host: Host) -> None:
        assert await host.runtime.submit(text) is Submitted.DONE

    return job


def calling(*calls: Any) -> list[Step]:
    """A script: a message for each of these arguments of the tool, and a last word."""
    steps: list[Step] = [{"tool_calls": [{"name": "todo_write", "arguments": arguments}]} for arguments in calls]
    return [*steps, {"text": "That is all."}]


def read_by_model(body: Any) -> list[str]:
    """The results of tools in a request, the oldest first."""
    return [str(message["content"]) for message in body["messages"] if message["role"] == "tool"]


def call_shown_in(text: str) -> Any:
    """The arguments of the call that a reply shows as one that works."""
    start = re.search(r"One that works: ", text)
    assert start, text
    operation, _ = json.JSONDecoder().raw_decode(text, start.end())
    return {"ops": [operation]}


async def until(condition: Callable[[], bool]) -> None:
    """Wait until the condition holds."""
    async with asyncio.timeout(WAIT_S):
        while not condition():  # noqa: ASYNC110 (what another process does sets no event here)
            await asyncio.sleep(POLL_S)


def use_editor(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Make these lines of Python the person's editor; `path` is the file to edit, `folder` is this folder."""
    script = folder / "my editor.py"
    head = f"import os, pathlib, sys, time\npath, folder = pathlib.Path(sys.argv[-1]), pathlib.Path({str(folder)!r})\n"
    script.write_text(f"{head}{body}\n")
    monkeypatch.setenv("EDITOR", f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}")
