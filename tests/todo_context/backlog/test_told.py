"""What of a branch a model still has in sight of the backlog."""

from typing import Any

from todo_context.attention.fence import fenced
from todo_context.backlog.told import BEGINS, told


def message(seq: int, entry_id: str = "m") -> dict[str, Any]:
    text = fenced([f"{BEGINS}{seq}. And so on."])
    return {"type": "custom_message", "customType": "todo_backlog", "content": text, "id": entry_id}


def result(seq: int, tool: str = "todo", entry_id: str = "r") -> dict[str, Any]:
    details = {"action": "add", "seq": seq}
    inner = {"role": "toolResult", "toolName": tool, "toolCallId": "c", "content": [], "details": details}
    return {"type": "message", "message": inner, "id": entry_id}


def said(text: str, entry_id: str = "u") -> dict[str, Any]:
    return {"type": "message", "message": {"role": "user", "content": text}, "id": entry_id}


def compaction(first_kept: str | None) -> dict[str, Any]:
    return {"type": "compaction", "summary": "s", "firstKeptEntryId": first_kept, "id": "k"}


def test_a_branch_without_any_of_it_knows_nothing() -> None:
    assert told([]) is None
    assert told([said("hello"), result(4, "todo_write")]) is None


def test_the_newest_message_counts() -> None:
    assert told([message(3), said("a"), message(7), result(9), said("b")]) == 7


def test_a_host_that_stores_it_as_the_users_is_read_too() -> None:
    assert told([said(message(5)["content"]), said("hello")]) == 5


def test_without_a_message_the_first_result_counts() -> None:
    assert told([said("a"), result(2), result(6)]) == 2


def test_what_a_person_quotes_is_no_message_of_ours() -> None:
    assert told([said(f"What is this? {message(5)['content']}")]) is None


def test_after_a_compaction_only_what_it_kept_is_in_sight() -> None:
    assert told([message(3, "a"), said("x", "b"), compaction("b"), said("y")]) is None
    assert told([message(3, "a"), said("x", "b"), compaction("a"), said("y")]) == 3
    assert told([message(3, "a"), said("x", "b"), compaction(None), said("y")]) is None
    assert told([message(3, "a"), said("x", "b"), compaction("b"), said("y"), message(4)]) == 4
    assert told([result(3, entry_id="a"), said("x", "b"), compaction("b"), said("y")]) is None


def news(seq: int) -> dict[str, Any]:
    return {**message(seq), "content": fenced([f"{BEGINS}{seq}: others changed it."])}


def test_what_changed_is_no_account_of_what_is_open() -> None:
    assert told([message(3), said("a"), news(7)]) == 7
    assert told([message(3, "a"), said("x", "b"), compaction("b"), said("y"), news(7)]) is None
    assert told([message(3, "a"), said("x", "b"), compaction("b"), result(4)]) is None


def test_of_two_compactions_the_newer_one_says_what_is_kept() -> None:
    assert told([message(3, "a"), compaction("a"), said("x", "b"), compaction("b"), said("y")]) is None


def test_messages_of_a_request_are_read_alike() -> None:
    assert told([{"role": "custom", "content": message(3)["content"]}, {"role": "user", "content": "hi"}]) == 3
