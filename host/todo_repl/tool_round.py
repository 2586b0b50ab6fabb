"""The calls of one answer: admitted one after the other, then run side by side.

Each result is stored as soon as its tool has ended and the handlers of `tool_result` and `message_end` let it go.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from todo_context.pi import Context, Tool, ToolResult
from todo_repl import agent_events as events
from todo_repl.agent_events import Emit, Tell, ToolEnded, ToolStarted
from todo_repl.messages import ToolCall, ToolResultMessage, now_ms
from todo_repl.tool_run import label_line, run_tool

ABORT_WAIT_S = 5.0
"""How long an abort waits for tools to clean up, in seconds. One that takes longer is left to itself."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A call as it is to be run; with a `refusal` it is not."""

    call: ToolCall
    refusal: ToolResult | None = None


@dataclass(frozen=True, slots=True)
class ToolRound:
    """The tools of one request, and who is told: `tell` the extensions, `emit` the screen.

    `store` takes a result into the session, or raises a SessionError.
    """

    tools: Mapping[str, Tool]
    context: Context
    emit: Emit
    tell: Tell
    store: Callable[[ToolResultMessage], None]

    async def run(self, calls: Sequence[ToolCall]) -> Sequence[ToolResultMessage]:
        """Run them all; their results, in the order of the calls.

        Raises:
            SessionError: a result could not be stored.
        """
        if not calls:
            return ()
        # A handler may ask the person: one question at a time.
        admitted = [await self._admit(call) for call in calls]
        tasks = [asyncio.create_task(self._run(each)) for each in admitted]
        for task in tasks:
            task.add_done_callback(_look_at_exception)
        try:
            # Not gather: cancelled, it waits for ever for a tool that does not listen.
            ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
            for task in ended:
                task.result()
            return [task.result() for task in tasks]
        except BaseException:
            # Aborted, or a result could not be stored: then no further one can be.
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=ABORT_WAIT_S)
            raise

    async def _admit(self, call: ToolCall) -> Admitted:
        if call.name not in self.tools:
            return Admitted(call)
        left = await self.tell(events.tool_call(call))
        if left.get("block"):
            return Admitted(call, ToolResult(text=str(left["reason"]), is_error=True))
        changed = left["input"]
        if changed == call.sent or not isinstance(changed, dict):
            return Admitted(call)
        return Admitted(replace(call, arguments=changed, raw=None))

    async def _run(self, admitted: Admitted) -> ToolResultMessage:
        call, tool = admitted.call, self.tools.get(admitted.call.name)
        self.emit(ToolStarted(call, label_line(call, tool)))
        result = admitted.refusal or await run_tool(call, self.tools, self.context)
        message = ToolResultMessage(
            call_id=call.id,
            tool_name=call.name,
            text=result.text,
            details=result.details,
            is_error=result.is_error,
            timestamp_ms=now_ms(),
        )
        try:
            if tool is not None and admitted.refusal is None:
                message = await events.let_patch(call, message, self.tell)
            message = await events.let_change(message, self.tell)
        finally:
            # An abort may come while a handler is at work: the tool has run all the same.
            self.store(message)
            shown = ToolResult(text=message.text, details=message.details, is_error=message.is_error)
            self.emit(ToolEnded(call, tool, shown))
            self.emit(events.MessageEnded(message))
        return message


def _look_at_exception(task: "asyncio.Task[ToolResultMessage]") -> None:
    # Else the event loop prints a trace of the one whose exception nobody waits for any more.
    if not task.cancelled():
        task.exception()
