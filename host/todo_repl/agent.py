"""The loop: ask the model, run the tools it calls, ask again, until it calls none.

Whatever happened is in the session before anything else learns of it: the person's words before the first
request, an answer as soon as it ends or breaks off, a result as soon as its tool has ended. So an abort, an
error or the death of the process loses nothing that was seen.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import KW_ONLY, dataclass, field

from todo_context.errors import TodoContextError
from todo_context.pi import Context, Tool
from todo_context.plan.model import Json
from todo_repl import agent_events as events
from todo_repl.agent_events import AgentEvent, Emit, MessageEnded, OnEvent, RunEnd, RunEnded, ToolEnded, ToolStarted
from todo_repl.context import context_of
from todo_repl.draft import Draft
from todo_repl.messages import AssistantMessage, Message, ToolCall, ToolResultMessage, UserMessage, now_ms
from todo_repl.models import Finished, Model, ModelError, Request
from todo_repl.session import Session, SessionError
from todo_repl.tool_run import label_line, run_tool

__all__ = ["Agent", "AgentEvent", "CustomMessage", "RunEnd"]

ABORT_WAIT_S = 5.0
"""How long an abort waits for tools to clean up, in seconds. One that takes longer is left to itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomMessage:
    """A message of an extension: the model reads it, and the person if `display`."""

    custom_type: str
    text: str
    display: bool = True


@dataclass(eq=False)
class Agent:
    """One session's agent: one run at a time.

    `tools` is asked before every request, of which a run makes `max_rounds` at most. `emit` is called with
    what the screen shows, `on_event` with what extensions are told; neither may raise.
    """

    session: Session
    model: Model
    _: KW_ONLY
    tools: Callable[[], Sequence[Tool]]
    context: Context
    emit: Emit
    on_event: OnEvent
    system_prompt: str
    max_rounds: int
    _work: "asyncio.Task[RunEnd] | None" = field(default=None, init=False, repr=False)
    _is_running: bool = field(default=False, init=False, repr=False)
    _is_aborted: bool = field(default=False, init=False, repr=False)
    _queue: list[CustomMessage] = field(default_factory=list[CustomMessage], init=False, repr=False)

    @property
    def is_running(self) -> bool:
        """Whether a run is on, from its first step to the last event told of it."""
        return self._is_running

    async def run(self, text: str) -> RunEnd:
        """Answer the person, with as many requests and tools as it takes.

        Errors of the model and of the session are in what it returns.

        Raises:
            TodoContextError: a run is on already.
        """
        if self._is_running:
            raise TodoContextError("a run is on. Abort it, or wait for its end.")
        self._is_running, self._is_aborted = True, False
        try:
            end = await self._whole_run(text)
        finally:
            self._is_running = False
        self.emit(RunEnded(end))
        return end

    def abort(self) -> None:
        """End the run that is on, if one is. `run` then returns with the reason "aborted"."""
        self._is_aborted = self._is_running
        if self._work is not None:
            self._work.cancel()

    def steer(self, message: CustomMessage) -> None:
        """Have the model read a message of an extension with the next request, which a run then makes.

        Raises:
            SessionError: no run is on, and the message could not be stored.
        """
        if self._is_running:
            self._queue.append(message)
        else:
            self._store_custom(message)

    async def _whole_run(self, text: str) -> RunEnd:
        said = UserMessage(text, now_ms())
        try:
            self._store(said)
            self._work = asyncio.create_task(self._run_rounds(said))
            end = await self._work
        except SessionError as error:
            end = RunEnd("error", str(error))
        except asyncio.CancelledError:
            if not self._is_aborted or _is_being_cancelled():
                raise
            end = RunEnd("aborted")
        finally:
            self._work = None
        await self._tell({"type": "agent_end", "reason": end.reason})
        return self._with_queue_stored(end)

    async def _run_rounds(self, said: UserMessage) -> RunEnd:
        await self._tell({"type": "agent_start"})
        for index in range(self.max_rounds):
            await self._tell({"type": "turn_start", "turnIndex": index})
            if index == 0:
                await self._tell(events.message_end(said))
            await self._take_queue()
            if self._is_aborted:
                return RunEnd("aborted")
            answer = await self._run_round(index)
            if answer.stop_reason == "error":
                return RunEnd("error", answer.error_message)
            if not answer.calls and not self._queue:
                return RunEnd("stop")
        return RunEnd("limit", f"{self.max_rounds} requests in one run, and no end. Send a message to go on.")

    async def _run_round(self, index: int) -> AssistantMessage:
        tools = {tool.name: tool for tool in self.tools()}
        answer = await self._answer(tuple(tools.values()))
        await self._tell(events.message_end(answer))
        results = await self._run_tools(answer.calls, tools)
        await self._tell(events.turn_end(index, answer, results))
        return answer

    async def _answer(self, tools: tuple[Tool, ...]) -> AssistantMessage:
        request = Request(system=self.system_prompt, messages=context_of(self.session.branch()), tools=tools)
        draft = Draft(self.model)
        try:
            async with aclosing(self.model.stream(request)) as deltas:
                async for delta in deltas:
                    draft.add(delta)
                    if not isinstance(delta, Finished):
                        self.emit(delta)
        except ModelError as error:
            answer = draft.broken_off("error", str(error))
        except asyncio.CancelledError:
            self._store(draft.broken_off("aborted"))
            raise
        else:
            answer = draft.finished()
        self._store(answer)
        return answer

    async def _run_tools(self, calls: Sequence[ToolCall], tools: dict[str, Tool]) -> Sequence[ToolResultMessage]:
        if not calls:
            return ()
        tasks = [asyncio.create_task(self._run_tool(call, tools)) for call in calls]
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

    async def _run_tool(self, call: ToolCall, tools: dict[str, Tool]) -> ToolResultMessage:
        tool = tools.get(call.name)
        self.emit(ToolStarted(call, label_line(call, tool)))
        await self._tell(events.tool_call(call))
        result = await run_tool(call, tools, self.context)
        message = ToolResultMessage(
            call_id=call.id,
            tool_name=call.name,
            text=result.text,
            details=result.details,
            is_error=result.is_error,
            timestamp_ms=now_ms(),
        )
        self.session.append_message(message.to_json())
        self.emit(ToolEnded(call, tool, result))
        self.emit(MessageEnded(message))
        await self._tell(events.tool_result(call, message))
        await self._tell(events.message_end(message))
        return message

    async def _take_queue(self) -> None:
        while self._queue:
            # Stored first: one that cannot be stays in the queue.
            message = self._queue[0]
            self._store_custom(message)
            del self._queue[0]
            await self._tell(events.custom_message_end(message.custom_type, message.text, display=message.display))

    def _with_queue_stored(self, end: RunEnd) -> RunEnd:
        try:
            while self._queue:
                self._store_custom(self._queue[0])
                del self._queue[0]
        except SessionError as error:
            return end if end.reason == "error" else RunEnd("error", str(error))
        return end

    def _store(self, message: Message) -> None:
        self.session.append_message(message.to_json())
        self.emit(MessageEnded(message))

    def _store_custom(self, message: CustomMessage) -> None:
        self.session.append_custom_message(message.custom_type, message.text, display=message.display)

    async def _tell(self, event: dict[str, Json]) -> None:
        await self.on_event(str(event["type"]), event)


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _look_at_exception(task: "asyncio.Task[ToolResultMessage]") -> None:
    # Else the event loop prints a trace of the one whose exception nobody waits for any more.
    if not task.cancelled():
        task.exception()
