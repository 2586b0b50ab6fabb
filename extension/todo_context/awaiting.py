"""A value that may have to be waited for. Of the port, a host answers some things at once or later, as it can."""

from collections.abc import Awaitable
from typing import TypeVar, cast

T = TypeVar("T")


async def awaited(value: T | Awaitable[T]) -> T:
    """The value, or what the awaitable comes to."""
    if isinstance(value, Awaitable):
        return await cast("Awaitable[T]", value)
    return value
