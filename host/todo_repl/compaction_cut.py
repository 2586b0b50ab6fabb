"""How long a conversation is, and where it is cut when its older part becomes a summary.

Pure. Lengths are in tokens, and no more than about: what a provider counted where it did, a quarter of the characters
elsewhere. A call and its results stay on one side of the cut, and so does a turn, unless it alone is longer than what
is to stay.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from todo_context.pi import Entry
from todo_repl.context import SUMMARY, Span, message_of
from todo_repl.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from todo_repl.usage import Usage

CHARACTERS_PER_TOKEN = 4
"""Of English text, about; of code and of other languages there are fewer. Source: pi, estimateTokens."""


@dataclass(frozen=True, slots=True)
class Length:
    """How long the context is. `scale` is how many tokens an estimated one turned out to be, 1 or more."""

    tokens: int
    scale: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What becomes a summary, and what stays. All entries hold a message.

    `turn` is the beginning of a turn that is cut in two, the rest of which stays; mostly it is empty. `earlier` is the
    summary that a compaction before this one left.
    """

    turns: Sequence[Entry]
    turn: Sequence[Entry]
    kept: Sequence[Entry]
    earlier: str
    length: Length

    @property
    def first_kept_id(self) -> str:
        """The id of the first entry that stays."""
        return str(self.kept[0]["id"])

    @property
    def older(self) -> Sequence[Entry]:
        """All that becomes a summary."""
        return [*self.turns, *self.turn]

    @property
    def older_tokens(self) -> int:
        """How long that is."""
        return scaled(self.older, self.length)


def length_of(span: Span) -> Length:
    """How long the context is, with what is sent beside it where a provider has counted that."""
    estimated = sum(map(_estimate, span.entries))
    tokens = max(estimated, _counted(span))
    return Length(tokens, tokens / estimated if estimated else 1)


def scaled(entries: Sequence[Entry], length: Length) -> int:
    """How long these entries are, of a conversation that is so long."""
    return round(sum(map(_estimate, entries)) * length.scale)


def length_after(summary: str, kept: Sequence[Entry], length: Length) -> int:
    """How long the context will be with this summary."""
    return round(_tokens(SUMMARY + summary) * length.scale) + scaled(kept, length)


def cut_of(span: Span, keep_tokens: int) -> Cut | None:
    """Cut so that about `keep_tokens` stay, and one message at least; None if nothing stands before that."""
    pieces = [entry for entry in (*span.kept, *span.new) if message_of(entry) is not None]
    length = length_of(span)
    at = _place(pieces, keep_tokens / length.scale)
    if not at:
        return None
    begin = at if _begins_turn(pieces, at) else _turn_of(pieces, at)
    return Cut(
        turns=pieces[:begin],
        turn=pieces[begin:at],
        kept=pieces[at:],
        earlier=str(span.compaction.get("summary") or "") if span.compaction is not None else "",
        length=length,
    )


def _place(pieces: Sequence[Entry], room: float) -> int | None:
    """The place of the first piece that stays."""
    places = [*_places(pieces)]
    fitting: list[int] = []
    kept = 0
    at = len(pieces)
    for place in places:
        kept += sum(map(_estimate, pieces[place:at]))
        at = place
        if kept > room:
            break
        fitting.append(place)
    turn = next((place for place in reversed(fitting) if _begins_turn(pieces, place)), None)
    if turn:
        before = sum(map(_estimate, pieces[_turn_of(pieces, turn - 1) : turn]))
        if before <= room:
            return turn
    return next(reversed(fitting or places[:1]), None)


def _places(pieces: Sequence[Entry]) -> Iterator[int]:
    """Where a cut parts no result from its call, from the end back."""
    messages = [message_of(piece) for piece in pieces]
    answering = _answering(messages)
    waiting: set[str] = set()
    for at in range(len(pieces) - 1, -1, -1):
        match messages[at]:
            case ToolResultMessage() as result:
                if at in answering:
                    waiting.add(result.call_id)
                continue
            case AssistantMessage() as answer:
                waiting -= {call.id for call in answer.calls}
            case _:
                pass
        if not waiting:
            yield at


def _answering(messages: Sequence[Message | None]) -> frozenset[int]:
    """The places of the results whose call stands before them; others are never sent."""
    called: set[str] = set()
    found: set[int] = set()
    for at, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            called |= {call.id for call in message.calls}
        elif isinstance(message, ToolResultMessage) and message.call_id in called:
            found.add(at)
    return frozenset(found)


def _begins_turn(pieces: Sequence[Entry], at: int) -> bool:
    """Whether the person speaks here, or the program after the agent had stopped."""
    if not isinstance(message_of(pieces[at]), UserMessage):
        return False
    before = message_of(pieces[at - 1]) if at else None
    return pieces[at].get("type") == "message" or (isinstance(before, AssistantMessage) and not before.calls)


def _turn_of(pieces: Sequence[Entry], at: int) -> int:
    """Where the turn begins in which this place is."""
    return next((begin for begin in range(at, -1, -1) if _begins_turn(pieces, begin)), 0)


def _counted(span: Span) -> int:
    """What the provider counted last, and an estimate of what came after; 0 where it counted nothing.

    Of what was said before the compaction the counts are of a longer context.
    """
    since = 0
    for entry in reversed(span.new):
        message = message_of(entry)
        if isinstance(message, AssistantMessage) and message.stop_reason not in {"aborted", "error"}:
            total = _total(message.usage)
            if total:
                return total + since
        since += _estimate(entry)
    return 0


def _estimate(entry: Entry) -> int:
    match message_of(entry):
        case UserMessage(text) | ToolResultMessage(text=text):
            return _tokens(text)
        case AssistantMessage() as answer:
            # Without its thinking, most of which is never sent again.
            calls = "".join(call.name + json.dumps(call.sent, ensure_ascii=False) for call in answer.calls)
            return _tokens(answer.text + calls)
        case _:
            return 0


def _tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _total(usage: Usage) -> int:
    return usage.input + usage.output + usage.cache_read + usage.cache_write
