"""A value that may have to be waited for. Of the port, a host answers some things at once or later, as it can."""

import inspect
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def awaited(value: T | Awaitable[T]) -> T:
    """The value, or what the awaitable comes to."""
    return await value if inspect.isawaitable(value) else value
