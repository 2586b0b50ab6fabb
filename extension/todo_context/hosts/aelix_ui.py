"""The person at Aelix's TUI, and how one is answered who has none.

Aelix's `has_ui` is true in the TUI alone. Where it is false, stdout belongs to whoever started Aelix: lines of
text, or records of JSON, one a line.
"""

import contextlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import uuid4

from todo_context.hosts import aelix_parts as parts
from todo_context.kept import Kept
from todo_context.pi import Answer, LeftOver, Level, Ui, Widget
from todo_context.plan.problem import LineProblem


@dataclass(frozen=True, slots=True)
class Person:
    """Implements `todo_context.pi.Ui` over the dialogs of one moment."""

    ui: parts.Ui
    kept: Kept

    async def editor(
        self, title: str, text: str, problems: Sequence[LineProblem] = (), *, opened: str | None = None
    ) -> str | None:
        """Let the person edit `text` in Aelix's own editor; None means cancelled."""
        # Aelix writes its keys behind the title, and cuts the line at the edge of the screen.
        return await self.kept.edited(lambda shown: self.ui.editor(f"{title}\n", shown), text, problems, opened)

    def edit_settled(self) -> None:
        """What the editor gave last is stored, or not wanted."""
        self.kept.settled()

    async def left_over(self) -> LeftOver | None:
        """A text of this session that was never taken over, if the person wants to go on with it."""
        return await self.kept.left_over()

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        """Let the person choose one of `options`; None means cancelled."""
        return await self.ui.select(title, list(options))

    async def confirm(self, title: str, message: str) -> bool:
        """Ask a yes-or-no question."""
        return await self.ui.confirm(title, message)

    async def input(self, title: str, placeholder: str = "") -> str | None:
        """Ask for a line of text; None means cancelled."""
        said = await self.ui.input(title, placeholder)
        return said if said and said.strip() else None

    def copy(self, text: str) -> bool:
        """Have the terminal put the text on the clipboard (OSC 52), as Aelix's own /copy does."""
        # Not part of what Aelix promises to extensions: where it is gone, nothing took the text.
        chrome: object = getattr(self.ui, "chrome", None)
        copy: object = getattr(chrome, "copy_to_clipboard", None)
        return bool(copy(text)) if callable(copy) else False

    def notify(self, message: str, level: Level = "info") -> None:
        """Show one line for three seconds."""
        self.ui.notify(message, level)

    def set_widget(self, key: str, content: Sequence[str] | Widget | None) -> None:
        """Show lines above the prompt; None takes them away. Nothing is drawn here."""
        self.ui.set_widget(key, None if content is None or callable(content) else list(content))


@dataclass(frozen=True, slots=True)
class Moment:
    """Implements `todo_context.pi.Context`. Reading any of it raises, once the session was left."""

    context: parts.Context
    kept: Kept
    session: str = ""

    @property
    def has_ui(self) -> bool:
        """Whether a person can be asked."""
        return self.context.has_ui

    @property
    def ui(self) -> Ui:
        """The person."""
        return Person(self.context.ui, self.kept)

    @property
    def cwd(self) -> str:
        """The folder the session works in."""
        return self.context.cwd


def say(answer: Answer, source: str) -> None:
    """Answer a command that came in as the text of a prompt from `source`, where there is no TUI."""
    if source == "rpc" or ("--mode", "json") in pairwise(sys.argv):
        _say_as_record(answer)
    else:
        _print(answer.text, is_error=answer.is_error)


def warn(line: str) -> None:
    """Tell whoever started Aelix that something of ours went wrong."""
    _print(line, is_error=True)


def _say_as_record(answer: Answer) -> None:
    # Aelix answers a handled prompt with its success alone and has no way yet to tell a client more. The record is
    # the one pi defines, and Aelix lists, for a notice of an extension; Aelix's own client hands it to its listeners.
    level: Level = "error" if answer.is_error else "info"
    record = {"type": "extension_ui_request", "id": str(uuid4()), "method": "notify"}
    line = json.dumps({**record, "message": answer.text, "notifyType": level})
    # In RPC sys.stdout is stderr; the records go to what it was at the start.
    if (out := sys.__stdout__) is not None:
        with contextlib.suppress(OSError, ValueError):
            out.write(f"{line}\n")
            out.flush()


def _print(text: str, *, is_error: bool) -> None:
    if text:
        with contextlib.suppress(OSError, ValueError):
            print(text, file=sys.stderr if is_error else sys.stdout, flush=True)
