"""Calls as models send them. Rows named A.. are cases of public reports about other tools."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plans import INIT, plan, texts
from todo_context.plan.accept import accept
from todo_context.plan.apply import apply
from todo_context.plan.model import EMPTY
from todo_context.plan.ops import Append, Block, Done, Drop, Init, Note, PhaseItems, Rm, Start, Target, Unblock, View

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


@pytest.mark.parametrize("key", ["tsk", "taks", "tasks", "Task", "id", "name", "index", "phas"])
@pytest.mark.parametrize("op", ["done", "drop", "rm"])
def test_a_misspelled_target_at_the_top_is_not_everything(op: str, key: str) -> None:
    accepted = accept({"op": op, key: "A"}, SOME)

    assert not accepted.ops
    assert "no task and no phase is named" in accepted.problems[0].message


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
