"""Append: add one task, to the phase named first or to the last one.

One word (or quoted words) is a task for the last phase. Of two or more, the first is the phase; one that
is not there is made, in title case. The task begins with a capital. Source: OMP's /todo append.
"""

from dataclasses import dataclass

from todo_command import answers, grammar, manual
from todo_command.match import find_phase
from todo_command.verbs.asked import Asked, words_for
from todo_context.pi import Answer
from todo_context.plan.markdown import FIRST_PHASE
from todo_context.plan.model import Plan
from todo_context.plan.ops import Append
from todo_context.plan.text import one_line

HINT = "A task; or a phase, and then the task."

_LAST_OF_FIRST_PLANE = 0xFFFF


@dataclass(frozen=True, slots=True)
class Addition:
    """A task to add, and the phase it goes to, which may be one to be made."""

    phase: str
    content: str


async def append(asked: Asked) -> Answer:
    """Add one task; the answer names the phase, for a sentence without quotes loses its first word to it."""
    rest = asked.rest or await words_for(asked, "append", "a task", "Add which task?", HINT)
    if isinstance(rest, Answer):
        return rest
    addition = addition_of(await asked.lane.plan(), rest)
    if addition is None:
        return answers.error("append needs a task.", manual.usage_line("append"))
    op = Append(phase=addition.phase, items=(addition.content,))
    recorded = await asked.lane.apply([op], by="user", action="append")
    if not recorded.outcome.changed:
        return Answer(text=f"No change: {_where(recorded.before, addition.content)}.")
    is_new = recorded.before.find_phase(addition.phase) is None
    phase = answers.named(addition.phase) + (" (new)" if is_new else "")
    fact = f"Added to {phase}: {answers.named(addition.content)}"
    return answers.changed(fact, recorded, about=addition.content)


def addition_of(plan: Plan, rest: str) -> Addition | None:
    """Which phase, which content; None if either would be blank."""
    words = grammar.words(rest)
    typed_phase, content = (words[0], " ".join(words[1:])) if len(words) > 1 else (None, "".join(words))
    content = _capitalised(one_line(content))
    phase = last_phase(plan) if typed_phase is None else _phase(plan, one_line(typed_phase))
    return Addition(phase, content) if phase and content else None


def last_phase(plan: Plan) -> str:
    """Where a task goes of which nobody says it."""
    return plan.phases[-1].name if plan.phases else FIRST_PHASE


def _phase(plan: Plan, typed: str) -> str:
    found = find_phase(plan, typed)
    return found or " ".join(map(_capitalised, typed.split(" ")))


def _capitalised(text: str) -> str:
    # JavaScript raises one UTF-16 unit: "ß" becomes "SS", a letter beyond U+FFFF stays as it is.
    first = text[:1]
    return text if first and ord(first) > _LAST_OF_FIRST_PLANE else first.upper() + text[1:]


def _where(plan: Plan, content: str) -> str:
    place = plan.find(content)
    if place is None:
        return f"{answers.named(content)} is already in the plan"
    status = answers.status_word(plan.at(place).status)
    return f"{answers.named(content)} is already in {answers.named(plan.phases[place.phase].name)} ({status})"
