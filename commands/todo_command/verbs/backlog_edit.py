"""Edit the backlog as a checklist in the person's editor.

Only what they changed is written, in one change set; what others changed meanwhile stays, and is told where both did.
Nothing is written unless all of the text could be read, and all of it may be; then the person's text is opened again.
"""

from dataclasses import replace

from todo_command.verbs.backlog_call import DONE, FAILED, Said, Wish, outcome_said
from todo_context.backlog import words
from todo_context.backlog.checklist import HEAD, Line, Mark, Parsed, Wanted, is_backlog, parse, render, wanted
from todo_context.backlog.item import Box
from todo_context.backlog.shapes import Edit, Query, Revision
from todo_context.pi import Ui
from todo_context.plan.problem import LineProblem
from todo_context.plan.text import trim

TITLE = "The backlog as Markdown: save and leave to change it, empty the text to cancel"

NO_UI = "backlog edit needs a terminal with an editor. backlog update changes one item."
CANCELLED = "Edit cancelled; the backlog is unchanged."
NOTHING_WRITTEN = "Nothing was written. The text is offered again by backlog edit."
OTHER_LEFT = "A text of the plan was left over. /todo edit goes on with it; then edit the backlog."

SHOWN = frozenset({Box.ACTIVE, Box.PARKED})
"""What stands in the text: what is yet to be done."""


async def edit(wish: Wish) -> Said:
    """Open the items of this project, or of all, and write what was changed in the text."""
    if not wish.ctx.has_ui:
        return Said(NO_UI, code=FAILED)
    ui = wish.ctx.ui
    left = await ui.left_over()
    if left is not None and not is_backlog(left.opened):
        return Said(OTHER_LEFT, code=FAILED)
    opened = left.opened if left else await _text(wish)
    saved = await _saved(ui, opened, left.text if left else opened, wish.project)
    if isinstance(saved, Said):
        return saved
    change = wanted(parse(opened, wish.project), saved)
    if change.gone and not await ui.confirm(f"Cancel {words.count(len(change.gone))}?", _question(change)):
        ui.edit_settled()
        return Said(CANCELLED)
    who, revisions = wish.here.person(wish.ctx), _revisions(change, parse(opened, wish.project))
    outcome = await wish.here.ask(lambda store: store.revise(revisions, who))
    said = outcome_said(wish, outcome)
    if outcome.refusals and not outcome.changes and any(each.code != "changed" for each in outcome.refusals):
        return replace(said, text=f"{said.text}\n{NOTHING_WRITTEN}", code=FAILED)
    ui.edit_settled()
    return replace(said, code=FAILED if outcome.refusals else DONE)


async def _text(wish: Wish) -> str:
    if not wish.here.is_there:
        return render((), wish.project, wish.now)
    project = None if wish.has("all") else wish.project
    query = Query(boxes=SHOWN, project=project, limit=None)
    page = await wish.here.ask(lambda store: store.list(query))
    return render(page.items, wish.project, wish.now)


async def _saved(ui: Ui, opened: str, shown: str, project: str) -> Parsed | Said:
    """What the person leaves, once it can be read."""
    problems = tuple[LineProblem, ...]()
    while True:
        text = await ui.editor(TITLE, shown, problems, opened=opened)
        if text is None or not trim(text.removeprefix(HEAD)):
            return Said(CANCELLED)
        if text == shown and (problems or shown == opened):
            return Said(
                "No change." if not problems else f"{CANCELLED} Line {problems[0].line}: {problems[0].message}."
            )
        parsed = parse(text, project)
        if not parsed.problems:
            return parsed
        shown, problems = text, parsed.problems


def _question(change: Wanted) -> str:
    lines = "Its line is" if len(change.gone) == 1 else "Their lines are"
    return f"{lines} gone from the text: {words.ids(change.gone)}."


def _revisions(change: Wanted, opened: Parsed) -> list[Revision]:
    """What is to be written, new lines first."""
    marks: dict[str, Mark] = {line.id: line.mark for line in opened.lines}
    return [
        *(Revision(edit=_edit(line), mark=line.mark) for line in change.new),
        *(_revision(before, after) for before, after in change.changed),
        *(Revision(id=id_, mark="cancelled", was_mark=marks[id_]) for id_ in change.gone),
        # From elsewhere, another project say: the item becomes what the line says.
        *(Revision(id=line.id, edit=_edit(line, Line(line.number, "", line.mark, ""))) for line in change.unknown),
    ]


def _revision(before: Line, after: Line) -> Revision:
    mark = None if after.mark == before.mark else after.mark
    return Revision(id=after.id, edit=_edit(after, before), mark=mark, was=_edit(before, after), was_mark=before.mark)


def _edit(line: Line, other: Line | None = None) -> Edit:
    """The fields of a line, of those in which it differs from the other."""

    def differs(name: str) -> bool:
        return other is None or getattr(line, name) != getattr(other, name)

    return Edit(
        text=line.text if differs("text") else None,
        notes=line.notes if differs("notes") else None,
        project=line.project if differs("project") else None,
        tags=line.tags if differs("tags") else None,
        priority=line.priority if differs("priority") else None,
    )
