"""From the name of a model to one that answers: what is needed for it is there, or an error says what to do.

What talks to a provider is `online.py`, loaded with the first request, for its library takes about a second
to import.
"""

import asyncio
import importlib.util
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from todo_repl.models import PROVIDERS, Delta, ModelError, ModelSpec, Request


def online_model(spec: ModelSpec) -> "OnlineModel":
    """The model at its provider. Nothing is asked of it yet.

    Raises:
        ModelError: the library for it is not installed, or the provider wants a key and none is set.
    """
    known = PROVIDERS[spec.provider]
    if importlib.util.find_spec("pydantic_ai") is None:
        raise not_installed(spec)
    # A server of one's own may want no key; the provider itself always does.
    if spec.key is None and spec.url == known.url:
        raise ModelError(spec, "no key is set.", f"Set {known.key_variable}.")
    if spec.key is not None and not spec.key.isascii():
        raise ModelError(spec, "the key holds a character that no key has.", f"Set {known.key_variable} again.")
    return OnlineModel(spec)


def not_installed(spec: ModelSpec) -> ModelError:
    """The error of a library that is missing, or a part of it."""
    return ModelError(spec, "online models are not installed.", "Run: pip install 'todo-context[models]'")


@dataclass(frozen=True, slots=True)
class OnlineModel:
    """A model at its provider. With a `reason` it cannot be asked, and says so when it is; /todo needs none."""

    spec: ModelSpec
    reason: ModelError | None = None

    @property
    def name(self) -> str:
        """The name at the provider."""
        return self.spec.name

    @property
    def provider(self) -> str:
        """Who runs it."""
        return self.spec.provider

    @property
    def api(self) -> str:
        """The protocol it is spoken to in."""
        return PROVIDERS[self.spec.provider].api

    async def context_window(self) -> int | None:
        """How much it takes, in tokens, where the library knows the model; as `KnowsWindow.context_window`."""
        if self.reason is not None:
            return None
        try:
            await asyncio.to_thread(_load, self.spec)
        except ModelError:
            return None  # The request that follows says it.
        from todo_repl import online  # noqa: PLC0415 - heavy; it is loaded by now

        return await online.context_window(self.spec)

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Ask the provider; as `Model.stream`."""
        if self.reason is not None:
            raise self.reason
        # In a thread: the screen stays alive during a first import.
        await asyncio.to_thread(_load, self.spec)
        from todo_repl import online  # noqa: PLC0415 - heavy; it is loaded by now

        async with aclosing(online.stream(self.spec, request)) as deltas:
            async for delta in deltas:
                yield delta


def _load(spec: ModelSpec) -> None:
    try:
        from todo_repl import online  # noqa: PLC0415 - heavy, and its library may be missing

        online.load(spec.provider)
    except ImportError as error:
        raise not_installed(spec) from error
