"""Note: add a note to a task. The leading words name the task, the rest is the note."""

from todo_command import answers, manual
from todo_command.grammar import unquoted
from todo_command.match import cut_task
from todo_command.verbs.asked import Asked, meant_task
from todo_context.pi import Answer
from todo_context.plan.ops import Note
from todo_context.plan.text import note_text, trim


async def note(asked: Asked) -> Answer:
    """Add a note, which may be of several lines and keeps the blanks and quotes inside it."""
    if not asked.rest:
        return answers.error("note needs a task and a text.", manual.usage_line("note"))
    cut = cut_task(await asked.lane.plan(), asked.rest)
    content = await meant_task(asked, cut.found)
    if isinstance(content, Answer):
        return content
    text = trim(note_text(unquoted(cut.rest)))
    if not text:
        fact = f"note needs a text after {answers.named(content)}."
        return answers.error(fact, manual.usage_line("note"))
    recorded = await asked.lane.apply([Note(content, text)], by="user", action="note")
    fact = f"Noted on {answers.named(content)}: {answers.named(text)}"
    return answers.refused(recorded) or answers.changed(fact, recorded, about=content)
