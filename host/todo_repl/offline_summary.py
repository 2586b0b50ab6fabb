"""A summary without a language model: what was counted, and the person's own words.

Pure. It claims nothing that it cannot know: it does not say what was meant, decided or achieved.
"""

from collections import Counter

from todo_repl.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from todo_repl.models import Material

WORDS = 30
"""Messages of the person that are quoted, the newest of them."""

WORD_CHARACTERS = 300
"""Of one of them."""


def offline_summary(material: Material) -> str:
    """The facts of a conversation; below an earlier summary, which stays as it was."""
    said = [message.text.strip() for message in material.messages if isinstance(message, UserMessage)]
    left_out = len(said) - WORDS
    lines = [
        "Written by the offline planner, which counts and quotes, and understands nothing of it.",
        "",
        f"- {_counted(material.messages)}",
        *([f"- The first {left_out} messages of the user are not quoted."] if left_out > 0 else []),
        *(f"- The user: {_short(text)}" for text in said[-WORDS:]),
    ]
    return "\n".join([*([material.earlier.strip(), ""] if material.earlier else []), *lines])


def _counted(messages: tuple[Message, ...]) -> str:
    said = sum(isinstance(message, UserMessage) for message in messages)
    answered = sum(isinstance(message, AssistantMessage) for message in messages)
    calls = Counter(
        call.name for message in messages if isinstance(message, AssistantMessage) for call in message.calls
    )
    failed = sum(isinstance(message, ToolResultMessage) and message.is_error for message in messages)
    called = ", ".join(f"{name} {count} times" for name, count in calls.items()) or "no tool"
    return f"{said} messages of the user, {answered} answers; called: {called}; {failed} of the calls failed."


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WORD_CHARACTERS else f"{line[: WORD_CHARACTERS - 1]}…"
