"""What is printed, and how: answers, what the agent says and does, errors.

Append-only: nothing on the screen is drawn again, so it reads the same in a file.
"""

from typing import TYPE_CHECKING, assert_never

from todo_context.looks import Styles
from todo_context.pi import Answer, Level, Tool, ToolResult
from todo_context.plan.text import for_screen
from todo_repl.agent_events import (
    AgentEvent,
    CompactionEnded,
    CompactionStarted,
    MessageEnded,
    RunEnd,
    RunEnded,
    ToolEnded,
    ToolStarted,
)
from todo_repl.bugs import bug_line
from todo_repl.messages import AssistantMessage, Message
from todo_repl.models import TextDelta, ThinkingDelta
from todo_repl.ui.output import Output
from todo_repl.ui.stream import StreamGuard
from todo_repl.ui.wrap import Wrapper

if TYPE_CHECKING:
    from rich.console import RenderableType

ERROR_LINES = 20
"""How much of a tool's error is shown. The model reads all of it."""

WAITING, NO_LONGER_WAITING = "\u2026", "\r\x1b[K"
"""A mark on a line of its own, and how it goes away: back to the line's begin, erase to its end."""


class Printer:
    """Prints on `out`, and errors on `err`, which may be the same."""

    def __init__(self, out: Output, err: Output, styles: Styles | None = None) -> None:
        self.out = out
        self.err = err
        self.styles = styles or out.styles
        self._guard = StreamGuard()
        self._wrapper = Wrapper(lambda: out.columns) if out.is_terminal else None
        self._is_mid_line = False
        self._is_waiting = False
        self._last_view = ""

    def recall(self, said: str, answer: str) -> None:
        """Nothing: whoever reads lines has them, or asks for them."""

    def answer(self, answer: Answer) -> None:
        """Show what a command said."""
        self._end_line()
        if answer.is_error:
            self.err.line(answer.text, self.styles["error"])
        elif answer.view is not None and self.out.is_terminal:
            self.out.view(answer.view)
        else:
            self.out.line(answer.text)

    def notify(self, message: str, level: Level = "info") -> None:
        """Show one line in passing."""
        self._end_line()
        (self.out if level == "info" else self.err).line(message, self.styles[level])

    def show(self, event: AgentEvent) -> None:
        """Show what the agent does."""
        match event:
            case TextDelta(text):
                self._stream(self._guard.feed(text))
            case ThinkingDelta():
                pass
            case MessageEnded(message):
                self._finish_stream()
                self._say_if_incomplete(message)
            case ToolStarted():
                self._end_line()
                self.out.short_line(f"• {event.label_line}", self.styles["tool"])
            case ToolEnded():
                self._end_line()
                self._result(event.tool, event.result)
                self.wait()
            case CompactionStarted():
                self._end_line()
                self.out.line(event.line, self.styles["tool"])
                self.wait()
            case CompactionEnded(why, end):
                self._end_line()
                if why != "asked":  # the answer of the command says it
                    (self.out if end.reason == "done" else self.err).line(end.line, self.styles["tool"])
            case RunEnded(end):
                # An answer that could not be stored has no end of its own; its last letters are shown all the same.
                self._finish_stream()
                self._end(end)
            case _:
                assert_never(event)

    def _say_if_incomplete(self, message: Message) -> None:
        if not isinstance(message, AssistantMessage):
            return
        if message.stop_reason == "length":
            self.err.line(
                "(The answer ends here: it reached the length that the model may write.)", self.styles["warning"]
            )
        elif message.stop_reason == "stop" and not message.text.strip() and not message.calls:
            self.err.line("(The model said nothing.)", self.styles["warning"])

    def wait(self) -> None:
        """Show, on a terminal, that something is under way, until there is something to show."""
        if self.out.is_terminal and not self._is_mid_line and not self._is_waiting:
            self.out.write(WAITING)
            self._is_waiting = True

    def _finish_stream(self) -> None:
        self._stream(self._guard.finish())
        if self._wrapper:
            self._write(self._wrapper.finish())
        self._end_line()

    def _stream(self, text: str) -> None:
        self._write(self._wrapper.feed(text) if self._wrapper else text)

    def _write(self, text: str) -> None:
        if text:
            self._end_waiting()
            self.out.write(text)
            self._is_mid_line = not text.endswith("\n")

    def _end_waiting(self) -> None:
        if self._is_waiting:
            self.out.write(NO_LONGER_WAITING)
            self._is_waiting = False

    def _end_line(self) -> None:
        self._end_waiting()
        if self._is_mid_line:
            self.out.write("\n")
            self._is_mid_line = False

    def _result(self, tool: Tool | None, result: ToolResult) -> None:
        if result.is_error:
            self.err.line(_bounded(result.text), self.styles["error"])
            return
        if tool is None or tool.render_result is None:
            return
        try:
            view = tool.render_result(result)
            if view is not None:
                self._show_view(view)
        except Exception as error:  # noqa: BLE001 (an extension's own; the run must go on)
            self.err.line(bug_line(f"{tool.name}, drawing its result", error), self.styles["error"])

    def _show_view(self, view: "RenderableType") -> None:
        """Show it whole when it is news; else, where a person sees what stands above, only how it ends."""
        shown = self.out.drawn(view)
        is_news = shown != self._last_view or not self.out.is_terminal
        self._last_view = shown
        self.out.write(shown if is_news else f"{shown.rstrip().rpartition(chr(10))[2]}\n")

    def _end(self, end: RunEnd) -> None:
        if end.error:
            self.err.line(for_screen(end.error), self.styles["error"])
        elif end.reason == "aborted":
            self.err.line("Stopped.", self.styles["warning"])


def _bounded(text: str) -> str:
    lines = text.split("\n")
    more = len(lines) - ERROR_LINES
    return text if more <= 0 else "\n".join([*lines[:ERROR_LINES], f"… +{more} lines"])
