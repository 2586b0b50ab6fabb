"""Draw the pictures of README.md: real runs in a real terminal, as SVG. Run by `make pictures`."""

import itertools
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.style import Style
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

# The root must be on the path first.
from tests.scripted_llm import ScriptedLlm, Step  # noqa: E402
from tests.todo_repl.terminal import Terminal  # noqa: E402

if TYPE_CHECKING:
    import pyte

OUT = ROOT / "docs" / "pictures"

FIRST_MINUTE = (
    ("first wire the config, then port the logger, then run the tests", "That is the plan now."),
    ("done", 'In progress: "port the logger".'),
    ('/todo append Ship "Write the notes"', "Added to"),
    ("/todo block tests waiting for the CI key", "Blocked:"),
)
"""What is typed, and what is answered."""

NAMED = (("/name Release notes", "named"), ('/todo append Write "What changed"', "Added"), ("/new", "A new"))

PLAN = [
    {
        "op": "init",
        "list": [
            {"phase": "Build", "items": ["Wire config", "Port the logger"]},
            {"phase": "Verify", "items": ["Run the tests", "Look at it in a terminal"]},
            {"phase": "Ship", "items": ["Write the notes", "Tag the release"]},
        ],
    },
    {"op": "note", "task": "Port the logger", "text": "Keep the old format."},
    {"op": "block", "task": "Run the tests", "reason": "waiting for the CI key"},
]

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
        here = Path(folder) / "demo"
        here.mkdir()
        _isolate(Path(folder))
        first_minute(here)
        edit(here)
        panel(here)
        sessions(here)


def first_minute(here: Path) -> None:
    """A list becomes a plan, the agent goes on with it, the person adds to it."""
    terminal = _begun(here)
    _play(terminal, FIRST_MINUTE)
    _save(terminal, "first-minute", "todo-context")
    _leave(terminal)


def edit(here: Path) -> None:
    """The same plan in the editor that is built in, and what became of it."""
    terminal = _begun(here, "-c", size=(80, 16))
    terminal.type("/todo edit\r")
    terminal.wait_for("Ctrl-S saves")
    terminal.wait_for("# Ship")
    terminal.type("\x1b[1;5F\r- [ ] Tell the others")  # Ctrl-End
    terminal.wait_for("Tell the others")
    _save(terminal, "edit", "/todo edit")
    terminal.resize(80, 24)
    terminal.type("\x13")
    terminal.wait_for("Edited:")
    terminal.wait_for_prompt()
    _save(terminal, "edited", "todo-context")
    _leave(terminal)


def panel(here: Path) -> None:
    """The agent at work on a plan of several phases."""
    steps: list[Step] = [
        {"tool_calls": [{"name": "todo_write", "arguments": {"ops": PLAN}}]},
        {"tool_calls": [{"name": "todo_write", "arguments": {"ops": [{"op": "done", "task": "Wire config"}]}}]},
        {"text": "The config is wired. I port the logger now, and keep its old", "hold": str(here / "never")},
    ]
    with ScriptedLlm(steps) as server:
        terminal = _begun(here, "--model", "openai:demo", "--base-url", server.base_url)
        terminal.type("port the service\r")
        terminal.wait_for("its old")
        terminal.wait_for("Esc stops")
        terminal.pause(1)  # the line that strikes a task through has come to its end
        _save(terminal, "panel", "todo-context")
        terminal.type("\x1b")
        terminal.wait_for("Stopped.")
        _leave(terminal)


def sessions(here: Path) -> None:
    """Earlier sessions to choose from."""
    terminal = _begun(here)
    _play(terminal, NAMED)
    terminal.type("/resume\r")
    terminal.wait_for("Which session?")
    terminal.type("port")
    terminal.wait(lambda: "Release" not in terminal.rows[-4])
    terminal.settle()
    _save(terminal, "resume", "/resume")
    terminal.type("\x1b")
    _leave(terminal)


def _begun(here: Path, *flags: str, size: tuple[int, int] = (80, 24)) -> Terminal:
    terminal = Terminal(*flags, cwd=here, size=size)
    terminal.wait_for_prompt()
    return terminal


def _play(terminal: Terminal, lines: Sequence[tuple[str, str]]) -> None:
    for line, answer in lines:
        terminal.type(f"{line}\r")
        terminal.wait_for(answer)
        terminal.wait_for_prompt()


def _leave(terminal: Terminal) -> None:
    terminal.wait_for_prompt()
    terminal.type("/quit\r")
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
