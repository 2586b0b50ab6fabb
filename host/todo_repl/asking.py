"""One answer of the model: what it is asked, what comes, and what is kept of it.

What was seen is stored, whole or as far as it came, as the handlers of `message_end` leave it. When the conversation
grows too long for the model, older messages become a summary first: once before a request, and once when the provider
refuses it.
"""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from todo_context.pi import Tool
from todo_repl import agent_events as events
from todo_repl.agent_events import Emit, Tell
from todo_repl.compaction import Compactor
from todo_repl.context import context_of
from todo_repl.draft import Draft
from todo_repl.messages import AssistantMessage, Message
from todo_repl.models import Finished, Model, ModelError, Request, TextDelta
from todo_repl.request_messages import messages_of, sendable
from todo_repl.session import Session

CHANGED = "(An extension changed this answer. It is kept as:)"
"""Shown below an answer that `message_end` changed after it was streamed: what is in the session was seen."""


@dataclass(eq=False)
class Asking:
    """The requests of one run. `store` takes an answer into the session, or raises a SessionError."""

    session: Session
    model: Model
    compactor: Compactor
    emit: Emit
    tell: Tell
    store: Callable[[AssistantMessage], None]
    _may_compact: bool = field(default=True, init=False)
    """Whether compacting by itself did no harm so far; else it would be tried before each request of the run."""

    async def answer(self, system: str, tools: tuple[Tool, ...]) -> AssistantMessage:
        """Ask, with what the session holds now; the answer, which is stored.

        Raises:
            SessionError: it could not be, or the summary.
        """
        if self._may_compact:
            end = await self.compactor.if_full()
            self._may_compact = end is None or end.reason == "done"
        answer, error = await self._streamed(system, tools)
        # Once: if it is refused again, the person reads why.
        if error is not None and error.is_too_long and (await self.compactor.after_refusal()).reason == "done":
            answer, _ = await self._streamed(system, tools)
        return await self._kept(answer)

    async def _streamed(self, system: str, tools: tuple[Tool, ...]) -> tuple[AssistantMessage, ModelError | None]:
        leaf_id = self.session.leaf_id
        request = Request(system=system, messages=await self._messages(leaf_id), tools=tools)
        draft = Draft(self.model, leaf_id)
        try:
            async with aclosing(self.model.stream(request)) as deltas:
                async for delta in deltas:
                    draft.add(delta)
                    if not isinstance(delta, Finished):
                        self.emit(delta)
        except ModelError as error:
            return draft.broken_off("error", str(error)), error
        except asyncio.CancelledError:
            self.store(draft.broken_off("aborted"))
            raise
        return draft.finished(), None

    async def _kept(self, answer: AssistantMessage) -> AssistantMessage:
        kept = answer
        try:
            kept = await events.let_change(answer, self.tell)
        finally:
            if kept.text != answer.text:
                self.emit(TextDelta(f"\n{CHANGED}\n{kept.text}"))
            self.store(kept)
        return kept

    async def _messages(self, leaf_id: str | None) -> tuple[Message, ...]:
        branch = self.session.branch()
        stored = messages_of(branch)
        left = (await self.tell(events.context(stored, leaf_id)))["messages"]
        return sendable(left) if isinstance(left, list) and left is not stored else context_of(branch)
