"""What a provider's cache finds again, over the bodies of a talk of forty requests that our own host had.

The talk is that of `make bench` (bench/talk.py). Tokens are estimated here, four characters each; those of a tokenizer
are in bench/attention.json, which a test of its own holds to the same limit.
"""

import json
from itertools import pairwise
from typing import Any

import pytest

from bench.cache_rules import Block, Cost, automatic, explicit
from bench.parts import MARK, Request, parts_of
from bench.talk import Body, recorded
from bench.ways import marked_on_the_reminder, without
from tests.todo_repl.talk import BOTH
from todo_context.attention import is_ours
from todo_context.settings import AttentionSettings
from todo_repl.models import ProviderName

MOST = 1.06
"""What a talk of forty requests may cost with the reminder, where it costs 1 without."""


def talk(provider: ProviderName) -> list[Request]:
    return [parts_of(body) for body in recorded(provider, AttentionSettings())]


def blocks(requests: list[Request]) -> list[list[Block]]:
    return [
        [Block(f"{part.kind} {part.text}", (len(part.text) + 3) // 4, part.is_marked) for part in request]
        for request in requests
    ]


def lasting(body: Body) -> list[Any]:
    """The messages of a body without reminders and marks. A message that was nothing else is gone."""
    left: list[Any] = []
    messages: Any = body["messages"]
    for message in messages:
        content = message["content"]
        if isinstance(content, list):
            content = [
                {key: value for key, value in part.items() if key != MARK}
                for part in content
                if not is_ours(part.get("text", ""))
            ]
        if content != []:
            left.append({**message, "content": content})
    return left


@BOTH
def test_what_was_sent_before_never_changes(provider: ProviderName) -> None:
    """The prefix law: without reminder and marks, each request is byte for byte the beginning of the next."""
    bodies = recorded(provider, AttentionSettings())

    assert len(bodies) == 40
    assert sum("<system-reminder>" in json.dumps(body["messages"]) for body in bodies) > 25
    for one, next_one in pairwise(bodies):
        assert json.dumps(lasting(next_one)).startswith(json.dumps(lasting(one))[:-1])
        assert (one["tools"], one.get("system")) == (next_one["tools"], next_one.get("system"))


def test_what_is_written_anew_is_what_is_new() -> None:
    """So it does not grow with the talk."""
    requests = talk("anthropic")

    assert written(requests) == new(requests)


def test_with_the_mark_on_the_reminder_the_talk_is_written_again_and_again() -> None:
    requests = talk("anthropic")

    assert sum(written(marked_on_the_reminder(requests))) > 4 * sum(new(requests))


def written(requests: list[Request]) -> list[int]:
    """What each writes into the cache."""
    return [cost.written for cost in explicit(blocks(requests))]


def new(requests: list[Request]) -> list[int]:
    """What each has that the one before had not, but for the reminder."""
    lengths = [sum(block.tokens for block in request) for request in blocks(without(requests))]
    return [lengths[0], *(after - before for before, after in pairwise(lengths))]


@pytest.mark.parametrize(("provider", "rule"), [("openai", automatic), ("anthropic", explicit)])
def test_the_reminder_costs_little_beside_the_talk(provider: ProviderName, rule: Any) -> None:
    requests = talk(provider)

    def cost(of: list[Request]) -> float:
        found: float = sum(rule(blocks(of)), Cost()).equivalents
        return found

    assert 1 < cost(requests) / cost(without(requests)) <= MOST
