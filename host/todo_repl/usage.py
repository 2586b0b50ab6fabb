"""What one request took, in tokens and in money.

Pure. Source: pi session format, version 3, the key `usage` of an assistant message.
"""

from dataclasses import dataclass, field

from todo_context.plan.model import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Prices in US dollars; 0 where they are not known."""

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0
    total: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one request. `input` counts none that came from the cache or went into it."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: Cost = field(default=Cost())

    def to_json(self) -> dict[str, Json]:
        """Give pi's shape."""
        cost = self.cost
        return {
            "input": self.input,
            "output": self.output,
            "cacheRead": self.cache_read,
            "cacheWrite": self.cache_write,
            "totalTokens": self.input + self.output + self.cache_read + self.cache_write,
            "cost": {
                "input": cost.input,
                "output": cost.output,
                "cacheRead": cost.cache_read,
                "cacheWrite": cost.cache_write,
                "total": cost.total,
            },
        }


NO_USAGE = Usage()
"""Of an answer that broke off before its provider counted."""


def usage_from_json(value: Json) -> Usage:
    """Read pi's shape; what is missing or no number is 0."""
    tokens = value if isinstance(value, dict) else {}
    cost = tokens.get("cost")
    prices = cost if isinstance(cost, dict) else {}
    return Usage(
        input=_whole(tokens.get("input")),
        output=_whole(tokens.get("output")),
        cache_read=_whole(tokens.get("cacheRead")),
        cache_write=_whole(tokens.get("cacheWrite")),
        cost=Cost(
            input=_number(prices.get("input")),
            output=_number(prices.get("output")),
            cache_read=_number(prices.get("cacheRead")),
            cache_write=_number(prices.get("cacheWrite")),
            total=_number(prices.get("total")),
        ),
    )


def _whole(value: Json) -> int:
    return value if isinstance(value, int) else 0


def _number(value: Json) -> float:
    return value if isinstance(value, int | float) else 0
