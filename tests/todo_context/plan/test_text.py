import pytest
from hypothesis import given

from tests.plans import texts
from todo_context.plan.text import for_screen, note_text, one_line

HOSTILE = "\x1b[2J\x1b]52;c;ZXZpbA==\x07ok\u202e"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        pytest.param("  a \t\n b  ", "a b", id="runs of white space fold and the ends go"),
        pytest.param("\u3000a\u00a0\u2028b\ufeff", "a b", id="white space is JavaScript's"),
        pytest.param("a\u200bb", "a\u200bb", id="a zero-width space is no white space"),
        pytest.param("\x85a\x00\x7fb\x1c", "ab", id="controls that are no white space vanish"),
        pytest.param("\x1b[31mred\x1b[0m", "red", id="colours go whole"),
        pytest.param("\x9b31mred", "red", id="in the 8-bit form too"),
        pytest.param("\x1b]0;title\x1b\\a", "a", id="a title goes whole"),
        pytest.param("\x1b]0;title", "0;title", id="of one that never ends only the beginning goes"),
        pytest.param(HOSTILE, "ok\u202e", id="bidi controls stay in the data"),
        pytest.param("a\ud800b", "a\ufffdb", id="half a character becomes a sign for one"),
        pytest.param(" \x07 ", "", id="nothing visible is nothing"),
    ],
)
def test_a_line_comes_in_folded(sent: str, kept: str) -> None:
    assert one_line(sent) == kept


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        pytest.param("a\r\nb\tc", "a\nb\tc", id="line feeds and tabs stay"),
        pytest.param("a\rb\x0b\x00", "ab", id="other controls go"),
        pytest.param("  a  ", "  a  ", id="ends stay"),
        pytest.param("\x1b[1ma", "a", id="sequences go"),
    ],
)
def test_a_note_keeps_its_lines(sent: str, kept: str) -> None:
    assert note_text(sent) == kept


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param(HOSTILE, "ok", id="no sequence, no bidi"),
        pytest.param("a\nb\rc\u2028d", "a b c d", id="one line"),
        pytest.param("\x9b31mred", "red", id="8-bit"),
        pytest.param("漢字 é 👍🏽", "漢字 é 👍🏽", id="letters stay"),
    ],
)
def test_the_screen_gets_only_what_can_be_shown(text: str, shown: str) -> None:
    assert for_screen(text) == shown


@given(texts)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert one_line(one_line(text)) == one_line(text)
    assert note_text(note_text(text)) == note_text(text)


@given(texts)
def test_no_control_reaches_the_screen(text: str) -> None:
    assert not [c for c in for_screen(text) if ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202a\u202e\u2066"]
