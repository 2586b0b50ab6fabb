"""Questions to the person in plain lines: choose one of several, yes or no.

Each answers what was chosen, or that the person did not choose; Ctrl-C, Ctrl-D and Enter alone mean that.
"""

import re
from collections.abc import Sequence

from prompt_toolkit import PromptSession

from todo_context.plan.text import for_screen
from todo_repl.ui.output import Output

SHOWN_CHARACTERS = 40
"""How much of an answer that is none is shown again."""


async def select(out: Output, title: str, options: Sequence[str]) -> str | None:
    """The option whose number the person gives; None when they give none."""
    out.line(title, "bold")
    for number, option in enumerate(options, 1):
        out.line(f"  {number}. {for_screen(option)}")
    while (said := await _ask(f"1 to {len(options)}, or Enter to leave: ")) is not None:
        number = int(said) if re.fullmatch("[0-9]{1,9}", said) else 0
        if 1 <= number <= len(options):
            return options[number - 1]
        out.line(f'"{_shown(said)}" is not a number from 1 to {len(options)}.', "yellow")
    return None


def _shown(said: str) -> str:
    text = for_screen(said)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 1]}…"


async def confirm(out: Output, title: str, message: str) -> bool:
    """Whether the person says yes; anything that is not a yes is a no."""
    out.line(title, "bold")
    if message:
        out.line(message)
    said = await _ask("y or n: ")
    return said is not None and said.casefold() in {"y", "yes"}


async def _ask(question: str) -> str | None:
    # A session of its own: what is answered here is no line of the history.
    session: PromptSession[str] = PromptSession()
    try:
        said = await session.prompt_async(question)
    except (KeyboardInterrupt, EOFError):
        return None
    return said.strip() or None
