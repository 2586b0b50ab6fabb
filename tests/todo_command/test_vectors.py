"""What real OMP answers to its /todo, or what ours must be where it differs on purpose, line by line."""

from typing import Any

import pytest

from tests.plans import phases, vectors
from tests.todo_command.desk import Desk
from todo_command.grammar import verb_call

ELSEWHERE = frozenset({"copy", "export", "import"})
"""Verbs of OMP that touch files or the clipboard: what they answer stands elsewhere."""


@pytest.mark.parametrize("name", ["omp14_command", "omp18_command"])
def test_as_omp_or_as_ours(name: str) -> None:
    lines = [line for line in vectors(name) if verb_call(line["input"]["args"]).verb not in ELSEWHERE]
    assert lines

    assert [line["id"] for line in lines if _actual(line["input"]) != _wanted(line)] == []


def _wanted(line: dict[str, Any]) -> dict[str, Any]:
    answer = line.get("ours", line["expected"])
    return {"phases": answer["phases"], "committed": answer["committed"]}


def _actual(given: dict[str, Any]) -> dict[str, Any]:
    desk = Desk()
    desk.pi.append_entry("user_todo_edit", {"phases": given["phases"]})
    desk.type(given["args"])
    return {"phases": phases(desk.lane.plan()), "committed": len(desk.pi.stored) > 1}
