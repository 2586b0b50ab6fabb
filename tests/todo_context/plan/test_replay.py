"""The plan of a branch: by `seq` among ours, by position among the rest."""

from typing import Any

from tests.plans import plan
from todo_context.plan.load import plan_to_json
from todo_context.plan.markdown import to_markdown
from todo_context.plan.replay import latest, plan_of

A, B, C = (plan(f"# P\n- [ ] {name}\n") for name in "abc")


def ours(value: Any, seq: int) -> dict[str, Any]:
    data = {"v": 1, "seq": seq, "phases": plan_to_json(value), "by": "user", "action": "x"}
    return {"type": "custom", "customType": "todo_write", "data": data}


def omp_edit(value: Any) -> dict[str, Any]:
    return {"type": "custom", "customType": "user_todo_edit", "data": {"phases": plan_to_json(value)}}


def result(value: Any, **details: Any) -> dict[str, Any]:
    message = {"role": "toolResult", "toolName": "todo_write", "toolCallId": "c", "isError": False}
    return {"type": "message", "message": {**message, "details": {"phases": plan_to_json(value), **details}}}


def test_no_entries_are_an_empty_plan() -> None:
    assert latest([]).seq == 0
    assert not plan_of([]).phases


def test_the_newest_entry_of_ours_is_the_plan() -> None:
    snapshot = latest([ours(A, 1), {"type": "message", "message": {"role": "user"}}, ours(B, 2)])

    assert snapshot.plan == B
    assert snapshot.seq == 2


def test_a_result_that_comes_late_does_not_undo_a_newer_edit() -> None:
    """The model changed (1), the person edited (2), and only then the host wrote the result of the call (1)."""
    snapshot = latest([ours(A, 1), ours(B, 2), result(A, seq=1)])

    assert snapshot.plan == B
    assert snapshot.seq == 2


def test_a_result_of_ours_without_its_entry_counts_by_its_seq() -> None:
    assert latest([ours(A, 1), result(B, seq=2)]).plan == B
    assert latest([ours(A, 1), result(B, seq=2)]).seq == 2


def test_foreign_records_count_by_position() -> None:
    assert plan_of([ours(A, 5), omp_edit(B)]) == B
    assert plan_of([ours(A, 5), result(B)]) == B
    assert plan_of([result(A), omp_edit(B), result(C)]) == C


def test_failed_results_and_views_are_no_plan() -> None:
    failed = result(B)
    failed["message"]["isError"] = True

    assert plan_of([result(A), failed, result(B, op="view")]) == A


def test_a_malformed_snapshot_is_passed_over_with_a_warning() -> None:
    broken: Any = {"type": "custom", "customType": "todo_write", "id": "0000beef", "data": {"seq": 2, "phases": "x"}}

    snapshot = latest([ours(A, 1), broken])

    assert snapshot.plan == A
    assert snapshot.warnings == ("entry 0000beef holds no plan; the one before it counts",)


def test_old_shapes_load() -> None:
    flat: Any = {
        "type": "custom",
        "customType": "todo_write",
        "data": {"todos": ["a", {"content": "b", "status": "done?"}]},
    }

    snapshot = latest([flat])

    assert to_markdown(snapshot.plan) == "# Tasks\n- [ ] a\n- [ ] b\n"
    assert snapshot.warnings == ('task "b" has an unknown status "done?"; read as pending',)


def test_a_blank_task_is_dropped_and_a_blank_phase_named() -> None:
    entry = omp_edit(A)
    entry["data"]["phases"] = [{"name": " ", "tasks": [{"content": "\x07"}, {"content": "a\nb", "id": "t1"}]}]

    assert to_markdown(latest([entry]).plan) == "# Phase\n- [ ] a b\n"
    assert len(latest([entry]).warnings) == 2


def test_unknown_keys_survive() -> None:
    entry = omp_edit(A)
    entry["data"]["phases"] = [{"name": "P", "tasks": [{"content": "a", "status": "pending", "x": [1]}], "y": {}}]

    assert plan_to_json(plan_of([entry])) == entry["data"]["phases"]


def call(call_id: str, arguments: object) -> dict[str, Any]:
    part = {"type": "toolCall", "id": call_id, "name": "todo_write", "arguments": arguments}
    return {"type": "message", "message": {"role": "assistant", "content": [part]}}


def answer(call_id: str, *, is_error: bool = False) -> dict[str, Any]:
    message = {"role": "toolResult", "toolName": "todo_write", "toolCallId": call_id, "isError": is_error}
    return {"type": "message", "message": message}


def test_without_any_snapshot_the_calls_are_folded() -> None:
    init = {"ops": [{"op": "init", "list": [{"phase": "P", "items": ["a", "b"]}]}]}
    branch = [
        call("1", init),
        answer("1"),
        call("2", {"ops": [{"op": "done", "task": "a"}]}),
        answer("2"),
        call("3", {"ops": [{"op": "rm"}]}),
        answer("3", is_error=True),
        call("4", {"ops": [{"op": "rm"}]}),
    ]

    assert to_markdown(plan_of(branch)) == "# P\n- [x] a\n- [/] b\n"


def test_reading_a_long_branch_stops_at_the_newest_entry_of_ours() -> None:
    """R12: what lies before it is not looked at."""

    class Forbidden(dict[str, Any]):
        def __getitem__(self, key: str) -> Any:
            raise AssertionError(key)

        get = __getitem__  # type: ignore[assignment]

    assert latest([Forbidden()] * 50_000 + [ours(A, 7)]).plan == A


def test_odd_records_are_passed_over() -> None:
    """R06: one unreadable record does not hide the others."""
    odd: list[Any] = [
        {"type": "custom", "customType": ["todo_write"], "data": {"phases": []}},
        {"type": "message", "message": {"role": "toolResult", "toolName": ["todo"], "details": {"phases": []}}},
        {
            "type": "message",
            "message": {"role": "assistant", "content": [{"type": "toolCall", "name": ["todo_write"]}]},
        },
    ]

    assert plan_of([ours(A, 1), *odd]) == A
    assert not plan_of(odd).phases
