"""Parts of the screen that need none: how rows are shared out, how Markdown comes in blocks, how text is broken."""

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.data_structures import Size
from prompt_toolkit.document import Document
from prompt_toolkit.layout import BufferControl
from prompt_toolkit.layout.processors import TransformationInput

from todo_context.cells import width_cells
from todo_context.looks import looks
from todo_context.settings import PanelSettings
from todo_repl.ui.app.blocks import LONG_LINES, MOST_CHARACTERS, Blocks
from todo_repl.ui.app.budget import Shares, Wishes, shares, tail_rows
from todo_repl.ui.app.frame import FrameOutput, reflows
from todo_repl.ui.app.rows import last_rows
from todo_repl.ui.app.tail import Tail
from todo_repl.ui.app.transcript import Transcript
from todo_repl.ui.builtin_editor import ShowHidden
from todo_repl.ui.output import Output

counts = st.integers(min_value=0, max_value=60)
wishes = st.builds(
    Wishes, typed=counts, menu=counts, dialog=counts, waiting=counts, has_note=st.booleans(), is_working=st.booleans()
)


def all_rows(shared: Shares) -> int:
    fixed = shared.typed + shared.menu + shared.dialog + shared.note + shared.waiting + shared.status
    return fixed + shared.widgets + shared.tail


@given(st.integers(min_value=1, max_value=300), wishes, st.data())
def test_all_together_leave_a_row_for_what_was_said(rows: int, wanted: Wishes, drawn: st.DataObject) -> None:
    shared = shares(rows, wanted)

    assert all_rows(shared) <= max(1, rows - 1)
    assert shared.typed >= 1 or shared.dialog >= 1
    panel = drawn.draw(st.integers(min_value=0, max_value=shared.widgets))
    assert all_rows(shared) - shared.widgets - shared.tail + panel + tail_rows(rows, shared, panel) <= max(1, rows - 1)


@pytest.mark.parametrize("rows", range(1, 60))
def test_the_panel_has_the_rows_that_it_may_take_while_the_agent_works(rows: int) -> None:
    shared = shares(rows, Wishes(is_working=True))

    assert shared.widgets >= (0 if rows < 4 else max(2, min(8, rows // 3)))
    assert (shared.status, shared.tail) == ((0, 0) if rows < 6 else (1, 1))


TEXTS = [
    "# One\n\nA paragraph\nof two lines.\n\n- a\n- b\n\n  more of b\n\n1. x\n2. y\n\n```py\nx = 1\n\ny = 2\n```\n\n> q\n> r\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\nAfter.\n\n***\n\nSetext\n===\n\n    indented\n\n~~~\nopen to the end\n",
    "漢字 e\u0301 👨‍👩‍👧\n\n- [ ] box\n- [x] done\n\n<b>html</b>\n\n[ref]: https://example.org\n\nEnd",
]


def drawn(text: str, size: int) -> str:
    blocks, found = Blocks(), []
    for at in range(0, len(text), size):
        found += blocks.feed(text[at : at + size])
    found += blocks.finish()
    screen = StringIO()
    transcript = Transcript(Output(screen), looks(PanelSettings(), {}, has_unicode=True))
    transcript._take(found)
    return screen.getvalue()


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_however_it_is_cut_the_same_lines_come(text: str, size: int) -> None:
    assert drawn(text, size) == drawn(text, 1000)


def test_a_long_block_comes_in_parts_and_each_of_its_lines_once() -> None:
    lines = [f"word {number}" for number in range(100)]
    for text in ("\n".join(lines), "\n".join(f"- {line}" for line in lines), "```\n" + "\n".join(lines) + "\n```"):
        blocks, parts = Blocks(), 0
        for line in text.split("\n"):
            parts += len(blocks.feed(f"{line}\n"))
            assert blocks.rest.count("\n") <= LONG_LINES + 2
        assert parts > 10
        shown = [line.strip(" •") for line in drawn(f"{text}\n", 5).split("\n") if line.strip()]
        assert shown == lines


def test_a_block_that_never_ends_comes_all_the_same() -> None:
    blocks = Blocks()
    for _ in range(50):
        blocks.feed(f"> {'word ' * 200}\n")

    assert len(blocks.rest) <= MOST_CHARACTERS + 2000


@given(st.lists(st.sampled_from(["a", "bc", "\n", "漢", "e\u0301", "\t", " ", "\U0001f468\u200d\U0001f469", "x" * 30]), max_size=60).map("".join), st.integers(1, 40), st.integers(0, 12))  # fmt: skip
def test_the_end_of_a_text_is_rows_that_fit(text: str, width: int, rows: int) -> None:
    found = last_rows(text, width, rows)

    assert len(found) <= rows
    assert all(width_cells(row) <= width for row in found)


def test_a_text_of_a_megabyte_is_looked_at_from_its_end_only() -> None:
    looked: list[int] = []

    def count(text: str) -> str:
        looked.append(len(text))
        return text

    last_rows("x" * 1_000_000, 79, 8, count)
    last_rows("line\n" * 200_000, 79, 8, count)

    assert sum(looked) < 5_000


def test_while_nothing_is_said_there_is_a_row_that_says_what_is_done() -> None:
    seen = looks(PanelSettings(), {}, has_unicode=True)
    tail = Tail()
    assert [row[0][1] for row in tail.rows(40, 3, seen, tick=0)] == ["· Working …"]
    tail.is_thinking = True
    assert [row[0][1] for row in tail.rows(40, 3, seen, tick=1)] == ["⠙ Thinking …"]
    tail.doings = {str(number): f"tool {number} {'x' * 50}" for number in range(5)}
    assert [row[0][1][:8] for row in tail.rows(40, 3, seen, tick=1)] == ["⠙ tool 2", "⠙ tool 3", "⠙ tool 4"]
    assert all(width_cells(row[0][1]) <= 40 for row in tail.rows(40, 3, seen, tick=1))
    tail.text = "said\n"
    assert tail.rows(40, 3, seen, tick=1) == [[("", "said")]]
    assert tail.rows(40, 0, seen, tick=1) == []


def test_a_frame_is_one_write_and_one_that_changes_nothing_is_none() -> None:
    written: list[str] = []

    class Tty(StringIO):
        def write(self, text: str) -> int:
            written.append(text)
            return len(text)

    out = FrameOutput(Tty(), lambda: Size(rows=24, columns=80), term="xterm")
    with out.frame():
        out.write_raw("a")
        out.flush()
        out.write("b\x1b")
    for change in (out.hide_cursor, out.disable_autowrap, out.enable_autowrap, out.reset_attributes, out.show_cursor):
        change()
    out.flush()
    out.hide_cursor()
    out.flush()

    assert written == ["\x1b[?2026hab?\x1b[?2026l", "\x1b[?25l"]


def test_a_terminal_that_is_gone_is_told_once_and_raises_nothing() -> None:
    class Gone(StringIO):
        def write(self, text: str) -> int:
            del text
            raise OSError(5, "gone")

    lost: list[OSError] = []
    out = FrameOutput(Gone(), lambda: Size(rows=24, columns=80), term="xterm")
    out.on_lost = lost.append
    out.write_raw("a")
    out.flush()

    assert [error.errno for error in lost] == [5]


@pytest.mark.parametrize(
    ("setting", "environ", "wraps"),
    [
        ("auto", {"TERM": "xterm-256color"}, True),
        ("auto", {"TERM": "linux"}, False),
        ("auto", {"TERM": "xterm", "XTERM_VERSION": "XTerm(379)"}, False),
        ("on", {"TERM": "linux"}, True),
        ("off", {"TERM": "xterm"}, False),
    ],
)
def test_whether_a_terminal_wraps_anew_is_guessed_or_set(setting: str, environ: dict[str, str], wraps: bool) -> None:
    assert reflows(setting, environ) is wraps


def test_what_is_typed_shows_that_there_is_something_that_nobody_sees() -> None:
    typed = "a\u200bb\u202ec\U000e0041 👩\u200d🚒 می\u200cخ"

    shown = ShowHidden().apply_transformation(
        TransformationInput(BufferControl(), Document(), 0, lambda i: i, [("", typed)], 0, 0)
    )

    assert shown.fragments == [("", "a\ufffdb\ufffdc\ufffd 👩\u200d🚒 می\u200cخ")]


@pytest.mark.parametrize(
    "words",
    [
        ["<task>", "<b>it</b>", "<div>"],
        ["[1]:", "https://a.example"],
        ["picture", "https://c.example/i.png"],
    ],
)
def test_no_word_of_a_model_is_left_out(words: list[str]) -> None:
    text = (
        "Say <task> or <b>it</b>.\n\n<div>\nblock\n</div>\n\n"
        "[1]: https://a.example\n\n![a picture](https://c.example/i.png)\n"
    )

    assert all(word in drawn(text, 5) for word in words)


@pytest.mark.parametrize("columns", [2, 6, 40])
def test_no_cell_of_a_table_is_left_out_however_many_there_are(columns: int) -> None:
    names, cells = ([f"{word}{at}" for at in range(columns)] for word in ("name", "value"))
    text = "".join(f"| {' | '.join(row)} |\n" for row in (names, ["---"] * columns, cells))

    shown = drawn(text, 1000).split()

    assert [word.strip(":") for word in shown if word.strip(":") in names] == names
    assert [word for word in shown if word in cells] == cells


def test_a_word_that_is_too_long_for_its_column_is_broken_not_cut() -> None:
    shown = drawn(f"| a | b |\n|---|---|\n| {'x' * 300} | y |\n", 1000)

    assert (shown.count("x"), shown.count("y")) == (300, 1)


@pytest.mark.parametrize("depth", [3, 12, 25, 60])
def test_nothing_of_lists_and_quotes_in_each_other_is_left_out_nor_what_follows(depth: int) -> None:
    items = "".join(f"{'  ' * level}- item{level}\n" for level in range(depth))
    quote = f"{'> ' * depth}quoted\n"

    shown = "".join(drawn(f"{items}\nbetween\n\n{quote}\nafter\n", 8).split())

    assert all(f"item{level}" in shown for level in range(depth))
    assert [shown.count(word) for word in ("between", "quoted", "after")] == [1, 1, 1]


def test_three_marks_of_code_within_a_line_begin_no_block() -> None:
    text = "```x``` is code.\n" + "".join(f"line {number}\n" for number in range(30))

    assert drawn(text, 5).split("\n")[:3] == ["x is code.", "line 0", "line 1"]
    assert drawn(text, 5).count("is code") == 1


def test_a_table_of_any_length_is_drawn_as_one_to_its_end() -> None:
    rows = "".join(f"| row {number} | {'text ' * 10}|\n" for number in range(1000))

    shown = drawn(f"| a | b |\n|---|---|\n{rows}", 1000)

    assert "|" not in shown
    assert all(f"row {number} " in shown for number in range(1000))


def test_names_of_python_keep_their_underscores() -> None:
    assert drawn("In __init__.py, **bold** and __two words__.\n", 5).strip() == "In __init__.py, bold and two words."


@pytest.mark.parametrize("size", [1, 7, 40])
def test_blank_lines_of_code_stay_wherever_it_is_parted(size: int) -> None:
    code = "".join(f"def f{number}():\n    pass\n\n\n" for number in range(12))

    assert drawn(f"```python\n{code}```\n", size).count("pass\n\n\n  def") == 11


def test_a_block_that_cannot_be_parted_is_not_parsed_with_each_line() -> None:
    blocks, looked = Blocks(), 0
    blocks.feed("| a | b |\n|---|---|\n")
    for number in range(600):
        before = blocks._looks_again
        blocks.feed(f"| row {number} | some text |\n")
        looked += blocks._looks_again != before

    assert 0 < looked < 30
