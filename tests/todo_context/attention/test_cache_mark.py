from typing import Any

import pytest

from todo_context.attention import moved_mark

REMINDER = "<system-reminder>\nFrom the todo extension, not from the user.\n</system-reminder>"
MARK = {"type": "ephemeral"}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def body(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"model": "m", "messages": [*messages]}


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "content": [*parts]}


@pytest.mark.parametrize(
    ("sent", "moved"),
    [
        pytest.param(
            body(user(text("hi"), text(REMINDER, cache_control=MARK))),
            body(user(text("hi", cache_control=MARK), text(REMINDER))),
            id="to the part before it",
        ),
        pytest.param(
            body(user({"type": "tool_result"}), user(text(REMINDER, cache_control=MARK))),
            body(user({"type": "tool_result", "cache_control": MARK}), user(text(REMINDER))),
            id="to the message before it",
        ),
        pytest.param(
            body({"role": "user", "content": "hi"}, user(text(REMINDER, cache_control=MARK))),
            body(user(text("hi", cache_control=MARK)), user(text(REMINDER))),
            id="to a message that is plain text",
        ),
        pytest.param(
            body(user(text(REMINDER, cache_control=MARK))), body(user(text(REMINDER))), id="to nothing, if it is alone"
        ),
    ],
)
def test_a_mark_on_the_reminder_moves(sent: dict[str, Any], moved: dict[str, Any]) -> None:
    before = repr(sent)

    assert moved_mark(sent) == moved
    assert repr(sent) == before


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(body(user(text("hi", cache_control=MARK))), id="on the person's words"),
        pytest.param(body(user(text(REMINDER))), id="no mark"),
        pytest.param(body(), id="no messages"),
        pytest.param({}, id="another protocol"),
        pytest.param(body({"role": "user", "content": REMINDER}), id="a text"),
        pytest.param({"messages": [None]}, id="no message"),
    ],
)
def test_any_other_body_is_left_alone(sent: dict[str, Any]) -> None:
    assert moved_mark(sent) is None
