"""Edit: the plan as Markdown in the person's editor.

The host owns the editor, its process and what is left over. Nothing is committed that could not be read
wholly; then the editor opens again on the person's text. A plan that moved on meanwhile is merged.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from todo_command import answers
from todo_command.difference import Difference
from todo_command.verbs.asked import Asked
from todo_context.errors import TodoContextError
from todo_context.lane import Lane, Recorded
from todo_context.pi import Answer, LeftOver, Ui
from todo_context.plan.accept import Accepted
from todo_context.plan.apply import apply
from todo_context.plan.markdown import FIRST_PHASE, from_markdown, restore_hidden, to_markdown
from todo_context.plan.merge import Merged, merge, renames
from todo_context.plan.model import EMPTY, Plan
from todo_context.plan.ops import Replace
from todo_context.plan.problem import LineProblem, Problem
from todo_context.plan.text import for_screen, trim

TITLE = "The plan as Markdown: save and leave to change it, empty the text to cancel"

UNCHANGED = "No change."

CANCELLED = "Edit cancelled; the plan is unchanged."

NO_UI = "/todo edit needs a terminal with an editor."
WITHOUT_UI = "/todo export writes the plan into a file to edit, and /todo import reads it back."

KEPT = "Your text is kept: the next /todo edit offers it."

_BLANK = f"# {FIRST_PHASE}\n"
"""What is opened when there is no plan: tasks can be written below it at once."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """A text of the person that could be read: the plan it says, and what it says twice."""

    plan: Plan
    repetitions: tuple[Problem, ...]


async def edit(asked: Asked) -> Answer:
    """Open the plan in the editor, again until it can be read, and commit what was saved."""
    if not asked.ctx.has_ui:
        return answers.error(NO_UI, WITHOUT_UI)
    now = await asked.lane.plan()
    left = await asked.ctx.ui.left_over()
    if left is not None and _is_of_the_backlog(left):
        fact = "A text of the backlog was left over."
        return answers.error(fact, "/todo backlog edit goes on with it; then edit the plan.")
    # A text that was left over began from an older plan: what changed since is merged, not undone.
    base = restore_hidden(from_markdown(left.opened).plan, now) if left else now
    draft = await _draft(asked.ctx.ui, base, left)
    if isinstance(draft, Answer):
        return draft
    try:
        answer = await _commit(asked.lane, base, draft)
    except (TodoContextError, OSError) as error:
        return answers.error(for_screen(str(error)), KEPT)
    # Not before: what cannot be stored is offered again.
    asked.ctx.ui.edit_settled()
    return answer


def _is_of_the_backlog(left: LeftOver) -> bool:
    from todo_context.backlog.checklist import is_backlog  # noqa: PLC0415 (who has none is not to wait for it)

    return is_backlog(left.opened)


async def _draft(ui: Ui, base: Plan, left: LeftOver | None) -> _Draft | Answer:
    """Let the person edit until the text can be read; an answer ends the edit."""
    begun = left.opened if left else to_markdown(base) or _BLANK
    shown, problems = left.text if left else begun, tuple[LineProblem, ...]()
    while True:
        text = await ui.editor(TITLE, shown, problems, opened=begun)
        if text is None or not trim(text):
            return _cancelled(problems)
        if text == shown and (problems or shown == begun):
            return _left_as_it_was(problems)
        parsed = from_markdown(text)
        if not parsed.problems:
            break
        shown, problems = text, parsed.problems
    if not _has_tasks(parsed.plan) and _has_tasks(base) and not await ui.confirm("Empty the plan?", _question(base)):
        ui.edit_settled()
        return Answer(text=CANCELLED)
    whole = restore_hidden(parsed.plan, base, renames(base, parsed.plan))
    unique = apply(EMPTY, [Replace(whole, normalise=False)])
    return _Draft(unique.plan, unique.problems)


async def _commit(lane: Lane, base: Plan, draft: _Draft) -> Answer:
    """Merge the draft, in the lane's turn, with the plan as it is then."""
    merged = Merged(draft.plan)

    def make(now: Plan) -> Accepted:
        nonlocal merged
        merged = merge(base, draft.plan, now)
        return Accepted(ops=(Replace(merged.plan),))

    recorded = await lane.run(make, by="user", action="edit")
    return _edited(base, draft, merged, recorded)


def _cancelled(problems: Sequence[LineProblem]) -> Answer:
    if not problems:
        return Answer(text=CANCELLED)
    # The host has said where the text is kept.
    return Answer(text=f"{CANCELLED} {_first_of(problems)} /todo import reads a text that was kept.")


def _first_of(problems: Sequence[LineProblem]) -> str:
    more = f" And {len(problems) - 1} more." if len(problems) > 1 else ""
    return f"Line {problems[0].line}: {for_screen(problems[0].message)}.{more}"


def _left_as_it_was(problems: Sequence[LineProblem]) -> Answer:
    if not problems:
        return Answer(text=UNCHANGED)
    return answers.error(f"{CANCELLED} {_first_of(problems)}", "/todo edit opens it again.")


def _edited(base: Plan, draft: _Draft, merged: Merged, recorded: Recorded) -> Answer:
    repeated = "".join(f" {for_screen(problem.message)}" for problem in draft.repetitions[: answers.CANDIDATES])
    if not recorded.outcome.changed:
        why = "the text says what the plan is" if draft.plan == base else "one task is in progress at a time, the first"
        return Answer(text=f"No change: {why}.{repeated}")
    fact = f"Edited: {Difference.between(base, draft.plan).counted()}"
    meanwhile = ""
    if recorded.before != base:
        difference = Difference.of_the_agent(base, recorded.before).in_words()
        meanwhile = f" Merged with what changed meanwhile: {difference}."
    disagreed = "".join(f" {for_screen(remark)}." for remark in merged.remarks[: answers.CANDIDATES])
    return Answer(text=answers.changed(fact, recorded).text + meanwhile + disagreed + repeated)


def _has_tasks(plan: Plan) -> bool:
    return any(phase.tasks for phase in plan.phases)


def _question(base: Plan) -> str:
    return f"No task is left in the text. Remove {answers.count(len(list(base.tasks())), 'task')}?"
