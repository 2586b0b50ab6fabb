"""Edit the backlog as a checklist in the person's editor.

Only what they changed is written, so what others change meanwhile stays. Nothing is written unless all of the text
could be read; then the editor opens again on the person's text.
"""

from collections.abc import Callable, Sequence

from todo_command.verbs.backlog_call import DONE, FAILED, Said, Wish, outcome_said
from todo_context.backlog import words
from todo_context.backlog.checklist import HEAD, Line, Parsed, Wanted, is_backlog, parse, render, wanted
from todo_context.backlog.item import Box
from todo_context.backlog.moves import Who
from todo_context.backlog.outcomes import together
from todo_context.backlog.shapes import Draft, Edit, Outcome, Query
from todo_context.backlog.store import Store
from todo_context.pi import Ui
from todo_context.plan.problem import LineProblem
from todo_context.plan.text import trim

TITLE = "The backlog as Markdown: save and leave to change it, empty the text to cancel"

NO_UI = "backlog edit needs a terminal with an editor. backlog update changes one item."
CANCELLED = "Edit cancelled; the backlog is unchanged."
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
    who = wish.here.person(wish.ctx)
    outcome = await wish.here.ask(lambda store: _written(store, change, who))
    if not outcome.refusals:
        ui.edit_settled()
    said = outcome_said(wish, outcome)
    kept = "\nThe text is offered again by backlog edit." if outcome.refusals else ""
    return Said(said.text + kept, said.data, FAILED if outcome.refusals else DONE)


async def _text(wish: Wish) -> str:
    if not wish.here.is_there:
        return render((), wish.project)
    project = None if wish.has("all") else wish.project
    query = Query(boxes=SHOWN, project=project, limit=None)
    page = await wish.here.ask(lambda store: store.list(query))
    return render(page.items, wish.project)


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
    return f"Their lines are gone from the text: {words.ids(change.gone)}."


def _written(store: Store, change: Wanted, who: Who) -> Outcome:
    outcomes: list[Outcome] = []
    for before, after in change.changed:
        outcomes += _line_written(store, before, after, who)
    if change.gone:
        outcomes.append(store.cancel(change.gone, who))
    for line in change.unknown:
        # It came from elsewhere, another project say: the item becomes what the line says.
        outcomes += _line_written(store, Line(line.number, "", line.mark, "", line.id), line, who)
    # Last, and all or none: the text is offered again where anything was refused, and would make new items twice.
    if not any(outcome.refusals for outcome in outcomes):
        outcomes = [*_added(store, change.new, who), *outcomes]
    return together(outcomes)


def _added(store: Store, lines: Sequence[Line], who: Who) -> list[Outcome]:
    if not lines:
        return []
    added = store.add([_draft(line, who) for line in lines], who, all_or_none=True)
    if added.refusals:
        return [added]
    marked = [(line, made.item) for line, made in zip(lines, added.changes, strict=True) if line.mark != "open"]
    return [added, *(_MOVES[line.mark](store, id_, who) for line, id_ in marked)]


def _draft(line: Line, who: Who) -> Draft:
    return Draft(
        text=line.text,
        notes=line.notes,
        project=line.project,
        tags=line.tags,
        priority=line.priority,
        source=who.name,
    )


def _line_written(store: Store, before: Line, after: Line, who: Who) -> list[Outcome]:
    edit = Edit(
        text=after.text if after.text != before.text else None,
        notes=after.notes if after.notes != before.notes else None,
        project=after.project if after.project != before.project else None,
        tags=after.tags if after.tags != before.tags else None,
        priority=after.priority if after.priority != before.priority else None,
    )
    outcomes = [store.update(after.id, edit, who)] if edit != Edit() else []
    if after.mark != before.mark:
        outcomes.append(_MOVES[after.mark](store, after.id, who))
    return outcomes


_MOVES: dict[str, Callable[[Store, str, Who], Outcome]] = {
    "open": lambda store, id_, who: store.unpark([id_], who),
    "done": lambda store, id_, who: store.complete([id_], who),
    "cancelled": lambda store, id_, who: store.cancel([id_], who),
    "parked": lambda store, id_, who: store.park([id_], who),
}
