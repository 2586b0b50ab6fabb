"""The thread between a task of the plan and the item it came from: the item's id, kept in the task.

Pure. It stands in the task itself, so resume, fork, undo, an edit and a handoff take it along with the plan.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count

from todo_context.lane import Recorded
from todo_context.plan.model import Plan, Task

KEY = "backlog"
"""The key of a task that holds the id."""

PLAN = "plan:"
"""How the origin of an item begins that was a task: then the session, and a mark of the task's content."""


@dataclass(frozen=True, slots=True)
class Link:
    """A task and its item."""

    item: str
    content: str


def item_of(task: Task) -> str:
    """The id of the item that a task came from; empty if it came from none."""
    value = task.extra.get(KEY)
    return value if isinstance(value, str) else ""


def linked(plan: Plan, content: str, item: str) -> Plan:
    """The plan with the task of this content linked to an item; as it was if there is no such task."""
    place = plan.find(content)
    if place is None:
        return plan
    task = plan.at(place)
    return plan.with_task(place, replace(task, extra={**task.extra, KEY: item}))


def completed(recorded: Recorded) -> Iterator[Link]:
    """The tasks that a change completed and that came from items."""
    plan = recorded.outcome.plan
    for name in recorded.outcome.completed:
        place = plan.find(name.content)
        id_ = item_of(plan.at(place)) if place is not None else ""
        if id_:
            yield Link(id_, name.content)


def origins(session: str, content: str) -> Iterator[str]:
    """The origins of an item that is this task, one after the other: the second is for when the first is closed.

    Not by its words: an item can be made to forget those.
    """
    mark = sha256(content.encode(errors="replace")).hexdigest()[:16]
    for number in count(1):
        yield f"{PLAN}{session}:{mark}:{number}"
