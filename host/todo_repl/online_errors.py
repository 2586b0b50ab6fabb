"""What goes wrong between us and a provider, as one line for the person.

Each error names the model, what happened with the provider's own words, and one step that works. The words
are cut, made safe for a screen, and never show the key.
"""

from collections.abc import Mapping, Sequence
from typing import cast
from urllib.parse import urlsplit

from pydantic_ai import exceptions as wire

from todo_context.plan.text import for_screen
from todo_repl.models import PROVIDERS, ModelError, ModelSpec

MESSAGE_CHARS = 300
"""How much of a provider's message is shown, in characters: three lines of a terminal."""

AGAIN = "Send the message again."
LATER = "Try again in a moment."
SHORTER = "The conversation is too long for the model: start a new session, or use a model that takes more."

STEPS: Sequence[tuple[type[wire.ModelAPIError], str]] = (
    (wire.ModelContextWindowExceededError, SHORTER),
    (wire.ModelQuotaExceededError, "Check the balance and the limits of the account."),
    (wire.ModelAuthenticationError, "Check the key in {key}."),
    (wire.ModelNotFoundError, "Check the name of the model, and the address {url}."),
    (wire.ModelRequestRejectedError, "If it takes no tools, or no such message, use another model."),
    (wire.ModelAPIError, LATER),
)
"""What to do about an error that the provider reports; the first kind that fits. The general kinds come last."""

HTTP_TOO_LARGE = 413
"""The library has no kind of its own for it."""

TOO_LONG = (
    "prompt is too long",  # Anthropic
    "prompt too long",  # Ollama
    "context window",  # OpenAI, MiniMax
    "context length",  # OpenRouter, Together, LM Studio, vLLM
    "context size",  # llama.cpp
    "maximum prompt length",  # xAI
    "model token limit",  # Kimi
    "input is too long",  # Bedrock
)
"""How providers say it whose errors the library takes for refusals of any kind. Source: what pi knows them by."""

NOT_LENGTH = (
    wire.ModelRateLimitError,
    wire.ModelQuotaExceededError,
    wire.ModelAuthenticationError,
    wire.ModelNotFoundError,
    wire.ModelUnavailableError,
)
"""Errors of another kind, whose messages may speak of lengths too."""


def model_error(spec: ModelSpec, error: Exception) -> ModelError:
    """Say what an exception of the library, or of anything below it, means for the person."""
    match error:
        case ModelError():
            return error
        case wire.ModelTimeoutError():
            return ModelError(spec, f"nothing came for {spec.timeout_s:g} s.", AGAIN)
        case wire.ModelConnectionError(phase="read"):
            return broke_off(spec, _cause(error))
        case wire.ModelConnectionError():
            fact = f"no connection: {_sentence(spec, _cause(error))}"
            return ModelError(spec, fact, f"Is a server at {_shown_url(spec)}?")
        case wire.ModelAPIError():
            return _reported(spec, error)
        case _:
            words = str(error) or type(error).__name__
            return ModelError(spec, f"the request failed: {_sentence(spec, words)}", AGAIN)


def broke_off(spec: ModelSpec, words: str) -> ModelError:
    """The error of an answer that ended before its end."""
    return ModelError(spec, f"the answer broke off: {_sentence(spec, words)}", AGAIN)


def stopped_by_filter(spec: ModelSpec) -> ModelError:
    """The error of an answer that the provider withheld, or the rest of it."""
    return ModelError(spec, "the provider's content filter stopped the answer.", "Say it in other words.")


def _reported(spec: ModelSpec, error: wire.ModelAPIError) -> ModelError:
    status = error.status_code if isinstance(error, wire.ModelHTTPError) else None
    words = _sentence(spec, _words(error.body) or error.message)
    fact = f"the provider reports: {words}" if status is None else f"HTTP {status}: {words}"
    is_too_long = status == HTTP_TOO_LARGE or _says_too_long(error, words)
    step = SHORTER if is_too_long else next(step for kind, step in STEPS if isinstance(error, kind))
    key = PROVIDERS[spec.provider].key_variable
    step = step.format(key=key, url=_shown_url(spec))
    return ModelError(spec, fact, step, status=status, is_too_long=is_too_long)


def _says_too_long(error: wire.ModelAPIError, words: str) -> bool:
    if isinstance(error, wire.ModelContextWindowExceededError):
        return True
    return not isinstance(error, NOT_LENGTH) and any(phrase in words.casefold() for phrase in TOO_LONG)


def _cause(error: wire.ModelConnectionError) -> str:
    """The words of the deepest cause: the ones above it only say that there was an error."""
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    return str(cause)


def _words(body: object) -> str:
    """The message in the body of an error: {"error": {"message": …}}, {"message": …}, or text."""
    if not isinstance(body, Mapping):
        return body if isinstance(body, str) else ""
    keyed = cast("Mapping[object, object]", body)
    for key in ("error", "message", "detail"):
        if words := _words(keyed.get(key)):
            return words
    return ""


def _sentence(spec: ModelSpec, words: str) -> str:
    """The first line, safe to show, cut, with one full stop at its end."""
    first = words.strip().split("\n", 1)[0]
    if spec.key:
        first = first.replace(spec.key, "…")
    first = for_screen(first).strip()
    if len(first) > MESSAGE_CHARS:
        return f"{first[: MESSAGE_CHARS - 1]}…"
    return f"{first.removesuffix('.')}."


def _shown_url(spec: ModelSpec) -> str:
    # An address may hold a name and a password.
    parts = urlsplit(spec.url)
    return for_screen(parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl())
