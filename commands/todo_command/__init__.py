"""The human side of the plan: /todo, for any host that has commands."""

from collections.abc import Sequence

from todo_command.complete import completions
from todo_command.verbs import run
from todo_context.lane import Lane
from todo_context.pi import Answer, Completion, Context, Pi

NAME = "todo"
DESCRIPTION = "Show and change the plan"


def register(pi: Pi, lane: Lane) -> None:
    """Offer /todo to the person, with completions."""

    async def answer(args: str, ctx: Context) -> Answer:
        return await run(args, lane, ctx)

    def complete(prefix: str) -> Sequence[Completion]:
        return completions(lane.plan(), prefix)

    pi.register_command(NAME, description=DESCRIPTION, handler=answer, get_argument_completions=complete)
