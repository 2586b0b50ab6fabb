"""What need not wait for a heavy library does not wait for it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("pydantic_ai", "prompt_toolkit")

REPORT = f"""
import sys
print("heavy:", *[name for name in {HEAVY} if name in sys.modules])
"""

ACTIVATE = """
from todo_context import activate
from todo_context.hosts.memory import MemoryPi
activate(MemoryPi())
"""

COMMAND_LINE = """
import sys
from todo_repl.cli import main
try:
    code = main({arguments})
except SystemExit as exit:
    code = exit.code
if code:
    sys.exit(code)
"""


def heavy_after(program: str, cwd: Path) -> str:
    """The heavy libraries that are loaded when a program of its own has run."""
    done = subprocess.run(
        [sys.executable, "-c", program + REPORT],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": ":".join(filter(None, sys.path))},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_loading_the_extension_imports_nothing_heavy(tmp_path: Path) -> None:
    assert heavy_after(ACTIVATE, tmp_path) == "heavy:"


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--version"], id="--version"),
        pytest.param(["--help"], id="--help"),
        pytest.param(["--no-session", "-p", "/todo"], id="-p with a slash command"),
    ],
)
def test_the_command_line_imports_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    assert heavy_after(COMMAND_LINE.format(arguments=arguments), tmp_path) == "heavy:"


def test_showing_a_session_imports_nothing_heavy(tmp_path: Path) -> None:
    session = str(tmp_path / "s.jsonl")
    heavy_after(COMMAND_LINE.format(arguments=["--session", session, "-p", "/todo append Build One"]), tmp_path)

    assert heavy_after(COMMAND_LINE.format(arguments=["show", session]), tmp_path) == "heavy:"


@pytest.mark.parametrize("name", HEAVY)
def test_a_heavy_import_would_be_seen(name: str, tmp_path: Path) -> None:
    assert heavy_after(f"import {name}", tmp_path) == f"heavy: {name}"
