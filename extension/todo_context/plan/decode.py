"""Values as models send them -> JSON values; and values in words.

Text that holds an object or a list is read as that: as JSON, or as a Python literal. Nothing is evaluated.
"""

import ast
import json
import warnings
from typing import cast

from todo_context.plan.model import Json
from todo_context.plan.names import quoted

EXAMPLE = '{"ops":[{"op":"done","task":"Write it"}]}'
"""A call that works."""

LITERAL_CHARACTERS = 200_000
"""Up to this length a text is tried as a Python literal: the parser's memory grows with it."""


INTEGER_BITS = 1_000
"""Up to this size a whole number is shown. Python refuses to write one of thousands of digits."""


class UnreadableError(Exception):
    """A value that cannot be read as what it should be. Caught by `accept`, which makes a problem of it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


def decoded(raw: object) -> Json:
    """The value, as JSON.

    Raises:
        UnreadableError: it is text that begins like an object or a list, and is none.
    """
    if isinstance(raw, str) and looks_structured(raw):
        return _parsed(raw)
    # What `json.loads` makes is JSON all the way down; anything else an in-process caller sends is told as text.
    return cast("Json", raw) if raw is None or isinstance(raw, bool | int | float | str | list | dict) else str(raw)


def is_too_long(value: float) -> bool:
    """Whether a number has too many digits to be written."""
    return isinstance(value, int) and value.bit_length() > INTEGER_BITS


def looks_structured(text: str) -> bool:
    """Whether a text begins like an object or a list."""
    return text.lstrip().startswith(("{", "["))


def in_words(value: Json) -> str:
    """What a value is, and what it holds where that is short: the number 5, the text "x", a list."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f"the text {quoted(value)}"
        case int() | float():
            return "a very large number" if is_too_long(value) else f"the number {value}"
        case dict():
            return "an object"
        case list():
            return "a list"


def _parsed(text: str) -> Json:
    try:
        return cast("Json", json.loads(text))
    except (ValueError, RecursionError):
        pass
    if len(text) <= LITERAL_CHARACTERS:
        try:
            # Through JSON, so that what Python has and JSON has not (sets, tuples, bytes) becomes a list or fails.
            with warnings.catch_warnings():
                # Python 3.12 and later write of a model's backslash to the terminal.
                warnings.simplefilter("ignore")
                return cast("Json", json.loads(json.dumps(ast.literal_eval(text.strip()))))
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            pass
    raise UnreadableError("shape", f"{quoted(text)} is no JSON. Send an object such as {EXAMPLE}.")
