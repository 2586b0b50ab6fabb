"""Install: put what another host loads into the folder where it looks for extensions.

One file, which says itself what it is. A file that is not ours is never touched.
"""

import importlib.resources
import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from todo_context.errors import TodoContextError
from todo_context.plan.text import for_screen
from todo_repl.config import UsageError

PI_DIR_VARIABLE = "PI_CODING_AGENT_DIR"
"""Where pi keeps its things, if not in ~/.pi/agent. Source: pi's own documentation."""

OURS = "todo-context in pi: "
"""How the second line of our file begins, behind the star of its comment."""

INSTALLED = re.compile(r'^const INSTALLED = ".*";$', re.MULTILINE)
"""The line of shim.ts that names the interpreter."""


def install(host: str) -> str:
    """Put our part into that host; what to tell the person.

    Raises:
        UsageError: there is no such host.
        TodoContextError: its folder is not known, or another file stands there.
        OSError: the folder cannot be written.
    """
    installer = HOSTS.get(host)
    if installer is None:
        raise UsageError(f'install: no host "{for_screen(host)}". There is {" and ".join(HOSTS)}: {EXAMPLE}')
    return installer()


def _install_pi() -> str:
    path = _pi_folder() / "extensions" / "todo-context.ts"
    text = shim(sys.executable)
    before = _ours(path)
    if before != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.new")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    done = "Already there" if before == text else "Installed" if before is None else "Brought up to date"
    return (
        f"{done}: {path}\n"
        f"It starts {sys.executable}. Move that, and this has to be done again.\n"
        "Next: start pi, or type /reload in it, and then /todo help.\n"
        f"To remove it: delete the file."
    )


def shim(python: str) -> str:
    """What pi loads, with the interpreter it is to start. A name in any letters is written as ASCII."""
    text = importlib.resources.files("todo_context.hosts.pi").joinpath("shim.ts").read_text(encoding="utf-8")
    return INSTALLED.sub(lambda _: f"const INSTALLED = {json.dumps(python)};", text)


def _ours(path: Path) -> str | None:
    """The text of our file, if one is there.

    Raises:
        TodoContextError: something else is there.
    """
    try:
        text = path.read_bytes().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return None
    if OURS not in text[:100]:
        raise TodoContextError(f"{path}: this file is not ours. Move it away, then install again.")
    return text


def _pi_folder() -> Path:
    named = os.environ.get(PI_DIR_VARIABLE)
    folder = os.path.expanduser(named or "~/.pi/agent")  # noqa: PTH111 (no error without a home)
    if folder.startswith("~"):
        raise TodoContextError(f"~: this user has no home folder. Set HOME, or {PI_DIR_VARIABLE} to pi's folder.")
    return Path(os.path.abspath(folder))  # noqa: PTH100 (a link stays as it is)


HOSTS: Mapping[str, Callable[[], str]] = {"pi": _install_pi}

EXAMPLE = "todo-context install pi"
