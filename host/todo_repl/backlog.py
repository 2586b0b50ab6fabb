"""`todo-context backlog …`: the verbs of /backlog from a shell, for a person or a script. No session is opened.

A shell has no sign of life: what is claimed in it stays claimed until it is released.
"""

import asyncio
import getpass
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from todo_command.verbs.backlog_table import run
from todo_context.backlog.here import Here
from todo_context.config import settings
from todo_context.pi import Ui
from todo_context.plan.text import lines_for_screen
from todo_repl.ui.output import Output, can_draw

JSON_FLAG = "--json"


@dataclass(slots=True)
class Shell:
    """Implements `todo_context.pi.Context`. Without a terminal nobody is asked: a token, or --yes, is the answer."""

    cwd: str
    session: str
    has_ui: bool
    out: Output
    _ui: Ui | None = None

    @property
    def ui(self) -> Ui:
        """The person at the terminal."""
        if self._ui is None:
            from todo_repl.ui.prompt import PromptFront  # noqa: PLC0415 (its library is for terminals alone)

            self._ui = PromptFront(self.out, session_id="backlog").ui
        return self._ui


def backlog(argv: Sequence[str], cwd: str, out: Output, err: Output) -> int:
    """Do what stands behind `todo-context backlog`; the exit code.

    0 done, 1 a known error, 2 what cannot be meant, 4 health with flags up.

    Raises:
        TodoContextError: the settings cannot be read.
    """
    words = list(argv)
    # Behind a lone "--" all is text.
    end = words.index("--") if "--" in words else len(words)
    as_json = JSON_FLAG in words[:end]
    words = [word for number, word in enumerate(words) if word != JSON_FLAG or number >= end]
    found = settings()
    for warning in found.warnings:
        err.line(warning, err.styles["warning"])
    here = Here(found.backlog, is_shell=True)
    try:
        has_person = not as_json and sys.stdin.isatty() and can_draw(sys.stdout)
        said = asyncio.run(run(words, here, Shell(cwd, f"shell:{_user()}", has_person, out)))
    finally:
        here.close()
    if as_json:
        out.line(json.dumps({"text": said.text, **said.data}, ensure_ascii=False))
        return said.code
    said = replace(said, text=lines_for_screen(said.text))
    (err if said.answer.is_error else out).line(said.text)
    return said.code


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return str(os.getuid()) if hasattr(os, "getuid") else "?"
