"""Two REPLs in terminals and a shell beside each other: one backlog, and each hears of the others."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_llm import Call, ScriptedLlm, Step
from tests.todo_repl.process import run
from tests.todo_repl.terminal import Terminal, online

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name == "nt", reason="needs a pty")]


def calling(action: str, **more: object) -> Step:
    call: Call = {"name": "todo", "arguments": {"action": action, **more}}
    return {"tool_calls": [call]}


@contextmanager
def terminal(server: ScriptedLlm, cwd: Path) -> Iterator[Terminal]:
    found = online(server, cwd=cwd, size=(110, 30))
    try:
        yield found
    finally:
        found.hang_up()


def test_an_item_goes_from_one_to_the_other_and_back(tmp_path: Path) -> None:
    folder = tmp_path / "core"
    folder.mkdir()
    first: list[Step] = [calling("add", text="Rotate the keys"), {"text": "Kept."}, {"text": "I see it is taken."}]
    second: list[Step] = [{"text": "There it is."}, calling("claim"), {"text": "Mine."}]
    with (
        ScriptedLlm(first) as one_llm,
        ScriptedLlm(second) as two_llm,
        terminal(one_llm, folder) as one,
        terminal(two_llm, folder) as two,
    ):
        one.type("Keep it for later\r")
        one.wait_for("Kept.")
        (item,) = json.loads(run("backlog", "--json", cwd=folder).stdout)["items"]
        id_ = item["id"]

        two.type("What is there?\r")
        two.wait_for("There it is.")
        assert f"- {id_[3:]} Rotate the keys" in json.dumps(two_llm.bodies[-1])
        two.type("Take it\r")
        two.wait_for("Mine.")
        one.type(f"/backlog claim {id_}\r")
        one.wait_for("works on it, for 30 more minutes")
        one.type("Anything new?\r")
        one.wait_for("I see it is taken.")
        assert f"claimed {id_[3:]} Rotate the keys" in json.dumps(one_llm.bodies[-1])

        two.type(f"/todo pull {id_}\r")
        two.wait_for("into the plan")
        two.type("/todo done keys\r")
        two.wait_for("Close")
        two.type("y\r")
        two.wait_for("Closed in the backlog")
        undone = run("backlog", "undo", cwd=folder).stdout
        assert undone.startswith("Undone: completed by todo-context:")
        one.type("/backlog\r")
        one.wait_for(f"{id_} Rotate the keys (todo-context:")

    told: Any = json.loads(run("backlog", "log", "--json", cwd=folder).stdout)["changes"]
    story = [(change["verb"], change["by"].partition(":")[0]) for change in reversed(told)]
    assert story == [
        ("add", "todo-context"),
        ("claim", "todo-context"),
        ("complete", "todo-context"),
        ("undo", "shell"),
    ]
    assert len({change["by"] for change in told}) == 4
