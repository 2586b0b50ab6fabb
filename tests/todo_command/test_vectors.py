"""What real OMP answers to its /todo, or what ours must be where it differs on purpose, line by line."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.plans import phases, vectors
from tests.todo_command.desk import Desk
from todo_command.grammar import verb_call

FILES = frozenset({"copy", "export", "import"})
"""Verbs whose lines bind only the plan, and only when it was committed. Ours go further: the files are the same too."""


@pytest.mark.parametrize(("name", "of_files"), [("omp14_command", 7), ("omp18_command", 2)])
def test_as_omp_or_as_ours(name: str, of_files: int, tmp_path: Path) -> None:
    lines = list(vectors(name))
    assert sum(verb_call(line["input"]["args"]).verb in FILES for line in lines) == of_files

    assert [line["id"] for line in lines if _actual(line, tmp_path / line["id"]) != _wanted(line)] == []


def _wanted(line: dict[str, Any]) -> dict[str, Any]:
    answer = line.get("ours", line["expected"])
    files = {**line["input"].get("files", {}), **line["expected"].get("files", {})}
    return {"phases": answer["phases"], "committed": answer["committed"], "files": files}


def _actual(line: dict[str, Any], cwd: Path) -> dict[str, Any]:
    given, desk = line["input"], Desk(cwd=cwd)
    cwd.mkdir()
    for name, text in given.get("files", {}).items():
        (cwd / name).write_bytes(text.encode())
    desk.pi.append_entry("user_todo_edit", {"phases": given["phases"]})
    desk.type(given["args"])
    files = {path.name: path.read_bytes().decode() for path in cwd.iterdir()}
    return {"phases": phases(asyncio.run(desk.lane.plan())), "committed": len(desk.pi.stored) > 1, "files": files}
