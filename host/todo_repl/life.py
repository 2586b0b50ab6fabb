"""What lives as long as one session is open: its agent, and its own instances of the extensions."""

from collections.abc import Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING

from todo_context.plan.model import Json
from todo_repl.agent import Agent
from todo_repl.answers import Event
from todo_repl.api import HostContext, PersonUi, Surroundings, name_of
from todo_repl.extensions import Extensions
from todo_repl.front import Front
from todo_repl.models import OFFLINE
from todo_repl.steering import CustomMessage

if TYPE_CHECKING:
    from todo_repl.runtime import Runtime


def begun(runtime: "Runtime", taken: Collection[str]) -> tuple[Agent, Extensions]:
    """Make the agent of the session that is open, with room for the extensions that are then loaded.

    They know no others. `taken` are the names of commands that none of them may have.
    """
    session, front = runtime.session, runtime.front
    person = PersonUi(front, runtime.widgets)

    def steer(message: CustomMessage) -> None:
        agent.steer(message)

    can_work = runtime.with_tools and runtime.model.provider != OFFLINE
    extensions = Extensions(
        Surroundings(session, person, steer, runtime.may_take_turn, goes_on=can_work, with_tools=runtime.with_tools),
        taken,
    )
    session.on_trouble = lambda line: front.ui.notify(line, "warning")
    agent = Agent(
        session,
        runtime.model,
        tools=extensions.tools if runtime.with_tools else tuple,
        context=HostContext(person, session.cwd, name_of(session)),
        emit=front.show,
        system_prompt=runtime.system_prompt,
        on_event=partial(_happen, front, extensions),
        max_rounds=runtime.max_rounds,
        compacting=runtime.compacting,
    )
    return agent, extensions


async def _happen(front: Front, extensions: Extensions, event: str, fields: Mapping[str, Json]) -> Event:
    left = await extensions.happen(event, fields)
    if event == "before_agent_start":
        messages = left.get("messages")
        for message in messages if isinstance(messages, list) else ():
            if isinstance(message, dict) and message["display"]:
                front.ui.notify(str(message["content"]))
    return left
