"""Where the text goes; and that what was sent before stays, byte for byte, when it stands at the tail."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from todo_context.attention import place

TEXT = "<system-reminder>\nFrom the todo extension, not from the user.\n</system-reminder>"
PART = {"type": "text", "text": TEXT}


def user(content: Any = "Hi.") -> dict[str, Any]:
    return {"role": "user", "content": content, "timestamp": 7}


def parts(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


ANSWER: dict[str, Any] = {"role": "assistant", "content": parts("Well."), "timestamp": 8}
RESULT: dict[str, Any] = {"role": "toolResult", "toolCallId": "c", "content": parts("ok"), "timestamp": 9}
IMAGE = {"type": "image", "data": "…", "mimeType": "image/png"}

ROWS: list[Any] = [
    pytest.param([user()], "tail", [user([*parts("Hi."), PART])], id="a text becomes parts"),
    pytest.param([user([*parts("Hi."), IMAGE])], "tail", [user([*parts("Hi."), IMAGE, PART])], id="after an image"),
    pytest.param([user(), ANSWER, RESULT], "tail", [user(parts("Hi.")), ANSWER, RESULT, {"role": "user", "content": [PART], "timestamp": 9}], id="after a result"),
    pytest.param([user(), ANSWER, RESULT], "last_user", [user([*parts("Hi."), PART]), ANSWER, RESULT], id="in the last of the user"),
    pytest.param([user(), ANSWER, user("And?")], "last_user", [user(parts("Hi.")), ANSWER, user([*parts("And?"), PART])], id="the last of several"),
    pytest.param([RESULT], "last_user", [RESULT, {"role": "user", "content": [PART], "timestamp": 9}], id="the user said nothing"),
    pytest.param([], "tail", [{"role": "user", "content": [PART], "timestamp": 0}], id="no messages"),
    pytest.param([user("")], "tail", [user([PART])], id="an empty text"),
    pytest.param([user(None)], "tail", [user([PART])], id="no content"),
    pytest.param([{"role": "custom", "content": "x"}], "tail", [{"role": "custom", "content": "x"}, {"role": "user", "content": [PART], "timestamp": 0}], id="after a message of an extension"),
]  # fmt: skip


@pytest.mark.parametrize(("messages", "placement", "placed"), ROWS)
def test_placed(messages: list[Any], placement: str, placed: list[Any]) -> None:
    before = copy.deepcopy(messages)

    assert place(messages, TEXT, placement) == placed
    assert messages == before


def test_without_a_text_messages_have_the_form_they_have_with_one() -> None:
    assert place([user(), ANSWER], None) == [user(parts("Hi.")), ANSWER]


messages = st.lists(
    st.one_of(
        st.builds(user, st.text(max_size=5) | st.lists(st.sampled_from([*parts("a", "b"), IMAGE]), max_size=3)),
        st.sampled_from([ANSWER, RESULT, {"role": "custom", "customType": "x", "content": "y"}]),
    ),
    max_size=8,
)


def wire(sent: list[Any]) -> str:
    return json.dumps(sent)


@given(messages, messages, st.booleans(), st.booleans())
def test_what_was_sent_before_stays_the_beginning_of_what_is_sent_next(
    first: list[Any], more: list[Any], says: bool, says_next: bool
) -> None:
    before = copy.deepcopy([first, more])

    sent = place(first, TEXT if says else None)
    sent_next = place([*first, *more], TEXT if says_next else None)

    if says:
        # Its place is the very end, so it is known without looking at what else is there.
        assert sent[-1]["content"].pop() == PART  # type: ignore[index,union-attr,call-overload]
        if len(sent) > len(first):
            assert sent.pop() == {
                "role": "user",
                "content": [],
                "timestamp": first[-1].get("timestamp", 0) if first else 0,
            }
    if says_next and len(sent_next) > len(first) + len(more):
        sent_next.pop()
    elif says_next:
        sent_next[-1]["content"].pop()  # type: ignore[index,union-attr,call-overload]

    assert wire(sent_next).startswith(wire(sent).removesuffix("]"))
    assert [first, more] == before
