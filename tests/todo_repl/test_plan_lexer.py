"""The colours of a checklist in the editor of our own."""

import pytest
from prompt_toolkit.document import Document

from todo_context.looks import looks
from todo_context.settings import PanelSettings
from todo_repl.ui.plan_lexer import PlanLexer

TEXT = "# Build\n- [/] one\n- [x] two\n- [ ] three\n  > a note\n- [!] four\n- [?] five\nplain\n"


def styles(text: str, faulty: frozenset[int] = frozenset(), **environ: str) -> list[list[tuple[str, str]]]:
    found = looks(PanelSettings(), environ, has_unicode=True)
    line_of = PlanLexer(TEXT, faulty, found).lex_document(Document(text))
    return [[(piece[0], piece[1]) for piece in line_of(number)] for number in range(text.count("\n") + 1)]


@pytest.mark.parametrize("text", [TEXT, "", "\n\n", "- [x]", "漢 - [x] \u202e"])
def test_every_letter_stays(text: str) -> None:
    assert "\n".join("".join(piece for _, piece in line) for line in styles(text)) == text


def test_each_kind_of_line_looks_different() -> None:
    by_text = {line[-1][1].strip(): line[-1][0] for line in styles(TEXT) if line}

    assert by_text == {
        "# Build": "bold",
        "one": "bold ansicyan",
        "two": "dim",
        "three": "",
        "> a note": "dim",
        "four": "ansiyellow",
        "five": "",
        "plain": "",
        "": "",
    }


def test_a_line_that_could_not_be_read_stands_out_until_it_is_changed() -> None:
    assert styles(TEXT, frozenset({7, 99}))[6] == [("ansired underline", "- [?] five")]
    assert "underline" not in styles(TEXT.replace("[?]", "[ ]"), frozenset({7}))[6][0][0]


def test_the_colours_fit_the_background() -> None:
    lines = styles(TEXT, COLORFGBG="0;15")

    assert (lines[1][1][0], lines[5][1][0]) == ("bold ansiblue", "ansimagenta")
    assert "ansi" not in str(styles(TEXT, frozenset({7}), NO_COLOR="1"))
