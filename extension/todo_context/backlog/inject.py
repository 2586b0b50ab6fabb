"""What the backlog does at the events of a host: a session is told of it, keeps its claims, and lets go in the end.

Where there is no store, none of this looks further than for its file. A store that cannot be used is a line for the
person, once, and never the end of what they were about.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from todo_context.awaiting import awaited
from todo_context.backlog.closing import Closing
from todo_context.backlog.here import Here
from todo_context.backlog.links import handed_over_by
from todo_context.backlog.told import CUSTOM_TYPE, TOOL, told
from todo_context.errors import TodoContextError
from todo_context.pi import Context, Pi
from todo_context.plan.model import Json

if TYPE_CHECKING:
    from todo_context.backlog.telling import Sight

RENEWALS = 4
"""Of one lease, while a session works. Else it would be a write with each answer."""

CHANGES = 5_000
"""Changes that are looked through for what concerns a session: those of other projects are many, and say nothing."""

Event = Mapping[str, Json]


class BacklogHooks:
    """The handlers, over one session's host and its way to the backlog."""

    def __init__(self, pi: Pi, here: Here, closing: Closing) -> None:
        self._pi = pi
        self._here = here
        self._closing = closing
        self._renewed_s = float("-inf")
        self._complained: set[str] = set()
        self._shown: int | None = None
        """Where the history stood when the person was told how much there is."""

    def register(self) -> None:
        """Have the host call them."""
        self._pi.on("session_start", self.begin)
        self._pi.on("session_tree", self.look_back)
        self._pi.on("input", self.tell)
        self._pi.on("turn_end", self.go_on)
        self._pi.on("agent_end", self.close)
        self._pi.on("session_shutdown", self.end)
        if self._here.settings.inject == "system":
            self._pi.on("before_agent_start", self.tell_in_the_prompt)

    async def begin(self, event: Event, ctx: Context) -> None:
        """At the start of a session: release what nobody holds any more, and tell the person how much there is.

        What was handed over to it just now comes with the claims of the one before.
        """
        self._shown = None if self._here.is_there else 0
        await self._if_there(ctx, partial(self._begin, is_new=event.get("reason") == "new"))
        await self.look_back(event, ctx)

    async def look_back(self, _event: Event, ctx: Context) -> None:
        """At another place in the tree: tell the person which tasks are in the plan again and in the backlog too."""
        said = await self._if_there(ctx, self._closing.look_back)
        if said and ctx.has_ui:
            ctx.ui.notify(said)

    async def tell(self, _event: Event, ctx: Context) -> None:
        """Before the person's message is stored: a message of ours, if the model is to be told something."""
        await self._if_there(ctx, self._renew_and_tell)

    async def tell_in_the_prompt(self, event: Event, ctx: Context) -> Mapping[str, Json] | None:
        """Before a run: what is open now, behind the system prompt."""
        before = event.get("systemPrompt")
        text = await self._if_there(ctx, self._block) if isinstance(before, str) else None
        return {"systemPrompt": "\n\n".join(filter(None, (before, text)))} if text and isinstance(before, str) else None

    async def go_on(self, _event: Event, ctx: Context) -> None:
        """At the end of a turn: the session is alive, so it keeps what it has claimed."""
        await self._if_there(ctx, self._renew)

    async def close(self, _event: Event, ctx: Context) -> None:
        """When the agent has stopped: ask the person about items whose tasks it completed."""
        if ctx.has_ui and (said := await self._closing.ask(ctx)):
            ctx.ui.notify(said)

    async def end(self, _event: Event, _ctx: Context) -> None:
        """At the end of the session."""
        self._here.close()

    async def _if_there(self, ctx: Context, do: Callable[[Context], Awaitable[str | None]]) -> str | None:
        if not self._here.is_there:
            return None
        try:
            return await do(ctx)
        except TodoContextError as error:
            if str(error) not in self._complained and ctx.has_ui:
                ctx.ui.notify(f"backlog: {error} This session goes on without it until it can be used.", "warning")
            self._complained.add(str(error))
            return None

    async def _begin(self, ctx: Context, *, is_new: bool) -> None:
        from todo_context.backlog.shapes import Prune  # noqa: PLC0415 (where there is a store)
        from todo_context.backlog.telling import for_person  # noqa: PLC0415 (likewise)

        me, settings = self._here.agent(ctx), self._here.settings
        lease, before = self._here.lease, handed_over_by(await awaited(self._pi.branch())) if is_new else ""
        if before and lease is not None:
            await self._here.ask(lambda store: store.succeed(before, me, lease), hurried=True)
        # First: what a session held that comes back, and nobody took meanwhile, it goes on with.
        await self._renew(ctx)
        await self._here.ask(lambda store: store.expire(me), hurried=True)
        if settings.auto_prune:
            old = Prune(older_than=timedelta(days=settings.prune_days))
            await self._here.ask(lambda store: store.prune(old, me, by_itself=True), hurried=True)
        sight = await self._sight(ctx)
        self._shown = sight.seq
        if ctx.has_ui and (line := for_person(sight)):
            ctx.ui.notify(line)

    async def _renew(self, ctx: Context) -> None:
        now_s, lease = time.monotonic(), self._here.lease
        if lease is None or now_s - self._renewed_s < lease.total_seconds() / RENEWALS:
            return
        me = self._here.agent(ctx)
        await self._here.ask(lambda store: store.renew(me, lease), hurried=True)
        self._renewed_s = now_s

    async def _renew_and_tell(self, ctx: Context) -> None:
        # One after the other: a store that others hold for long is waited for once, for the person waits too.
        await self._renew(ctx)
        if self._here.settings.inject == "message":
            await self._tell(ctx)

    async def _tell(self, ctx: Context) -> None:
        from todo_context.backlog.telling import Sight, news, news_for_person  # noqa: PLC0415 (where there is a store)

        if not await awaited(self._pi.offers(TOOL)):
            return
        model_knows = told(await awaited(self._pi.branch()))
        text, is_whole = None, False
        if (since := self._shown if model_knows is None else model_knows) is not None:
            found = await self._here.ask(lambda store: store.changes(since, CHANGES), hurried=True)
            sight = Sight(project=self._here.project(ctx), me=self._here.name(ctx), seq=found.seq)
            # Cut: there is too much to tell one by one, or it is too long ago, or this is another store.
            text, is_whole = news(found.changes, sight, _now()), not found.is_cut
            if ctx.has_ui and (line := news_for_person(found.changes, sight, _now())):
                ctx.ui.notify(line)
            self._shown = found.seq
        if model_knows is None or not is_whole:
            text = await self._block(ctx)
        if text is not None:
            self._pi.send_message(text, custom_type=CUSTOM_TYPE, display=False)

    async def _block(self, ctx: Context) -> str | None:
        from todo_context.backlog.telling import block  # noqa: PLC0415 (where there is a store)

        return block(await self._sight(ctx), _now()) if await awaited(self._pi.offers(TOOL)) else None

    async def _sight(self, ctx: Context) -> "Sight":
        from todo_context.backlog.telling import seen  # noqa: PLC0415 (where there is a store)

        me, project = self._here.name(ctx), self._here.project(ctx)
        return await self._here.ask(lambda store: seen(store, project, me, _now()), hurried=True)


def _now() -> datetime:
    return datetime.now(UTC)
