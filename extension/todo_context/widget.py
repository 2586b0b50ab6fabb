"""What stands on the screen of the plan while one works: a panel where a host draws, else a few lines.

It is brought up to the branch after each change, by reading, not by remembering. Whether the panel is expanded is
an entry on the branch, and so outlives the process.
"""

import os
from collections.abc import Mapping, Sequence
from itertools import islice

from todo_context.awaiting import awaited
from todo_context.lane import Lane
from todo_context.looks import styles_of
from todo_context.panel.state import Panel
from todo_context.pi import Context, Entry, Pi
from todo_context.plan.markdown import MARKS
from todo_context.plan.model import Json, Plan
from todo_context.plan.select import counts, folded, progress
from todo_context.plan.text import for_screen
from todo_context.settings import PanelSettings

NAME = "todo"
"""The key under which a host keeps it."""

CHOICE = "todo_panel"
"""The custom type of the entry that says whether the panel is expanded. It is no source of the plan."""

CHOICE_VERSION = 1

LOOKED_AT = 2_000
"""Entries, from the leaf back, among which the choice is looked for; a session may have none, and no end."""

TASKS = 6
"""Open tasks shown. With the lines for progress and for the rest it stays under the ten that pi shows at most."""

LINE_CHARACTERS = 72
"""Characters of a line; a host cuts by its own width what is still too wide."""


class Widget:
    """What stands on the screen in one session."""

    def __init__(self, pi: Pi, lane: Lane, settings: PanelSettings) -> None:
        self._pi = pi
        self._lane = lane
        self._settings = settings
        self._draws = pi.capabilities.draws_widgets
        self._panel = Panel(settings, os.environ)
        self.styles = styles_of(settings, os.environ)

    def register(self) -> None:
        """Have the host tell when to begin; and when the agent begins and stops, where something is drawn of it."""
        self._pi.on("session_start", self._begins)
        self._pi.on("session_tree", self._begins)
        if self._draws:
            self._pi.on("agent_start", self._agent_starts)
            self._pi.on("agent_end", self._agent_ends)

    async def show(self, ctx: Context) -> None:
        """Bring it up to what the branch says now."""
        if not ctx.has_ui or not self._settings.show:
            return
        plan = await self._lane.plan()
        if self._draws:
            self._panel.update(plan)
            ctx.ui.set_widget(NAME, self._panel.draw)
        else:
            ctx.ui.set_widget(NAME, lines(plan))

    async def expand(self, ctx: Context, *, is_expanded: bool | None = None) -> bool | None:
        """Expand the panel or not, None: the other way round, and remember it. Whether it is now; None without one.

        Raises:
            OSError, TodoContextError: the choice could not be stored. The panel is as it was.
        """
        if not self._is_drawn(ctx):
            return None
        wanted = not self._panel.is_expanded if is_expanded is None else is_expanded
        if wanted != self._panel.is_expanded:
            await awaited(self._pi.append_entry(CHOICE, {"v": CHOICE_VERSION, "expanded": wanted}))
            self._panel.expand(is_expanded=wanted)
        return wanted

    def scroll(self, ctx: Context, pages: int) -> bool:
        """Move over an expanded panel, up below 0; whether there is one."""
        is_there = self._is_drawn(ctx) and self._panel.is_expanded
        if is_there:
            self._panel.scroll_pages(pages)
        return is_there

    def _is_drawn(self, ctx: Context) -> bool:
        return self._draws and self._settings.show and ctx.has_ui

    async def _begins(self, _event: Mapping[str, Json], ctx: Context) -> None:
        """Show another branch: that of a session that begins, or of another place in the tree."""
        if self._is_drawn(ctx):
            self._panel.begin(await self._lane.plan())
            self._panel.expand(is_expanded=_choice(await awaited(self._pi.branch())))
        await self.show(ctx)

    async def _agent_starts(self, _event: Mapping[str, Json], ctx: Context) -> None:
        self._panel.start_turn()
        await self.show(ctx)

    async def _agent_ends(self, _event: Mapping[str, Json], ctx: Context) -> None:
        self._panel.end_turn()
        await self.show(ctx)


def lines(plan: Plan) -> list[str] | None:
    """At most `TASKS` + 2 lines, safe for a screen; None takes the widget away.

    Open tasks only, in the order of the plan, below one line that counts; nothing when nothing is open.
    """
    if not counts(plan).open:
        return None
    view = folded(plan, TASKS)
    shown = [f"- [{MARKS[task.status]}] {for_screen(task.content)}" for phase in view.phases for task in phase.shown]
    more = [f"… +{view.hidden} more open"] if view.hidden else []
    return [_cut(line) for line in (progress(plan), *shown, *more)]


def _cut(line: str) -> str:
    return line if len(line) <= LINE_CHARACTERS else f"{line[: LINE_CHARACTERS - 1]}…"


def _choice(branch: Sequence[Entry]) -> bool:
    for entry in islice(reversed(branch), LOOKED_AT):
        match entry:
            case {"type": "custom", "customType": "todo_panel", "data": {"expanded": bool(is_expanded)}}:
                return is_expanded
            case _:
                pass
    return False
