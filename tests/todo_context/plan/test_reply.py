"""The words a model reads, as golden texts."""

from typing import Any

import pytest

from tests.plans import INIT, plan
from todo_context.plan.accept import accept
from todo_context.plan.apply import apply
from todo_context.plan.model import EMPTY, Phase, Plan, Task
from todo_context.plan.reply import for_model

THREE = plan("# Build\n- [x] Wire config\n- [/] Port logger\n  > see log\n\n# Verify\n- [ ] Run tests\n")


def reply(before: Plan, *ops: dict[str, Any]) -> str:
    accepted = accept({"ops": list(ops)}, before)
    return for_model(apply(before, accepted.ops), accepted)


PLAN = "# Build\n(1 done)\n- [/] Port logger\n# Verify\n- [ ] Run tests"

REPLIES: list[Any] = [
    pytest.param([{"op": "done", "task": "Port logger"}], "2 of 3 done, 1 open.\n# Build: 2 done\n# Verify\n- [/] Run tests", id="progress, and finished phases on a line"),
    pytest.param([{"op": "done", "task": "Port logger"}, {"op": "drop", "task": "Run tests"}], "All 3 closed: 2 done, 1 dropped.\n# Build: 2 done\n# Verify: 1 dropped", id="all closed"),
    pytest.param([{"op": "done", "task": "Wire config"}], f"No change.\n1 of 3 done, 2 open.\n{PLAN}", id="A11 no change says so"),
    pytest.param([{"op": "start"}], f'Applied 0 of 1.\n- ops[0] not applied: start needs "task". One that works: {{"op":"start","task":"Write it"}}\nNo change.\n1 of 3 done, 2 open.\n{PLAN}', id="A10 the open tasks are named"),
    pytest.param([{"op": "done", "task": "Port logger"}, {"op": "done", "task": "Ship"}], 'Applied 1 of 2.\n- ops[1] not applied: no task "Ship". There is "Wire config", "Port logger", "Run tests". Use the text of a task as it stands.\n2 of 3 done, 1 open.\n# Build: 2 done\n# Verify\n- [/] Run tests', id="A20 which was applied and which not"),
    pytest.param([{"op": "append", "phase": "Verify", "items": ["Run tests", "Ship"]}], f'Applied 1 of 1.\n- ops[0] in part: "Run tests" is already in the plan.\n1 of 4 done, 3 open.\n{PLAN}\n- [ ] Ship', id="in part"),
    pytest.param([{"op": "view"}], "1 of 3 done, 2 open.\n# Build\n- [x] Wire config\n- [/] Port logger\n  > see log\n\n# Verify\n- [ ] Run tests", id="view folds nothing"),
    pytest.param([{"op": "block", "task": "Run tests", "reason": "no CI"}], "1 of 3 done, 2 open (1 blocked).\n# Build\n(1 done)\n- [/] Port logger\n# Verify\n- [!] Run tests <!-- blocker: no CI -->", id="blocked"),
    pytest.param([], f"No change: no operation was sent.\n1 of 3 done, 2 open.\n{PLAN}", id="no operation"),
    pytest.param([{"op": "rm"}], "The plan is empty.", id="emptied"),
]  # fmt: skip


@pytest.mark.parametrize(("ops", "text"), REPLIES)
def test_the_reply(ops: list[dict[str, Any]], text: str) -> None:
    assert reply(THREE, *ops) == text


def test_a_call_that_cannot_be_read_is_told_whole() -> None:
    accepted = accept({"ops": 5}, EMPTY)

    assert for_model(apply(EMPTY, accepted.ops), accepted) == (
        "Nothing was applied.\n"
        '- not applied: "ops" is the number 5. Send a list of operations, such as {"ops":[{"op":"done","task":"Write it"}]}.\n'
        "No change.\n"
        "The plan is empty."
    )


def test_the_first_reply_shows_the_whole_plan() -> None:
    assert reply(EMPTY, *INIT["ops"]) == (
        "0 of 3 done, 3 open.\n# Build\n- [/] Wire config\n- [ ] Port logger\n# Verify\n- [ ] Run tests"
    )


def test_a_new_plan_over_an_unfinished_one_names_what_fell_out() -> None:
    again = {"op": "init", "list": [{"phase": "Build", "items": ["Port logger", "New"]}]}

    assert reply(THREE, again) == (
        'Your list replaced the plan; unfinished and gone from it: "Run tests". Append what is still to be done.\n'
        "0 of 2 done, 2 open.\n# Build\n- [/] Port logger\n- [ ] New"
    )


def test_a_long_plan_and_a_long_task_are_bounded_with_a_mark() -> None:
    """A19."""
    long = Plan((Phase(name="P", tasks=(*(Task(content=f"t{n}") for n in range(399)), Task(content="x" * 20_000))),))

    text = reply(long, {"op": "start", "task": "x" * 20_000})

    assert len(text) < 2_000
    assert '… and 360 more open; {"op":"view"} shows all' in text
    assert f"- [/] {'x' * 194}… (cut, 20006 characters)" in text


def test_a_whole_view_is_bounded_too() -> None:
    huge = Plan((Phase(name="P", tasks=tuple(Task(content=f"{n} {'x' * 1000}") for n in range(400))),))

    assert len(reply(huge, {"op": "view"})) < 41_000
