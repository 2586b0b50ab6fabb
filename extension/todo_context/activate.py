"""The composition root: what the extension offers to a host, wired together.

The only module that imports outward, and late: /todo stands above the extension, yet one call brings both.
"""

from dataclasses import replace

from todo_context.config import Settings, settings
from todo_context.hooks import Hooks
from todo_context.lane import Lane
from todo_context.pi import Context, Pi, ToolResult
from todo_context.plan.model import Json
from todo_context.tool import todo_write


def activate(pi: Pi, *, chosen: Settings | None = None) -> None:
    """Register the tool `todo_write`, the command `/todo` and the hooks with a host.

    Without `chosen`, the settings are those of this moment.

    Raises:
        TodoContextError: a setting cannot be meant, or a text that one names cannot be used.
    """
    from todo_command import register  # noqa: PLC0415 - outward and late, see above

    found = chosen or settings()
    lane = Lane(pi, auto_start=found.plan.auto_start)
    hooks = Hooks(pi, lane, found.attention)
    tool = todo_write(
        lane,
        prompts_dir=found.plan.prompts_dir,
        bounds=found.plan.bounds,
        is_validated_before=pi.capabilities.validates_arguments,
    )

    async def execute(call_id: str, arguments: Json, ctx: Context) -> ToolResult:
        result = await tool.execute(call_id, arguments, ctx)
        await hooks.show(ctx)
        return result

    pi.register_tool(replace(tool, execute=execute))
    register(pi, lane, then=hooks.show)
    hooks.register()
