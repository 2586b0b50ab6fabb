"""Where a conversation is cut for a summary, and that nothing falls between the summary and what stays."""

from collections.abc import Iterator, Sequence
from typing import Any, overload

import pytest
from hypothesis import given
from hypothesis import strategies as st

from todo_context.pi import Entry
from todo_context.plan.model import Json
from todo_repl.compaction_cut import cut_of, length_of
from todo_repl.context import context_of, message_of, span_of
from todo_repl.messages import AssistantMessage, ToolResultMessage, UserMessage
from todo_repl.session import Session

LONG = "x" * 400
"""A text of 100 tokens."""


def branch(words: str) -> list[Entry]:
    """A branch with an entry a word, whose id is the word: `u` the person, `a` an answer, `p` a plan, `c` a message of an
    extension, `b` the summary of another branch; `k1` an answer with the call 1, `r1` its result. Each message is LONG.
    """
    return [entry_of(word) for word in words.split()]


def entry_of(word: str) -> Entry:
    text: Json = [{"type": "text", "text": LONG}]
    said: dict[str, Any]
    match word[0]:
        case "u":
            said = {"role": "user", "content": text}
        case "a":
            said = {"role": "assistant", "content": text, "stopReason": "stop"}
        case "k":
            call: Json = {"type": "toolCall", "id": word[1:], "name": "t", "arguments": {"text": LONG}}
            said = {"role": "assistant", "content": [call], "stopReason": "toolUse"}
        case "r":
            said = {"role": "toolResult", "toolCallId": word[1:], "toolName": "t", "content": text}
        case "c":
            return {"type": "custom_message", "id": word, "customType": "x", "content": LONG}
        case "b":
            return {"type": "branch_summary", "id": word, "summary": LONG}
        case _:
            return {"type": "custom", "id": word, "customType": "todo_write"}
    return {"type": "message", "id": word, "message": said}


@pytest.mark.parametrize(
    ("words", "keep", "cut"),
    [
        pytest.param("u1 a1 u2 a2", 250, "u1 a1 | | u2 a2", id="the newest turns that fit stay"),
        pytest.param("u1 a1 u2 a2", 390, "u1 a1 | | u2 a2", id="no half turn stays where a whole one fits"),
        pytest.param("u1 a1 u2 a2", 1, "u1 a1 | u2 | a2", id="one message stays at least"),
        pytest.param("u1 a1 u2", 1, "u1 a1 | | u2", id="also if that is the person's"),
        pytest.param("u1 k1 r1 k2 r2 a1", 350, "| u1 k1 r1 | k2 r2 a1", id="a turn that is too long is cut in two"),
        pytest.param(
            "u1 k1 r1 k2 r2", 150, "| u1 k1 r1 | k2 r2", id="a result stays with its call, if that is too much"
        ),
        pytest.param(
            "u1 k1 r1 k2 r2 u2", 350, "| u1 k1 r1 | k2 r2 u2", id="also one that is over: the rest of it stays"
        ),
        pytest.param("u1 k1 k2 r2 r1 a1", 350, "| u1 k1 k2 r2 r1 | a1", id="calls that overlap stay together"),
        pytest.param("u1 a1 u2 k1 u3 r1 a3", 550, "u1 a1 | | u2 k1 u3 r1 a3", id="so does a late result"),
        pytest.param("u1 a1 r9 u2 a2", 250, "u1 a1 r9 | | u2 a2", id="a result without a call holds nothing together"),
        pytest.param("u1 a1 p1 u2 p2 a2", 250, "u1 a1 | | u2 a2", id="plans are no messages"),
        pytest.param("u1 a1 u2 c1 a2", 350, "u1 a1 | | u2 c1 a2", id="what an extension adds belongs to the turn"),
        pytest.param("u1 a1 c1 a2", 250, "u1 a1 | | c1 a2", id="or begins one, after the agent had stopped"),
        pytest.param("u1 k1 r1 c1 a2", 250, "| u1 k1 r1 | c1 a2", id="not in the middle of a run"),
        pytest.param("u1 a1 b1 u2 a2", 350, "u1 a1 | | b1 u2 a2", id="a summary of another branch begins one too"),
    ],
)
def test_where_it_is_cut(words: str, keep: int, cut: str) -> None:
    found = cut_of(span_of(branch(words)), keep)

    assert found is not None
    parts = (found.turns, found.turn, found.kept)
    assert [" ".join(str(entry["id"]) for entry in part) for part in parts] == [part.strip() for part in cut.split("|")]
    assert found.first_kept_id == found.kept[0]["id"]


@pytest.mark.parametrize(
    ("words", "keep"),
    [
        pytest.param("", 100, id="no message"),
        pytest.param("p1 p2", 0, id="plans alone"),
        pytest.param("u1 a1 u2 a2", 400, id="all of it fits"),
        pytest.param("u1", 1, id="one message, however long"),
        pytest.param("k1 r1", 1, id="one call with its result"),
        pytest.param("k1 k2 r2 r1", 100, id="calls that cannot be parted"),
    ],
)
def test_nothing_to_cut(words: str, keep: int) -> None:
    assert cut_of(span_of(branch(words)), keep) is None


def test_a_count_of_the_provider_stretches_the_estimate() -> None:
    """In another language a token has fewer characters: half of what was estimated stays then."""
    entries = branch("u1 a1 u2 a2 u3")
    counted: Any = {**entries[3], "message": {**as_dict(entries[3]["message"]), "usage": {"input": 900}}}
    span = span_of([*entries[:3], counted, entries[4]])

    length = length_of(span)
    cut = cut_of(span, 450)

    assert (length.tokens, length.scale) == (1000, 2)
    assert cut is not None
    assert cut.first_kept_id == "u3"
    assert cut.older_tokens == 800


@pytest.mark.parametrize(
    "usage",
    [
        pytest.param({"input": 5}, id="less than there is"),
        pytest.param({}, id="nothing"),
        pytest.param({"input": 9_000, "stopReason": "error"}, id="a failure"),
    ],
)
def test_a_count_that_says_nothing_is_passed_over(usage: dict[str, Any]) -> None:
    entries = branch("u1 a1")
    reason = usage.pop("stopReason", "stop")
    counted: Any = {**entries[1], "message": {**as_dict(entries[1]["message"]), "usage": usage, "stopReason": reason}}

    assert length_of(span_of([entries[0], counted])).tokens == 200


def test_a_count_from_before_the_compaction_is_of_a_longer_context() -> None:
    entries = branch("u1 a1 u2 a2")
    counted: Any = {**entries[3], "message": {**as_dict(entries[3]["message"]), "usage": {"input": 9_000}}}
    compaction: Entry = {"type": "compaction", "id": "C", "firstKeptEntryId": "u2", "summary": "S"}

    assert 200 < length_of(span_of([*entries[:3], counted, compaction])).tokens < 300


def as_dict(value: Json) -> dict[str, Json]:
    assert isinstance(value, dict)
    return value


# --- what the context becomes ---------------------------------------------------------------------------


class FromTheEnd(Sequence[Entry]):
    """A branch that is read from its end alone, and knows how far."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self.looks = 0

    def __reversed__(self) -> Iterator[Entry]:
        for entry in reversed(self._entries):
            self.looks += 1
            yield entry

    def __len__(self) -> int:
        raise AssertionError("all of it was read")

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | Sequence[Entry]:
        raise AssertionError("all of it was read")


def test_a_request_reads_no_further_than_the_first_entry_that_was_kept() -> None:
    compaction: Entry = {"type": "compaction", "id": "C", "firstKeptEntryId": "u2", "summary": "S"}
    seen = FromTheEnd([*branch("u1 a1 u2 a2"), compaction, *branch("u3")])

    assert len(context_of(seen)) == 4
    assert seen.looks == 4


# --- however often ------------------------------------------------------------------------------------------

_steps = st.lists(
    st.sampled_from(["user", "answer", "calls", "result", "custom", "plan", "compact"]), min_size=1, max_size=40
)


def grow(session: Session, step: str, number: int, waiting: list[str]) -> None:
    """Let one thing happen in a session; a result is that of the call that waits longest."""
    text: Json = [{"type": "text", "text": "word " * (number % 7 * 20)}]
    said: dict[str, Json] = {"role": "user", "content": text, "timestamp": number}
    match step:
        case "user":
            session.append_message(said)
        case "answer":
            session.append_message({**said, "role": "assistant", "stopReason": "stop"})
        case "calls":
            ids = [f"{number}a", f"{number}b"]
            calls: list[Json] = [{"type": "toolCall", "id": call, "name": "t", "arguments": {}} for call in ids]
            session.append_message({**said, "role": "assistant", "content": calls, "stopReason": "toolUse"})
            waiting.extend(ids)
        case "result" if waiting:
            session.append_message({**said, "role": "toolResult", "toolCallId": waiting.pop(0), "toolName": "t"})
        case "custom":
            session.append_custom_message("x", "nudge")
        case "plan":
            session.append_custom("todo_write", {"v": 1})
        case _:
            pass


def ids_of(entries: Sequence[Entry]) -> list[str]:
    return [str(entry["id"]) for entry in entries if entry["type"] != "compaction" and message_of(entry) is not None]


@given(_steps, st.integers(0, 400))
def test_every_message_is_in_a_summary_or_in_the_context_in_order_and_calls_keep_their_results(
    steps: list[str], keep: int
) -> None:
    session, waiting = Session.memory("/"), list[str]()
    summarised: list[str] = []

    for number, step in enumerate([*steps, "compact", "compact"]):
        grow(session, step, number, waiting)
        if step == "compact":
            # It comes between two requests: a call that has no result by then was interrupted.
            waiting.clear()
        if step == "compact" and (cut := cut_of(span_of(session.branch()), keep)) is not None:
            summarised += ids_of(cut.older)
            first = cut.first_kept_id
            session.append("compaction", {"summary": "S", "firstKeptEntryId": first, "tokensBefore": 1})

        span = span_of(session.branch())
        assert [*summarised, *ids_of(span.entries)] == ids_of(session.branch())
        calls_there = {
            call.id
            for entry in span.entries
            if isinstance(m := message_of(entry), AssistantMessage)
            for call in m.calls
        }
        results = [m for entry in span.entries if isinstance(m := message_of(entry), ToolResultMessage)]
        assert all(result.call_id in calls_there for result in results)
        sent = context_of(session.branch())
        assert not sent or not isinstance(sent[0], ToolResultMessage)
        assert span.compaction is None or isinstance(sent[0], UserMessage)
