"""What the host answers about itself: /help, and a command that there is not."""

import difflib
from collections.abc import Collection, Mapping

from todo_context.pi import Answer
from todo_context.plan.text import for_screen
from todo_repl.models import OFFLINE, Model

KEYS = "Ctrl-C stops a run, or clears the line. Ctrl-D leaves. Alt-Enter begins a new line."


def help_text(commands: Mapping[str, str], facts: Mapping[str, str], *, has_keys: bool) -> str:
    """List the commands with their descriptions, and what there is to know of this session."""
    width = max(map(len, commands)) + 3
    lines = [f"{f'/{name}':<{width}}{for_screen(description)}" for name, description in commands.items()]
    lines.append("Any other line is a message to the agent.")
    if has_keys:
        lines.append(KEYS)
    return "\n".join([*lines, "", *(f"{name}: {for_screen(fact)}" for name, fact in facts.items())])


def model_words(model: Model) -> str:
    """Which model it is, and how to come to one."""
    if model.provider != OFFLINE:
        return f"{model.provider}:{model.name}"
    return "the offline planner, which is none. To connect one, start with --model openai:NAME or anthropic:NAME."


def unknown_command(name: str, commands: Collection[str]) -> Answer:
    """Say that there is no such command, and which there are."""
    known = ", ".join(f"/{known}" for known in commands)
    close = difflib.get_close_matches(name, commands, n=1)
    hint = f" Closest: /{close[0]}." if close else ""
    return Answer(text=f"/{name}: no such command.{hint} There are {known}.", is_error=True)
