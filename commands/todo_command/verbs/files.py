"""Export and import: the plan as a Markdown file, and a Markdown file as the plan.

Nothing is kept of what was written. A text that is overwritten unasked is one that a plan of this branch still
says, so nothing is lost with it; any other was written or changed elsewhere. A file that is read is left as it
is, and is taken wholly or not at all.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from todo_command import answers, disk
from todo_command.difference import Difference
from todo_command.verbs.asked import START, Asked
from todo_context.lane import Recorded
from todo_context.pi import Answer
from todo_context.plan.accept import Accepted
from todo_context.plan.markdown import Parsed, from_markdown, restore_hidden, to_markdown
from todo_context.plan.model import Plan
from todo_context.plan.ops import Replace
from todo_context.plan.problem import LineProblem
from todo_context.plan.replay import History
from todo_context.plan.select import counts
from todo_context.plan.text import for_screen

DEFAULT = "TODO.md"
"""The file that is meant when none is named. OMP's word."""

PROBLEMS = 8
"""How many lines that cannot be read are listed; they stand on two lines each, and a screen may have 24."""

LINE_CHARACTERS = 120
"""How much of such a line is shown."""


def place_of(rest: str, cwd: str) -> Path:
    """The file that export and import are about. Raises as `disk.place`."""
    return disk.place(rest or DEFAULT, cwd)


async def export(asked: Asked) -> Answer:
    """Write the plan as it is now into a file."""
    plan = await asked.lane.plan()
    text = to_markdown(plan)
    if not text:
        return Answer(text=f"The plan is empty; no file was written. {START}")
    try:
        path = place_of(asked.rest, asked.ctx.cwd)
        found = await asyncio.to_thread(disk.find, path)
        if found is not None and found.raw == text.encode():
            return Answer(text=f"No change: {disk.shown(path)} says what the plan is.")
        if found is not None and (kept := await _kept(asked, path, found)):
            return kept
        await asyncio.to_thread(disk.write_text, path, text, over=found)
    except disk.FileError as error:
        return Answer(text=str(error), is_error=True)
    return Answer(text=f"Exported {answers.count(counts(plan).total, 'task')} to {disk.shown(path)}.")


async def import_(asked: Asked) -> Answer:
    """Put the plan that a file says in the place of this one."""
    try:
        path = place_of(asked.rest, asked.ctx.cwd)
        parsed = await asyncio.to_thread(_read, path)
    except disk.FileError as error:
        return Answer(text=str(error), is_error=True)
    if parsed.problems:
        return _unreadable(path, parsed.problems)
    if not await _may_empty(asked, path, parsed.plan):
        return Answer(text="Import cancelled; the plan is unchanged.")

    def make(now: Plan) -> Accepted:
        return Accepted(ops=(Replace(restore_hidden(parsed.plan, now)),))

    recorded = await asked.lane.run(make, by="user", action="import")
    return answers.refused(recorded) or _imported(path, recorded)


async def _kept(asked: Asked, path: Path, found: disk.Found) -> Answer | None:
    """The answer where the file is to be left alone; None where it may be overwritten."""
    if await asyncio.to_thread(_is_of_this_branch, found, await asked.lane.history()):
        return None
    if not asked.ctx.has_ui:
        free = disk.free_name(asked.rest or DEFAULT, asked.ctx.cwd)
        fact = f"{disk.shown(path)}: not overwritten, for its text was written or changed elsewhere."
        return answers.error(fact, f"/todo export {disk.shown(free)} writes a new file.")
    question = "Its text was written or changed elsewhere, and would be lost."
    if await asked.ctx.ui.confirm(f"Overwrite {disk.shown(path)}?", question):
        return None
    return Answer(text=f"Export cancelled; {disk.shown(path)} is as it was.")


def _is_of_this_branch(found: disk.Found, past: History) -> bool:
    """Whether the file says, to the letter, what the plan is or was on this branch. At first it was empty."""
    plans = (plan for change in reversed(past.changes) for plan in (change.after, change.before))
    return any(to_markdown(plan).encode() == found.raw for plan in plans)


async def _may_empty(asked: Asked, path: Path, new: Plan) -> bool:
    """Whether tasks may go without any coming: asked of a person. Who imports without one means it."""
    here = counts(await asked.lane.plan()).total
    if counts(new).total or not here or not asked.ctx.has_ui:
        return True
    question = f"No task is in {disk.shown(path)}. Remove {answers.count(here, 'task')}?"
    return await asked.ctx.ui.confirm("Empty the plan?", question)


def _read(path: Path) -> Parsed:
    return from_markdown(disk.read_text(path))


def _unreadable(path: Path, problems: Sequence[LineProblem]) -> Answer:
    lines = [f"{disk.shown(path)}: {answers.count(len(problems), 'line')} cannot be read. Nothing was changed."]
    for problem in problems[:PROBLEMS]:
        lines.append(f"line {problem.line}: {_bounded(problem.text)}")
        lines.append(f"    {for_screen(problem.message)}")
    if len(problems) > PROBLEMS:
        lines.append(f"… and {len(problems) - PROBLEMS} more")
    return Answer(text="\n".join(lines), is_error=True)


def _bounded(line: str) -> str:
    line = for_screen(line)
    return line if len(line) <= LINE_CHARACTERS else f"{line[: LINE_CHARACTERS - 1]}…"


def _imported(path: Path, recorded: Recorded) -> Answer:
    problems = recorded.outcome.problems[: answers.CANDIDATES]
    repeated = "".join(f" {for_screen(problem.message)}" for problem in problems)
    if not recorded.outcome.changed:
        return Answer(text=f"No change: {disk.shown(path)} says what the plan is.{repeated}")
    now = recorded.outcome.plan
    fact = (
        f"Imported {disk.shown(path)}: {answers.count(len(now.phases), 'phase')}, "
        f"{answers.count(counts(now).total, 'task')} ({Difference.between(recorded.before, now).counted()})"
    )
    return Answer(text=answers.changed(fact, recorded).text + repeated)
