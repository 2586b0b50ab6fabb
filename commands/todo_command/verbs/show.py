"""Show and help: what the plan is, and what can be said to it. Neither changes anything."""

from todo_command import manual
from todo_command.verbs.asked import START, Asked
from todo_context.pi import Answer


async def show(asked: Asked) -> Answer:
    """The whole plan as a checklist."""
    from todo_context.checklist import checklist  # noqa: PLC0415 - Rich is slow to import, and the other verbs do without

    plan = await asked.lane.plan()
    if not any(phase.tasks for phase in plan.phases):
        return Answer(text=f"The plan is empty. {START}")
    view = checklist(plan, asked.widget.styles)
    return Answer(text=view.plain, view=view)


async def show_help(_: Asked) -> Answer:
    """The verbs, the rules and the marks."""
    return Answer(text=manual.help_text())
