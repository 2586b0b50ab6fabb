"""The thread between a task of the plan and the item it came from: the item's id, kept in the task.

Pure. It stands in the task itself, so resume, fork, undo, an edit and a handoff take it along with the plan. Items of
the same words are one task, which then has the ids of all.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count

from todo_context.lane import Recorded
from todo_context.plan.model import Json, Plan, Task
from todo_context.plan.replay import HANDOFF
from todo_context.plan.sources import Entry, Source, source_of

KEY = "backlog"
"""The key of a task that holds the id, or a list of them."""

PLAN = "plan:"
"""How the origin of an item begins that was a task: then the session, and a mark of the task's content."""


FROM = "from"
"""The key of an entry that hands a plan over: the name of the session that it comes from."""


@dataclass(frozen=True, slots=True)
class Link:
    """A task and its item."""

    item: str
    content: str


def items_of(task: Task) -> tuple[str, ...]:
    """The ids of the items that a task came from; none if it came from none."""
    value = task.extra.get(KEY)
    return tuple(id_ for id_ in (value if isinstance(value, list) else [value]) if isinstance(id_, str) and id_)


def linked(plan: Plan, content: str, item: str) -> Plan:
    """The plan with the task of this content linked to an item too; as it was if there is no such task."""
    place = plan.find(content)
    if place is None:
        return plan
    task = plan.at(place)
    ids: list[Json] = [*(id_ for id_ in items_of(task) if id_ != item), item]
    return plan.with_task(place, replace(task, extra={**task.extra, KEY: ids if len(ids) > 1 else item}))


def completed(recorded: Recorded, parked: Mapping[str, str]) -> Iterator[Link]:
    """The tasks that a change completed and that came from items, or are parked as one: content and id."""
    plan = recorded.outcome.plan
    for name in recorded.outcome.completed:
        place = plan.find(name.content)
        ids = items_of(plan.at(place)) if place is not None else ()
        also = [parked[name.content]] if name.content in parked else []
        for id_ in dict.fromkeys([*ids, *also]):
            yield Link(id_, name.content)


def reopened(recorded: Recorded) -> Iterator[Link]:
    """The closed tasks that a change opened and that came from items."""
    was_closed = {task.content for task in recorded.before.tasks() if not task.status.is_open}
    for task in recorded.outcome.plan.tasks():
        if task.status.is_open and task.content in was_closed:
            yield from (Link(id_, task.content) for id_ in items_of(task))


def origin_begins(session: str, content: str) -> str:
    """How the origin begins of an item that is this task. Not by its words: an item can be made to forget those."""
    mark = sha256(content.encode(errors="replace")).hexdigest()[:16]
    return f"{PLAN}{session}:{mark}:"


def origins(session: str, content: str) -> Iterator[str]:
    """The origins of an item that is this task, one after the other: the second is for when the first is closed."""
    return (f"{origin_begins(session, content)}{number}" for number in count(1))


def handed_over_by(branch: Sequence[Entry]) -> str:
    """The name of the session whose plan this branch went on with, the root first; empty where it says none."""
    for entry in reversed(branch):
        source = source_of(entry)
        if isinstance(source, Source) and source.action == HANDOFF:
            name = source.data.get(FROM)
            return name if isinstance(name, str) else ""
    return ""
