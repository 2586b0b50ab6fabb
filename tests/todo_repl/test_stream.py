"""A text in pieces is as safe as the whole, wherever it is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from todo_context.plan.text import lines_for_screen
from todo_repl.ui.stream import HELD_CHARACTERS, StreamGuard

HOSTILE = [
    pytest.param("a\x1b[31mred\x1b[0m b", id="colours"),
    pytest.param("a\x1b]52;c;aGFja2Vk\x07b", id="the clipboard, ended by BEL"),
    pytest.param("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", id="a link, ended by ST"),
    pytest.param("a\x9b2Jb\x9d0;title\x9cc", id="C1 introducers"),
    pytest.param("a\x1bPq#0;2\x1b\\b\x1b_x\x1b\\c\x1b^y\x1b\\d", id="DCS, APC, PM"),
    pytest.param("a\x1b(Bb\x1bcc", id="two bytes and three"),
    pytest.param("a\r\nb\rc\r", id="carriage returns"),
    pytest.param("a\x1b]0;open\nnext line\x07", id="a line feed ends what is open"),
    pytest.param("a\x1b]0;x\x1b[31mb\x1b[", id="broken off"),
    pytest.param("\u202eabc\u2066 \x00\x08 漢字 \ud83d", id="bidi, controls, wide, a lone surrogate"),
]


def shown(*pieces: str) -> str:
    guard = StreamGuard()
    return "".join(map(guard.feed, pieces)) + guard.finish()


@pytest.mark.parametrize("text", HOSTILE)
def test_it_is_cut_everywhere_and_looks_the_same(text: str) -> None:
    whole = lines_for_screen(text)

    assert [shown(text[:i], text[i:]) for i in range(len(text) + 1)] == [whole] * (len(text) + 1)
    assert shown(*text) == whole
    assert not set(whole) & set("\x1b\x9b\x9d\r\u202e\u2066")


@given(st.lists(st.text(st.sampled_from("\x1b[]P\\\x07\x9b\x9c\x9d;0 (mJc\r\nab\u202e"), max_size=6), max_size=8))
def test_any_pieces_show_what_the_whole_shows(pieces: list[str]) -> None:
    assert shown(*pieces) == lines_for_screen("".join(pieces))


def test_what_is_harmless_comes_at_once() -> None:
    guard = StreamGuard()

    assert guard.feed("one two") == "one two"
    assert guard.feed("\x1b[3") == ""
    assert guard.feed("1mthree") == "three"


def test_an_endless_sequence_is_not_waited_for_and_not_sent_raw() -> None:
    guard = StreamGuard()
    guard.feed("\x1b]52;c;")

    came = "".join(guard.feed("x" * 1000) for _ in range(HELD_CHARACTERS // 1000 + 1))

    assert len(came) > HELD_CHARACTERS
    assert "\x1b" not in came
