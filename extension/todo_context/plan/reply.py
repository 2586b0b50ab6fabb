"""What the model reads after a call: problems first, one line of progress, then the plan once.

Finished tasks fold to a count in their phase and finished phases to a line; `view` folds nothing. Lines
and tasks are bounded, with a mark where something was left out; the plan itself is never cut.
"""

from collections.abc import Iterator, Sequence

from todo_context.plan.accept import Accepted
from todo_context.plan.apply import Outcome
from todo_context.plan.markdown import task_line, to_markdown
from todo_context.plan.model import Plan
from todo_context.plan.ops import View
from todo_context.plan.problem import Problem
from todo_context.plan.select import FoldedPhase, folded, progress

OPEN_TASKS_SHOWN = 40
"""Open tasks in one reply. A plan that is longer costs more to repeat than it helps; `view` shows all."""

LINE_CHARACTERS = 200
"""Characters of one line in a reply. A task that is longer is told by its beginning."""

VIEW_CHARACTERS = 40_000
"""Characters of a whole view, about 10,000 tokens: what a model's window bears without losing the rest."""

PROBLEM_CHARACTERS = 600
"""Characters of one problem: names in it are bounded already, keys of a strange call are not."""

PROBLEMS_SHOWN = 10
"""Problems in one reply; a call with more of them went wrong in one way, not in many."""


def for_model(outcome: Outcome, accepted: Accepted) -> str:
    """Say what a call came to: how it was read, and what applying it brought."""
    wrong = sorted((*accepted.problems, *outcome.problems), key=_place)
    is_view = any(isinstance(op, View) for op in outcome.accepted)
    lines = [*_problem_lines(outcome, wrong), *accepted.remarks]
    if not outcome.changed and not is_view:
        lines.append("No change." if outcome.accepted or wrong else "No change: no operation was sent.")
    lines.append(progress(outcome.plan))
    return "\n".join([*lines, *(_view_lines(outcome.plan) if is_view else _plan_lines(outcome.plan))])


def _place(problem: Problem) -> int:
    return -1 if problem.index is None else problem.index


def _problem_lines(outcome: Outcome, problems: Sequence[Problem]) -> Iterator[str]:
    if not problems:
        return
    accepted = {f"ops[{op.index}]" for op in outcome.accepted}
    sent = accepted | {problem.place for problem in problems if problem.place.startswith("ops")}
    yield f"Applied {len(accepted)} of {len(sent)}." if sent else "Nothing was applied."
    for problem in problems[:PROBLEMS_SHOWN]:
        verdict = "in part" if problem.place in accepted else "not applied"
        place = f"{problem.place} " if problem.place else ""
        yield _bounded(f"- {place}{verdict}: {problem.message}", PROBLEM_CHARACTERS)
    if len(problems) > PROBLEMS_SHOWN:
        yield f"- … and {len(problems) - PROBLEMS_SHOWN} more"


def _plan_lines(plan: Plan) -> Iterator[str]:
    view = folded(plan, OPEN_TASKS_SHOWN)
    for phase in view.phases:
        yield from _phase_lines(phase)
    if view.hidden:
        yield f'… and {view.hidden} more open; {{"op":"view"}} shows all'


def _phase_lines(folded_phase: FoldedPhase) -> Iterator[str]:
    name, tally = folded_phase.phase.name, folded_phase.counts
    if not tally.open:
        yield _bounded(f"# {name}: {tally.closed_words}")
        return
    if not folded_phase.shown:
        return  # its open tasks did not fit, and are counted at the end
    yield _bounded(f"# {name}")
    if tally.closed:
        yield f"({tally.closed_words})"
    for task in folded_phase.shown:
        yield _bounded(task_line(task))


def _view_lines(plan: Plan) -> Iterator[str]:
    text = to_markdown(plan).rstrip("\n")
    yield _bounded(text, VIEW_CHARACTERS)


def _bounded(text: str, limit: int = LINE_CHARACTERS) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… (cut, {len(text)} characters)"
