import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from tests.plans import texts
from todo_context.cells import cut, safe_text, width_cells, wrapped

ODD = st.text(
    st.sampled_from("ab 漢字ｱ한é\u0301\u0300👍👩\u200d🏽\ufe0f🇯🇵⚠1\u20e3\u3164\u00ad\U0001fae8क्ष\U0010ffff"),
    max_size=40,
)


@pytest.mark.parametrize(
    ("text", "shown", "width"),
    [
        pytest.param("漢字 e\u0301", "漢字 e\u0301", 6, id="CJK, and a mark on a letter"),
        pytest.param("👨\u200d👩\u200d👧 x", "👨 x", 4, id="a family is its first member"),
        pytest.param("👍🏽", "👍", 2, id="no skin tone"),
        pytest.param("🇯🇵", "JP", 2, id="a flag is its letters"),
        pytest.param("❤\ufe0f 1\ufe0f\u20e3", "❤ 1", 3, id="no variation selector, no keycap"),
        pytest.param("ක\u0dca\u200dය", "ක\u0dcaය", 2, id="a joiner between letters leaves the letters"),
        pytest.param("\x1b[2J\x1b]52;c;ZXZpbA==\x07ok\u202e", "ok", 2, id="P06"),
        pytest.param("a\nb\rc\td\u2028e", "a b c d e", 9, id="one line"),
    ],
)
def test_what_is_shown_is_as_wide_as_it_is_said_to_be(text: str, shown: str, width: int) -> None:
    assert safe_text(text) == shown
    assert width_cells(shown) == width


@given(st.one_of(ODD, texts))
def test_a_width_is_that_of_the_library_that_draws(text: str) -> None:
    assert width_cells(safe_text(text)) == get_cwidth(safe_text(text))


@given(ODD, st.integers(0, 12))
def test_a_cut_text_fits_and_begins_as_the_whole_does(text: str, width: int) -> None:
    shown = cut(safe_text(text), width)

    assert get_cwidth(shown) <= width
    assert safe_text(text).startswith(shown.removesuffix("…")) or "\u0301" in text or "\u0300" in text


def test_a_wide_character_is_not_cut_in_half() -> None:
    assert [cut("漢字", width) for width in range(5)] == ["", "…", "…", "漢…", "漢字"]


@given(ODD, st.integers(1, 12))
def test_wrapped_lines_fit_and_lose_no_word(text: str, width: int) -> None:
    lines = wrapped(safe_text(text), width)

    assert all(get_cwidth(line) <= width for line in lines)
    if width > 1 and "\u0301" not in text and "\u0300" not in text:
        assert "".join(lines).replace(" ", "") == safe_text(text).replace(" ", "")


def test_lines_break_between_words_where_there_are_any() -> None:
    assert wrapped("Port the logger", 9) == ("Port the", "logger")
    assert wrapped("Portthelogger", 9) == ("Portthelo", "gger")
    assert wrapped("", 9) == ("",)


def test_a_thousand_marks_do_not_pile_up_on_one_letter() -> None:
    assert cut("a" + "\u0301" * 1000 + "b", 9) == "a" + "\u0301" * 4 + "b"
