"""Where our files are on this machine.

A folder is named here and made by whoever writes into it, so that reading leaves no trace. It is an
error only when it is asked for: a program that needs no folder runs where there is no home.
"""

import os
from pathlib import Path

from todo_context.errors import TodoContextError

APP_NAME = "todo-context"
"""The folder's name under the platform's own places."""

DATA_DIR_VARIABLE = "TODO_CONTEXT_DATA_DIR"
CONFIG_DIR_VARIABLE = "TODO_CONTEXT_CONFIG_DIR"

FOLDER_MODE = 0o700
"""Sessions hold what a person said: nobody else reads them."""

FILE_MODE = 0o600


def data_dir() -> Path:
    """The folder of sessions, history, drafts and logs, absolute. It may not be there yet.

    Raises:
        TodoContextError: this user has no home folder and `TODO_CONTEXT_DATA_DIR` names none.
    """
    return _folder(DATA_DIR_VARIABLE, "user_data_dir")


def config_dir() -> Path:
    """The folder of settings.toml, absolute. It may not be there.

    Raises:
        TodoContextError: this user has no home folder and `TODO_CONTEXT_CONFIG_DIR` names none.
    """
    return _folder(CONFIG_DIR_VARIABLE, "user_config_dir")


def make_private(folder: Path) -> Path:
    """Make the folder and what is missing above it, for this user only; the folder.

    Raises:
        OSError: it cannot be made.
    """
    if not folder.is_dir():
        if folder.parent != folder:
            make_private(folder.parent)
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
    return folder


def _folder(variable: str, platform_name: str) -> Path:
    named = os.environ.get(variable)
    if named:
        return Path(os.path.abspath(os.path.expanduser(named)))  # noqa: PTH100, PTH111 (no error without a home)
    # Late: it costs more than all else here, and most programs of ours are told their folders.
    import platformdirs  # noqa: PLC0415

    try:
        found = str(getattr(platformdirs, platform_name)(APP_NAME, appauthor=False))
    except RuntimeError as error:
        raise _homeless(variable) from error
    # Older versions of platformdirs do not raise but answer with the "~" they could not expand.
    if not os.path.isabs(found):  # noqa: PTH117
        raise _homeless(variable)
    return Path(found)


def _homeless(variable: str) -> TodoContextError:
    return TodoContextError(f"~: this user has no home folder. Set HOME, or {variable} to a folder to use.")
