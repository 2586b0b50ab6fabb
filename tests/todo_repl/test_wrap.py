"""Streaming text breaks between words, however it is cut into pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from todo_repl.ui.wrap import Wrapper


def wrapped(pieces: list[str], columns: int = 10) -> str:
    wrapper = Wrapper(lambda: columns)
    return "".join(map(wrapper.feed, pieces)) + wrapper.finish()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("one two three", "one two\nthree", id="between words"),
        pytest.param("one two\nthree four", "one two\nthree four", id="line feeds stay"),
        pytest.param("0123456789 ab", "0123456789\nab", id="after a line that is just full"),
        pytest.param("a 0123456789012 b", "a\n0123456789012 b", id="a longer word goes out whole"),
        pytest.param("漢字漢字 漢字", "漢字漢字\n漢字", id="in cells, not letters"),
        pytest.param("  - a\n  - b", "  - a\n  - b", id="indents stay"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_wrapped(text: str, shown: str) -> None:
    assert wrapped([text]) == shown


@given(st.text(st.sampled_from("ab 漢\n"), max_size=60), st.data())
def test_how_it_is_cut_makes_no_difference_but_for_words_longer_than_a_line(text: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(text)))

    shown = wrapped([text[:cut], text[cut:]], 70)

    assert shown.replace("\n", "").replace(" ", "") == text.replace("\n", "").replace(" ", "")
    assert shown == wrapped([text], 70)


@given(st.lists(st.text(st.sampled_from("abc"), min_size=1, max_size=9), max_size=30))
def test_no_line_is_wider_than_the_terminal(words: list[str]) -> None:
    assert all(len(line) <= 10 for line in wrapped([" ".join(words)]).split("\n"))
