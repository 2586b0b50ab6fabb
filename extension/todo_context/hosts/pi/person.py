"""The person at pi's screen, and the moment a handler is called in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from todo_context.kept import Kept
from todo_context.pi import LeftOver, Level, Widget
from todo_context.plan.model import Json
from todo_context.plan.problem import LineProblem

TAB_AS_SHOWN = "    "
"""What pi's editor makes of a tab."""

COPY_S = 10.0
"""How long pi may take to reach the clipboard; it gives the program that does so five seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A request of pi, and what it says of the session. `session` is "" where pi says nothing of it."""

    number: int
    has_ui: bool = False
    cwd: str = ""
    session: str = ""
    is_stored: bool = True
    mode: str = ""
    waits: bool = True
    """Whether pi waits for the handlers of all events before it goes on. 0.74 does so only for some."""

    @classmethod
    def of(cls, number: int, ctx: Json) -> "Moment":
        """The moment of a request, from what shim.ts tells of pi's ctx; None where pi gave it none."""
        if not isinstance(ctx, dict):
            return cls(number=number)
        modes = ctx.get("modes")
        told, flag = modes if isinstance(modes, list) else (None, None)
        return cls(
            number=number,
            has_ui=ctx.get("hasUI") is True,
            cwd=str(ctx.get("cwd", "")),
            session=str(ctx.get("session", "")),
            is_stored=bool(ctx.get("file")),
            mode=str(told or flag or ""),
            waits=told is not None,
        )

    @property
    def can_go_on(self) -> bool:
        """Whether pi is still there for a turn that a handler triggers; else it has printed, and ended."""
        return self.has_ui or self.waits

    @property
    def is_terminal(self) -> bool:
        """Whether the person sits at pi's own screen, not behind a program that draws one."""
        return self.has_ui and self.mode != "rpc"


class Asks(Protocol):
    """How something is asked of pi in the moment of now."""

    async def ask(self, what: str, *args: Json) -> Json:
        """Ask and wait for the answer."""
        ...

    def ask_at_once(self, what: str, *args: Json, timeout_s: float) -> Json:
        """Ask and let everything else wait for the answer."""
        ...

    def post(self, what: str, *args: Json) -> None:
        """Ask without an answer."""
        ...


@dataclass(frozen=True, slots=True)
class Person:
    """`Ui` over pi's `ctx.ui`."""

    moment: Moment
    pi: Asks
    kept: Kept

    async def editor(
        self, title: str, text: str, problems: Sequence[LineProblem] = (), *, opened: str | None = None
    ) -> str | None:
        """Open pi's editor, which owns the text until it is submitted."""

        async def ask(shown: str) -> str | None:
            edited = await self.pi.ask("ui", "editor", title, shown)
            return with_tabs(edited, shown) if isinstance(edited, str) else None

        return await self.kept.edited(ask, text, problems, opened)

    def edit_settled(self) -> None:
        """The text that was given last is stored, or not wanted."""
        self.kept.settled()

    async def left_over(self) -> LeftOver | None:
        """A text of an earlier edit in this session that the person wants to go on with."""
        return await self.kept.left_over()

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        """Let the person choose one of `options`."""
        chosen = await self.pi.ask("ui", "select", title, list(options))
        return chosen if isinstance(chosen, str) else None

    async def confirm(self, title: str, message: str) -> bool:
        """Ask a yes-or-no question."""
        return await self.pi.ask("ui", "confirm", title, message) is True

    async def input(self, title: str, placeholder: str = "") -> str | None:
        """Ask for a line of text."""
        said = await self.pi.ask("ui", "input", title, placeholder)
        return said if isinstance(said, str) and said.strip() else None

    def copy(self, text: str) -> bool:
        """Let pi reach the clipboard; not where pi's own terminal is not the person's."""
        if not self.moment.is_terminal:
            return False
        try:
            self.pi.ask_at_once("copy", text, timeout_s=COPY_S)
        except OSError:
            return False
        return True

    def notify(self, message: str, level: Level = "info") -> None:
        """Show it where pi shows its own."""
        self.pi.post("ui", "notify", message, level)

    def set_widget(self, key: str, content: Sequence[str] | Widget | None) -> None:
        """Show lines above pi's prompt. Nothing is drawn here."""
        self.pi.post("ui", "setWidget", key, None if content is None or callable(content) else list(content))


def with_tabs(edited: str, shown: str) -> str:
    """The edited text with the tabs that pi's editor took out of lines that are else as they were shown."""
    tabbed = {line.replace("\t", TAB_AS_SHOWN): line for line in shown.split("\n")}
    return "\n".join(tabbed.get(line, line) for line in edited.split("\n"))
