"""The composition root: what the extension offers to a host, wired together.

The only module that imports outward, and late: /todo stands above the extension, yet one call brings both.
"""

from collections.abc import Mapping
from dataclasses import replace

from todo_context import widget
from todo_context.config import Settings, settings
from todo_context.lane import Lane
from todo_context.pi import Context, Pi, ToolResult
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

    async def show(ctx: Context) -> None:
        """Bring the widget up to what the branch says now."""
        if ctx.has_ui:
            ctx.ui.set_widget(widget.NAME, widget.lines(await lane.plan()))

    async def tell_what_was_found(_event: Mapping[str, Json], ctx: Context) -> None:
        if not ctx.has_ui:
            return
        snapshot = await lane.read()
        for warning in snapshot.warnings:
            ctx.ui.notify(f"plan: {warning}", "warning")
        if counts(snapshot.plan).total:
            ctx.ui.notify(f"Plan: {progress(snapshot.plan)} /todo shows it.")
        await show(ctx)

    async def show_another_branch(_event: Mapping[str, Json], ctx: Context) -> None:
        await show(ctx)

    tool = todo_write(
        lane,
        prompts_dir=plan.prompts_dir,
        bounds=plan.bounds,
        is_validated_before=pi.capabilities.validates_arguments,
    )

    async def execute(call_id: str, arguments: Json, ctx: Context) -> ToolResult:
        result = await tool.execute(call_id, arguments, ctx)
        await show(ctx)
        return result

    pi.register_tool(replace(tool, execute=execute))
    register(pi, lane, then=show)
    pi.on("session_start", tell_what_was_found)
    pi.on("session_tree", show_another_branch)
