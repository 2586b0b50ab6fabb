"""Pasted text: safe, folded where it is long, and whole again when it is sent."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import BufferControl, Layout, Window
from prompt_toolkit.output.vt100 import Vt100_Output
from pyte import Screen, Stream

if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_processor import KeyPress

from todo_repl.ui.large_paste import _Parser, read_large_pastes
from todo_repl.ui.paste import FIRST, LAST, MOST_CHARACTERS, MOST_LINES, Pastes, ShowPastes, paste_into, plain

LONG = "\n".join(f"line {n}" for n in range(500))


@pytest.mark.parametrize(
    ("pasted", "shown"),
    [
        ("a word", "a word"),
        ("\n".join("x" * MOST_LINES), "\n".join("x" * MOST_LINES)),
        ("x\n" * MOST_LINES, "x\n" * MOST_LINES),
        ("x" * MOST_CHARACTERS, "x" * MOST_CHARACTERS),
        ("x\n" * MOST_LINES + "x", f"[Pasted text #1 +{MOST_LINES + 1} lines]"),
        (LONG, "[Pasted text #1 +500 lines]"),
        (LONG + "\n", "[Pasted text #1 +500 lines]"),
        (LONG.replace("\n", "\r\n"), "[Pasted text #1 +500 lines]"),
        (LONG.replace("\n", "\r"), "[Pasted text #1 +500 lines]"),
        ("x" * (MOST_CHARACTERS + 1), f"[Pasted text #1 +{MOST_CHARACTERS + 1} characters]"),
        ("", ""),
    ],
)
def test_what_is_long_is_folded(pasted: str, shown: str) -> None:
    pastes = Pastes()
    folded = pastes.fold(pasted)

    assert pastes.shown(folded) == shown
    assert pastes.expand(folded) == pasted.replace("\r\n", "\n").replace("\r", "\n")


def test_several_are_told_apart_and_words_stay_words() -> None:
    pastes = Pastes()
    words = "[Pasted text #1 +500 lines]"
    line = f"{words} {pastes.fold(LONG)} and {pastes.fold(LONG.upper())}"

    assert pastes.shown(line) == f"{words} {words} and [Pasted text #2 +500 lines]"
    assert pastes.expand(line) == f"{words} {LONG} and {LONG.upper()}"


def test_what_stood_for_nothing_stands_for_nothing() -> None:
    pastes = Pastes()
    foreign = f"a{chr(FIRST)}b{chr(LAST)}"

    assert pastes.fold(foreign) == plain(foreign) == "a\ufffdb\ufffd"
    assert pastes.expand(foreign) == pastes.shown(foreign) == "a\ufffdb\ufffd"


def test_when_no_character_is_left_nothing_is_folded_and_nothing_mixed_up() -> None:
    pastes = Pastes()
    folds = [pastes.fold(f"{number}\n" * 9) for number in range(LAST - FIRST + 2)]

    assert folds[-1] == f"{LAST - FIRST + 1}\n" * 9
    assert pastes.expand(folds[0]) == "0\n" * 9
    assert pastes.expand(folds[-2]) == f"{LAST - FIRST}\n" * 9


def test_control_sequences_are_taken_out() -> None:
    hostile = "a\x1b[2Jb\x1b]52;c;ZXZpbA==\x07c\x9b31md\x00\x03\x7fe\tf\r\ng"

    assert plain(hostile) == "abcde\tf\ng"


@given(st.text(), st.text("ab\n", max_size=20), st.text())
def test_a_line_with_a_paste_is_what_was_typed_and_pasted(before: str, pasted: str, after: str) -> None:
    pastes = Pastes()
    line = plain(before) + pastes.fold(pasted * 9) + plain(after)

    assert pastes.expand(line) == plain(before) + pasted * 9 + plain(after)


class _Terminal:
    """What prompt_toolkit writes to, and a screen behind it."""

    encoding, errors = "utf-8", "strict"

    def __init__(self) -> None:
        self.screen = Screen(80, 12)
        self._stream = Stream(self.screen)

    def write(self, text: str) -> None:
        self._stream.feed(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError

    def size(self) -> Size:
        return Size(rows=12, columns=80)


class _Input:
    """A line to type into, as the prompt has one."""

    def __init__(self) -> None:
        self.pastes = Pastes()
        self.buffer = Buffer(multiline=True)
        self.terminal = _Terminal()

    async def type(self, *keys: str | Callable[[], bool]) -> None:
        """Press keys; wait for what is a condition."""
        bound = KeyBindings()

        @bound.add(Keys.BracketedPaste)
        def _paste(event: KeyPressEvent) -> None:
            paste_into(event, self.pastes)

        control = BufferControl(self.buffer, input_processors=[ShowPastes(self.pastes)])
        with create_pipe_input() as pipe:
            read_large_pastes(pipe)
            app: Application[None] = Application(
                layout=Layout(Window(control, wrap_lines=True)),
                key_bindings=bound,
                input=pipe,
                output=Vt100_Output(self.terminal, self.terminal.size, term="xterm", enable_cpr=False),  # type: ignore[arg-type]
            )
            run = asyncio.ensure_future(app.run_async())
            for key in keys:
                if isinstance(key, str):
                    await asyncio.to_thread(pipe.send_text, key)  # a pipe takes little before it is read
                else:
                    await self._until(key)
            app.exit()
            await run

    async def _until(self, condition: Callable[[], bool]) -> None:
        end = asyncio.get_running_loop().time() + 30
        while not condition():
            assert asyncio.get_running_loop().time() < end, (self.buffer.text, self.terminal.screen.display)
            await asyncio.sleep(0.005)

    @property
    def row(self) -> str:
        return self.terminal.screen.display[0].rstrip()


def pasted(text: str) -> str:
    return f"\x1b[200~{text}\x1b[201~"


LEFT, RIGHT, BACKSPACE, UNDO = "\x1b[D", "\x1b[C", "\x7f", "\x1f"


def test_a_fold_is_seen_as_words_and_moved_over_and_deleted_as_one() -> None:
    line = _Input()
    words = "[Pasted text #1 +500 lines]"

    asyncio.run(
        line.type(
            "see " + pasted(LONG) + " now",
            lambda: line.row == f"see {words} now" and line.terminal.screen.cursor.x == len(line.row),
            LEFT * 5,
            lambda: line.terminal.screen.cursor.x == 4,
            RIGHT,
            lambda: line.terminal.screen.cursor.x == 4 + len(words),
            "!",
            lambda: line.row == f"see {words}! now",
            BACKSPACE * 2,
            lambda: line.row == "see  now",
            UNDO,
            lambda: line.row in {f"see {words}! now", f"see {words} now"},
        )
    )

    assert LONG in line.pastes.expand(line.buffer.text)


def test_a_short_paste_is_text_and_a_hostile_one_harmless() -> None:
    line = _Input()

    asyncio.run(line.type(pasted("one\r\ntwo\x1b[2J\x1b[31m\x07"), lambda: line.buffer.text == "one\ntwo"))

    assert [row.rstrip() for row in line.terminal.screen.display[:2]] == ["one", "two"]


def test_a_large_paste_arrives_whole() -> None:
    line = _Input()
    text = "0123456789\n" * 500_000

    asyncio.run(line.type(pasted(text), lambda: line.row == "[Pasted text #1 +500000 lines]"))

    assert line.pastes.expand(line.buffer.text) == text


@pytest.mark.parametrize("size", range(1, 12))
def test_pastes_that_arrive_in_pieces_are_the_same(size: int) -> None:
    sent = f"a{pasted('one')}b{pasted('')}\x1b[D\x1b[200~\x1b[20x\x1b[201~{pasted('two')}c\x1b[A"
    found: list[list[KeyPress]] = []
    for made in (Vt100Parser, _Parser):
        keys: list[KeyPress] = []
        parser = made(keys.append)
        for start in range(0, len(sent), size):
            parser.feed(sent[start : start + size])
        found.append(keys)

    assert [(key.key, key.data) for key in found[1]] == [(key.key, key.data) for key in found[0]]
    assert [key.data for key in found[1] if key.key == Keys.BracketedPaste] == ["one", "", "\x1b[20x", "two"]
