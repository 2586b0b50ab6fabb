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

ROWS = 15
"""Of a list, how much is shown at once: with title and question it fits on a screen. Words narrow it down."""


async def select(out: Output, title: str, options: Sequence[str]) -> str | None:
    """The option whose number the person gives; None when they give none.

    Words show the options that hold all of them, each with the number it has in the whole list.
    """
    out.line(title, "bold")
    shown = list(enumerate(options, 1))
    _show(out, shown)
    words = ", words to look for" if len(options) > ROWS else ""
    while (said := await _ask(f"1 to {len(options)}{words}, or Enter to leave: ")) is not None:
        number = int(said) if re.fullmatch("[0-9]{1,9}", said) else 0
        if 1 <= number <= len(options):
            return options[number - 1]
        found = [] if said.isdecimal() else _holding(said, options)
        if found:
            _show(out, found)
        elif said.isdecimal():
            out.line(f'"{_shown(said)}" is not a number from 1 to {len(options)}.', "yellow")
        else:
            out.line(f'"{_shown(said)}" is in none of them, and is not a number from 1 to {len(options)}.', "yellow")
    return None


def _holding(said: str, options: Sequence[str]) -> list[tuple[int, str]]:
    wanted = said.casefold().split()
    return [
        (number, option)
        for number, option in enumerate(options, 1)
        if all(word in for_screen(option).casefold() for word in wanted)
    ]


def _show(out: Output, numbered: Sequence[tuple[int, str]]) -> None:
    for number, option in numbered[:ROWS]:
        out.line(f"  {number}. {for_screen(option)}")
    if len(numbered) > ROWS:
        out.line(f"  … and {len(numbered) - ROWS} more. Type words to find one.", "dim")


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
