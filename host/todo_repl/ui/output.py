"""One stream to the person: the only place where text leaves this program.

All that goes through here is safe for a screen, whoever wrote it: the one door, and its rule is `printable`. A reader
who went away is no error: what comes later is dropped, and `is_closed` says so.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO, cast

from todo_context.cells import printable
from todo_context.errors import TodoContextError
from todo_context.looks import styles_of
from todo_context.plan.text import for_screen
from todo_context.settings import PanelSettings

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment


COLUMNS = 80

READER_GONE = frozenset({errno.EPIPE, errno.EIO})
"""A pipe that nobody reads any more, and a terminal that hung up."""


def can_draw(stream: TextIO) -> bool:
    """Whether a stream is a terminal that understands more than lines of text."""
    is_dumb = os.name != "nt" and os.environ.get("TERM", "") in {"", "dumb"}
    return stream.isatty() and not is_dumb


class OutputError(TodoContextError):
    """What should be shown cannot be written: the disk is full, say."""


class Output:
    """A text stream. Rich is loaded with the first colour, which needs a terminal (or FORCE_COLOR)."""

    def __init__(self, stream: TextIO) -> None:
        self.is_terminal = can_draw(stream)
        self.is_closed = False
        self.styles = styles_of(PanelSettings(), os.environ)
        self._stream = stream
        self._is_colourful = self.is_terminal or bool(os.environ.get("FORCE_COLOR"))
        self._console: Console | None = None
        self._failure: OSError | None = None
        self._elsewhere: Callable[[str], object] | None = None

    @contextmanager
    def diverted(self, write: Callable[[str], object]) -> Iterator[None]:
        """While this runs, whole lines go to `write`: a screen stands, and knows where they belong."""
        self._elsewhere = write
        try:
            yield
        finally:
            self._elsewhere = None

    def lost(self, error: OSError) -> None:
        """Take note that nothing more can be written."""
        self.is_closed = True
        if error.errno not in READER_GONE:
            self._failure = error

    def check(self) -> None:
        """See whether all that was written arrived, as far as somebody was there to read it.

        Raises:
            OutputError: some could not be written.
        """
        if self._failure is not None:
            message = f"{self._stream.name}: cannot be written: {self._failure.strerror}. Write to another place."
            raise OutputError(message)

    def line(self, text: str, style: str = "") -> None:
        """Write text of one line or more, and end it. `style` is Rich's, where there is colour.

        On a terminal lines break between words; a word that is longer than a line, such as a path, stays whole.
        """
        text = printable(text)
        if self.is_terminal or (style and self._is_colourful):
            from rich.text import Text  # noqa: PLC0415

            self.write(self._rendered(Text(text, style=style, overflow="ignore"), soft_wrap=not self.is_terminal))
        else:
            self.write(f"{text}\n")

    def short_line(self, text: str, style: str = "") -> None:
        """Write one line, on a terminal cut to its width."""
        text = printable(for_screen(text))
        if not self.is_terminal:
            self.line(text, style)
            return
        from rich.text import Text  # noqa: PLC0415

        # Not the text itself: Rich joins texts to others, and forgets how they are cut.
        shortened = _Safe(Text(text, style=style, no_wrap=True, overflow="ellipsis"))
        self.write(self._rendered(shortened, soft_wrap=False))

    def view(self, renderable: "RenderableType") -> None:
        """Write what Rich can draw; it wraps only on a terminal."""
        self.write(self.drawn(renderable))

    def drawn(self, renderable: "RenderableType") -> str:
        """What `view` would write."""
        return self._rendered(_Safe(renderable), soft_wrap=not self.is_terminal)

    @property
    def columns(self) -> int:
        """How wide the terminal is; 80 where there is none, or it does not say."""
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or COLUMNS
        except (OSError, ValueError):
            return COLUMNS

    def write(self, text: str) -> None:
        """Write text that is safe already, at once. It never raises; see `check`."""
        if self.is_closed:
            return
        if self._elsewhere is not None:
            self._elsewhere(text)
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError as error:
            self.lost(error)

    def _rendered(self, renderable: "RenderableType", *, soft_wrap: bool) -> str:
        console = self._console or self._new_console()
        # Its own idea comes from COLUMNS, which may be anything.
        console.width = self.columns
        # Not printed by the console itself, which ends the program when the reader has gone.
        with console.capture() as capture:
            console.print(renderable, soft_wrap=soft_wrap, crop=False)
        return capture.get()

    def _new_console(self) -> "Console":
        from rich.console import Console  # noqa: PLC0415

        stream = cast("TextIO", _Unwritten(self._stream))
        self._console = Console(file=stream, highlight=False, markup=False, emoji=False)
        return self._console


class _Unwritten:
    """A stream for a console to look at. What it captured it writes too, if only nothing: that may raise."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        pass

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


class _Safe:
    """A renderable without controls, links and sequences in its text."""

    def __init__(self, renderable: "RenderableType") -> None:
        self._renderable = renderable

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "Iterator[Segment]":
        from rich.segment import Segment  # noqa: PLC0415

        for segment in console.render(self._renderable, options):
            if not segment.control:
                style = segment.style.update_link(None) if segment.style and segment.style.link else segment.style
                yield Segment(printable(segment.text), style)
