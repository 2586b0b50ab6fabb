"""Markdown as Rich draws it here: nothing is centred, boxed or filled, no link hides where it leads, lines stay lines.

Imported late: it takes long, and most of what is printed is none.
"""

from markdown_it.token import Token
from rich import box, markdown
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from todo_context.cells import width_cells
from todo_repl.ui.app.blocks import markdown_parser

CODE_THEME = "ansi_dark"
"""The colours of the terminal's own, which fit its background."""


CELL = 12
"""The width that a longer word of a column is broken at, before the table gives up its columns."""


INDENTS = {"list_item": 4, "blockquote": 4}
"""Cells that each takes of the width."""

LEAST_CELLS = 12
"""The room that a text needs behind them."""


class _Heading(markdown.Heading):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console, options
        yield Text(f"{'#' * int(self.tag[1:])} ", style="dim").append_text(self.text)


class _Code(markdown.CodeBlock):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console, options
        code = str(self.text).rstrip()
        syntax = Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True, background_color="default")
        yield Padding(syntax, (0, 0, 0, 2))


class _Table(markdown.TableElement):
    """Columns where there is room for them; else each row as lines, a cell a line, behind the name of its column."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console
        heads = [cell.content for cell in self.header.row.cells] if self.header and self.header.row else []
        rows = [[cell.content for cell in row.cells] for row in self.body.rows] if self.body else []
        least = (min(CELL, max(map(_longest_word, column))) for column in zip(heads, *rows, strict=True))
        if sum(least) + 2 * len(heads) <= options.max_width:
            yield _columns(heads, rows)
            return
        for row in rows:
            for head, cell in zip(heads, row, strict=True):
                yield Text.assemble((f"{head.plain}: ", "markdown.table.header"), cell)
            yield Text()


def _longest_word(cell: Text) -> int:
    return max(map(width_cells, cell.plain.split()), default=0)


def _columns(heads: list[Text], rows: list[list[Text]]) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False, style="markdown.table.border", collapse_padding=True)
    for head in heads:
        named = head.copy()
        named.stylize("markdown.table.header")
        table.add_column(named, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


class Markdown(markdown.Markdown):
    """The Markdown of a model."""

    elements = {  # noqa: RUF012 (Rich declares it so)
        **markdown.Markdown.elements,
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
        "table_open": _Table,
    }
    source = ""
    """The text that it was read from."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        # Where there is no room Rich leaves out words.
        if _indent(self.parsed) + LEAST_CELLS > options.max_width:
            yield Text(self.source.rstrip("\n"))
        else:
            yield from super().__rich_console__(console, options)


def _indent(tokens: list[Token]) -> int:
    """How many cells stand at most before a text, for lists and quotes in each other."""
    most = now = 0
    for token in tokens:
        now += token.nesting * INDENTS.get(token.type.removesuffix("_open").removesuffix("_close"), 0)
        most = max(most, now)
    return most


def rendered(text: str) -> Markdown:
    """What Rich can draw of a text that is safe for a screen."""
    found = Markdown("", code_theme=CODE_THEME, hyperlinks=False)
    # Rich's own leaves out <task>, and what a reference leads to.
    found.source, found.parsed = text, markdown_parser().parse(text)
    for token in found.parsed:
        children = token.children or []
        for child in children:
            # Models break lines where they mean it.
            if child.type == "softbreak":
                child.type = "hardbreak"
        for begin, word, end in zip(children, children[1:], children[2:], strict=False):
            if begin.type == "strong_open" and begin.markup == "__" and end.type == "strong_close":
                _spell_out(begin, word, end)
    return found


def _spell_out(begin: Token, word: Token, end: Token) -> None:
    """Leave __init__ as it is: a name of Python's, where others are made bold with stars."""
    if word.type == "text" and word.content.isidentifier():
        for mark in (begin, end):
            mark.type, mark.content, mark.nesting = "text", mark.markup, 0
