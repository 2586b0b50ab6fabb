"""The branch of a session -> the messages of a request, in a form that every provider takes.

Pure. Where the branch holds compactions, the newest one's summary stands for what it took away, in front of what it
kept. What is stored stays as it is; the repairs are for the wire alone. After an assistant message come the
results of its calls, one each, in the order of the calls, wherever the branch holds them. A call without a
result gets one that says so; a result without a call, a second result, and a message that says nothing are
left out. No two calls of a request have the same id.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from todo_context.pi import Entry
from todo_repl.messages import (
    AssistantMessage,
    Message,
    Part,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    message_from_json,
    text_of,
)
from todo_repl.session_branch import since_compaction

NO_RESULT = "No result: the run was interrupted."
"""The model reads this as the result of a call that has none."""

SUMMARY = """\
The conversation up to here was summarised by the program. The user did not write this, and what follows it is as it \
was said.

<summary>
{summary}
</summary>"""
"""How a request shows a compaction."""

BRANCH_SUMMARY = """\
The conversation went another way for a while and came back here. The program's summary of that way, which the user \
did not write:

<summary>
{summary}
</summary>"""
"""How it shows what was said on a branch that was left."""

NO_SUMMARY = "(None was kept.)"


@dataclass(frozen=True, slots=True)
class Span:
    """The part of a branch that a request is made of.

    `kept` are the entries that the newest `compaction` left as they were, `new` those after it; without one, all.
    """

    compaction: Entry | None
    kept: Sequence[Entry]
    new: Sequence[Entry]

    @property
    def entries(self) -> Sequence[Entry]:
        """In the order of the request: the summary first."""
        return [*([] if self.compaction is None else [self.compaction]), *self.kept, *self.new]


def span_of(branch: Sequence[Entry]) -> Span:
    """Read a branch back as far as a request needs it."""
    entries = since_compaction(branch)
    at = next((at for at in range(len(entries) - 1, -1, -1) if entries[at].get("type") == "compaction"), None)
    if at is None:
        return Span(None, (), entries)
    kept = [entry for entry in entries[:at] if entry.get("type") != "compaction"]
    return Span(entries[at], kept, entries[at + 1 :])


def context_of(branch: Sequence[Entry]) -> tuple[Message, ...]:
    """The messages of a branch, the root first. Those of extensions, and summaries, are in the user's place."""
    return repaired(read(span_of(branch).entries))


def read(entries: Iterable[Entry]) -> Iterable[Message]:
    """The messages in entries, as they are stored."""
    return (message for entry in entries if (message := message_of(entry)) is not None)


def repaired(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Put messages into an order and a form that every provider takes; those that already are stay as they are."""
    turns: list[_Turn] = []
    open_calls: dict[str, list[_Call]] = {}
    used: set[str] = set()
    for message in messages:
        match message:
            case UserMessage():
                turns.append(_Turn(message))
            case AssistantMessage():
                calls = [_Call(call.id, _unused(call.id, used), call.name) for call in message.calls]
                # An id may come again later, and then belongs to the later call.
                open_calls |= _by_id(calls)
                turns.append(_Turn(_with_ids(message, calls), calls))
            case ToolResultMessage():
                if waiting := open_calls.get(message.call_id):
                    waiting.pop(0).result = message
    return tuple(message for turn in turns if not turn.is_empty for message in turn.messages())


def message_of(entry: Entry) -> Message | None:
    """What a model reads of an entry; None for one that is not for it."""
    match entry.get("type"):
        case "message":
            return message_from_json(entry.get("message"))
        case "custom_message":
            return UserMessage(text_of(entry.get("content")), 0)
        case "compaction":
            return UserMessage(_framed(SUMMARY, entry), 0)
        case "branch_summary" if text_of(entry.get("summary")):
            return UserMessage(_framed(BRANCH_SUMMARY, entry), 0)
        case _:
            return None


def _framed(frame: str, entry: Entry) -> str:
    return frame.replace("{summary}", text_of(entry.get("summary")).strip() or NO_SUMMARY)


@dataclass(slots=True)
class _Call:
    """A call that may get its result later on. `id` is as stored, `wire_id` as sent."""

    id: str
    wire_id: str
    name: str
    result: ToolResultMessage | None = None


@dataclass(frozen=True, slots=True)
class _Turn:
    """A message of the user or the model, with the calls in it."""

    message: UserMessage | AssistantMessage
    calls: Sequence[_Call] = field(default=())

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing: no text of the user's, or an answer that broke off before it began."""
        if isinstance(self.message, UserMessage):
            return not any(text.strip() for text in self.message.texts)
        return not self.message.parts

    def messages(self) -> Iterable[Message]:
        """The message, and the results of its calls."""
        yield self.message
        for call in self.calls:
            yield _result(call, self.message.timestamp_ms)


def _by_id(calls: Sequence[_Call]) -> dict[str, list[_Call]]:
    by_id: dict[str, list[_Call]] = {}
    for call in calls:
        by_id.setdefault(call.id, []).append(call)
    return by_id


def _unused(call_id: str, used: set[str]) -> str:
    number, wire_id = 1, call_id
    while wire_id in used:
        number += 1
        wire_id = f"{call_id}_{number}"
    used.add(wire_id)
    return wire_id


def _with_ids(message: AssistantMessage, calls: Sequence[_Call]) -> AssistantMessage:
    if all(call.id == call.wire_id for call in calls):
        return message
    wire_ids = iter(calls)
    parts: tuple[Part, ...] = tuple(
        replace(part, id=next(wire_ids).wire_id) if isinstance(part, ToolCall) else part for part in message.parts
    )
    return replace(message, parts=parts)


def _result(call: _Call, asked_ms: int) -> ToolResultMessage:
    if call.result is not None:
        return replace(call.result, call_id=call.wire_id)
    return ToolResultMessage(
        call_id=call.wire_id, tool_name=call.name, text=NO_RESULT, is_error=True, timestamp_ms=asked_ms
    )
