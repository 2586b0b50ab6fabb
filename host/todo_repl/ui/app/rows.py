"""Rows of the screen, as lists of styled pieces, cut to its width. Pure; widths are cells."""

from collections.abc import Callable, Iterator, Sequence

from prompt_toolkit.formatted_text import StyleAndTextTuples

from todo_context.cells import cut, safe_text, width_cells

Row = StyleAndTextTuples

TAB = "    "

_NO_COLOURS = frozenset({"bold", "italic", "dim", "strike", "reverse", "underline"})
"""Words that mean the same to Rich and to prompt_toolkit."""


def prompt_style(rich_style: str) -> str:
    """A style of the table of looks, in the words of prompt_toolkit."""
    return " ".join(word if word in _NO_COLOURS else f"ansi{word}" for word in rich_style.split())


def safe_lines(text: str) -> str:
    """Text of several lines, safe and as wide as it is believed to be; a tab shows as blanks."""
    return "\n".join(safe_text(line.replace("\t", TAB)) for line in text.replace("\r\n", "\n").split("\n"))


def cut_row(row: Row, width: int) -> Row:
    """The beginning of a row that is too wide."""
    left: Row = []
    for piece in row:
        shown = cut(piece[1], width, "")
        left.append((piece[0], shown))
        width -= width_cells(shown)
        if shown != piece[1]:
            break
    return left


def joined(rows: Sequence[Row]) -> StyleAndTextTuples:
    """Rows as one text of several lines."""
    found: StyleAndTextTuples = []
    for row in rows:
        if found:
            found.append(("", "\n"))
        found.extend(row or [("", "")])
    return found


def last_rows(text: str, width: int, rows: int, make_safe: Callable[[str], str] = safe_lines) -> list[str]:
    """The end of a text as rows, broken at the edge. Looks at no more of it than it needs."""
    found: list[str] = []
    end = len(text)
    while end >= 0 and len(found) < rows:
        begin = text.rfind("\n", 0, end) + 1
        # Of a line that is longer than all the rows together only the end is looked at, from the begin of a row.
        skipped = max(0, (end - begin) // width - 2 * rows) * width
        found[:0] = list(_broken(make_safe(text[begin + skipped : end]), width))
        end = begin - 1
    return found[-rows:] if rows > 0 else []


def _broken(line: str, width: int) -> Iterator[str]:
    rest = line
    while width_cells(rest) > width:
        # A character that is wider than the screen has no row to stand on.
        row = cut(rest, width, "") or rest[0]
        yield cut(row, width, "")
        rest = rest[len(row) :]
    yield rest
