"""Texts that a model reads before anything else: built in, or the person's own.

A built-in text lies in `prompts/` of its package. A file of the same name in the folder that `[plan] prompts_dir`
names takes its place; what is not in that folder stays built in.
"""

import os
from importlib import resources
from pathlib import Path

from todo_context.errors import TodoContextError
from todo_context.plan.text import trim

PROMPT_BYTES = 64_000
"""Bytes of one text. It goes along with every request; a longer file is more likely the wrong one."""


def prompt(name: str, folder: str = "", *, package: str = "todo_context") -> str:
    """The text `name`, trimmed: that of `<folder>/<name>.md`, or the one that is built into `package`.

    `folder` is a path, `~` allowed, or empty for the built-in text.

    Raises:
        TodoContextError: the folder is not there, or its file cannot be read, is blank or too long.
    """
    own = _own(name, folder) if folder else None
    return own or trim(resources.files(package).joinpath(f"prompts/{name}.md").read_text("utf-8"))


def _own(name: str, folder: str) -> str | None:
    """The person's text, None if they have none of that name."""
    where = Path(os.path.abspath(os.path.expanduser(folder)))  # noqa: PTH100, PTH111 (no error without a home)
    path = where / f"{name}.md"
    if path.exists() and not path.is_file():  # to open a pipe may never end
        raise TodoContextError(f"{path}: is no regular file. Write one, or change [plan] prompts_dir.")
    try:
        with path.open("rb") as file:
            raw = file.read(PROMPT_BYTES + 1)  # not all of it: what is named by mistake may have no end
    except FileNotFoundError as error:
        if where.is_dir():
            return None
        raise TodoContextError(f"{where}: no such folder. Make it, or change [plan] prompts_dir.") from error
    except OSError as error:
        message = f"{path}: cannot be read: {error.strerror}. Mend it, or change [plan] prompts_dir."
        raise TodoContextError(message) from error
    if len(raw) > PROMPT_BYTES:
        raise TodoContextError(f"{path}: it is longer than {PROMPT_BYTES} bytes. Shorten it.")
    return _text(path, raw)


def _text(path: Path, raw: bytes) -> str:
    try:
        text = trim(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise TodoContextError(f"{path}: line {line} is not UTF-8. Save the file as UTF-8.") from error
    if not text:
        raise TodoContextError(f"{path}: it is blank. Write a text, or remove the file to have the built-in one.")
    return text
