"""The human side of the plan: /todo, for any host that has commands."""

from collections.abc import Awaitable, Callable, Sequence

from todo_command.complete import completions
from todo_command.verbs import run
from todo_context.lane import Lane
from todo_context.pi import Answer, Completion, Context, Pi

NAME = "todo"
DESCRIPTION = "Show and change the plan"


def register(pi: Pi, lane: Lane, *, then: Callable[[Context], Awaitable[None]]) -> None:
    """Offer /todo to the person, with completions. `then` is called after each call, however it ended."""

    async def answer(args: str, ctx: Context) -> Answer:
        try:
            return await run(args, lane, ctx)
        finally:
            await then(ctx)

    async def complete(prefix: str) -> Sequence[Completion]:
        return completions(await lane.plan(), prefix)

    pi.register_command(NAME, description=DESCRIPTION, handler=answer, get_argument_completions=complete)
