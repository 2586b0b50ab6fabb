"""Search among earlier lines: what is typed is looked for at once, and the newest line with it stands in the input.

The search key goes on to an older one, Enter takes the line that is shown and does not submit it, and Esc brings
back what stood there before.
"""

from collections.abc import Callable, Sequence

from prompt_toolkit.application.current import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import BufferControl, ConditionalContainer, Window
from prompt_toolkit.layout.processors import AfterInput, BeforeInput


class Search:
    """The search over `lines()`, the newest first, for the input `target`.

    `container` is its row, which is there while the search is. `whole` gives the text of a line that is looked through.
    """

    def __init__(self, target: Buffer, lines: Callable[[], Sequence[str]], whole: Callable[[str], str]) -> None:
        self._target = target
        self._lines = lines
        self._whole = whole
        self._typed = Buffer(multiline=False)
        self._typed.on_text_changed += self._look
        self._before = Document()
        self._among: list[tuple[str, str]] = []
        self._found: list[str] = []
        self._at = 0
        processors = [BeforeInput(self._title), AfterInput(self._count, style="class:search.count")]
        self._control = BufferControl(self._typed, input_processors=processors, key_bindings=self._keys())
        self.is_on = Condition(lambda: get_app().layout.current_control is self._control)
        row = Window(self._control, height=1, dont_extend_height=True, style="class:search")
        self.container = ConditionalContainer(row, filter=self.is_on)

    def older(self, _event: KeyPressEvent) -> None:
        """What the search key does: begin, and then go on to the next older line."""
        if self.is_on():
            self._go(1)
            return
        self._before = self._target.document
        self._among = [(line, self._whole(line).casefold()) for line in self._lines()]
        self._typed.reset()
        self._look(self._typed)
        get_app().layout.focus(self._control)

    def _look(self, _typed: Buffer) -> None:
        wanted = self._typed.text.casefold()
        self._found = [line for line, folded in self._among if wanted in folded] if wanted else []
        self._at = 0
        self._show()

    def _go(self, step: int) -> None:
        self._at = max(0, min(len(self._found) - 1, self._at + step))
        self._show()

    def _show(self) -> None:
        document = Document(self._found[self._at]) if self._found else self._before
        self._target.set_document(document, bypass_readonly=True)

    def _end(self, document: Document) -> None:
        self._target.set_document(document, bypass_readonly=True)
        get_app().layout.focus(self._target)
        self._among = []

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("enter")
        @keys.add("tab")
        def _take(event: KeyPressEvent) -> None:
            del event
            self._end(self._target.document)

        @keys.add("escape")
        @keys.add("c-c")
        @keys.add("c-g")
        @keys.add("<sigint>")
        def _leave(event: KeyPressEvent) -> None:
            del event
            self._end(self._before)

        @keys.add("up")
        def _older(event: KeyPressEvent) -> None:
            del event
            self._go(1)

        @keys.add("down")
        def _newer(event: KeyPressEvent) -> None:
            del event
            self._go(-1)

        return keys

    def _title(self) -> str:
        return "no earlier line: " if self._typed.text and not self._found else "earlier line: "

    def _count(self) -> str:
        return f"  {self._at + 1}/{len(self._found)}" if self._found else ""
