"""What a branch becomes for a request: whatever is in it, a provider takes it."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from todo_repl.context import BRANCH_SUMMARY, NO_RESULT, NO_SUMMARY, SUMMARY, context_of, repaired
from todo_repl.messages import AssistantMessage, Message, StopReason, TextPart, ToolCall, ToolResultMessage, UserMessage
from todo_repl.request_messages import is_message, messages_of, sendable
from todo_repl.session import Session


def user(text: str) -> UserMessage:
    return UserMessage(text, 1)


def answer(text: str, *call_ids: str, reason: StopReason = "stop") -> AssistantMessage:
    said = (TextPart(text),) if text else ()
    calls = tuple(ToolCall(call_id, "tool", {}) for call_id in call_ids)
    return AssistantMessage(parts=(*said, *calls), provider="p", model="m", api="a", stop_reason=reason, timestamp_ms=2)


def result(call_id: str, text: str = "ok") -> ToolResultMessage:
    return ToolResultMessage(call_id=call_id, tool_name="tool", text=text, timestamp_ms=3)


def short(messages: Sequence[Message]) -> str:
    """One word a message: the text of users and answers with the ids of calls, results as id=text."""
    words: list[str] = []
    for message in messages:
        match message:
            case UserMessage(text):
                words.append(text)
            case AssistantMessage():
                words.append(f"{message.text}({','.join(call.id for call in message.calls)})")
            case ToolResultMessage():
                words.append(f"{message.call_id}={message.text}")
    return " ".join(words).replace(NO_RESULT, "none")


@pytest.mark.parametrize(
    ("stored", "sent"),
    [
        pytest.param([user("u"), answer("a"), user("v")], "u a() v", id="a talk stays as it is"),
        pytest.param(
            [user("u"), answer("a", "1", "2"), result("1"), result("2"), answer("b")],
            "u a(1,2) 1=ok 2=ok b()",
            id="calls with results stay as they are",
        ),
        pytest.param(
            [user("u"), answer("", "1", "2"), result("2", "late"), result("1", "early")],
            "u (1,2) 1=early 2=late",
            id="results come in the order of the calls",
        ),
        pytest.param(
            [user("u"), answer("", "1"), user("v"), answer("b"), result("1")],
            "u (1) 1=ok v b()",
            id="a late result goes back to its call",
        ),
        pytest.param(
            [user("u"), answer("", "1", "2"), result("2"), user("v")], "u (1,2) 1=none 2=ok v", id="a result is missing"
        ),
        pytest.param([user("u"), answer("a", "1", reason="aborted")], "u a(1) 1=none", id="aborted before it ran"),
        pytest.param([user("u"), result("1"), answer("a")], "u a()", id="a result without a call"),
        pytest.param(
            [user("u"), answer("", "1"), result("1", "first"), result("1", "second")],
            "u (1) 1=first",
            id="of two results the first holds",
        ),
        pytest.param([user("u"), answer("", reason="error"), user("v")], "u v", id="an answer that never began"),
        pytest.param([user("u"), answer("par", reason="error")], "u par()", id="an answer that broke off"),
        pytest.param([user(" \n"), user("u")], "u", id="a blank message"),
        pytest.param(
            [user("u"), answer("", "1"), result("1", "a"), answer("", "1"), result("1", "b")],
            "u (1) 1=a (1_2) 1_2=b",
            id="an id comes again",
        ),
        pytest.param(
            [user("u"), answer("", "1", "1"), result("1", "a"), result("1", "b")],
            "u (1,1_2) 1=a 1_2=b",
            id="an id twice in one message",
        ),
    ],
)
def test_repaired(stored: Sequence[Message], sent: str) -> None:
    assert short(repaired(stored)) == sent


ids = st.sampled_from(["1", "2", "1_2"])
anything = st.lists(
    st.builds(user, st.sampled_from(["u", "", " "]))
    | st.builds(
        lambda text, call_ids, reason: answer(text, *call_ids, reason=reason),
        st.sampled_from(["a", ""]),
        st.lists(ids, max_size=3),
        st.sampled_from(["stop", "error", "aborted"]),
    )
    | st.builds(result, ids, st.sampled_from(["r", "s"])),
    max_size=12,
)


@given(anything)
def test_every_call_is_followed_by_its_result_and_no_result_stands_elsewhere(stored: list[Message]) -> None:
    sent = list(repaired(stored))
    seen: list[str] = []

    while sent:
        message = sent.pop(0)
        assert not isinstance(message, ToolResultMessage)
        if isinstance(message, UserMessage):
            assert message.text.strip()
            continue
        assert message.parts
        for call in message.calls:
            answered = sent.pop(0)
            assert isinstance(answered, ToolResultMessage)
            assert answered.call_id == call.id
            seen.append(call.id)

    assert len(seen) == len(set(seen))


@given(anything)
def test_repairing_again_changes_nothing(stored: list[Message]) -> None:
    assert repaired(repaired(stored)) == repaired(stored)


@given(anything)
def test_nothing_that_was_said_is_lost(stored: list[Message]) -> None:
    def said(messages: Sequence[Message]) -> list[str]:
        return [
            text for message in messages if not isinstance(message, ToolResultMessage) if (text := message.text.strip())
        ]

    assert said(repaired(stored)) == said(stored)


def test_messages_of_extensions_are_the_users_and_other_entries_are_none() -> None:
    session = Session.memory("/")
    session.append_custom("todo_write", {"v": 1})
    session.append_message(user("u").to_json())
    session.append_custom_message("nudge", "go on", display=False)
    session.append("custom_message", {"customType": "x", "content": [{"type": "text", "text": "parts"}]})
    session.append_message({"role": "bashExecution", "command": "ls"})
    session.append("message", {"message": 5})
    session.append("label", {"label": "here"})

    assert short(context_of(session.branch())) == "u go on parts"


def test_a_message_without_an_entry_of_its_own_is_left_out() -> None:
    assert context_of([{"type": "message"}, {"type": "custom_message"}, {"id": "x"}]) == ()


def test_the_newest_compaction_stands_first_then_what_it_kept_then_what_came_after() -> None:
    session = Session.memory("/")
    session.append_message(user("a").to_json())
    first = session.append_message(user("b").to_json())
    session.append("compaction", {"summary": "old", "firstKeptEntryId": first, "tokensBefore": 1})
    kept = session.append_message(user("c").to_json())
    session.append_custom("todo_write", {"v": 1})
    session.append("compaction", {"summary": " new\n", "firstKeptEntryId": kept, "tokensBefore": 2})
    session.append_message(user("d").to_json())

    sent = context_of(session.branch())

    assert [message.text for message in sent if isinstance(message, UserMessage)] == [
        SUMMARY.replace("{summary}", "new"),
        "c",
        "d",
    ]


@pytest.mark.parametrize("kept", ["nowhere", "", None, 5])
def test_where_nothing_was_kept_it_begins_with_the_summary(kept: str | None) -> None:
    session = Session.memory("/")
    session.append_message(user("a").to_json())
    session.append("compaction", {"firstKeptEntryId": kept})
    session.append_message(answer("b").to_json())

    assert short(context_of(session.branch())) == f"{SUMMARY.replace('{summary}', NO_SUMMARY)} b()"


def test_a_kept_range_from_an_older_compaction_leaves_that_one_out() -> None:
    """As in pi: a summary stands for all before it, an older summary too."""
    session = Session.memory("/")
    kept = session.append_message(user("a").to_json())
    session.append("compaction", {"summary": "old", "firstKeptEntryId": kept, "tokensBefore": 1})
    session.append_message(user("b").to_json())
    session.append("compaction", {"summary": "new", "firstKeptEntryId": kept, "tokensBefore": 1})

    assert short(context_of(session.branch())) == f"{SUMMARY.replace('{summary}', 'new')} a b"


def test_extensions_see_summaries_in_pis_shapes_and_may_send_them_on() -> None:
    session = Session.memory("/", now=lambda: datetime(2026, 11, 30, 12, tzinfo=UTC))
    kept = session.append_message(user("a").to_json())
    session.append("compaction", {"summary": "S {x}", "firstKeptEntryId": kept, "tokensBefore": 7})
    session.append("branch_summary", {"summary": "B", "fromId": kept})
    session.append("branch_summary", {"summary": "", "fromId": kept})

    told = messages_of(session.branch())

    moment = 1796040000000
    assert told == [
        {"role": "compactionSummary", "summary": "S {x}", "tokensBefore": 7, "timestamp": moment},
        user("a").to_json(),
        {"role": "branchSummary", "summary": "B", "fromId": kept, "timestamp": moment},
    ]
    assert all(map(is_message, told))
    assert sendable(told) == context_of(session.branch())
    assert short(sendable([user("x").to_json(), *told])[:2]) == f"x {SUMMARY.replace('{summary}', 'S {x}')}"
    assert short(sendable(told)[2:]) == BRANCH_SUMMARY.replace("{summary}", "B")
    assert not is_message({"role": ["compactionSummary"]})


def test_a_summary_without_a_time_has_none() -> None:
    (told,) = messages_of([{"type": "compaction", "summary": "S", "timestamp": "soon"}])

    assert told == {"role": "compactionSummary", "summary": "S", "tokensBefore": None, "timestamp": 0}
