"""How /todo speaks: names made safe and short, counts, and what else a change brought about.

Every name that is shown goes through `named`. An answer is one line.
"""

from collections.abc import Sequence

from todo_context.lane import Recorded
from todo_context.pi import Answer
from todo_context.plan.model import Plan, Status
from todo_context.plan.names import quoted
from todo_context.plan.select import active_task, counts
from todo_context.plan.text import for_screen

CANDIDATES = 8
"""How many names a line lists; more would push the question itself off a small screen."""


def named(name: str) -> str:
    """A name in quotes, safe for the screen and bounded."""
    return quoted(for_screen(name))


def listed(names: Sequence[str]) -> str:
    """Names in quotes, the first `CANDIDATES` of them, and how many more there are."""
    shown = ", ".join(map(named, names[:CANDIDATES]))
    return shown if len(names) <= CANDIDATES else f"{shown} and {len(names) - CANDIDATES} more"


def count(number: int, noun: str) -> str:
    """A number with its noun: 1 task, 3 tasks."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def status_word(status: Status) -> str:
    """A status as people write it."""
    return status.replace("_", " ")


def error(fact: str, step: str) -> Answer:
    """One fact and one step that works, both without a full stop where they end in a command."""
    return Answer(text=f"{fact} {step}", is_error=True)


def refused(recorded: Recorded) -> Answer | None:
    """The answer when nothing was accepted: the plan moved on between the look and the change. Else None."""
    outcome = recorded.outcome
    if outcome.accepted or not outcome.problems:
        return None
    return error(f"Not changed: {for_screen(outcome.problems[0].message)}", "/todo shows the plan.")


def changed(fact: str, recorded: Recorded, *, about: str | None = None) -> Answer:
    """What was done, and what followed from it. `about` is the content of the task that the fact names."""
    return Answer(text=f"{fact}.{followed(recorded.before, recorded.outcome.plan, about)}")


def unchanged(fact: str, recorded: Recorded) -> Answer:
    """That the wish was fulfilled before; only the rule of one task in progress may have changed something."""
    if not recorded.outcome.changed:
        return Answer(text=f"No change: {fact}.")
    capital = fact[:1].upper() + fact[1:]
    return changed(capital, recorded)


def followed(before: Plan, after: Plan, about: str | None) -> str:
    """What else happened: which task is in progress now, or that nothing is open any more."""
    was, now = active_task(before), active_task(after)
    if now is not None and (was is None or was.content != now.content):
        return " It is in progress now." if now.content == about else f" Next: {named(now.content)}."
    if now is not None and counts(before).in_progress > 1:
        return f" Only {named(now.content)} is in progress now."
    if counts(before).open and not counts(after).open:
        return " Nothing is open any more."
    return ""
