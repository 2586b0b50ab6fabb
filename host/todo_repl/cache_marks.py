"""Where an explicit mark tells a provider how far a request is worth keeping: before what is sent this once.

A mark behind the reminder would have the whole conversation written anew with every request, for no later one begins
with a text that changes. So the mark stands on the part before it. Source: Anthropic, prompt caching.
"""

from collections.abc import Sequence

import pydantic_ai.messages as wire
from pydantic_ai.models.anthropic import AnthropicModelSettings

from todo_context.attention import is_ours

SETTINGS = AnthropicModelSettings(anthropic_cache_tool_definitions=True, anthropic_cache_instructions=True)
"""The tools and the system prompt, which do not change, have marks of their own."""


def marked(messages: Sequence[wire.ModelMessage]) -> list[wire.ModelMessage]:
    """The messages, with a mark in the last one of the user's side."""
    *before, last = messages
    if not isinstance(last, wire.ModelRequest):
        return [*messages]
    return [*before, wire.ModelRequest(parts=_marked(list(last.parts)))]


def _marked(parts: list[wire.ModelRequestPart]) -> list[wire.ModelRequestPart]:
    *before, last = parts
    if not isinstance(last, wire.UserPromptPart) or isinstance(last.content, str):
        return [*parts, wire.UserPromptPart(content=[wire.CachePoint()])]
    content = list(last.content)
    # The mark is on what stands before it, also where that is a part of its own: the result of a tool.
    place = len(content) - 1 if isinstance(content[-1], str) and is_ours(content[-1]) else len(content)
    return [*before, wire.UserPromptPart(content=[*content[:place], wire.CachePoint(), *content[place:]])]
