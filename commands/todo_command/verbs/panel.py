"""Expand and collapse: how much of the plan stands on the screen. The choice is kept in the session."""

from todo_command import answers
from todo_command.verbs.asked import Asked
from todo_context.pi import Answer

EXPANDED = "The panel shows the whole plan; /todo collapse makes it small."
COLLAPSED = "The panel shows what matters now; /todo expand shows all of it."

NO_PANEL = answers.error("There is no panel here.", "/todo shows the plan.")

_PAGES = {"up": -1, "down": 1}


async def expand(asked: Asked) -> Answer:
    """Show the whole plan in the panel."""
    return NO_PANEL if await asked.widget.expand(asked.ctx, is_expanded=True) is None else Answer(text=EXPANDED)


async def collapse(asked: Asked) -> Answer:
    """Show a few rows of it."""
    return NO_PANEL if await asked.widget.expand(asked.ctx, is_expanded=False) is None else Answer(text=COLLAPSED)


async def panel(asked: Asked) -> Answer:
    """Expand it or collapse it, whichever it is not; with `up` or `down`, scroll it. Meant for keys: says no more."""
    if not asked.rest:
        return NO_PANEL if await asked.widget.expand(asked.ctx) is None else Answer(text="")
    pages = _PAGES.get(asked.rest.casefold())
    if pages is None:
        return answers.error(
            f"panel takes up, down or nothing, not {answers.named(asked.rest)}.", "Try /todo panel down."
        )
    asked.widget.scroll(asked.ctx, pages)
    return Answer(text="")
