"""The plain editor for people who named none: one text, full screen, save or cancel.

Ctrl-S saves; Esc or Ctrl-C cancels and asks first when there is something to lose. Works from 40x12 on.
"""

import asyncio
import re
from collections.abc import Callable, Sequence

from prompt_toolkit.application import Application
from prompt_toolkit.application.current import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Dimension, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.widgets import TextArea

from todo_context.cells import safe_text, visible, wrapped
from todo_context.looks import Looks
from todo_context.plan.problem import LineProblem
from todo_context.plan.text import for_screen
from todo_repl.ui.plan_lexer import PlanLexer

HELP = " Ctrl-S saves · Esc cancels"
MARKS = " · [/] at work [x] done [-] dropped [!] blocked"
QUESTION = " Discard your changes? y / n"

HOLD_WAIT_S = 0.5
"""How much typing a crash may cost, in seconds."""

ESCAPE_WAIT_S = 0.1
"""How long an Esc may turn out to be the beginning of a key. Alt-keys come in one piece."""

_HAS_MARKS = re.compile(r"^\s*[-*+] \[.\] ", re.MULTILINE)
"""A checklist, and no message."""

_LAST_CONTROL = "\x9f"


class ShowHidden(Processor):
    """Show what would move or hide other text, or be seen by nobody, as U+FFFD; the text itself keeps it.

    Control characters need no help: prompt_toolkit shows them as ^A or <80>.
    """

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """One character for one, so that the cursor stays on its own."""
        return Transformation([(f[0], _visible(f[1])) for f in transformation_input.fragments])


def _visible(text: str) -> str:
    if text.isascii():
        return text
    return "".join(c if c <= _LAST_CONTROL else for_screen(c) or "\ufffd" for c in visible(text, "\ufffd"))


async def edit_here(
    title: str, text: str, problems: Sequence[LineProblem], hold: Callable[[str], None], *, looks: Looks
) -> str | None:
    """The text as the person saved it, or None where they cancelled.

    `hold` gets what was typed so far, soon after it was typed and when the program ends meanwhile.
    """
    screen = _Screen(title, text, problems, looks)
    app: Application[str | None] = Application(
        layout=Layout(screen.container, focused_element=screen.area),
        key_bindings=screen.keys(),
        full_screen=True,
    )
    app.ttimeoutlen = app.timeoutlen = ESCAPE_WAIT_S
    saver = _Saver(screen, hold)
    try:
        return await app.run_async(handle_sigint=True)
    except (asyncio.CancelledError, EOFError):
        if screen.text != text:
            hold(screen.text)
        raise
    finally:
        saver.stop()


class _Saver:
    """Hands on what is typed, at most once in `HOLD_WAIT_S`."""

    def __init__(self, screen: "_Screen", hold: Callable[[str], None]) -> None:
        self._screen = screen
        self._hold = hold
        self._waiting: asyncio.TimerHandle | None = None
        screen.area.buffer.on_text_changed += self._changed

    def stop(self) -> None:
        """Hand on nothing more."""
        if self._waiting is not None:
            self._waiting.cancel()

    def _changed(self, _buffer: Buffer) -> None:
        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().call_later(HOLD_WAIT_S, self._save)

    def _save(self) -> None:
        self._waiting = None
        self._hold(self._screen.text)


class _Screen:
    """What is on it, and what the keys do."""

    def __init__(self, title: str, text: str, problems: Sequence[LineProblem], looks: Looks) -> None:
        self._before = text
        # The cursor has no row behind the last line: were that higher than the screen, nothing of it would be seen.
        self._end = "\n" if text.endswith("\n") else ""
        self._asks = False
        # A text with a comment above it says itself what its marks are.
        self._has_marks = _HAS_MARKS.search(text) is not None and not text.startswith("<!--")
        faulty = frozenset(problem.line for problem in problems)
        lexer = PlanLexer(text, faulty, looks)
        text = text.removesuffix(self._end)
        self.area = TextArea(text, wrap_lines=True, input_processors=[ShowHidden()], lexer=lexer)
        # TextArea puts the cursor at the end of what it is given.
        document = self.area.buffer.document
        self.area.buffer.cursor_position = document.translate_row_col_to_index(min(faulty, default=1) - 1, 0)
        rows: list[Window | TextArea] = [_line(safe_text(f" {title}"), "reverse")]
        if problems:
            rows.append(_problems(problems))
        self.container = HSplit([*rows, self.area, _line(self._footer, "reverse")])

    @property
    def text(self) -> str:
        """The text as it is now."""
        return f"{self.area.text}{self._end}" if self.area.text else ""

    def _footer(self) -> StyleAndTextTuples:
        has_room = get_app().output.get_size().columns > len(HELP + MARKS)
        return [("", QUESTION if self._asks else HELP + MARKS if self._has_marks and has_room else HELP)]

    def keys(self) -> KeyBindings:
        """Save and cancel; while the question stands, only its answers."""
        keys, asking = KeyBindings(), Condition(lambda: self._asks)

        @keys.add("c-s", filter=~asking)
        def _save(event: KeyPressEvent) -> None:
            event.app.exit(result=self.text)

        @keys.add("c-z")
        def _suspend(event: KeyPressEvent) -> None:
            event.app.suspend_to_background()

        @keys.add("escape", filter=~asking)
        @keys.add("c-c", filter=~asking)
        @keys.add("<sigint>", filter=~asking)
        def _cancel(event: KeyPressEvent) -> None:
            if self.text == self._before:
                event.app.exit(result=None)
            self._asks = True

        @keys.add("y", filter=asking, eager=True)
        @keys.add("Y", filter=asking, eager=True)
        def _discard(event: KeyPressEvent) -> None:
            event.app.exit(result=None)

        @keys.add("n", filter=asking, eager=True)
        @keys.add("N", filter=asking, eager=True)
        @keys.add("escape", filter=asking)
        @keys.add("c-c", filter=asking)
        def _go_on(event: KeyPressEvent) -> None:
            del event
            self._asks = False

        @keys.add(Keys.Any, filter=asking, eager=True)
        def _no_answer(event: KeyPressEvent) -> None:
            del event

        return keys


def _line(text: "str | Callable[[], StyleAndTextTuples]", style: str) -> Window:
    return Window(FormattedTextControl(text), height=1, style=style, dont_extend_height=True)


def _problems(problems: Sequence[LineProblem]) -> Window:
    places: dict[str, list[str]] = {}
    for problem in problems:
        places.setdefault(problem.message, []).append(str(problem.line))

    def rows() -> StyleAndTextTuples:
        width = get_app().output.get_size().columns - 2
        said = (f"line{'s' * (len(at) > 1)} {', '.join(at)}: {message}" for message, at in places.items())
        return [("bold", "\n".join(f" {row}" for each in said for row in wrapped(safe_text(each), width)))]

    control = FormattedTextControl(rows)
    # The text keeps at least half of a low terminal.
    height = lambda: Dimension(min=1, max=max(1, get_app().output.get_size().rows // 3))  # noqa: E731
    return Window(control, height=height, dont_extend_height=True)
