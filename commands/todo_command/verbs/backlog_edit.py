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
from todo_context.plan.names import quoted
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
    saved = await _saved(wish, opened, left.text if left else opened)
    if isinstance(saved, Said):
        return saved
    change = wanted(parse(opened, wish.project), saved)
    for title, question in await _questions(wish, change):
        if not await ui.confirm(title, question):
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


async def _saved(wish: Wish, opened: str, shown: str) -> Parsed | Said:
    """What the person leaves, once it can be read."""
    problems = tuple[LineProblem, ...]()
    while True:
        text = await wish.ctx.ui.editor(TITLE, shown, problems, opened=opened)
        if text is None or not trim(text.removeprefix(HEAD)):
            return Said(CANCELLED)
        if text == shown and (problems or shown == opened):
            return Said(
                "No change." if not problems else f"{CANCELLED} Line {problems[0].line}: {problems[0].message}."
            )
        parsed = parse(text, wish.project)
        problems = parsed.problems or await _unknown(wish, parse(opened, wish.project), parsed)
        if not problems:
            return parsed
        shown = text


async def _unknown(wish: Wish, opened: Parsed, saved: Parsed) -> tuple[LineProblem, ...]:
    """The lines with an id that is none, or not the whole of one: the item of another line might be meant."""
    lines = wanted(opened, saved).unknown
    found = await wish.here.ask(lambda store: store.get([line.id for line in lines])) if lines else None
    known = {item.id for item in found.items} if found else set[str]()
    return tuple(
        LineProblem(
            line=line.number,
            text=line.text,
            message=f"no item has the id {quoted(line.id)}; write all of it, or take it out for a new item",
        )
        for line in lines
        if line.id not in known
    )


async def _questions(wish: Wish, change: Wanted) -> list[tuple[str, str]]:
    """What is to be asked before the text is taken over, each a title and the question."""
    asked = list[tuple[str, str]]()
    if change.gone:
        lines = "Its line is" if len(change.gone) == 1 else "Their lines are"
        found = await wish.here.ask(lambda store: store.get(change.gone))
        held = words.held_by_others(found.items, wish.now, wish.me)
        question = f"{lines} gone from the text: {words.ids(change.gone)}. {held}".rstrip()
        asked.append((f"Cancel {words.count(len(change.gone))}?", question))
    if change.unknown:
        ids = [line.id for line in change.unknown]
        found = await wish.here.ask(lambda store: store.get(ids))
        rows = words.lines(found.items, wish.now, wish.me, project=True)
        question = "\n".join(["In the text that was opened they did not stand:", *rows])
        asked.append((f"Overwrite {words.count(len(ids))} with what the text says?", question))
    return asked


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
