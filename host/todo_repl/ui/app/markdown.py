"""Markdown as Rich draws it here: nothing is centred, boxed or filled, no link hides where it leads, lines stay lines.

Imported late: it takes long, and most of what is printed is none.
"""

from rich import markdown
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text

from todo_repl.ui.app.blocks import markdown_parser

CODE_THEME = "ansi_dark"
"""The colours of the terminal's own, which fit its background."""


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


class Markdown(markdown.Markdown):
    """The Markdown of a model."""

    elements = {**markdown.Markdown.elements, "heading_open": _Heading, "fence": _Code, "code_block": _Code}  # noqa: RUF012 (Rich declares it so)


def rendered(text: str) -> Markdown:
    """What Rich can draw of a text that is safe for a screen."""
    found = Markdown("", code_theme=CODE_THEME, hyperlinks=False)
    # Rich's own leaves out <task>, and what a reference leads to.
    found.parsed = markdown_parser().parse(text)
    for token in found.parsed:
        for child in token.children or ():
            # Models break lines where they mean it.
            if child.type == "softbreak":
                child.type = "hardbreak"
    return found
