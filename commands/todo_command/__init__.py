"""The human side of the plan: /todo, for any host that has commands."""

from collections.abc import Sequence
from dataclasses import replace

from todo_command.complete import completions
from todo_command.complete_items import completions_of_items
from todo_command.preview import preview
from todo_command.verbs import run
from todo_command.verbs.asked import Asked
from todo_context.backlog.closing import Closing
from todo_context.backlog.here import Here
from todo_context.lane import Lane
from todo_context.pi import Answer, Completion, Context, Pi
from todo_context.plan.model import EMPTY
from todo_context.widget import Widget

NAME = "todo"
DESCRIPTION = "Show and change the plan"

BACKLOG = "backlog"
BACKLOG_DESCRIPTION = "Show and change what outlives sessions"


def register(pi: Pi, lane: Lane, widget: Widget, here: Here, closing: Closing) -> None:
    """Offer /todo and /backlog to the person, with completions and a preview.

    The widget is brought up to date after each call, and of what it completed the backlog is told by `closing`.
    """

    async def answer(args: str, ctx: Context) -> Answer | None:
        try:
            said = await run(args, Asked("", lane, ctx, widget, here))
            if closing.has_something:
                await widget.show(ctx)  # what was completed is seen before something is asked about it
                said = replace(said, text="\n".join(filter(None, (said.text, await closing.ask(ctx)))), view=None)
            return said if said.text else None
        finally:
            await widget.show(ctx)

    async def answer_backlog(args: str, ctx: Context) -> Answer | None:
        return await answer(f"{BACKLOG} {args}", ctx)

    async def complete(prefix: str) -> Sequence[Completion]:
        begun = await completions_of_items(prefix, here)
        return completions(await lane.plan(), prefix) if begun is None else begun

    async def complete_backlog(prefix: str) -> Sequence[Completion]:
        begun = await completions_of_items(f"{BACKLOG} {prefix}", here) or []
        return [replace(each, value=each.value.removeprefix(f"{BACKLOG} ")) for each in begun]

    async def foretell(line: str) -> str | None:
        return preview(await lane.plan(), line)

    async def foretell_backlog(line: str) -> str | None:
        return preview(EMPTY, f"{BACKLOG} {line}")

    pi.register_command(
        NAME, description=DESCRIPTION, handler=answer, get_argument_completions=complete, preview=foretell
    )
    pi.register_command(
        BACKLOG,
        description=BACKLOG_DESCRIPTION,
        handler=answer_backlog,
        get_argument_completions=complete_backlog,
        preview=foretell_backlog,
    )
