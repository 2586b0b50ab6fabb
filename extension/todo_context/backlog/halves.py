"""A task and its item, where one half of a park or a pull was taken back: what is twice now, or nowhere.

The plan and the backlog each have their own undo, and neither touches the other. So who uses one is told of the other
half, and of the command that puts it right. Nothing is done here.
"""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Literal, assert_never

from todo_context.backlog import changes as backlog_changes
from todo_context.backlog.here import Here
from todo_context.backlog.item import Box, Item, Status, is_unfinished
from todo_context.backlog.links import PLAN, items_of, origin_begins
from todo_context.backlog.shapes import Query
from todo_context.backlog.store import Store
from todo_context.backlog.words import plain
from todo_context.pi import Context
from todo_context.plan.model import Plan, Task
from todo_context.plan.replay import Change, History

ACTIONS = frozenset({"park", "pull"})
"""The changes of a plan that have another half."""

_Odd = Literal["twice", "nowhere", "idle", "closed"]


async def after_plan(here: Here, ctx: Context, change: Change, plan: Plan) -> list[str]:
    """What to say after undo or redo of a park or a pull in the plan, which is now `plan`."""
    me, (content, ids) = here.name(ctx), _moved(change)
    return [
        line
        for item in await _items(here, ctx, content, ids)
        if (line := _of_item(item, _odd(_task_of(plan, item, me, content), item, me), change, is_linked=bool(ids)))
    ]


async def parked_still(here: Here, ctx: Context, plan: Plan) -> dict[str, str]:
    """The open tasks that this session has parked and whose items are still to be done: content and id.

    So it is where the plan is one of before: after /rewind, or another way to an earlier place.
    """
    me = here.name(ctx)
    tasks = {origin_begins(me, task.content): task for task in plan.tasks() if task.status.is_open}
    if not tasks:
        return {}
    query = Query(boxes=frozenset({Box.ACTIVE, Box.PARKED}), origin=f"{PLAN}{me}:", limit=None)
    items = (await here.ask(lambda store: store.list(query), hurried=True)).items
    found = ((tasks.get(item.origin.rpartition(":")[0] + ":"), item) for item in items)
    return {task.content: item.id for task, item in found if task is not None and item.id not in items_of(task)}


async def after_backlog(here: Here, ctx: Context, ids: Collection[str], past: History, times: int) -> list[str]:
    """What to say after undo or redo of so many changes in the backlog, which were of these items."""
    me, said = here.name(ctx), list[str]()
    for id_ in ids:
        newest = next(iter(await here.ask(partial(_log, id_=id_))), None)
        item = None if newest is None else newest.after or newest.before
        about = (each for each in reversed(past.changes) if item is not None and _is_about(each, item, me))
        change = next(about, None)
        if newest is None or item is None or change is None:
            continue
        content, _ = _moved(change)
        odd = _odd(_task_of(past.plan, item, me, content), newest.after, me)
        if odd == "idle" and any(id_ in items_of(task) for task in past.plan.tasks()):
            odd = "closed"
        if odd is not None and (odd != "nowhere" or change.action == "park"):
            said.append(_of_task(item.id, content, odd, _way_back(past, change), times))
    return said


def _log(store: Store, *, id_: str) -> Sequence[backlog_changes.Change]:
    return store.log(1, id_)


def _way_back(past: History, change: Change) -> str:
    """The verb of the plan that goes over this change next; empty where none does."""
    if past.done and past.done[-1] is change:
        return "undo"
    return "redo" if past.undone and past.undone[-1] is change else ""


def _moved(change: Change) -> tuple[str, frozenset[str]]:
    """The task that a change took away, brought in or linked anew, and the items it was linked to."""
    before, after = ({task.content: items_of(task) for task in plan.tasks()} for plan in (change.before, change.after))
    for content in (*before, *after):
        if before.get(content) != after.get(content):
            return content, frozenset(before.get(content, ())) ^ frozenset(after.get(content, ()))
    return "", frozenset()


def _is_about(change: Change, item: Item, me: str) -> bool:
    if change.action not in ACTIONS:
        return False
    content, ids = _moved(change)
    return item.id in ids or _is_parked(item, content, me)


def _is_parked(item: Item, content: str, me: str) -> bool:
    """Whether the item was made of the task when that was parked."""
    return item.origin.startswith(origin_begins(me, content))


async def _items(here: Here, ctx: Context, content: str, ids: Collection[str]) -> Sequence[Item]:
    if not here.is_there:
        return ()
    if ids:
        return (await here.ask(lambda store: store.get(sorted(ids)))).items
    origin = origin_begins(here.name(ctx), content)
    query = Query(boxes=frozenset(Box), origin=origin, newest_first=True, limit=1)
    return (await here.ask(lambda store: store.list(query))).items


def _task_of(plan: Plan, item: Item, me: str, content: str) -> Task | None:
    """The open task of an item."""
    for task in plan.tasks():
        is_it = item.id in items_of(task) or (task.content == content and _is_parked(item, content, me))
        if is_it and task.status.is_open:
            return task
    return None


def _odd(task: Task | None, item: Item | None, me: str) -> _Odd | None:
    if item is None or not is_unfinished(item):
        return None if task else "nowhere"
    if item.status is Status.IN_PROGRESS and item.owner == me:
        return None if task else "idle"
    return "twice" if task else None


def _of_item(item: Item, odd: _Odd | None, change: Change, *, is_linked: bool) -> str:
    match odd:
        case "twice" if is_linked and item.status is Status.IN_PROGRESS:
            return f"{plain(item.owner)} works on {item.id} now. /todo backlog release {item.id} frees it."
        case "twice" if is_linked:
            return f"{item.id} is not claimed for it now. /todo backlog claim {item.id} claims it."
        case "twice":
            return f"It is in the backlog too, as {item.id}. /todo backlog rm {item.id} takes it out there."
        case "idle":
            return f"{item.id} is still claimed by this session. /todo backlog release {item.id} gives it back."
        case "nowhere" if change.action == "park":
            return closed_there(item)
        case _:
            return ""


def closed_there(item: Item) -> str:
    """That an item is closed, whose task is open."""
    return f"{item.id} is {item.status} in the backlog. /todo backlog reopen {item.id} opens it there."


def _of_task(id_: str, content: str, odd: _Odd, way_back: str, times: int) -> str:
    match odd:
        case "twice":
            return f"The task of {id_} is in the plan still. /todo {way_back or f'rm {plain(content)}'} takes it out."
        case "idle":
            step = way_back or f"pull {id_}"
            return f"{id_} is claimed by this session, and no task of the plan. /todo {step} makes it one."
        case "closed":
            step = f"start {plain(content)}"
            return f"The task of {id_} is closed in the plan. /todo {step} opens it there."
        case "nowhere":
            redo = f"redo {times}" if times > 1 else "redo"
            step = f"{way_back} brings it back" if way_back else f"backlog {redo} brings {id_} back"
            return f"The task of {id_} is not in the plan either. /todo {step}."
        case _:
            assert_never(odd)
