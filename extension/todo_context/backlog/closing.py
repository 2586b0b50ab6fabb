"""Tasks that came from the backlog or went there: whether their items are to be closed too, or be put right.

The person is asked, where there is one: after their own /todo, or when the agent has ended its run. The agent is told
with the result of its call, and may have closed the item by then.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from todo_context.backlog.here import Here
from todo_context.backlog.links import Link, completed, reopened
from todo_context.errors import TodoContextError
from todo_context.lane import Lane, Recorded
from todo_context.pi import Context


class Closing:
    """Those of one session, from its lane."""

    def __init__(self, lane: Lane, here: Here) -> None:
        self._lane, self._here = lane, here
        self._parked: dict[str, str] = {}
        """Open tasks that are in the backlog too, as `parked_still` has them."""
        self._untold: list[Link] = []
        self._unasked: list[Link] = []
        self._crossed: list[Recorded] = []
        """Undo and redo, in the plan, of what has another half in the backlog."""
        self._reopened: list[Link] = []
        lane.listen(self._heard)

    @property
    def has_something(self) -> bool:
        """Whether there is something to ask about, or to say."""
        return bool(self._unasked or self._crossed or self._reopened)

    def _heard(self, recorded: Recorded) -> None:
        for link in completed(recorded, self._parked):
            self._untold.append(link)
            self._unasked.append(link)
        opened = list(reopened(recorded))
        self._reopened += opened
        self._untold = [link for link in self._untold if link not in opened]
        self._unasked = [link for link in self._unasked if link not in opened]
        if recorded.retraced is not None and recorded.retraced.action in {"park", "pull"}:
            self._crossed.append(recorded)

    async def look_back(self, ctx: Context) -> str:
        """Where the plan is another one now, say which tasks of it are in the backlog too; empty where none is.

        Raises:
            TodoContextError: the backlog cannot be used.
        """
        from todo_context.backlog.halves import parked_still  # noqa: PLC0415 (where there is a store)
        from todo_context.backlog.words import plain  # noqa: PLC0415 (likewise)

        self._parked = await parked_still(self._here, ctx, await self._lane.plan())
        return "\n".join(
            f"{plain(content, 60)} is in the backlog too, as {id_}: it was parked later. "
            f"/todo pull {id_} has both be one, /todo rm takes it out of the plan."
            for content, id_ in self._parked.items()
        )

    async def for_agent(self, ctx: Context) -> str:
        """What to add to the result of a call that completed tasks; empty where nothing is to be said."""
        links, self._untold = self._untold, []
        open_ids = [link.item for link in links if await self._is_open(link)]
        lines = [f"{id_} is still open in the backlog; todo completes it." for id_ in dict.fromkeys(open_ids)]
        if not ctx.has_ui:
            self._unasked.clear()
            self._reopened.clear()
        return "\n".join(lines)

    async def ask(self, ctx: Context) -> str:
        """Ask the person about each, and close what they say; lines that say what was done, or name what is open."""
        links, self._unasked, self._untold = self._unasked, [], []
        crossed, self._crossed = self._crossed, []
        opened, self._reopened = self._reopened, []
        said = [line for link in links if (line := await self._asked(link, ctx))]
        said += await self._closed_there(opened)
        for recorded in crossed:
            said += await self._other_halves(recorded, ctx)
        return "\n".join(said)

    async def _other_halves(self, recorded: Recorded, ctx: Context) -> list[str]:
        from todo_context.backlog.halves import after_plan  # noqa: PLC0415 (where there is something to say)

        if recorded.retraced is None:
            return []
        try:
            return await after_plan(self._here, ctx, recorded.retraced, recorded.outcome.plan)
        except TodoContextError as error:
            return [f"The backlog is as it was, for it cannot be used. {error}"]

    async def _closed_there(self, opened: Sequence[Link]) -> list[str]:
        from todo_context.backlog.halves import closed_there  # noqa: PLC0415 (where there is something to say)

        # What was closed once more since is no half of anything.
        open_still = {task.content for task in (await self._lane.plan()).tasks() if task.status.is_open}
        ids = list(dict.fromkeys(link.item for link in opened if link.content in open_still))
        if not ids or not self._here.is_there:
            return []
        try:
            found = await self._here.ask(lambda store: store.get(ids))
        except TodoContextError:
            return []
        return [closed_there(item) for item in found.items if item.status.is_closed]

    async def _asked(self, link: Link, ctx: Context) -> str:
        from todo_context.backlog.words import plain  # noqa: PLC0415 (where there is something to close)

        if not await self._is_open(link):
            return ""
        step = f"/todo backlog done {link.item} closes it."
        if not ctx.has_ui:
            return f"{link.item} is still open in the backlog. {step}"
        question = f"{plain(link.content, 60)} is completed, and came from there."
        if held := await self._held(link, ctx):
            question = f"{question} {held}"
        if not await ctx.ui.confirm(f"Close {link.item} in the backlog too?", question):
            return f"{link.item} stays open in the backlog. {step}"
        who = self._here.person(ctx)
        outcome = await self._here.ask(lambda store: store.complete([link.item], who))
        return plain(str(outcome.refusals[0])) if outcome.refusals else f"Closed in the backlog: {link.item}."

    async def _held(self, link: Link, ctx: Context) -> str:
        from todo_context.backlog.words import held_by_others  # noqa: PLC0415 (where there is something to close)

        found = await self._here.ask(lambda store: store.get([link.item]))
        return held_by_others(found.items, datetime.now(UTC), self._here.name(ctx))

    async def _is_open(self, link: Link) -> bool:
        from todo_context.backlog.item import is_unfinished  # noqa: PLC0415 (where there is something to close)

        if not self._here.is_there:
            return False
        try:
            found = await self._here.ask(lambda store: store.get([link.item]))
        except TodoContextError:
            return False
        return any(map(is_unfinished, found.items))
