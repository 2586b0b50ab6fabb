"""Note: add a note to a task. The leading words name the task, the rest is the note."""

from dataclasses import dataclass

from todo_command import answers, manual
from todo_command.grammar import unquoted
from todo_command.match import Found, cut_task
from todo_command.verbs.asked import Asked, meant_task, words_for
from todo_context.pi import Answer
from todo_context.plan.model import Plan
from todo_context.plan.ops import Note
from todo_context.plan.text import note_text, trim


@dataclass(frozen=True, slots=True)
class Noting:
    """Which task, and the text of the note; empty if there is none yet."""

    found: Found
    text: str


def noting(plan: Plan, rest: str) -> Noting:
    """What note is about, and what it says."""
    cut = cut_task(plan, rest)
    return Noting(cut.found, trim(note_text(unquoted(cut.rest))))


async def note(asked: Asked) -> Answer:
    """Add a note, which may be of several lines and keeps the blanks and quotes inside it."""
    if not asked.rest:
        return answers.error("note needs a task and a text.", manual.usage_line("note"))
    new = noting(await asked.lane.plan(), asked.rest)
    content = await meant_task(asked, new.found)
    if isinstance(content, Answer):
        return content
    name = answers.named(content)
    text = new.text or await words_for(asked, "note", f"a text after {name}", f"Note on {name}:")
    if isinstance(text, Answer):
        return text
    recorded = await asked.lane.apply([Note(content, text)], by="user", action="note")
    fact = f"Noted on {name}: {answers.named(text)}"
    return answers.refused(recorded) or answers.changed(fact, recorded, about=content)
