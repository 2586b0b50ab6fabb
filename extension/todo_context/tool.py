"""The tool `todo_write`: a model's call in, words and details out.

Opens no file, starts no process, uses no network: it changes the plan through the lane, and that is all.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from todo_context.guidance import Guidance, guidance
from todo_context.lane import Lane, Recorded
from todo_context.looks import STYLES, Styles
from todo_context.pi import Capabilities, Context, Tool, ToolResult
from todo_context.plan.accept import accept
from todo_context.plan.bounds import DEFAULT, Bounds
from todo_context.plan.load import plan_to_json
from todo_context.plan.model import Json
from todo_context.plan.names import quoted
from todo_context.plan.ops import json_schema, lenient_json_schema
from todo_context.plan.problem import Problem
from todo_context.plan.reply import for_model
from todo_context.plan.select import active_task
from todo_context.plan.sources import OURS
from todo_context.plan.text import for_screen

if TYPE_CHECKING:
    from rich.console import RenderableType

LEFT_OUT = 3
"""Tasks that are named to the person where a new list leaves them out."""

CARD_CHARACTERS = 60
"""Characters of the longest name on the card of a call; the card is one line of a narrow terminal."""


def todo_write(
    lane: Lane,
    guided: Guidance | None = None,
    *,
    bounds: Bounds = DEFAULT,
    styles: Styles = STYLES["dark"],
    is_validated_before: bool = False,
) -> Tool:
    """The tool over one session's lane, with its built-in description if no other is given.

    `bounds` are those of a reply, `styles` those of the checklist below a call. Where a host holds the arguments
    against the schema first (`is_validated_before`), the schema lets pass whatever the tool can read.
    """

    async def execute(call_id: str, arguments: Json, ctx: Context) -> ToolResult:
        recorded = await lane.run(lambda plan: accept(arguments, plan), by="model", call=call_id)
        gone = (*recorded.accepted.fell_out, *recorded.outcome.fell_out)
        if gone and ctx.has_ui:
            # The model reads it in the reply. They may be the person's own.
            ctx.ui.notify(_left_out(gone), "warning")
        return _result(recorded, lane.storage, bounds)

    said = guided or guidance("off", Capabilities())
    return Tool(
        name=OURS,
        label="Plan",
        description=said.description,
        parameters=lenient_json_schema() if is_validated_before else json_schema(),
        execute=execute,
        render_call=call_card,
        render_result=lambda result: _checklist(result, styles),
        guideline=said.guideline,
    )


def call_card(arguments: Json) -> str:
    """One line that says what a call is about. Bears any arguments; safe for the screen."""
    ops = arguments.get("ops") if isinstance(arguments, dict) else None
    if not isinstance(ops, list) or not ops:
        return "plan"
    return "plan: " + ", ".join(map(_op_words, ops[:3])) + (f" and {len(ops) - 3} more" if len(ops) > 3 else "")  # noqa: PLR2004 - three fit a line


def _op_words(op: Json) -> str:
    if not isinstance(op, dict) or not isinstance(op.get("op"), str):
        return "?"
    name = next((value for key in ("task", "phase") if isinstance(value := op.get(key), str)), "")
    shown = for_screen(name)
    cut = shown if len(shown) <= CARD_CHARACTERS else f"{shown[:CARD_CHARACTERS]}…"
    return f"{for_screen(str(op['op']))[:CARD_CHARACTERS]} {cut}".rstrip()


def _left_out(contents: Sequence[str]) -> str:
    names = ", ".join(quoted(for_screen(content)) for content in contents[:LEFT_OUT])
    more = f" and {len(contents) - LEFT_OUT} more" if len(contents) > LEFT_OUT else ""
    return f"The agent's new list leaves out what was not finished: {names}{more}. /todo undo takes the list back."


def _result(recorded: Recorded, storage: Json, bounds: Bounds) -> ToolResult:
    outcome = recorded.outcome
    problems = (*recorded.accepted.problems, *outcome.problems)
    active = active_task(outcome.plan)
    details: dict[str, Json] = {
        "phases": plan_to_json(outcome.plan),
        "storage": storage,
        "seq": recorded.seq,
        "activeTask": active.content if active else None,
        "completedTasks": [{"phase": task.phase, "content": task.content} for task in outcome.completed],
        "errors": [_error(problem) for problem in problems],
    }
    is_error = not outcome.accepted and any(problem.code != "exists" for problem in problems)
    return ToolResult(text=for_model(outcome, recorded.accepted, bounds), details=details, is_error=is_error)


def _error(problem: Problem) -> Json:
    return {"op": problem.op, "code": problem.code, "message": problem.message}


def _checklist(result: ToolResult, styles: Styles) -> "RenderableType | None":
    """The plan in colour, under the card of the call; problems stand in the text of an error."""
    from todo_context.checklist import bounded_checklist  # noqa: PLC0415 - rich comes late
    from todo_context.plan.load import plan_from_json  # noqa: PLC0415 - only a screen needs it

    if result.details is None:
        return None
    return bounded_checklist(plan_from_json(result.details["phases"]).plan, styles)
