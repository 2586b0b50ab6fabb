"""The loop: ask the model, run the tools it calls, ask again, until it calls none.

What was seen is in the session: the person's words before anything else learns of them, an answer as soon as it
ends or breaks off, a result as soon as its tool has ended, both as the handlers of `message_end` leave them. So
an abort or an error loses nothing, also where it comes while such a handler is at work.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextvars import ContextVar, copy_context
from dataclasses import KW_ONLY, dataclass, field
from itertools import count
from typing import TypeVar

from todo_context.errors import TodoContextError
from todo_context.pi import Context, Tool
from todo_context.plan.model import Json
from todo_repl import agent_events as events
from todo_repl.agent_events import AgentEvent, CompactionEnd, Emit, MessageEnded, OnEvent, RunEnd, RunEnded
from todo_repl.asking import CHANGED, Asking
from todo_repl.compaction import STOPPED, Compacting, Compactor
from todo_repl.messages import AssistantMessage, Message, ToolResultMessage, UserMessage, now_ms, text_of
from todo_repl.models import Model
from todo_repl.session import Session, SessionError
from todo_repl.steering import CustomMessage, Said, Steering
from todo_repl.tool_round import ToolRound

__all__ = ["CHANGED", "IS_OF_RUN", "Agent", "AgentEvent", "CustomMessage", "RunEnd"]

T = TypeVar("T")

IS_OF_RUN = ContextVar("is_of_run", default=False)
"""Whether what is done now is a part of a run, which waits for it. What the person begins meanwhile is none."""


class _Aborted(Exception):  # noqa: N818 (no error: the person wanted it)
    """What was under way ended by an abort."""


@dataclass(slots=True)
class _Run:
    """What a run knows while it is on: `messages` are those since the agent started, in pi's shapes."""

    asking: Asking
    system_prompt: str
    is_prepared: bool = False
    requests: int = 0
    messages: list[Json] = field(default_factory=list[Json])


@dataclass(eq=False)
class Agent:
    """One session's agent: one run at a time.

    `tools` is asked before every request, of which a run makes `max_rounds` at most. `emit` is called with
    what the screen shows, `on_event` with what extensions are told and may change; neither may raise.
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
    compacting: Compacting = field(default=Compacting())
    wants_turn: bool = field(default=False, init=False)
    """Whether a message that came between two runs asked for one."""
    refused: list[Message] = field(default_factory=list[Message], init=False)
    """What was seen and is in no session, which did not take it: answers, and results of tools."""
    _unsaid: list[str] = field(default_factory=list[str], init=False, repr=False)
    _work: "asyncio.Task[object] | None" = field(default=None, init=False, repr=False)
    _is_running: bool = field(default=False, init=False, repr=False)
    _is_aborted: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        self._steering = Steering(self.session)
        self._compactor = Compactor(self.session, self.model, self.compacting, self.emit, self._tell)

    @property
    def is_running(self) -> bool:
        """Whether a run is on, from its first step to the last event told of it."""
        return self._is_running

    @property
    def waiting(self) -> Sequence[str]:
        """What the person said while a run is on, and no request has taken yet."""
        return self._steering.said

    async def run(self, text: str | None, *, is_shown: bool = True) -> RunEnd:
        """Answer the person, with as many requests and tools as it takes. Without a text, answer what is stored.

        `is_shown`: the person sees their text among what was said. Errors of the model and of the session are in
        what it returns.

        Raises:
            TodoContextError: a run is on already.
        """
        self._begin()
        self.wants_turn = False
        try:
            end = await self._whole_run(None if text is None else Said(text=text, is_shown=is_shown))
        finally:
            self._is_running = False
            # Also where the program ends in the middle of it.
            self._unsaid.extend(self._steering.take_back())
        self.emit(RunEnded(end))
        return end

    async def compact(self, wish: str = "") -> CompactionEnd:
        """Have older messages become a summary that keeps, above all, what the person wishes. An abort ends it.

        Raises:
            TodoContextError: a run is on.
            SessionError: the session cannot be read or written.
        """
        self._begin()
        try:
            return await self._abortable(self._compactor.by_request(wish))
        except _Aborted:
            return STOPPED
        finally:
            self._is_running = False
            # What a handler said meanwhile waited, as in a run.
            self._unsaid.extend(self._steering.take_back())
            self.wants_turn = self.wants_turn or self._steering.wants_turn
            for _ in self._steering.stored():
                pass

    def abort(self) -> None:
        """End the run that is on, if one is. `run` then returns with the reason "aborted", and so does `compact`."""
        self._is_aborted = self._is_running
        if self._work is not None:
            self._work.cancel()

    def steer(self, message: CustomMessage) -> None:
        """Have the model read a message of an extension with the next request, which a run then makes.

        Raises:
            SessionError: no run is on, and the message could not be stored.
        """
        if self._is_running:
            self._steering.add(message)
        else:
            self._steering.store(message)
            self.wants_turn = self.wants_turn or message.trigger_turn

    def say(self, message: Said) -> None:
        """Have the model read, with the next request of the run that is on, what the person says meanwhile.

        Each of them counts anew towards the most requests of a run.
        """
        self._steering.add(message)

    def take_back(self) -> Sequence[str]:
        """What the person said and no request took, for the run or the compaction was over; it is told once."""
        unsaid, self._unsaid = self._unsaid, []
        return unsaid

    def _begin(self) -> None:
        if self._is_running:
            raise TodoContextError("a run is on. Abort it, or wait for its end.")
        self._is_running, self._is_aborted = True, False

    async def _whole_run(self, words: Said | None) -> RunEnd:
        def store(answer: AssistantMessage) -> None:
            self._append(answer)
            run.messages.append(answer.to_json())
            self.emit(MessageEnded(answer))

        asking = Asking(self.session, self.model, self._compactor, self.emit, self._tell, store)
        run, said = _Run(asking, self.system_prompt), None
        if words is not None:
            said = UserMessage(words.text, now_ms())
            try:
                self.session.append_message(said.to_json())
            except SessionError as error:
                self._unsaid.append(words.text)
                return RunEnd("error", str(error))
            run.messages.append(said.to_json())
            self.emit(MessageEnded(said, words.is_shown))
        while True:
            end = await self._ended(self._rounds(run, said))
            end = await self._ended(self._tell_end(run, end))
            if end.reason != "stop" or self._is_aborted or not self._steering.wants_turn:
                return self._with_steering_stored(end)
            said = None

    async def _ended(self, part: Coroutine[None, None, RunEnd]) -> RunEnd:
        """Do a part of the run; how the run ended, if that did."""
        try:
            return await self._abortable(part)
        except SessionError as error:
            return RunEnd("error", str(error))
        except _Aborted:
            return RunEnd("aborted")

    async def _abortable(self, part: Coroutine[None, None, T]) -> T:
        context = copy_context()
        context.run(IS_OF_RUN.set, True)  # noqa: FBT003 (the value of a variable)
        work = self._work = asyncio.create_task(part, context=context)
        try:
            return await work
        except asyncio.CancelledError as cancelled:
            if not self._is_aborted or _is_being_cancelled():
                raise
            raise _Aborted from cancelled
        finally:
            self._work = None

    async def _tell_end(self, run: _Run, end: RunEnd) -> RunEnd:
        messages, run.messages = run.messages, []
        await self._tell(events.agent_end(end.reason, messages))
        return end

    async def _rounds(self, run: _Run, said: UserMessage | None) -> RunEnd:
        if not run.is_prepared:
            run.is_prepared = True
            await self._let_prepare(run, "" if said is None else said.text)
        await self._tell({"type": "agent_start"})
        for index in count():
            if self._steering.said:
                run.requests = 0
            if run.requests == self.max_rounds:
                break
            run.requests += 1
            await self._tell(events.turn_start(index))
            if index == 0 and said is not None:
                await self._tell(events.message_end(said))
            for message, shape in self._steering.stored():
                run.messages.append(shape)
                if isinstance(message, Said):
                    self.emit(MessageEnded(UserMessage(message.text, now_ms()), message.is_shown))
                await self._tell(events.stored_message_end(shape))
            if self._is_aborted:
                return RunEnd("aborted")
            answer = await self._round(run, index)
            if answer.stop_reason == "error":
                return RunEnd("error", answer.error_message)
            if not answer.calls and not self._steering:
                return RunEnd("stop")
        return RunEnd("limit", f"{self.max_rounds} requests in one run, and no end. Send a message to go on.")

    async def _let_prepare(self, run: _Run, prompt: str) -> None:
        left = await self._tell(events.before_agent_start(prompt, run.system_prompt))
        run.system_prompt = str(left["systemPrompt"])
        messages = left.get("messages")
        for message in messages if isinstance(messages, list) else ():
            if isinstance(message, dict):
                custom_type, text = str(message["customType"]), text_of(message["content"])
                is_shown = message["display"] is True
                self._steering.add(CustomMessage(custom_type=custom_type, text=text, display=is_shown))

    async def _round(self, run: _Run, index: int) -> AssistantMessage:
        tools = {tool.name: tool for tool in self.tools()}
        answer = await run.asking.answer(run.system_prompt, tuple(tools.values()))

        def store(result: ToolResultMessage) -> None:
            self._append(result)
            run.messages.append(result.to_json())

        results = await ToolRound(tools, self.context, self.emit, self._tell, store).run(answer.calls)
        await self._tell(events.turn_end(index, answer, results))
        return answer

    def _with_steering_stored(self, end: RunEnd) -> RunEnd:
        self._unsaid.extend(self._steering.take_back())
        try:
            for _ in self._steering.stored():
                pass
        except SessionError as error:
            return end if end.reason == "error" else RunEnd("error", str(error))
        return end

    def _append(self, message: Message) -> None:
        try:
            self.session.append_message(message.to_json())
        except SessionError:
            self.refused.append(message)
            raise

    async def _tell(self, event: dict[str, Json]) -> dict[str, Json]:
        left = await self.on_event(str(event["type"]), event)
        return event if left is None else left


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
