"""Block and unblock: set a task aside for a reason, and take it up again."""

from dataclasses import dataclass

from todo_command import answers, manual
from todo_command.grammar import unquoted
from todo_command.match import Found, blocked, cut_task, find_task
from todo_command.verbs.asked import Asked, meant_task
from todo_context.lane import Recorded
from todo_context.pi import Answer
from todo_context.plan.model import Plan, Task
from todo_context.plan.ops import Block, Target, Unblock


@dataclass(frozen=True, slots=True)
class Blocking:
    """Which task, and the reason, if there is one."""

    found: Found
    reason: str | None


def blocking(plan: Plan, rest: str) -> Blocking:
    """What block is about, and why."""
    cut = cut_task(plan, rest)
    return Blocking(cut.found, unquoted(cut.rest) or None)


def to_unblock(plan: Plan, rest: str) -> Found:
    """What unblock is about. Of several that match, the only blocked one is meant."""
    return find_task(plan, rest, prefer=blocked)


async def block(asked: Asked) -> Answer:
    """Set an open task aside. The leading words name it, the rest is the reason; none is one, too."""
    if not asked.rest:
        return answers.error("block needs a task.", manual.usage_line("block"))
    plan = await asked.lane.plan()
    new = blocking(plan, asked.rest)
    content = await meant_task(asked, new.found)
    if isinstance(content, Answer):
        return content
    task = _task(plan, content)
    if task is not None and not task.status.is_open:
        return _closed(task)
    if task is not None and task.blocker and new.reason is None:
        # Without one the operation clears it, which nobody means who only says it again.
        return Answer(text=f"No change: {answers.named(content)} is blocked ({answers.named(task.blocker)[1:-1]}).")
    op = Block(Target(task=content), new.reason)
    recorded = await asked.lane.apply([op], by="user", action="block")
    return answers.refused(recorded) or _blocked(content, recorded)


async def unblock(asked: Asked) -> Answer:
    """Make a blocked task pending again."""
    if not asked.rest:
        return answers.error("unblock needs a task.", manual.usage_line("unblock"))
    content = await meant_task(asked, to_unblock(await asked.lane.plan(), asked.rest))
    if isinstance(content, Answer):
        return content
    recorded = await asked.lane.apply([Unblock(Target(task=content))], by="user", action="unblock")
    return answers.refused(recorded) or _unblocked(content, recorded)


def _closed(task: Task) -> Answer:
    name = answers.named(task.content)
    fact = f"{name} is {answers.status_word(task.status)}, and only open tasks can be blocked."
    return answers.error(fact, f"/todo start {name} reopens it.")


def _blocked(content: str, recorded: Recorded) -> Answer:
    name = answers.named(content)
    before, after = _task(recorded.before, content), _task(recorded.outcome.plan, content)
    reason = f" ({answers.named(after.blocker)[1:-1]})" if after is not None and after.blocker else ""
    if before == after:
        return answers.unchanged(f"{name} is already blocked{reason}", recorded)
    return answers.changed(f"Blocked: {name}{reason}", recorded)


def _unblocked(content: str, recorded: Recorded) -> Answer:
    name, before = answers.named(content), _task(recorded.before, content)
    if before is None or not blocked(before):
        return answers.unchanged(f"{name} is not blocked", recorded)
    return answers.changed(f"Unblocked: {name}", recorded, about=content)


def _task(plan: Plan, content: str) -> Task | None:
    place = plan.find(content)
    return None if place is None else plan.at(place)
