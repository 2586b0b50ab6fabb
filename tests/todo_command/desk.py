"""A desk to type /todo at: a host in memory, a plan given as Markdown, and perhaps a person who answers."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.plans import plan
from todo_command import register
from todo_context.awaiting import awaited
from todo_context.backlog.closing import Closing
from todo_context.backlog.here import Here
from todo_context.hosts.memory import MemoryPi
from todo_context.lane import Lane
from todo_context.pi import Answer, Completion, LeftOver, Level
from todo_context.pi import Widget as Drawing
from todo_context.plan.markdown import to_markdown
from todo_context.plan.model import Plan
from todo_context.plan.ops import Replace
from todo_context.plan.problem import LineProblem
from todo_context.settings import BacklogSettings, PanelSettings
from todo_context.widget import Widget

THREE = """\
# Build
- [/] Wire config
- [ ] Port logger

# Verify
- [ ] Run tests
"""

Editor = Callable[[str, Sequence[LineProblem]], str | None]


@dataclass
class Person:
    """Someone at the screen who answers from a list, and keeps what they were shown.

    `edits` is one editor after the other: from the text and the problems above it to the saved text.
    """

    edits: Sequence[Editor] = ()
    choice: str | None = None
    confirms: bool = True
    types: str | None = None
    has_clipboard: bool = True
    left: LeftOver | None = None
    stored: int = 0
    opened: list[str] = field(default_factory=list[str])
    began: list[str | None] = field(default_factory=list[str | None])
    problems: list[list[LineProblem]] = field(default_factory=list[list[LineProblem]])
    offered: list[str] = field(default_factory=list[str])
    asked: list[str] = field(default_factory=list[str])
    copied: list[str] = field(default_factory=list[str])

    async def editor(
        self, title: str, text: str, problems: Sequence[LineProblem] = (), *, opened: str | None = None
    ) -> str | None:
        assert title
        self.began.append(opened)
        self.opened.append(text)
        self.problems.append(list(problems))
        await asyncio.sleep(0)  # as a real editor lets others work
        return self.edits[len(self.opened) - 1](text, problems)

    def edit_settled(self) -> None:
        self.stored += 1

    async def left_over(self) -> LeftOver | None:
        return self.left

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        assert title
        self.offered = list(options)
        return self.choice

    async def confirm(self, title: str, message: str) -> bool:
        self.asked.append(f"{title} {message}")
        return self.confirms

    async def input(self, title: str, placeholder: str = "") -> str | None:
        self.asked.append(f"{title} {placeholder}".rstrip())
        return self.types

    def copy(self, text: str) -> bool:
        if self.has_clipboard:
            self.copied.append(text)
        return self.has_clipboard

    def notify(self, message: str, level: Level = "info") -> None:
        raise AssertionError((message, level))

    def set_widget(self, key: str, content: Sequence[str] | Drawing | None) -> None:
        raise AssertionError((key, content))


class Desk:
    """/todo over a plan, in the folder `cwd`."""

    def __init__(self, markdown: str = "", *, person: Person | None = None, cwd: Path | str = "/nowhere") -> None:
        self.pi = MemoryPi(ui=person, cwd=str(cwd))
        self.lane = Lane(self.pi)
        # The verbs alone, without what the extension shows after each.
        here = Here(BacklogSettings())
        register(
            self.pi, self.lane, Widget(self.pi, self.lane, PanelSettings(show=False)), here, Closing(self.lane, here)
        )
        if markdown:
            self.put(plan(markdown))

    def put(self, new: Plan) -> None:
        """Let the model set the plan, as it stands."""
        asyncio.run(self.lane.apply([Replace(new, normalise=False)], by="model", action="init"))

    def type(self, args: str) -> Answer:
        """Type /todo with these arguments."""
        answer = asyncio.run(self.pi.run_command("todo", args))
        assert answer is not None
        return answer

    def complete(self, prefix: str) -> list[Completion]:
        completer = self.pi.commands["todo"].get_argument_completions
        assert completer is not None
        return list(asyncio.run(awaited(completer(prefix))))

    @property
    def markdown(self) -> str:
        """The plan as it is now."""
        return to_markdown(asyncio.run(self.lane.plan()))

    @property
    def actions(self) -> list[str]:
        """What the person's entries say they did."""
        changes = [entry["data"] for entry in self.pi.branch() if entry["type"] == "custom"]
        return [str(data["action"]) for data in changes if isinstance(data, dict) and data["by"] == "user"]
