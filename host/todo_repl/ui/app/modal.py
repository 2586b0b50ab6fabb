"""Questions to the person: one of several, yes or no, some words. They stand where the line is typed else.

Each answers what was chosen or typed; Esc, Ctrl-C and Ctrl-D mean that the person does not. Nothing but Enter answers:
a key that was meant for another line chooses nothing.
"""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from prompt_toolkit.application.current import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import BufferControl, Dimension, FormattedTextControl, HSplit, Window
from prompt_toolkit.layout.processors import BeforeInput

from todo_context.cells import cut, safe_text, width_cells, wrapped
from todo_context.looks import Looks, Role
from todo_repl.ui.app.rows import Row, joined, prompt_style
from todo_repl.ui.builtin_editor import ShowHidden

T = TypeVar("T")

TITLE_ROWS = 3
"""How much of a question is shown; it is one sentence."""

OPTIONS = 15
"""Of a list, how much is shown at once: with the question it fits on a screen. Words narrow it down."""

ROWS_WITH_ENDS = 4
"""A list that has more rows than this can spare one for the end of the chosen option."""

ANSWER_CELLS = 10
"""Room for an answer behind the words that ask for it; without that, a mark stands for them."""

HOW_TO_CHOOSE = "Enter chooses, Esc leaves: "


class Dialog(ABC, Generic[T]):
    """One question. `container` draws it on `rows` rows; `answer` comes to what was said, None for nothing."""

    prompt = "> "

    def __init__(self, title: str, looks: Looks) -> None:
        self.title = title
        self._looks = looks
        self.rows = 1
        self.holds_run = False
        """Whether the agent waits for the answer: then nothing may look as if it were at work."""
        self.is_sudden = False
        """Whether it came while the person was typing: what they type on is then not meant for it, nor is Enter."""
        self.interrupted: str | None = None
        """What was typed on, and belongs to the line, once that is known."""
        self.has_moved = False
        self.answer: asyncio.Future[T | None] = asyncio.get_running_loop().create_future()
        self.typed = Buffer(multiline=False)
        self.typed.on_text_changed += lambda _: self.look()
        processors = [BeforeInput(self._prompt), ShowHidden()]
        self.control = BufferControl(self.typed, input_processors=processors, key_bindings=self._keys())
        body = FormattedTextControl(lambda: joined(self._shown_rows()))
        height = lambda: Dimension.exact(max(0, self.rows - 1))  # noqa: E731
        self.container = HSplit(
            [
                Window(body, height=height, dont_extend_height=True),
                Window(self.control, height=1, dont_extend_height=True),
            ]
        )

    def wanted_rows(self, width: int) -> int:
        """How many rows it would take."""
        return len(self._title_rows(width)) + self.body_rows(width) + 1

    def give_up(self) -> None:
        """The person does not answer."""
        self._set_apart()
        if not self.answer.done():
            self.answer.set_result(None)

    def look(self) -> None:
        """What is typed has changed."""

    def _set_apart(self) -> bool:
        """Take what was typed on for the line, once; whether it was."""
        if not self.is_sudden or self.has_moved or self.interrupted is not None:
            return False
        self.interrupted = self.typed.text
        self.typed.reset()
        return True

    @abstractmethod
    def body_rows(self, width: int) -> int:
        """How many rows stand between the question and the line to type in, if there is room."""

    @abstractmethod
    def body(self, width: int, rows: int) -> list[Row]:
        """What stands there."""

    @abstractmethod
    def enter(self) -> None:
        """Answer with what is typed or chosen, if that is an answer."""

    def move(self, by: int) -> None:
        """Up and down."""

    def _title_rows(self, width: int) -> Sequence[str]:
        return wrapped(safe_text(self.title), width)[:TITLE_ROWS]

    def _shown_rows(self) -> list[Row]:
        width = max(1, get_app().output.get_size().columns - 1)
        room = max(0, self.rows - 1)
        title = self._title_rows(width)[: max(1, room - min(2, self.body_rows(width)))]
        rows: list[Row] = [[(self._style("title"), row)] for row in title]
        return (rows + self.body(width, max(0, room - len(rows))))[:room]

    def _style(self, role: Role) -> str:
        return prompt_style(self._looks.styles[role])

    def _prompt(self) -> str:
        columns = get_app().output.get_size().columns
        return self.prompt if columns >= len(self.prompt) + ANSWER_CELLS else "> "

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("enter", eager=True)
        def _enter(event: KeyPressEvent) -> None:
            del event
            if not self._set_apart() and not self.answer.done():
                self.enter()

        @keys.add("escape")
        @keys.add("c-c")
        @keys.add("c-d")
        @keys.add("<sigint>")
        def _leave(event: KeyPressEvent) -> None:
            del event
            self.give_up()

        for key, by in (("up", -1), ("down", 1), ("c-p", -1), ("c-n", 1), ("pageup", -OPTIONS), ("pagedown", OPTIONS)):
            keys.add(key)(self._moving(by))
        return keys

    def _moving(self, by: int) -> Callable[[KeyPressEvent], None]:
        def moving(event: KeyPressEvent) -> None:
            del event
            self.has_moved = True
            self.move(by)

        return moving


class Choice(Dialog[str]):
    """One of several. What is typed narrows them down: words that are in them, or the number of one."""

    prompt = HOW_TO_CHOOSE

    def __init__(self, title: str, options: Sequence[str], looks: Looks) -> None:
        super().__init__(title, looks)
        self._options = options
        self._folded = [safe_text(option).casefold() for option in options]
        self._found = list(range(len(options)))
        self._at = 0
        self._first = 0

    def look(self) -> None:
        """Find what is typed. A number finds the option that has it first of all."""
        said = self.typed.text.strip().casefold()
        words = said.split()
        found = [at for at, option in enumerate(self._folded) if all(word in option for word in words)]
        number = int(said) - 1 if re.fullmatch("[0-9]{1,9}", said) else -1
        if 0 <= number < len(self._options):
            found = [number, *(at for at in found if at != number)]
        self._found, self._at, self._first = found, 0, 0

    def move(self, by: int) -> None:
        """Go to another option, no further than the last."""
        self._at = max(0, min(len(self._found) - 1, self._at + by))

    def enter(self) -> None:
        """Choose the option that stands out."""
        if self._found and (self.typed.text or self.has_moved or not self.is_sudden):
            self.answer.set_result(self._options[self._found[self._at]])

    def body_rows(self, width: int) -> int:
        """As many as there are options, one that says that there are more, and one for the end of what is cut."""
        is_cut = any(width_cells(self._line(at)) > width for at in range(min(OPTIONS, len(self._options))))
        return min(OPTIONS, len(self._options)) + (len(self._options) > OPTIONS) + is_cut

    def body(self, width: int, rows: int) -> list[Row]:
        """The options that are found, around the one that stands out."""
        if rows <= 0:
            return []
        if not self._found:
            return [[("", cut(f"  None of {len(self._options)} has that.", width))]]
        end = self._end_of(self._found[self._at], width) if rows > len(self._found) or rows > ROWS_WITH_ENDS else ""
        is_long = len(self._found) > rows - bool(end) > 1
        shown = rows - bool(end) - is_long
        self._first = max(self._at - shown + 1, min(self._first, self._at))
        window = self._found[self._first : self._first + shown]
        found: list[Row] = [self._option(at, width) for at in window]
        if is_long:
            more = f"  {len(self._found)} of {len(self._options)}; words or a number narrow it down"
            found.append([(self._style("hint"), cut(more, width))])
        if end:
            found.append([(self._style("hint"), end)])
        return found

    def _option(self, at: int, width: int) -> Row:
        is_chosen = at == self._found[self._at]
        return [(self._style("selected") if is_chosen else "", cut(self._line(at), width))]

    def _line(self, at: int) -> str:
        mark = ">" if self._found and at == self._found[self._at] else " "
        return f"{mark} {at + 1:>{len(str(len(self._options)))}}. {safe_text(self._options[at])}"

    def _end_of(self, at: int, width: int) -> str:
        """The end of a line that is cut, as much of it as a row holds: there stands what tells it apart."""
        line, lead = self._line(at), f"  {self._looks.glyphs.ellipsis} "
        if width_cells(line) <= width:
            return ""
        room, end = width - len(lead), len(line)
        while end and width_cells(line[end - 1 :]) <= room:
            end -= 1
        return cut(f"{lead}{line[end:]}", width)


REFUSED_CELLS = 20
"""How much is repeated of what is neither yes nor no."""

SAYS_YES, SAYS_NO = frozenset({"y", "yes"}), frozenset({"n", "no", ""})


class Confirm(Dialog[bool]):
    """Yes or no; Enter alone is a no. Anything else is no answer."""

    prompt = "y/N, then Enter: "

    def __init__(self, title: str, message: str, looks: Looks) -> None:
        super().__init__(title, looks)
        self._message = message
        self._refused = ""
        """What was typed last and is neither."""

    def enter(self) -> None:
        """Take what is typed, if it is one of the two."""
        said = self.typed.text.strip().casefold()
        if said in SAYS_YES | SAYS_NO and (said or not self.is_sudden):
            self.answer.set_result(said in SAYS_YES)
        elif said:
            self._refused = self.typed.text.strip()
            self.typed.reset()

    def body_rows(self, width: int) -> int:
        """The message, wrapped."""
        return len(self._lines(width))

    def body(self, width: int, rows: int) -> list[Row]:
        """The message."""
        return [[("", line)] for line in self._lines(width)[:rows]]

    def _lines(self, width: int) -> list[str]:
        lines = self._message.split("\n") if self._message else []
        lines += [f'"{cut(self._refused, REFUSED_CELLS)}" is neither yes nor no.'] if self._refused else []
        return [row for line in lines for row in wrapped(safe_text(line), width)]


class Wording(Dialog[str]):
    """A line of text. An empty one is none; `hint` says what may be typed."""

    def __init__(self, title: str, hint: str, looks: Looks) -> None:
        super().__init__(title, looks)
        self._hint = hint

    def enter(self) -> None:
        """Take what is typed."""
        if said := self.typed.text.strip():
            self.answer.set_result(said)

    def body_rows(self, width: int) -> int:
        """The hint."""
        return len(self._lines(width))

    def body(self, width: int, rows: int) -> list[Row]:
        """The hint."""
        return [[(self._style("hint"), line)] for line in self._lines(width)[:rows]]

    def _lines(self, width: int) -> list[str]:
        return list(wrapped(safe_text(self._hint), width)) if self._hint else []
