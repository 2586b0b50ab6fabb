"""One prompt, one answer, for scripts: `-p`. As text the last thing said, or every message as JSON.

Nobody can be asked.
"""

import asyncio
import json
from collections.abc import Mapping

from todo_context.pi import Answer
from todo_context.plan.load import plan_to_json
from todo_context.plan.model import Json
from todo_context.plan.replay import plan_of
from todo_repl.agent_events import AgentEvent, MessageEnded, RunEnded
from todo_repl.messages import AssistantMessage
from todo_repl.models import TextDelta
from todo_repl.runtime import Runtime, Submitted
from todo_repl.signals import on_interrupt
from todo_repl.ui.lines import LinesFront
from todo_repl.ui.output import Output


class OnceFront(LinesFront):
    """Keeps what is said until it is known to be the last. Errors are shown at once."""

    def __init__(self, out: Output, err: Output, *, as_json: bool) -> None:
        super().__init__(out, err)
        self._as_json = as_json
        self._said = Answer(text="")
        self._reason = "command"
        self._unfinished = ""

    def answer(self, answer: Answer) -> None:
        """Keep what a command said."""
        self._said = answer
        if answer.is_error:
            self._reason = "error"
            super().answer(answer)

    def show(self, event: AgentEvent) -> None:
        """Keep the newest answer of the model."""
        match event:
            case TextDelta(text):
                self._unfinished += text
            case MessageEnded(message):
                self._unfinished = ""
                if self._as_json:
                    self._json(message.to_json())
                if isinstance(message, AssistantMessage):
                    self._said = Answer(text=message.text)
            case RunEnded(end):
                self._reason = end.reason
                # An answer that could not be stored has no end of its own, and is said all the same.
                if self._unfinished.strip():
                    self._said = Answer(text=self._unfinished)
                super().show(event)
            case _:
                pass

    def finish(self, plan: Json) -> None:
        """Print what was said last; as JSON with how it ended, and the plan."""
        if self._as_json:
            text = self._said.text
            self._json({"type": "result", "text": text, "reason": self._reason, "plan": plan})
        elif self._said.text and not self._said.is_error:
            super().answer(self._said)

    def _json(self, value: Mapping[str, Json]) -> None:
        # ASCII: JSON's own escapes keep every control from the screen.
        self.out.write(json.dumps(value, ensure_ascii=True) + "\n")


async def run_once(runtime: Runtime, front: OnceFront, text: str) -> Submitted:
    """Submit the one text; how it ended."""
    this = asyncio.current_task()

    def stop() -> None:
        if not runtime.abort() and this is not None:
            this.cancel()

    with on_interrupt(stop):
        ended = await runtime.submit(text)
    front.finish(plan_to_json(plan_of(runtime.session.branch())))
    return ended
