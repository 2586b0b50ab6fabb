"""Copy: the plan as Markdown to the clipboard of the person's terminal; where none takes it, on the screen."""

from todo_command import answers
from todo_command.verbs.asked import START, Asked
from todo_context.pi import Answer
from todo_context.plan.markdown import to_markdown
from todo_context.plan.select import counts
from todo_context.plan.text import lines_for_screen

PRINTED = "Printed, not copied: there is no terminal here that takes it."


async def copy(asked: Asked) -> Answer:
    """Hand the plan to the terminal, or print it; the answer says which."""
    plan = await asked.lane.plan()
    text = to_markdown(plan)
    if not text:
        return Answer(text=f"The plan is empty; nothing was copied. {START}")
    if not asked.ctx.has_ui or not asked.ctx.ui.copy(text):
        return Answer(text=f"{PRINTED}\n\n{lines_for_screen(text)}".rstrip("\n"))
    return Answer(
        text=f"Copied {answers.count(counts(plan).total, 'task')} through the terminal (OSC 52). "
        "If nothing arrives, your terminal does not allow it: /todo export writes a file."
    )
