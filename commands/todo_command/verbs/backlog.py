"""The backlog from /todo: its verbs, and what goes between it and the plan.

What is written first is what must not be lost. To park, the item is stored and then the task removed; to pull, the
item is claimed and then the task added. A crash in between leaves both; to say it again does the rest, and no more.
The verbs are imported when one is used.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from todo_command import answers, grammar, manual
from todo_command.match import find_task
from todo_command.verbs.append import last_phase
from todo_command.verbs.asked import Asked, meant_task
from todo_context.backlog.links import items_of, linked, origins
from todo_context.pi import Answer
from todo_context.plan.accept import Accepted
from todo_context.plan.apply import apply
from todo_context.plan.model import Json, Plan, Task
from todo_context.plan.ops import Append, Note, Op, Replace, Rm, Start, Target

LOGGED = 200
"""Changes of an item that are looked through for words it had before."""

if TYPE_CHECKING:
    from datetime import timedelta

    from todo_context.backlog.item import Item
    from todo_context.backlog.moves import Who
    from todo_context.backlog.shapes import Draft, Outcome
    from todo_context.backlog.store import Store


async def backlog(asked: Asked) -> Answer:
    """Do what stands behind `backlog`."""
    from todo_command.verbs.backlog_table import run  # noqa: PLC0415 (a session that does not use it needs none of it)

    said = await run(asked.rest, asked.here, asked.ctx)
    match said.data:
        case {"changed": [*changed], "sets": int(times)}:
            halves = await _other_halves(asked, changed, times)
            return replace(said.answer, text="\n".join([said.text, *halves]))
        case _:
            return said.answer


async def _other_halves(asked: Asked, changed: Sequence[Json], times: int) -> list[str]:
    """What the plan has still, or has no more, of what was undone or done again in the backlog."""
    from todo_context.backlog.halves import after_backlog  # noqa: PLC0415 (late, as all of it)

    ids = [id_ for id_ in changed if isinstance(id_, str)]
    return await after_backlog(asked.here, asked.ctx, ids, await asked.lane.history(), times)


async def park(asked: Asked) -> Answer:
    """Move a task from the plan into the backlog."""
    if not asked.rest:
        return answers.error("park needs a task.", manual.usage_line("park"))
    plan = await asked.lane.plan()
    content = await meant_task(asked, find_task(plan, asked.rest))
    if isinstance(content, Answer):
        return content
    place = plan.find(content)
    task = plan.at(place) if place is not None else Task(content=content)
    id_ = await _given_back(asked, task) or await _stored(asked, task)
    if isinstance(id_, Answer):
        return id_
    recorded = await asked.lane.apply([Rm(Target(task=content))], by="user", action="park")
    fact = f"Parked in the backlog as {id_}: {answers.named(content)}"
    said = answers.refused(recorded) or answers.changed(fact, recorded)
    held = await _held_still(asked, id_.split(", "))
    return replace(said, text=f"{said.text}\n{held}") if held else said


async def _held_still(asked: Asked, ids: Sequence[str]) -> str:
    """Which of these another session works on, so that they are not free."""
    from todo_context.backlog.words import held_by_others  # noqa: PLC0415 (late, as all of it)

    found = await asked.here.ask(lambda store: store.get(ids))
    return held_by_others(found.items, datetime.now(UTC), asked.here.name(asked.ctx))


async def _given_back(asked: Asked, task: Task) -> str | Answer | None:
    """The items that the task came from, those still to be done: they are free again. None where there are none.

    They then say what the task says.
    """
    from todo_context.backlog.item import is_unfinished  # noqa: PLC0415 (late, as all of it)

    ids = items_of(task)
    if not ids or not asked.here.is_there:
        return None
    found = await asked.here.ask(lambda store: store.get(ids))
    items = [item for item in found.items if is_unfinished(item)]
    # As the session: what another one has claimed since stays claimed.
    who = replace(asked.here.person(asked.ctx, claims=True), is_person=False)
    for item in items:
        refusal = await _brought_up_to_date(asked, item, task)
        if refusal is not None:
            return refusal
    await asked.here.ask(lambda store: store.release([item.id for item in items], who))
    return ", ".join(item.id for item in items) or None


async def _brought_up_to_date(asked: Asked, item: "Item", task: Task) -> Answer | None:
    """Have the item say what the task says, its notes beside those it has; an answer where that is refused."""
    from todo_context.backlog.shapes import Edit  # noqa: PLC0415 (late, as all of it)
    from todo_context.backlog.words import refused  # noqa: PLC0415 (likewise)

    # Whole notes: one may be a part of another, and say the opposite.
    new = [note for note in _notes(task) if f"\n\n{note}\n\n" not in f"\n\n{item.notes}\n\n"]
    past = await asked.here.ask(lambda store: store.log(LOGGED, item.id))
    said = {each.text for change in past for each in (change.before, change.after) if each is not None}
    # Words that the item had before are those the task began with: others have put it better since.
    text = None if task.content in said else task.content
    notes = "\n\n".join(filter(None, [item.notes, *new])) if new else None
    edit, who = Edit(text=text, notes=notes), asked.here.person(asked.ctx)
    outcome = await asked.here.ask(lambda store: store.update(item.id, edit, who))
    return answers.error(refused(outcome.refusals[0]), "The plan is unchanged.") if outcome.refusals else None


def _notes(task: Task) -> list[str]:
    return [*task.notes, *([f"blocked: {task.blocker}"] if task.blocker else [])]


async def _stored(asked: Asked, task: Task) -> str | Answer:
    """The item that the task is now: one that an earlier try has stored, or a new one."""
    from todo_context.backlog.item import is_unfinished  # noqa: PLC0415 (late, as all of it)
    from todo_context.backlog.shapes import Draft  # noqa: PLC0415 (likewise)
    from todo_context.backlog.words import refused  # noqa: PLC0415 (likewise)

    who, me = asked.here.person(asked.ctx), asked.here.name(asked.ctx)
    for origin in origins(me, task.content):
        draft = Draft(
            text=task.content,
            notes="\n\n".join(_notes(task)),
            project=asked.here.project(asked.ctx),
            source=who.name,
            origin=origin,
        )
        # Forced: that another item says the same is no reason to keep the task in the plan.
        outcome = await asked.here.ask(partial(_add, draft=draft, who=who))
        if outcome.refusals:
            return answers.error(refused(outcome.refusals[0]), "The plan is unchanged.")
        item = outcome.items[0]
        if is_unfinished(item):
            return (await _brought_up_to_date(asked, item, task) if outcome.same else None) or item.id
    raise AssertionError  # pragma: no cover (there is always another origin)


async def pull(asked: Asked) -> Answer:
    """Claim an item for this session, and add it to the plan."""
    from todo_command.verbs.backlog_call import Said, UsageError, Wish, meant  # noqa: PLC0415 (late, as all of it)
    from todo_context.backlog.acts import emptiness  # noqa: PLC0415 (likewise)
    from todo_context.backlog.words import refused  # noqa: PLC0415 (likewise)

    named = grammar.words(asked.rest)
    if not named:
        return answers.error("pull needs an item.", manual.usage_line("pull"))
    if not asked.here.is_there:
        return answers.error(f"{emptiness(asked.here.place)}.", "/todo backlog add <text> begins it.")
    try:
        ids = await meant(Wish(words=named, options={}, here=asked.here, ctx=asked.ctx), named)
    except UsageError as error:
        return answers.error(str(error), manual.usage_line("pull"))
    if isinstance(ids, Said):
        return ids.answer
    lines: list[Answer] = []
    who = asked.here.person(asked.ctx, claims=True)
    for id_ in ids:
        outcome = await asked.here.ask(partial(_claim, reference=id_, who=who, lease=asked.here.lease))
        if outcome.refusals:
            lines.append(answers.error(refused(outcome.refusals[0]), "The plan is unchanged."))
        else:
            item = outcome.items[0]
            lines.append(await _into_the_plan(asked, item.id, item.text, item.notes))
    return Answer(text="\n".join(each.text for each in lines), is_error=all(each.is_error for each in lines))


def _claim(store: "Store", *, reference: str, who: "Who", lease: "timedelta | None") -> "Outcome":
    return store.claim(reference, who, lease=lease)


def _add(store: "Store", *, draft: "Draft", who: "Who") -> "Outcome":
    return store.add([draft], who, force=True)


async def _into_the_plan(asked: Asked, id_: str, text: str, notes: str) -> Answer:
    def make(plan: Plan) -> Accepted:
        return Accepted((Replace(with_item(plan, id_, text, notes)),))

    recorded = await asked.lane.run(make, by="user", action="pull")
    if not recorded.outcome.changed:
        return Answer(text=f"No change: {answers.named(text)} is in the plan, and {id_} is claimed.")
    plan = recorded.outcome.plan
    phase = next((phase.name for phase in plan.phases for task in phase.tasks if id_ in items_of(task)), "")
    where = answers.named(phase) if len(plan.phases) > 1 else "the plan"
    return answers.changed(f"Pulled {id_} into {where}: {answers.named(text)}", recorded, about=text)


def with_item(plan: Plan, id_: str, text: str, notes: str) -> Plan:
    """The plan with a task for an item; one that says the same is it, open again if it was closed."""
    if any(id_ in items_of(task) and task.status.is_open for task in plan.tasks()):
        return plan
    ops: list[Op] = []
    place = plan.find(text)
    if place is None:
        ops.append(Append(last_phase(plan), (text,)))
        ops += [Note(text, notes)] if notes else []
    elif not plan.at(place).status.is_open:
        ops.append(Start(text))
    return linked(apply(plan, ops, auto_start=False).plan, text, id_)
