"""A provider's cache mark, moved off the reminder.

Pure. A host that marks the last part of a request for the provider's cache marks a text that changes each time; the
conversation before it would be written anew with every request. Source: Anthropic, prompt caching: a request finds
what was written up to a mark, at most 20 parts further on.
"""

from collections.abc import Mapping

from todo_context.attention.fence import is_ours
from todo_context.plan.model import Json

MARK = "cache_control"


def moved_mark(payload: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """The body of a request with its mark on the part before the reminder; None if it has none there."""
    messages = payload.get("messages")
    if not isinstance(messages, list) or not messages:
        return None
    last = messages[-1]
    content = last.get("content") if isinstance(last, dict) else None
    if not isinstance(last, dict) or not isinstance(content, list) or not content:
        return None
    reminder = content[-1]
    if not isinstance(reminder, dict) or MARK not in reminder or not is_ours(str(reminder.get("text", ""))):
        return None
    mark = reminder[MARK]
    bare: Json = {key: value for key, value in reminder.items() if key != MARK}
    if len(content) > 1:
        moved = {**last, "content": [*content[:-2], _with(content[-2], mark), bare]}
        return {**payload, "messages": [*messages[:-1], moved]}
    before = [*messages[:-1]]
    if before:
        before[-1] = _ending_in(before[-1], mark)
    return {**payload, "messages": [*before, {**last, "content": [bare]}]}


def _with(part: Json, mark: Json) -> Json:
    return {**part, MARK: mark} if isinstance(part, dict) else part


def _ending_in(message: Json, mark: Json) -> Json:
    """A message with the mark on its last part."""
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not content:
        return message
    parts: list[Json] = [{"type": "text", "text": content}] if isinstance(content, str) else []
    if isinstance(content, list):
        parts = content
    return {**message, "content": [*parts[:-1], _with(parts[-1], mark)]} if parts else message
