"""The first minute of README.md: what it shows is what a terminal shows."""

import os
import re
from pathlib import Path

import pytest

from tests.todo_repl.terminal import Terminal

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a pty")

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


def test_the_first_minute_is_what_a_terminal_shows(tmp_path: Path) -> None:
    (block,) = re.findall(r"^```text\n(> first .*?\n>)\n```$", README, re.MULTILINE | re.DOTALL)
    expected = block.split("\n")
    terminal = Terminal(cwd=tmp_path, size=(80, len(expected) + 6))
    terminal.wait_for_prompt()
    for line in [row[2:] for row in expected if row.startswith("> ")]:
        terminal.type(f"{line}\r")
        terminal.wait(lambda line=line: f"> {line}" in terminal.rows)  # type: ignore[misc]
        terminal.wait_for_prompt()
    shown = [row.rstrip() for row in terminal.rows]
    terminal.leave()

    assert shown[shown.index(expected[0]) :][: len(expected)] == expected


def test_every_picture_is_there_and_loads_nothing() -> None:
    folder = Path(__file__).parents[2]
    pages = [README, *(page.read_text("utf-8") for page in (folder / "docs").rglob("*.md"))]
    named = {name for page in pages for name in re.findall(r"\((?:docs/|\.\./)?pictures/([^)]+)\)", page)}

    assert named == {path.name for path in (folder / "docs" / "pictures").iterdir()}
    for name in named:
        picture = (folder / "docs" / "pictures" / name).read_text("utf-8")
        assert not re.search(r"(?:href|src|url\()\s*=?\s*[\"']?https?:", picture)
