"""What the host answers about itself: /help, and a command that there is not."""

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from todo_context.config import FILE_NAME
from todo_context.errors import TodoContextError
from todo_context.paths import config_dir
from todo_context.pi import Answer
from todo_context.plan.names import WORD_LIKENESS, closest
from todo_context.plan.text import for_screen
from todo_context.switches import HEAD, switch_lines
from todo_repl.models import OFFLINE, Model


def help_text(commands: Mapping[str, str], facts: Mapping[str, str], keys: Sequence[tuple[str, str]]) -> str:
    """List the commands, the keys, what can be turned off, and what there is to know of this session."""
    lines = _columns([(f"/{name}", for_screen(description)) for name, description in commands.items()])
    lines.append("Any other line is a message to the agent.")
    if keys:
        lines += ["", *_columns(keys)]
    lines += ["", HEAD, *switch_lines()]
    return "\n".join([*lines, "", *(f"{name}: {for_screen(fact)}" for name, fact in facts.items())])


def _columns(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = max(len(name) for name, _ in rows) + 2
    return [f"{name:<{width}}{words}" for name, words in rows]


def model_words(model: Model) -> str:
    """Which model it is, and how to come to one."""
    if model.provider != OFFLINE:
        return f"{model.provider}:{model.name}"
    return "none; the offline planner answers by rules. To connect one: --model openai:NAME or anthropic:NAME."


def from_home(path: Path) -> str:
    """A path as a person would type it: what is in their home folder begins with "~"."""
    home = os.path.expanduser("~")  # noqa: PTH111 (no error without a home)
    return f"~{os.sep}{path.relative_to(home)}" if Path(home).is_absolute() and path.is_relative_to(home) else str(path)


def settings_place() -> str:
    """Where they are read from, be there any or not."""
    try:
        return from_home(config_dir() / FILE_NAME)
    except TodoContextError as error:
        return str(error)


def unknown_command(name: str, commands: Collection[str]) -> Answer:
    """Say that there is no such command, and which there are."""
    known = ", ".join(f"/{known}" for known in commands)
    close = closest(name, commands, likeness=WORD_LIKENESS)
    hint = f" Closest: /{close[0]}." if close else ""
    return Answer(text=f"/{name}: no such command.{hint} There are {known}.", is_error=True)
