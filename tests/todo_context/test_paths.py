"""Folders are named, not made, and a missing home is said only when a folder is asked for."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from todo_context import paths
from todo_context.errors import TodoContextError


@pytest.mark.parametrize(
    ("variable", "folder"),
    [("TODO_CONTEXT_DATA_DIR", paths.data_dir), ("TODO_CONTEXT_CONFIG_DIR", paths.config_dir)],
)
def test_the_environment_names_the_folder_and_nothing_is_made(
    variable: str, folder: Callable[[], Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "a" / ".." / "b"))

    assert folder() == tmp_path / "b"
    assert list(tmp_path.iterdir()) == []


def test_without_a_variable_the_platform_names_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TODO_CONTEXT_DATA_DIR", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))

    assert paths.data_dir().is_relative_to(tmp_path)
    assert paths.data_dir().name == "todo-context"


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become a user without a home")
def test_without_a_home_the_error_says_what_to_set() -> None:
    code = (
        "import os; os.setuid(54321)\n"
        "from todo_context import config, paths\n"
        "assert config.settings() == config.Settings()\n"
        "try: paths.data_dir()\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    # The modules are loaded as root, for that user may not read where they lie.
    loaded = "import todo_context.config, todo_context.paths, platformdirs, platformdirs.unix\n"
    env = {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ["PATH"]}

    done = subprocess.run([sys.executable, "-c", loaded + code], env=env, capture_output=True, text=True, check=True)

    said = "this user has no home folder. Set HOME, or TODO_CONTEXT_DATA_DIR to a folder to use."
    assert done.stdout == f"{TodoContextError.__name__} ~: {said}\n"


def test_folders_we_make_are_for_this_user_only(tmp_path: Path) -> None:
    made = paths.make_private(tmp_path / "a" / "b")

    assert paths.make_private(made) == made
    if os.name == "posix":
        assert [stat.S_IMODE(folder.stat().st_mode) for folder in (made, made.parent)] == [0o700, 0o700]
