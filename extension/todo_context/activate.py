"""The composition root: what the extension offers to a host, wired together.

The only module that imports outward, and late: /todo stands above the extension, yet one call brings both.
"""

from collections.abc import Mapping

from todo_context.config import Settings, settings
from todo_context.lane import Lane
from todo_context.pi import Context, Pi
from todo_context.plan.model import Json
from todo_context.plan.select import counts, progress
from todo_context.tool import todo_write


def activate(pi: Pi, *, chosen: Settings | None = None) -> None:
    """Register the tool `todo_write`, the command `/todo` and the hooks with a host.

    Without `chosen`, the settings are those of this moment.

    Raises:
        TodoContextError: a setting cannot be meant, or a text that one names cannot be used.
    """
    from todo_command import register  # noqa: PLC0415 - outward and late, see above

    plan = (chosen or settings()).plan
    lane = Lane(pi, auto_start=plan.auto_start)
    pi.register_tool(todo_write(lane, prompts_dir=plan.prompts_dir, bounds=plan.bounds))
    register(pi, lane)

    def tell_what_was_found(_event: Mapping[str, Json], ctx: Context) -> None:
        if not ctx.has_ui:
            return
        snapshot = lane.read()
        for warning in snapshot.warnings:
            ctx.ui.notify(f"plan: {warning}", "warning")
        if counts(snapshot.plan).total:
            ctx.ui.notify(f"Plan: {progress(snapshot.plan)} /todo shows it.")

    pi.on("session_start", tell_what_was_found)
