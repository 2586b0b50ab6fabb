"""Where the reminder goes in the messages of a request.

Pure: what was given is never changed. The content of the user's messages becomes parts, in every request alike:
so a message looks the same whether the reminder stands in it or not, and what was sent before stays as it was.
"""

from collections.abc import Sequence

from todo_context.plan.model import Json

Message = dict[str, Json]


def place(messages: Sequence[Json], text: str | None, placement: str = "tail") -> list[Json]:
    """The messages, in pi's shape, with the text in its place; without a text, in the form they have with one.

    "tail": at the very end, in the user's message if the request ends in one, else as one of its own. The next
    request then begins as this one did without the text, so a provider's automatic cache holds. "last_user": in
    the last message of the user, wherever it stands; then everything after it is read anew with each request.
    """
    placed = [_with_parts(message) for message in messages]
    if text is None:
        return placed
    part: Json = {"type": "text", "text": text}
    position, message = _last_user(placed)
    if message is not None and (placement == "last_user" or position == len(placed) - 1):
        return [*placed[:position], {**message, "content": [*_parts(message), part]}, *placed[position + 1 :]]
    return [*placed, {"role": "user", "content": [part], "timestamp": _time(placed)}]


def _last_user(messages: Sequence[Json]) -> tuple[int, Message | None]:
    for position in range(len(messages) - 1, -1, -1):
        message = messages[position]
        if isinstance(message, dict) and message.get("role") == "user":
            return position, message
    return -1, None


def _with_parts(message: Json) -> Json:
    if isinstance(message, dict) and message.get("role") == "user" and isinstance(message.get("content"), str):
        return {**message, "content": _parts(message)}
    return message


def _parts(message: Message) -> list[Json]:
    content = message.get("content")
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if isinstance(content, str) and content else []


def _time(messages: Sequence[Json]) -> Json:
    """The time of the last message: pi's messages have one, and there is no clock in here."""
    last = messages[-1] if messages else None
    time = last.get("timestamp") if isinstance(last, dict) else None
    return time if isinstance(time, int | float) else 0
