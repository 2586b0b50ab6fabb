"""What the agent says and does, as it goes into the scrollback: each line once, when it is finished.

An answer is drawn as Markdown, block by block; a call of a tool is one line with its result, an error stands below it.
"""

import re
from typing import TYPE_CHECKING, assert_never

from todo_context.cells import safe_text
from todo_context.looks import Looks
from todo_context.pi import Tool, ToolResult
from todo_context.plan.sources import OURS
from todo_repl.agent_events import (
    AgentEvent,
    CompactionEnded,
    CompactionStarted,
    MessageEnded,
    RunEnded,
    ToolEnded,
    ToolStarted,
)
from todo_repl.bugs import bug_line
from todo_repl.messages import UserMessage
from todo_repl.models import TextDelta, ThinkingDelta
from todo_repl.ui.app.blocks import Block, Blocks
from todo_repl.ui.app.rows import safe_lines
from todo_repl.ui.app.tail import Tail
from todo_repl.ui.output import Output
from todo_repl.ui.printer import Printer

if TYPE_CHECKING:
    from collections.abc import Callable

RESULT_LINES = 16
"""How much of what a tool shows stays; its answer is in the session, and the model reads all of it."""

ERROR_LINES = 200
"""An error is shown in full. What is longer than this is a file that went wrong."""

RECALLED_LINES = 6
"""How much of each is shown of what was said last: of an answer its end, where a question stands."""

SAID_LINES = 12
"""How much of a message of the person is repeated: they wrote it."""

_COMPACTION = "compaction"
_TRAILING = re.compile(r"[ ]+((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)
_EMPTY_ENDS = re.compile(r"\A(?:(?:\x1b\[[0-9;]*m)*\n)+|(?:\n(?:\x1b\[[0-9;]*m)*)+\Z")

_ASCII = str.maketrans({"•": "*", "▌": "|", "─": "-", "━": "="})
"""What Rich draws of Markdown with, for a screen that shows only ASCII."""


class Transcript(Printer):
    """Prints on `out` what is finished, and keeps in `tail` what is not."""

    def __init__(self, out: Output, looks: Looks) -> None:
        super().__init__(out, out, looks.styles)
        self.looks = looks
        self.tail = Tail()
        self.shows_plan: Callable[[], bool] = lambda: False
        """Whether the plan stands on the screen anyway."""
        self._blocks = Blocks()
        self._labels: dict[str, str] = {}
        self._is_after_block = False
        self._has_spoken = False
        """Whether the agent said or did something since the person did."""

    def said(self, text: str) -> None:
        """Show what the person said."""
        first, *others = folded(text.strip("\n"), SAID_LINES, self.looks).split("\n")
        if self._has_spoken:
            self.out.write("\n")
        self._has_spoken = False
        self.line("\n".join([f"> {first}", *(f"  {line}" for line in others)]), self.looks.styles["prompt"])

    def recall(self, said: str, answer: str) -> None:
        """Show what was said last where a person comes back to a session, or goes elsewhere in it."""
        style = self.looks.styles["hint"]
        if said.strip():
            first, *others = folded(said.strip("\n"), RECALLED_LINES, self.looks).split("\n")
            self.line("\n".join([f"> {first}", *(f"  {line}" for line in others)]), style)
        if answer.strip():
            lines = answer.strip("\n").split("\n")
            more = len(lines) - RECALLED_LINES
            left_out = [f"{self.looks.glyphs.ellipsis} {more} lines above"] if more > 0 else []
            self.line("\n".join([*left_out, *lines[-RECALLED_LINES:]]), style)

    def line(self, text: str, style: str = "") -> None:
        """Print text that is no part of an answer."""
        self._is_after_block = False
        self.out.line(safe_lines(text), style)

    def show(self, event: AgentEvent) -> None:
        """Show what the agent does."""
        match event:
            case TextDelta(text):
                self.tail.is_thinking = False
                self._take(self._blocks.feed(self._guard.feed(text)))
            case ThinkingDelta():
                self.tail.is_thinking = True
            case MessageEnded(message, is_shown):
                self._end_answer()
                if isinstance(message, UserMessage) and not is_shown:
                    self.said(message.text)
                self._say_if_incomplete(message)
            case ToolStarted():
                self.tail.doings[event.call.id] = self._labels[event.call.id] = event.label_line
            case ToolEnded():
                self._tool(event)
            case CompactionStarted():
                self.tail.doings[_COMPACTION] = event.line.removesuffix(" …")
                self.line(event.line, self.looks.styles["tool"])
            case CompactionEnded(why, end):
                self.tail.doings.pop(_COMPACTION, None)
                if why != "asked":  # the answer of the command says it
                    self.line(end.line, self.looks.styles["tool"])
            case RunEnded(end):
                # An answer that could not be stored has no end of its own; its last letters are shown all the same.
                self._end_answer()
                self.tail.doings.clear()
                self._labels.clear()
                self._end(end)
            case _:
                assert_never(event)

    def _end_answer(self) -> None:
        self._take([*self._blocks.feed(self._guard.finish()), *self._blocks.finish()])
        self._is_after_block = self.tail.is_thinking = False

    def _take(self, blocks: list[Block]) -> None:
        for block in blocks:
            drawn = self._drawn(block.text)
            if drawn:
                self._has_spoken = True
                drawn += "\n" * block.blank_after
                self.out.write(f"\n{drawn}" if self._is_after_block and not block.goes_on else drawn)
                self._is_after_block = True
        self.tail.text = self._blocks.rest

    def _drawn(self, markdown: str) -> str:
        from todo_repl.ui.app.markdown import rendered  # noqa: PLC0415 (takes long)

        # Rich fills rows with blanks to the edge, and a narrower terminal would break each of them.
        text = _TRAILING.sub(r"\1", self.out.drawn(rendered(safe_lines(markdown))))
        text = _EMPTY_ENDS.sub("", text)
        if self.looks.glyphs.bullet.isascii():
            text = text.translate(_ASCII)
        return f"{text}\n" if text else ""

    def _tool(self, event: ToolEnded) -> None:
        self.tail.doings.pop(event.call.id, None)
        label = self._labels.pop(event.call.id, event.call.name)
        self._is_after_block, self._has_spoken = False, True
        if event.result.is_error:
            self._call(label)
            self.line(folded(event.result.text.strip("\n"), ERROR_LINES, self.looks), self.styles["error"])
            return
        shown = self._view(event.tool, event.result).rstrip("\n")
        if shown and "\n" in shown and not self._stands_already(event.tool):
            self._call(label)
            self.out.write(folded(shown, RESULT_LINES, self.looks) + "\n")
            return
        # The last line of a plan says how far it is.
        self._call(label, shown.rpartition("\n")[2] or _summary(event.result.text))

    def _call(self, label: str, result: str = "") -> None:
        glyphs = self.looks.glyphs
        line = f"{glyphs.bullet} {label}{f' {glyphs.dot} ' if result else ''}{result}"
        self.out.short_line(safe_text(line), self.looks.styles["tool"])

    def _stands_already(self, tool: Tool | None) -> bool:
        return tool is not None and tool.name == OURS and self.shows_plan()

    def _view(self, tool: Tool | None, result: ToolResult) -> str:
        """What a tool draws of its result; nothing if it draws none."""
        if tool is None or tool.render_result is None:
            return ""
        try:
            view = tool.render_result(result)
            return "" if view is None else self.out.drawn(view)
        except Exception as error:  # noqa: BLE001 (an extension's own; the run must go on)
            self.line(bug_line(f"{tool.name}, drawing its result", error), self.styles["error"])
            return ""


def folded(text: str, most: int, looks: Looks) -> str:
    """The beginning of a text that has too many lines, and how many more there are."""
    lines = text.split("\n")
    more = len(lines) - most
    return text if more <= 0 else "\n".join([*lines[:most], f"{looks.glyphs.ellipsis} +{more} lines"])


def _summary(text: str) -> str:
    first, _, rest = text.strip().partition("\n")
    more = rest.count("\n") + 1 if rest else 0
    return f"{first} (+{more} lines)" if more else first
