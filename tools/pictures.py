"""Draw the pictures of README.md: real runs in a real terminal, as SVG. Run by `make pictures`."""

import itertools
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.style import Style
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.todo_repl.terminal import Terminal  # noqa: E402 - the root must be on the path first

if TYPE_CHECKING:
    import pyte

OUT = ROOT / "docs" / "pictures"
SIZE = (72, 44)

# The fonts of the reader's own system: a picture loads nothing from elsewhere.
SVG = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; \
font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main() -> None:
    """Draw them all."""
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        _isolate(Path(folder))
        first_minute(Path(folder))
        editor(Path(folder))


def first_minute(folder: Path) -> None:
    """A list becomes a plan, the agent goes on with it, the person adds to it."""
    terminal = Terminal(cwd=folder, size=SIZE)
    terminal.wait_for_prompt()
    for line, answer in (
        ("first wire the config, then port the logger, then run the tests", "That is the plan now."),
        ("done", 'In progress: "port the logger".'),
        ('/todo append Ship "Write the notes"', "Added to"),
        ("/todo block tests waiting for the CI key", "Blocked:"),
        ("/todo", "<!-- blocker:"),
    ):
        terminal.type(f"{line}\r")
        terminal.wait_for(answer)
        terminal.wait_for_prompt()
    _save(terminal, "first-minute", "todo-context")
    terminal.type("\x04")
    terminal.wait_for_end()


def editor(folder: Path) -> None:
    """The same plan in the editor that is built in."""
    terminal = Terminal("-c", cwd=folder, size=(80, 14))
    terminal.wait_for_prompt()
    terminal.type("/todo edit\r")
    terminal.wait_for("Ctrl-S saves")
    terminal.wait_for("# Ship")
    _save(terminal, "edit", "/todo edit")
    terminal.type("\x1b")
    terminal.wait_for_prompt()
    terminal.type("\x04")
    terminal.wait_for_end()


def _isolate(folder: Path) -> None:
    """Run as a new person would: an own home, no settings, no editor, no keys."""
    for name in list(os.environ):
        if re.match("TODO_CONTEXT_|XDG_|NO_COLOR|EDITOR|VISUAL|OPENAI_|ANTHROPIC_", name):
            del os.environ[name]
    os.environ |= {"HOME": str(folder), "TERM": "xterm-256color", "LANG": "C.UTF-8"}


def _save(terminal: Terminal, name: str, title: str) -> None:
    rows = terminal.screen.display
    used = max(y for y, row in enumerate(rows) if row.strip()) + 1
    console = Console(record=True, width=terminal.screen.columns, file=open(os.devnull, "w"))  # noqa: PTH123, SIM115
    for y in range(used):
        console.print(_row(terminal, y), no_wrap=True, overflow="crop")
    svg = console.export_svg(title=title, code_format=SVG, unique_id=name)
    (OUT / f"{name}.svg").write_text("\n".join(line.rstrip() for line in svg.split("\n")), "utf-8")


def _row(terminal: Terminal, y: int) -> Text:
    cells = [terminal.screen.buffer[y][x] for x in range(terminal.screen.columns)]
    row = Text()
    for style, run in itertools.groupby(cells, key=_style):
        row.append("".join(cell.data for cell in run), style)
    row.rstrip()
    return row


def _style(cell: "pyte.screens.Char") -> Style:
    return Style(
        color=_color(cell.fg),
        bgcolor=_color(cell.bg),
        bold=cell.bold,
        italic=cell.italics,
        strike=cell.strikethrough,
        underline=cell.underscore,
        reverse=cell.reverse,
    )


def _color(name: str) -> str | None:
    if name == "default":
        return None
    return f"#{name}" if re.fullmatch("[0-9a-f]{6}", name) else name.replace("brown", "yellow")


if __name__ == "__main__":
    main()
