"""What a verb is asked, by whom; and asking back where a name means several."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from todo_command import answers
from todo_command.match import Found, Nothing, Several
from todo_context.backlog.here import Here
from todo_context.lane import Lane
from todo_context.pi import Answer, Context
from todo_context.plan.names import quoted
from todo_context.plan.ops import Target
from todo_context.plan.text import for_screen
from todo_context.widget import Widget

CANCELLED = "Nothing chosen; the plan is unchanged."


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of a verb: the text after it, the plan's lane, the moment, the screen, and the way to the backlog."""

    rest: str
    lane: Lane
    ctx: Context
    widget: Widget
    here: Here


async def meant(asked: Asked, found: Found, kind: str) -> Target | Answer:
    """The one task or phase that is meant; else the answer that ends the call. `kind` says what was looked for."""
    match found:
        case Target():
            return found
        case Several(candidates):
            return await _choose(asked, candidates)
        case Nothing():
            return await _not_found(asked, found, kind)
        case _:
            assert_never(found)


async def meant_task(asked: Asked, found: Found) -> str | Answer:
    """The content of the one task that is meant; else the answer that ends the call."""
    target = await meant(asked, found, "task")
    return target if isinstance(target, Answer) else target.task or ""


async def _choose(asked: Asked, candidates: Sequence[Target]) -> Target | Answer:
    names = [target.task or target.phase or "" for target in candidates]
    kind = "phases" if candidates[0].task is None else "tasks"
    if not asked.ctx.has_ui:
        fact = f"This matches {len(names)} {kind}: {answers.listed(names)}."
        return answers.error(fact, "Type more of the one you mean, or all of it.")
    labels = _labels(names)
    choice = await asked.ctx.ui.select(f"Which of these {len(names)} {kind}?", labels)
    return candidates[labels.index(choice)] if choice in labels else Answer(text=CANCELLED)


def _labels(names: Sequence[str]) -> list[str]:
    """One line for each name, each different, safe for the screen."""
    labels: list[str] = []
    for name in names:
        shown = quoted(for_screen(name))[1:-1]
        # Names that differ only in what a screen does not show would look alike.
        labels.append(shown if shown not in labels else f"{shown} ({len(labels) + 1})")
    return labels


async def _not_found(asked: Asked, nothing: Nothing, kind: str) -> Answer:
    if not any(phase.tasks for phase in (await asked.lane.plan()).phases):
        return answers.error(f"No {kind} matches {answers.named(nothing.name)}: the plan is empty.", START)
    nearest = f" Closest: {answers.listed(nothing.closest)}." if nothing.closest else ""
    return answers.error(f"No {kind} matches {answers.named(nothing.name)}.{nearest}", "/todo shows the plan.")


START = "/todo append <task> starts one."
"""The step out of an empty plan."""
