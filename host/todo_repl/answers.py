"""What the handlers of an event may answer, and what of the event changes by it.

Pure. An event goes from handler to handler, each time as the one before left it. An event that is not in
`ANSWERS` only tells: what its handlers answer changes nothing. Source: the extension contract of pi.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from todo_context.errors import TodoContextError
from todo_context.plan.model import Json
from todo_repl.messages import AssistantMessage, Message, message_from_json, text_of
from todo_repl.request_messages import is_message, sendable
from todo_repl.session_format import dump, parse

Event = dict[str, Json]

SHOWN_CHARACTERS = 60
"""How much of a wrong answer a message shows."""


class AnswerError(TodoContextError):
    """An answer that cannot be meant. It is passed over."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What one event takes: `keys` with what each must be, a right one to show, and what it does to the event."""

    keys: Mapping[str, Callable[[Json], bool]]
    example: str
    fold: Callable[[Event, Event], Event]


def copy_of(event: Event) -> Event:
    """A handler's own: what it does to it reaches nobody."""
    copied: Event = json.loads(json.dumps(event))
    return copied


def left_by(event: Event, answer: object) -> Event:
    """The event as a handler that answered this leaves it. None is no answer, and a key that is None is not there.

    Raises:
        AnswerError: the answer is not what the event takes.
    """
    takes = ANSWERS.get(str(event["type"]))
    if takes is None or answer is None:
        return event
    if not isinstance(answer, Mapping):
        _refuse(takes, f"is {_shown(answer)}")
    try:
        cleaned = parse(dump(dict(answer)))
    except (TypeError, ValueError, RecursionError):
        cleaned = None
    if cleaned is None:
        _refuse(takes, "is no JSON")
    given: Event = {key: value for key, value in cleaned.items() if value is not None}
    for key, value in given.items():
        if key not in takes.keys:
            _refuse(takes, f'has "{key}"')
        if not takes.keys[key](value):
            _refuse(takes, f'has "{key}": {_shown(value)}')
    return takes.fold(event, given) if given else event


def is_settled(event: Event) -> bool:
    """Whether no further handler is asked: the input is dealt with, or what was about to happen will not."""
    return event.get("action") == "handled" or event.get("block") is True or event.get("cancel") is True


def _refuse(takes: Answers, fact: str) -> NoReturn:
    raise AnswerError(f"its answer {fact}. A right one: {takes.example}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 1]}…"


def _input(event: Event, answer: Event) -> Event:
    match answer.get("action"), answer.get("text"):
        case ("continue", None):
            return event
        case ("handled", None):
            return {**event, "action": "handled"}
        case ("transform", str(text)) if text.strip():
            return {**event, "text": text}
        case _:
            _refuse(ANSWERS["input"], f"is {_shown(answer)}")


def _before_agent_start(event: Event, answer: Event) -> Event:
    message, others = answer.get("message"), event.get("messages", [])
    if isinstance(message, dict) and isinstance(others, list):
        said = {"customType": message["customType"], "content": text_of(message["content"])}
        event = {**event, "messages": [*others, {**said, "display": message.get("display", True)}]}
    return {**event, "systemPrompt": answer.get("systemPrompt", event["systemPrompt"])}


def _context(event: Event, answer: Event) -> Event:
    messages = answer["messages"]
    if not isinstance(messages, list) or not sendable(messages):
        _refuse(ANSWERS["context"], "leaves nothing that the model could answer")
    return {**event, "messages": messages}


def _message_end(event: Event, answer: Event) -> Event:
    before, given = event["message"], answer["message"]
    if given == before or not isinstance(before, dict) or not isinstance(given, dict):
        return event
    if before.get("role") not in {"assistant", "toolResult"}:
        raise AnswerError(
            f"its answer changes a message of the role {_shown(before.get('role'))}, which is stored already. "
            'What the person says can be changed at "input".'
        )
    changed = {**before, **given}
    for key in ("role", "toolCallId", "toolName", "stopReason", "errorMessage"):
        if changed.get(key) != before.get(key):
            raise AnswerError(f'its answer has another "{key}". Only what the message says can be changed.')
    read, content = message_from_json(changed), changed.get("content")
    if read is None or not _is_kept_whole(read, content):
        _refuse(ANSWERS["message_end"], f'has "content": {_shown(content)}')
    return {**event, "message": read.to_json()}


def _is_kept_whole(message: Message, content: Json) -> bool:
    """Whether nothing of the content was passed over when the message was read from it."""
    if isinstance(message, AssistantMessage) and isinstance(content, list):
        return len(message.parts) == len(content)
    return _is_texts(content)


def _before_compact(event: Event, answer: Event) -> Event:
    if answer.get("cancel"):
        return {**event, "cancel": True}
    made, preparation = answer.get("compaction"), event["preparation"]
    if not isinstance(made, dict) or not isinstance(preparation, dict):
        return event
    same = {key: preparation[key] for key in ("firstKeptEntryId", "tokensBefore")}
    return {**event, "compaction": {**same, **made}}


def _tool_call(event: Event, answer: Event) -> Event:
    if answer.get("block"):
        blocked = f'The tool "{event["toolName"]}" was not run: an extension blocked it.'
        return {**event, "block": True, "reason": answer.get("reason") or blocked}
    return {**event, "input": answer.get("input", event["input"])}


def _tool_result(event: Event, answer: Event) -> Event:
    if isinstance(content := answer.get("content"), str):
        answer = {**answer, "content": [{"type": "text", "text": content}]}
    return {**event, **answer}


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_flag(value: Json) -> bool:
    return isinstance(value, bool)


def _is_object(value: Json) -> bool:
    return isinstance(value, dict)


def _is_texts(value: Json) -> bool:
    if not isinstance(value, list):
        return isinstance(value, str)
    return all(isinstance(part, dict) and part.get("type") == "text" and _is_text(part.get("text")) for part in value)


def _is_custom_message(value: Json) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("customType"), str)
        and _is_texts(value.get("content"))
        and isinstance(value.get("display", True), bool)
    )


def _is_compaction(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    summary, tokens = value.get("summary"), value.get("tokensBefore", 0)
    is_told = isinstance(summary, str) and bool(summary.strip())
    return is_told and _is_text(value.get("firstKeptEntryId", "")) and type(tokens) is int


def _is_messages(value: Json) -> bool:
    return isinstance(value, list) and all(map(is_message, value))


ANSWERS: Mapping[str, Answers] = {
    "input": Answers(
        {"action": _is_text, "text": _is_text},
        '{"action": "transform", "text": "…"}, or "handled" or "continue" without a text.',
        _input,
    ),
    "before_agent_start": Answers(
        {"systemPrompt": _is_text, "message": _is_custom_message},
        '{"systemPrompt": "…", "message": {"customType": "…", "content": "…", "display": true}}, or one of the two.',
        _before_agent_start,
    ),
    "context": Answers(
        {"messages": _is_messages},
        '{"messages": […]}, each with the role user, assistant, toolResult, custom or that of a summary.',
        _context,
    ),
    "message_end": Answers({"message": _is_object}, '{"message": {**event["message"], "content": […]}}.', _message_end),
    "session_before_compact": Answers(
        {"cancel": _is_flag, "compaction": _is_compaction},
        '{"cancel": true}, or {"compaction": {"summary": "…", "firstKeptEntryId": "…", "tokensBefore": 1}}.',
        _before_compact,
    ),
    "tool_call": Answers(
        {"block": _is_flag, "reason": _is_text, "input": _is_object},
        '{"block": true, "reason": "…"}, or {"input": {…}}.',
        _tool_call,
    ),
    "tool_result": Answers(
        {"content": _is_texts, "details": _is_object, "isError": _is_flag},
        '{"content": [{"type": "text", "text": "…"}], "details": {…}, "isError": true}, or some of them.',
        _tool_result,
    ),
}
