"""One call of a tool, from the model's words to a result.

Tools belong to extensions: whatever one does, there is a result that the model can act on and the session
can store, and a line for the screen.
"""

import asyncio
import json
from collections.abc import Mapping

from todo_context.pi import Context, Tool, ToolResult
from todo_context.plan.text import for_screen
from todo_repl.messages import ToolCall

ERROR_CHARS = 300
"""How much of an exception the model is told, in characters: its kind and message, no trace."""


async def run_tool(call: ToolCall, tools: Mapping[str, Tool], context: Context) -> ToolResult:
    """Run the tool that is called. What it raises becomes a result, unless we are being cancelled."""
    tool = tools.get(call.name)
    if tool is None:
        there_are = f"Tools: {', '.join(tools)}." if tools else "There are none in this session."
        return ToolResult(text=f'There is no tool "{call.name}". {there_are}', is_error=True)
    try:
        result: object = await tool.execute(call.id, call.sent, context)
        return _storable(result)
    except asyncio.CancelledError as error:
        # Only a cancellation from outside is ours to follow; a tool may let one of its own escape.
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return _failed(call, error)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the code of an extension may raise anything, and the run goes on
        return _failed(call, error)


def label_line(call: ToolCall, tool: Tool | None) -> str:
    """What the screen shows of a call: the tool's own line, else its name."""
    if tool is None:
        return for_screen(call.name)
    try:
        line = tool.render_call(call.sent) if tool.render_call else ""
    except Exception:  # noqa: BLE001 - a line for the screen is not worth a run
        line = ""
    return for_screen(line or tool.label or tool.name)


def _storable(result: object) -> ToolResult:
    if not isinstance(result, ToolResult):
        raise TypeError(f"its answer is no ToolResult but {type(result).__name__}")
    json.dumps(None if result.details is None else dict(result.details))
    return result


def _failed(call: ToolCall, error: BaseException) -> ToolResult:
    words = for_screen(f"{type(error).__name__}: {error}".removesuffix(": "))
    if len(words) > ERROR_CHARS:
        words = f"{words[: ERROR_CHARS - 1]}…"
    return ToolResult(text=f'The tool "{call.name}" failed: {words}', is_error=True)
