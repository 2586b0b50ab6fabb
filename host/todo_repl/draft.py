"""An answer while it is being streamed: what the person has seen of it so far.

However a stream ends, a message comes out: the whole one, or one of what there was.
"""

from dataclasses import replace
from itertools import groupby

from todo_repl.messages import AssistantMessage, StopReason, TextPart, ThinkingPart, now_ms
from todo_repl.models import Delta, Finished, Model, TextDelta, ThinkingDelta

NO_END = "the model's answer has no end. Send the message again."
"""Of a model that does not keep to its contract."""


class Draft:
    """One answer of this model, to a request that was built from this leaf."""

    def __init__(self, model: Model, leaf_id: str | None = None) -> None:
        self._model = model
        self._leaf_id = leaf_id
        self._seen: list[TextDelta | ThinkingDelta] = []
        self._whole: AssistantMessage | None = None

    def add(self, delta: Delta) -> None:
        """Take in what came."""
        if isinstance(delta, Finished):
            self._whole = replace(delta.message, leaf_id=self._leaf_id)
        else:
            self._seen.append(delta)

    def finished(self) -> AssistantMessage:
        """The message of a stream that came to its end."""
        return self._whole or self.broken_off("error", NO_END)

    def broken_off(self, reason: StopReason, error: str | None = None) -> AssistantMessage:
        """The message of a stream that did not, unless nothing but its closing was missing."""
        return self._whole or AssistantMessage(
            parts=self._parts(),
            provider=self._model.provider,
            model=self._model.name,
            api=self._model.api,
            stop_reason=reason,
            error_message=error,
            leaf_id=self._leaf_id,
            timestamp_ms=now_ms(),
        )

    def _parts(self) -> tuple[TextPart | ThinkingPart, ...]:
        runs = [(kind, "".join(delta.text for delta in run)) for kind, run in groupby(self._seen, type)]
        return tuple(TextPart(text) if kind is TextDelta else ThinkingPart(text) for kind, text in runs)
