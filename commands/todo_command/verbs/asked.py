"""What a verb is asked, by whom; and asking back where a name means several."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from todo_command import answers, manual
from todo_command.match import Found, Nothing, Several
from todo_context.backlog.here import Here
from todo_context.lane import Lane
from todo_context.pi import Answer, Context
from todo_context.plan.model import Plan
from todo_context.plan.names import quoted
from todo_context.plan.ops import Target
from todo_context.plan.text import for_screen
from todo_context.widget import Widget

CANCELLED = "Nothing chosen; the plan is unchanged."
OUR_COMMANDS = frozenset({"/todo", "/backlog"})
NOTHING_TYPED = "Nothing typed; the plan is unchanged."


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


async def words_for(asked: Asked, verb: str, lacks: str, title: str, hint: str = "") -> str | Answer:
    """What a verb needs and was not told, where there is a person to ask; else the answer that ends the call."""
    if not asked.ctx.has_ui:
        return answers.error(f"{verb} needs {lacks}.", manual.usage_line(verb))
    said = await asked.ctx.ui.input(title, hint)
    if said is not None and OUR_COMMANDS.intersection(said.split()[:1]):
        return answers.error(
            f"{answers.named(said)} is a command, and not taken for an answer.", "Type it at the prompt."
        )
    return Answer(text=NOTHING_TYPED) if said is None else said


async def _choose(asked: Asked, candidates: Sequence[Target]) -> Target | Answer:
    names = [target.task or target.phase or "" for target in candidates]
    kind = "phases" if candidates[0].task is None else "tasks"
    if not asked.ctx.has_ui:
        fact = f"This matches {len(names)} {kind}: {answers.listed(names)}."
        return answers.error(fact, "Type more of the one you mean, or all of it.")
    labels = _labels(candidates, await asked.lane.plan())
    choice = await asked.ctx.ui.select(f"Which of these {len(names)} {kind}?", labels)
    return candidates[labels.index(choice)] if choice in labels else Answer(text=CANCELLED)


def _labels(candidates: Sequence[Target], plan: Plan) -> list[str]:
    """One line for each, each different, safe for the screen; of tasks in several phases also the phase."""
    places = [plan.find(target.task) if target.task is not None else None for target in candidates]
    phases = ["" if place is None else plan.phases[place.phase].name for place in places]
    is_one_phase = len(set(phases)) == 1
    labels: list[str] = []
    for target, phase in zip(candidates, phases, strict=True):
        shown = _shown(target.task or target.phase or "")
        if phase and not is_one_phase:
            shown += f" · {_shown(phase)}"
        # Names that differ only in what a screen does not show would look alike.
        labels.append(shown if shown not in labels else f"{shown} ({len(labels) + 1})")
    return labels


def _shown(name: str) -> str:
    return quoted(for_screen(name))[1:-1]


async def _not_found(asked: Asked, nothing: Nothing, kind: str) -> Answer:
    if not any(phase.tasks for phase in (await asked.lane.plan()).phases):
        return answers.error(f"No {kind} matches {answers.named(nothing.name)}: the plan is empty.", START)
    nearest = f" Closest: {answers.listed(nothing.closest)}." if nothing.closest else ""
    return answers.error(f"No {kind} matches {answers.named(nothing.name)}.{nearest}", "/todo shows the plan.")


START = "/todo append <task> starts one."
"""The step out of an empty plan."""
