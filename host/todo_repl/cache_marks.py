"""Where explicit marks tell a provider how far a request is worth keeping: before what is sent this once.

A mark behind the reminder would have the whole conversation written anew with every request, for no later one begins
with a text that changes. So the mark stands on the part before it. A second one stands where that of the request before
stood: what was kept is looked for over some 20 parts from a mark, and an answer may call more tools than that.
Source: Anthropic, prompt caching.
"""

from collections.abc import Sequence

import pydantic_ai.messages as wire
from pydantic_ai.models.anthropic import AnthropicModelSettings

from todo_context.attention import is_ours

SETTINGS = AnthropicModelSettings(anthropic_cache_tool_definitions=True, anthropic_cache_instructions=True)
"""The tools and the system prompt, which do not change, have marks of their own."""


def marked(messages: Sequence[wire.ModelMessage]) -> list[wire.ModelMessage]:
    """The messages, with a mark in the last two of the user's side. A request may have four; two are of SETTINGS."""
    places = [place for place, message in enumerate(messages) if isinstance(message, wire.ModelRequest)][-2:]
    return [
        wire.ModelRequest(parts=_marked(list(message.parts)))
        if place in places and isinstance(message, wire.ModelRequest)
        else message
        for place, message in enumerate(messages)
    ]


def _marked(parts: list[wire.ModelRequestPart]) -> list[wire.ModelRequestPart]:
    *before, last = parts
    if not isinstance(last, wire.UserPromptPart) or isinstance(last.content, str):
        return [*parts, wire.UserPromptPart(content=[wire.CachePoint()])]
    content = list(last.content)
    # The mark is on what stands before it, also where that is a part of its own: the result of a tool.
    place = len(content) - 1 if isinstance(content[-1], str) and is_ours(content[-1]) else len(content)
    return [*before, wire.UserPromptPart(content=[*content[:place], wire.CachePoint(), *content[place:]])]
