"""Looking for an earlier line, as a person does it: keys in, and what stands in the line."""

import asyncio
from collections.abc import Callable, Sequence

import pytest
from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.filters import has_focus
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.layout import BufferControl, HSplit, Layout, Window
from prompt_toolkit.output import DummyOutput

from todo_context.settings import KeySettings
from todo_repl.ui.history import LineHistory
from todo_repl.ui.keys import ACTIONS, Handler, bindings
from todo_repl.ui.paste import Pastes
from todo_repl.ui.search import Search

SEARCH, ENTER, ESCAPE, UP, DOWN, BACKSPACE, ABORT = "\x12", "\r", "\x1b", "\x1b[A", "\x1b[B", "\x7f", "\x03"


class Desk:
    """A line with a history, and the search over it."""

    def __init__(self, lines: Sequence[str] = (), typed: str = "", keys: KeySettings = KeySettings()) -> None:  # noqa: B008
        self.pastes = Pastes()
        self.history = LineHistory(None, self.pastes.expand)
        for line in lines:
            self.history.append_string(line)
        self.line = Buffer(multiline=True, history=self.history, document=Document(typed))
        self.search = Search(self.line, self.history.newest_first, self.pastes.expand)
        self.submitted: list[str] = []
        nothing = Handler(lambda _: None, when=False)
        handlers = {action.name: nothing for action in ACTIONS} | {
            "search": Handler(self.search.older, when=has_focus(self.line) | self.search.is_on),
            "submit": Handler(lambda _: self.submitted.append(self.line.text), when=has_focus(self.line)),
        }
        self.keys = bindings(keys, handlers)

    async def type(self, *keys: str | Callable[[], bool]) -> None:
        with create_pipe_input() as pipe:
            layout = Layout(HSplit([Window(BufferControl(self.line)), self.search.container]))
            app: Application[None] = Application(
                layout=layout, key_bindings=self.keys, input=pipe, output=DummyOutput()
            )
            app.ttimeoutlen = app.timeoutlen = 0.01
            run = asyncio.ensure_future(app.run_async())
            for key in keys:
                if isinstance(key, str):
                    pipe.send_text(key)
                    continue
                end = asyncio.get_running_loop().time() + 30
                while not key():
                    assert asyncio.get_running_loop().time() < end, self.line.text
                    await asyncio.sleep(0.005)
            self.is_on = self.search.is_on
            app.exit()
            await run

    def shows(self, text: str) -> Callable[[], bool]:
        return lambda: self.line.text == text


LINES = ["fix the parser", "Fix the lexer", "write docs", "fix the parser", "two\nlines fix"]
"""The oldest first; one was said twice."""


def test_the_newest_line_with_the_text_is_shown_and_the_key_goes_on_to_older_ones_each_once() -> None:
    desk = Desk(LINES)

    asyncio.run(
        desk.type(
            SEARCH + "fix",
            desk.shows("two\nlines fix"),
            SEARCH,
            desk.shows("fix the parser"),
            SEARCH,
            desk.shows("Fix the lexer"),
            SEARCH,  # there is none before
            DOWN,
            desk.shows("fix the parser"),
            UP + UP,
            desk.shows("Fix the lexer"),
            ENTER,
            "!",
            desk.shows("Fix the lexer!"),
        )
    )

    assert desk.submitted == []


def test_more_letters_look_from_the_newest_on_and_fewer_bring_lines_back() -> None:
    desk = Desk(LINES, typed="unsent")

    asyncio.run(
        desk.type(
            SEARCH + "LE",
            desk.shows("Fix the lexer"),
            "zzz",
            desk.shows("unsent"),
            BACKSPACE * 3,
            desk.shows("Fix the lexer"),
        )
    )


@pytest.mark.parametrize("way_out", [ESCAPE, ABORT, "\x07"])
def test_leaving_it_brings_back_what_stood_there(way_out: str) -> None:
    desk = Desk(LINES, typed="unsent")

    asyncio.run(desk.type(SEARCH + "docs", desk.shows("write docs"), way_out, desk.shows("unsent"), "!", ENTER,
                          lambda: desk.submitted == ["unsent!"]))  # fmt: skip


def test_it_is_on_the_key_of_the_settings() -> None:
    desk = Desk(LINES, keys=KeySettings(search="f3"))

    asyncio.run(desk.type("\x1bOR" + "fix", desk.shows("two\nlines fix"), "\x1bOR", desk.shows("fix the parser")))


def test_a_paste_is_found_by_what_is_in_it_and_stays_folded() -> None:
    desk = Desk()
    folded = f"see {desk.pastes.fold('needle ' * 200)}"
    desk.history.append_string(folded)

    asyncio.run(desk.type(SEARCH + "needle needle", desk.shows(folded)))


def test_without_earlier_lines_nothing_is_found() -> None:
    desk = Desk(typed="unsent")

    asyncio.run(desk.type(SEARCH + "x" + SEARCH + UP + ENTER, "!", desk.shows("unsent!")))
