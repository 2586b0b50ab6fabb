"""The arguments of a tool call, as a model sends them: text that should be a JSON object.

Pure. What is read here can be stored, and sent again, whatever a model wrote.
"""

import json
from typing import NoReturn

from todo_context.plan.model import Json

MAX_DEPTH = 64
"""Nesting that is still read as JSON, in levels. Python's own JSON gives up near 1000, and a session file and
a request put levels of their own around it."""


def arguments_of(text: str) -> dict[str, Json] | None:
    """Read the object; None if the text is anything else. Blank text stands for no arguments."""
    if not text.strip():
        return {}
    try:
        value: Json = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and _is_shallow(value, MAX_DEPTH) else None


def _refuse(constant: str) -> NoReturn:
    # NaN and infinity are no JSON: another reader of the file would stumble over them.
    raise ValueError(constant)


def _is_shallow(value: Json, levels: int) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return True
    return levels > 0 and all(_is_shallow(item, levels - 1) for item in value)
