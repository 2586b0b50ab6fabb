"""The stop guard: what to say when the agent ends its turn although there is something to do.

Pure. It says so a few times at most, and never where stopping was right: the person broke off, was asked something,
or said to stop, or work goes on in the background. A check that was put off is not lost: the branch still says it.
"""

from todo_context.attention import wording
from todo_context.attention.facts import STOP_BEGINS, Facts
from todo_context.attention.fence import OPEN, fenced, quoted
from todo_context.attention.judges import asks_the_person, says_stop
from todo_context.attention.reminder import NAME_CHARACTERS
from todo_context.settings import AttentionSettings

STOP_TYPE = "todo_stop"
"""The custom type under which a host stores the message."""

STOP_NAMES = 5
"""Tasks that a stop reminder names. It stays in the conversation, so it is short; the plan stands in the reminder."""


def stop_reminder(facts: Facts, settings: AttentionSettings, *, has_background_work: bool = False) -> str | None:
    """What to store as a message of ours, with which the agent goes on; None to let it stop."""
    tasks = [task for task in facts.plan.tasks() if task.status.is_actionable]
    stop = facts.stop
    if not tasks or not stop.is_now or has_background_work or stop.reminders >= settings.stop_reminders:
        return None
    if asks_the_person(stop.last_words) or says_stop(stop.person_said):
        return None
    names = ", ".join(quoted(task.content, NAME_CHARACTERS) for task in tasks[:STOP_NAMES])
    more = f" and {len(tasks) - STOP_NAMES} more" if len(tasks) > STOP_NAMES else ""
    count = "1 task" if len(tasks) == 1 else f"{len(tasks)} tasks"
    head = STOP_BEGINS.removeprefix(f"{OPEN}\n")
    said = wording.STOPPED.format(head=head, tasks=f"{count} still to do: {names}{more}")
    choices = wording.STOPPED_CHOICES.format(number=stop.reminders + 1, most=settings.stop_reminders)
    return fenced([said, choices])
