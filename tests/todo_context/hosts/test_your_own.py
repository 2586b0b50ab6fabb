"""The page that leads to a host of one's own leads to one that works."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.todo_repl.process import environment
from todo_context import plan_of, to_markdown
from todo_repl.session_format import parse

PAGE = Path(__file__).parents[3] / "docs" / "hosts" / "your-own.md"
LINES = 60
"""What a reader takes in at one sitting."""


def block(kind: str) -> str:
    found = re.search(rf"^```{kind}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def run_in(folder: Path) -> str:
    (folder / "host.py").write_text(block("python"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "host.py"], cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_it_shows_is_what_it_prints(tmp_path: Path) -> None:
    assert run_in(tmp_path) == block("text")


def test_its_file_holds_the_plan_and_a_second_start_goes_on_from_it(tmp_path: Path) -> None:
    run_in(tmp_path)
    run_in(tmp_path)

    lines = (tmp_path / "session.jsonl").read_bytes().splitlines()
    branch: list[Any] = [parse(line) for line in lines]
    assert [entry["id"] for entry in branch] == ["00000001", "00000002", "00000003", "00000004"]
    assert to_markdown(plan_of(branch)) == "# Build\n- [x] Wire config\n- [/] Port logger\n"


def test_it_is_short() -> None:
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) <= LINES
