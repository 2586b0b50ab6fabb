"""Calls as models send them. Rows named A.. are cases of public reports about other tools."""

import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plans import INIT, plan, texts
from todo_context.plan.accept import accept
from todo_context.plan.apply import apply
from todo_context.plan.model import EMPTY
from todo_context.plan.ops import (
    Append,
    Block,
    Done,
    Drop,
    Init,
    Note,
    PhaseItems,
    Replace,
    Rm,
    Start,
    Target,
    Unblock,
    View,
)

SOME = plan("# Build\n- [ ] Wire config\n- [ ] A\n")

READ: list[Any] = [
    pytest.param(INIT, [Init((PhaseItems("Build", ("Wire config", "Port logger")), PhaseItems("Verify", ("Run tests",))))], id="init"),
    pytest.param({"ops": [{"op": "init", "list": []}]}, [Init(())], id="init of nothing"),
    pytest.param({"ops": [{"op": "init", "items": ["x"]}]}, [Init((PhaseItems("Tasks", ("x",)),))], id="flat init"),
    pytest.param({"ops": [{"op": "append", "phase": "P", "items": ["x"]}]}, [Append("P", ("x",))], id="append"),
    pytest.param({"ops": [{"op": "start", "task": "A", "phase": None}]}, [Start("A")], id="null is absent"),
    pytest.param({"ops": [{"op": "done", "phase": "P"}]}, [Done(Target(phase="P"))], id="done of a phase"),
    pytest.param({"ops": [{"op": "done"}]}, [Done(Target())], id="done alone is everything"),
    pytest.param({"ops": [{"op": "drop", "task": "A", "why": 1}]}, [Drop(Target("A"))], id="an unknown key is passed over"),
    pytest.param({"ops": [{"op": "note", "task": "A", "text": "t"}]}, [Note("A", "t")], id="note"),
    pytest.param({"ops": [{"op": "block", "task": "A", "text": "t"}]}, [Block(Target("A"), "t")], id="block with text"),
    pytest.param({"ops": [{"op": "unblock", "phase": "P"}]}, [Unblock(Target(phase="P"))], id="unblock"),
    pytest.param({"ops": [{"op": "view"}]}, [View()], id="view"),
    pytest.param({"ops": '[{"op":"done","task":"A"}]'}, [Done(Target("A"))], id="A04 the list as a string"),
    pytest.param({"ops": ['{"op":"done","task":"A"}']}, [Done(Target("A"))], id="A04 an element as a string"),
    pytest.param({"ops": {"op": "done", "task": "A"}}, [Done(Target("A"))], id="A04 one object for the list"),
    pytest.param('{"ops":[{"op":"view"}]}', [View()], id="all of it as a string"),
    pytest.param({"op": "done", "task": "A"}, [Done(Target("A"))], id="one operation at the top"),
    pytest.param([{"op": "done", "task": "A"}], [Done(Target("A"))], id="a bare list of operations"),
    pytest.param({"ops": "[{'op': 'done', 'task': 'A'}]"}, [Done(Target("A"))], id="A03 a Python literal"),
    pytest.param({"ops": [{"op": "Completed", "content": "A"}]}, [Done(Target("A"))], id="A08 another spelling, and content for task"),
    pytest.param({"ops": [{"op": "in-progress", "task": "A"}]}, [Start("A")], id="A08 a status for an operation"),
    pytest.param({"ops": [{"op": "cancel", "task": "A"}]}, [Drop(Target("A"))], id="cancel"),
    pytest.param({"ops": [{"op": "delete", "task": "A"}]}, [Rm(Target("A"))], id="delete"),
    pytest.param({"ops": [{"list": [{"phase": "P", "items": ["x"]}]}]}, [Init((PhaseItems("P", ("x",)),))], id="a list alone is init"),
    pytest.param({"ops": [{"phase": "P", "items": ["x"]}]}, [Append("P", ("x",))], id="items and a phase are append"),
    pytest.param({"ops": [{"op": "init", "list": ["x", "y"]}]}, [Init((PhaseItems("Tasks", ("x", "y")),))], id="init with a flat list"),
    pytest.param({"op": "done", "reasoning": "x"}, [Done(Target())], id="a key of the harness beside it does not count"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "ops"), READ)
def test_read(arguments: object, ops: list[Any]) -> None:
    accepted = accept(arguments, SOME)

    assert not accepted.problems
    assert list(accepted.ops) == ops


def test_items_without_a_phase_begin_a_plan_where_there_is_none() -> None:
    assert accept({"items": ["x"]}, EMPTY).ops == (Init((PhaseItems("Tasks", ("x",)),)),)
    assert accept({"items": ["x"]}, SOME).problems


REFUSED: list[Any] = [
    pytest.param({"ops": [{"op": "note", "note": "see log"}]}, 0, 'note needs "task". It does not know "note"; it knows "task", "text". One that works: {"op":"note","task":"Write it","text":"See the log"}', id="A01 a wrong key"),
    pytest.param({"ops": [{"op": "done", "items": ["Wire config"]}]}, 0, 'no task and no phase is named. It does not know "items"; it knows "task", "phase". One that works: {"op":"done","task":"Write it"} For everything, send {"op":"done"} alone.', id="A01 a misplaced key"),
    pytest.param('{"todos": "Check A", "status": "in_progress"}, {"content": "Check B"}]}', None, '"{"todos": "Check A", "status": "in_progress"}, {"content": "Check B"}]}" is no JSON. Send an object such as {"ops":[{"op":"done","task":"Write it"}]}.', id="A06 unbalanced text"),
    pytest.param({}, None, 'the key "ops" is missing. Send a list of operations, such as {"ops":[{"op":"done","task":"Write it"}]}.', id="A07 nothing"),
    pytest.param({"ops": 5}, None, '"ops" is the number 5. Send a list of operations, such as {"ops":[{"op":"done","task":"Write it"}]}.', id="A07 a number"),
    pytest.param({"ops": [None]}, 0, 'it is null, not an object. One that works: {"op":"done","task":"Write it"}', id="A07 null in the list"),
    pytest.param({"ops": [{"op": "start"}]}, 0, 'start needs "task". One that works: {"op":"start","task":"Write it"}', id="A10 nothing named"),
    pytest.param({"ops": [{"op": "rename", "task": "A"}]}, 0, 'no operation "rename". There is: init, append, start, done, drop, rm, note, block, unblock, view.', id="an unknown operation"),
    pytest.param({"ops": [{"op": "rm", "task": ""}]}, 0, 'no task and no phase is named. One that works: {"op":"rm","task":"Write it"} For everything, send {"op":"rm"} alone.', id="an empty target is not everything"),
    pytest.param({"ops": [{"op": "done", "task": "null"}]}, 0, 'no task and no phase is named. One that works: {"op":"done","task":"Write it"} For everything, send {"op":"done"} alone.', id="nor is the word null"),
    pytest.param({"ops": [{"op": "done", "tsk": "A"}]}, 0, 'no task and no phase is named. It does not know "tsk"; it knows "task", "phase". One that works: {"op":"done","task":"Write it"} For everything, send {"op":"done"} alone.', id="nor is a misspelled key"),
    pytest.param({"ops": [{"op": "append", "phase": "P", "items": "x"}]}, 0, '"items" is the text "x", not a list of texts. One that works: {"op":"append","phase":"Build","items":["Write it"]}', id="items as text"),
    pytest.param({"ops": [{"op": "start", "task": 5}]}, 0, '"task" is the number 5, not text. One that works: {"op":"start","task":"Write it"}', id="a number for a name"),
    pytest.param({"ops": [{"op": "init"}]}, 0, 'init needs "list". One that works: {"op":"init","list":[{"phase":"Build","items":["Write it"]}]}', id="init of nothing said"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "index", "message"), REFUSED)
def test_refused_with_the_place_and_a_call_that_works(arguments: object, index: int | None, message: str) -> None:
    accepted = accept(arguments, SOME)

    assert not accepted.ops
    assert [(problem.index, problem.message) for problem in accepted.problems] == [(index, message)]


MISSPELLED = (
    "tsk taks tasks Task id name index phas taskName task_name taskTitle task_text task_description task_index todo_id "
    "todoId todo_name itemId phase_name names subject description label entry step number key which work activeForm"
)


@pytest.mark.parametrize("key", MISSPELLED.split())
@pytest.mark.parametrize("op", ["done", "drop", "rm"])
def test_a_misspelled_target_at_the_top_is_not_everything(op: str, key: str) -> None:
    accepted = accept({"op": op, key: "A"}, SOME)

    assert not accepted.ops
    assert "no task and no phase is named" in accepted.problems[0].message


@pytest.mark.parametrize("key", ["_i", "toolCallId", "tool_name", "agent__intent", "sessionId", "turn", "explanation"])
def test_what_a_harness_adds_at_the_top_is_passed_over(key: str) -> None:
    assert accept({"op": "done", key: "A"}, SOME).ops == (Done(Target()),)


@pytest.mark.parametrize("absent", [None, "", "null"])
def test_content_names_the_task_where_task_is_given_as_nothing(absent: str | None) -> None:
    assert accept({"ops": [{"op": "done", "task": absent, "content": "A"}]}, SOME).ops == (Done(Target("A")),)


@pytest.mark.parametrize(
    "arguments",
    [
        {"ops": None, "op": "done", "task": "A"},
        {"todos": None, "op": "done", "task": "A"},
        {"todos": None, "ops": [{"op": "done", "task": "A"}]},
    ],
)
def test_null_for_a_key_is_the_same_as_no_key(arguments: object) -> None:
    accepted = accept(arguments, SOME)

    assert (accepted.ops, accepted.problems) == ((Done(Target("A")),), ())


def test_a_list_that_is_one_object_is_read() -> None:
    assert accept({"op": "init", "list": {"phase": "B", "items": ["x"]}}, SOME).ops == (
        Init((PhaseItems("B", ("x",)),)),
    )


@pytest.mark.parametrize("items", [["a", None, 5], [None], ["a", {"content": "b"}]])
def test_an_item_that_is_no_text_refuses_the_operation_and_none_is_dropped(items: list[Any]) -> None:
    for call in (
        {"op": "append", "phase": "P", "items": items},
        {"op": "init", "list": [{"phase": "P", "items": items}]},
    ):
        accepted = accept({"ops": [call]}, SOME)
        assert not accepted.ops
        assert "not only texts" in accepted.problems[0].message


LONG = 10**5000
DEEP: list[Any] = []
for _ in range(5000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(LONG, id="a number"),
        pytest.param({"ops": [{"op": LONG}]}, id="for an operation"),
        pytest.param({"ops": [{"op": "start", "task": LONG}]}, id="for a name"),
        pytest.param({5: None}, id="a key that is no text"),
        pytest.param({"ops": [{"op": "init", 5: None, None: 1}]}, id="keys of an operation that are no text"),
        pytest.param({"ops": [{"op": DEEP}]}, id="nested too deeply to be written"),
    ],
)
def test_values_that_no_json_holds_are_problems_too(arguments: object) -> None:
    assert accept(arguments, SOME).problems


def test_an_id_too_long_to_be_written_is_none() -> None:
    (op,) = accept({"todos": [{"content": "x", "status": "pending", "id": LONG}]}, EMPTY).ops

    assert isinstance(op, Replace)
    assert [task.id for task in op.plan.tasks()] == [None]


def test_a_backslash_in_a_python_literal_is_read_in_silence() -> None:
    text = r"{'ops':[{'op':'done','task':'C:\dir'}]}"

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert accept(text, SOME).ops == (Done(Target(r"C:\dir")),)


def test_an_operation_keeps_its_place_in_the_list_of_the_sender() -> None:
    accepted = accept({"ops": [{"op": "nix"}, {"op": "done", "task": "A"}]}, SOME)

    assert [problem.index for problem in accepted.problems] == [0]
    assert [op.index for op in accepted.ops] == [1]


def test_text_nested_deeper_than_can_be_read_is_a_problem() -> None:
    assert accept('{"ops":' + "[" * 100_000, SOME).problems


_keys = st.sampled_from(["op", "ops", "list", "phase", "items", "task", "text", "reason", "x"])
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts | st.sampled_from(["init", "append", "done", "rm"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=4),
    max_leaves=12,
)


@given(any_json)
def test_anything_gives_operations_or_problems(arguments: object) -> None:
    accepted = accept(arguments, SOME)

    apply(SOME, accepted.ops)
    assert all(problem.message for problem in accepted.problems)
