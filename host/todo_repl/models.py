"""What a model is to the host: something that streams an answer to a request.

The agent knows models by this alone. Who wants an online one asks `connect.py`.
"""

import os
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from todo_context.errors import TodoContextError
from todo_context.pi import Tool
from todo_repl.messages import AssistantMessage, Message

ProviderName = Literal["openai", "anthropic"]

OFFLINE = "offline"
"""The provider of the planner that needs none."""

TIMEOUT_S = 600.0
"""How long a provider may be silent, in seconds. Models that reason send nothing for minutes; it is the
default of the providers' own libraries."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Some more of what the model says."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """Some more of what the model thinks."""

    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The whole answer; nothing follows it."""

    message: AssistantMessage


Delta = TextDelta | ThinkingDelta | Finished


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a summary is to be made of: what was said, the oldest first, and the summary of what came before, if any."""

    messages: tuple[Message, ...]
    earlier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a model is asked. The messages are as `context.repaired` leaves them.

    With `material` they ask for a summary of it; a model that understands no words finds it there.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    material: Material | None = None


class Model(Protocol):
    """A model. Its three names stand in every message it gave."""

    @property
    def name(self) -> str:
        """The model's name at its provider."""
        ...

    @property
    def provider(self) -> str:
        """Who runs it."""
        ...

    @property
    def api(self) -> str:
        """The protocol it is spoken to in, by pi's names."""
        ...

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Answer: deltas as they come, then `Finished`. Closing or cancelling it ends the request.

        Raises:
            ModelError: no whole answer came. What came before it stands.
        """
        ...


@runtime_checkable
class KnowsWindow(Protocol):
    """A model of which may be known how much it takes."""

    async def context_window(self) -> int | None:
        """How many tokens a request and its answer may have together; None where that is not known."""
        ...


class ModelError(TodoContextError):
    """A model gave no answer, or not all of one: whose, what happened, and one step that works."""

    def __init__(
        self, spec: "ModelSpec", fact: str, step: str, *, status: int | None = None, is_too_long: bool = False
    ) -> None:
        """Say it in one line. `status` is the one of HTTP, where there was an answer at all.

        `is_too_long`: the provider refused the request for its length, and would take a shorter one.
        """
        super().__init__(f"{spec.provider}:{spec.name}: {fact} {step}")
        self.provider = spec.provider
        self.name = spec.name
        self.fact = fact
        self.step = step
        self.status = status
        self.is_too_long = is_too_long


@dataclass(frozen=True, slots=True)
class Provider:
    """What is known of a provider before anything is asked of it."""

    api: str
    key_variable: str
    url_variable: str
    url: str


PROVIDERS: Mapping[ProviderName, Provider] = {
    "openai": Provider("openai-completions", "OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1"),
    "anthropic": Provider("anthropic-messages", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """Which model, where, and with which key. What is None comes from the provider's own variables."""

    provider: ProviderName
    name: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout_s: float = TIMEOUT_S

    @property
    def url(self) -> str:
        """Where requests go."""
        known = PROVIDERS[self.provider]
        return self.base_url or os.environ.get(known.url_variable) or known.url

    @property
    def key(self) -> str | None:
        """The key to show, None if there is none."""
        key = self.api_key or os.environ.get(PROVIDERS[self.provider].key_variable) or ""
        return key.strip() or None
