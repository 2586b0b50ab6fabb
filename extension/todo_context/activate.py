"""The composition root: what the extension offers to a host, wired together.

The only module that imports outward, and late: /todo stands above the extension, yet one call brings both.
"""

from dataclasses import replace

from todo_context.backlog.closing import Closing
from todo_context.backlog.here import Here
from todo_context.backlog.inject import BacklogHooks
from todo_context.backlog.tool import todo
from todo_context.config import settings
from todo_context.guidance import guidance
from todo_context.hooks import Hooks
from todo_context.lane import Lane
from todo_context.pi import Context, Pi, ToolResult
from todo_context.plan.model import Json
from todo_context.settings import Settings
from todo_context.tool import todo_write
from todo_context.widget import Widget


def activate(pi: Pi, *, chosen: Settings | None = None) -> None:
    """Register the tools `todo_write` and `todo`, the commands `/todo` and `/backlog` and the hooks with a host.

    Without `chosen`, the settings are those of this moment.

    Raises:
        TodoContextError: a setting cannot be meant, or a text that one names cannot be used.
    """
    from todo_command import register  # noqa: PLC0415 - outward and late, see above

    found = chosen or settings()
    lane = Lane(pi, auto_start=found.plan.auto_start)
    guided = guidance(found.attention.eager, pi.capabilities, found.plan.prompts_dir)
    widget = Widget(pi, lane, found.panel)
    hooks = Hooks(pi, lane, found.attention, guided.added)
    tool = todo_write(
        lane,
        guided,
        bounds=found.plan.bounds,
        styles=widget.styles,
        is_validated_before=pi.capabilities.validates_arguments,
    )

    here = Here(found.backlog)
    closing = Closing(lane, here)

    async def execute(call_id: str, arguments: Json, ctx: Context) -> ToolResult:
        result = await tool.execute(call_id, arguments, ctx)
        await widget.show(ctx)
        open_items = await closing.for_agent(ctx)
        return replace(result, text=f"{result.text}\n{open_items}") if open_items else result

    pi.register_tool(replace(tool, execute=execute))
    if found.backlog.tool:
        is_validated = pi.capabilities.validates_arguments
        pi.register_tool(todo(here, prompts_dir=found.plan.prompts_dir, is_validated_before=is_validated))
    register(pi, lane, widget, here, closing)
    hooks.register()
    widget.register()
    BacklogHooks(pi, here, closing).register()
