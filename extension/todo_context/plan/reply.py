"""What the model reads after a call: problems first, one line of progress, then the plan once.

Finished tasks fold to a count in their phase and finished phases to a line; `view` folds nothing. All is
bounded (`Bounds`), with a mark where something was left out; the plan itself is never cut.
"""

from collections.abc import Iterator, Sequence

from todo_context.plan.accept import Accepted
from todo_context.plan.apply import Outcome
from todo_context.plan.bounds import DEFAULT, Bounds
from todo_context.plan.markdown import task_line, to_markdown
from todo_context.plan.model import Plan
from todo_context.plan.names import quoted
from todo_context.plan.ops import View
from todo_context.plan.problem import Problem
from todo_context.plan.select import FoldedPhase, folded, progress


def for_model(outcome: Outcome, accepted: Accepted, bounds: Bounds = DEFAULT) -> str:
    """Say what a call came to: how it was read, and what applying it brought."""
    wrong = sorted((*accepted.problems, *outcome.problems), key=_place)
    is_view = any(isinstance(op, View) for op in outcome.accepted)
    lines = [*_problem_lines(outcome, wrong, bounds), *_idle_lines(outcome)]
    lines += _fallen((*accepted.fell_out, *outcome.fell_out), bounds)
    if not outcome.changed and not is_view:
        lines.append("No change." if outcome.accepted or wrong else "No change: no operation was sent.")
    lines.append(progress(outcome.plan))
    shown = to_markdown(outcome.plan).rstrip("\n") if is_view else "\n".join(_plan_lines(outcome.plan, bounds))
    return "\n".join([*lines, *([_bounded(shown, bounds.view_characters)] if shown else [])])


def _place(problem: Problem) -> int:
    return -1 if problem.index is None else problem.index


def _problem_lines(outcome: Outcome, problems: Sequence[Problem], bounds: Bounds) -> Iterator[str]:
    if not problems:
        return
    accepted = {f"ops[{op.index}]" for op in outcome.accepted}
    sent = accepted | {problem.place for problem in problems if problem.place.startswith("ops")}
    yield f"Applied {len(accepted)} of {len(sent)}." if sent else "Nothing was applied."
    for problem in problems[: bounds.problems]:
        verdict = "in part" if problem.place in accepted else "not applied"
        place = f"{problem.place} " if problem.place else ""
        yield _bounded(f"- {place}{verdict}: {problem.message}", bounds.problem_characters)
    if len(problems) > bounds.problems:
        yield f"- … and {len(problems) - bounds.problems} more"


def _idle_lines(outcome: Outcome) -> Iterator[str]:
    """Accepted operations without effect, where the rest of the batch had one; else "No change" says it."""
    if outcome.changed and outcome.idle:
        places = ", ".join(f"ops[{op.index}]" for op in outcome.idle)
        yield f"No change by {places}."


def _fallen(contents: Sequence[str], bounds: Bounds) -> Iterator[str]:
    """Unfinished tasks that a new list left out: the model may not have meant it, and the user may have added them."""
    if not contents:
        return
    names = ", ".join(map(quoted, contents[: bounds.fallen]))
    more = f" and {len(contents) - bounds.fallen} more" if len(contents) > bounds.fallen else ""
    yield f"Your list replaced the plan; unfinished and gone from it: {names}{more}. Append what is still to be done."


def _plan_lines(plan: Plan, bounds: Bounds) -> Iterator[str]:
    view = folded(plan, bounds.open_tasks)
    for phase in view.phases:
        yield from (_bounded(line, bounds.line_characters) for line in _phase_lines(phase))
    if view.hidden:
        yield f'… and {view.hidden} more open; {{"op":"view"}} shows all'


def _phase_lines(folded_phase: FoldedPhase) -> Iterator[str]:
    name, tally = folded_phase.phase.name, folded_phase.counts
    if not tally.open:
        yield f"# {name}: {tally.closed_words}"
        return
    if not folded_phase.shown:
        return  # its open tasks did not fit, and are counted at the end
    yield f"# {name}"
    if tally.closed:
        yield f"({tally.closed_words})"
    for task in folded_phase.shown:
        yield task_line(task)


def _bounded(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… (cut, {len(text)} characters)"
