"""/todo edit in an editor that takes its time, while the agent changes the same plan: no change of either is lost.

Nothing stands in for anything: the model is behind the real server, the editor is a process that waits for a file to
appear before it saves, and the plan is read from the session file, also after it was opened again.
"""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases.host import Host, calling, run, until, use_editor
from tests.scripted_llm import Step
from todo_context import plan_of, to_markdown
from todo_repl.runtime import Submitted
from todo_repl.session import read_branch

pytestmark = pytest.mark.e2e

INIT: dict[str, Any] = {
    "ops": [
        {
            "op": "init",
            "list": [
                {"phase": "Build", "items": ["Wire config", "Port logger"]},
                {"phase": "Verify", "items": ["Run tests"]},
                {"phase": "Ship", "items": ["Write notes", "Tag it"]},
            ],
        }
    ]
}
DONE = {"op": "done", "task": "Wire config"}
APPENDED = {"op": "append", "phase": "Ship", "items": ["Tell the users"]}
DROPPED = {"op": "drop", "task": "Tag it"}

EDITOR = """
(folder / "opened").touch()
while not (folder / "save").exists():
    time.sleep(0.01)
text = path.read_text().replace("Run tests", "Run all tests").replace("Write notes", "Write notes\\n  > for users")
path.write_text(text)
"""
"""The person renames one task and adds a note to another."""

BY_BOTH = """\
# Build
- [x] Wire config
- [/] Port logger

# Verify
- [ ] Run all tests

# Ship
- [ ] Write notes
  > for users
- [-] Tag it
- [ ] Tell the users
"""

MERGED = 'Merged with what changed meanwhile: added "Tell the users", changed "Wire config"'


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Opened by the test, or at its end."""
    made = threading.Event()
    yield made
    made.set()


@pytest.fixture(autouse=True)
def slow_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The editor of the person; `opened` appears in this folder when it is open, and `save` lets it go on."""
    use_editor(tmp_path, monkeypatch, EDITOR)
    return tmp_path


async def opened(host: Host, folder: Path) -> "asyncio.Task[str]":
    """Type /todo edit, and wait until the editor has the text."""
    editing = asyncio.create_task(host.type("/todo edit"))
    await until((folder / "opened").exists)
    return editing


def reopened(path: Path) -> list[str]:
    """The plan as it is in the file, and as a host shows it that opens the file again."""
    seen = [to_markdown(plan_of(read_branch(path)))]

    async def look(host: Host) -> None:
        seen.append(await host.agreed())

    run(path, [], look, has_person=True)
    return seen


MESSAGES = [
    pytest.param(calling(*({"ops": [op]} for op in (DONE, APPENDED, DROPPED))), 3, id="three messages"),
    pytest.param(calling({"ops": [DONE, APPENDED, DROPPED]}), 1, id="one call"),
    pytest.param(
        [
            {"tool_calls": [{"name": "todo_write", "arguments": {"ops": [op]}} for op in (DONE, APPENDED, DROPPED)]},
            {"text": "Done."},
        ],
        3,
        id="three calls in one message",
    ),
]


@pytest.mark.parametrize(("steps", "changes"), MESSAGES)
def test_what_the_agent_did_while_the_editor_was_open_and_what_the_person_saved_are_both_there(
    steps: list[Step], changes: int, tmp_path: Path
) -> None:
    path = tmp_path / "s.jsonl"

    async def job(host: Host) -> None:
        assert await host.runtime.submit("Plan it.") is Submitted.DONE
        editing = await opened(host, tmp_path)
        assert await host.runtime.submit("Go on.") is Submitted.DONE
        assert not editing.done()
        (tmp_path / "save").touch()
        answer = await editing
        assert "Edited: 1 renamed, 1 changed." in answer
        assert f'{MERGED}, "Tag it".' in answer
        assert [change["by"] for change in host.changes] == ["model"] * (1 + changes) + ["user"]
        assert await host.agreed() == BY_BOTH

    run(path, [*calling(INIT), *steps], job, has_person=True)

    assert reopened(path) == [BY_BOTH] * 2


def test_a_run_that_outlasts_the_editor_goes_on_from_what_the_person_saved(
    tmp_path: Path, gate: threading.Event
) -> None:
    path = tmp_path / "s.jsonl"
    steps: list[Step] = calling(*({"ops": [op]} for op in (DONE, APPENDED, DROPPED)))
    steps[2]["gate"] = gate

    async def job(host: Host) -> None:
        assert await host.runtime.submit("Plan it.") is Submitted.DONE
        editing = await opened(host, tmp_path)
        running = asyncio.create_task(host.runtime.submit("Go on."))
        await asyncio.to_thread(host.server.wait_for, 5)
        (tmp_path / "save").touch()
        assert f"{MERGED}." in await editing
        assert not running.done()
        gate.set()
        assert await running is Submitted.DONE
        assert [change["by"] for change in host.changes] == ["model"] * 3 + ["user", "model"]
        assert [change["seq"] for change in host.changes] == [1, 2, 3, 4, 5]
        assert await host.agreed() == BY_BOTH

    run(path, [*calling(INIT), *steps], job, has_person=True)

    assert reopened(path) == [BY_BOTH] * 2


def test_undo_takes_back_the_edit_alone_and_leaves_what_the_agent_did(tmp_path: Path) -> None:
    async def job(host: Host) -> None:
        assert await host.runtime.submit("Plan it.") is Submitted.DONE
        editing = await opened(host, tmp_path)
        assert await host.runtime.submit("Go on.") is Submitted.DONE
        (tmp_path / "save").touch()
        await editing
        await host.type("/todo undo")
        assert await host.agreed() == BY_BOTH.replace("all tests", "tests").replace("  > for users\n", "")
        await host.type("/todo redo")
        assert await host.agreed() == BY_BOTH

    run(tmp_path / "s.jsonl", [*calling(INIT), *calling({"ops": [DONE, APPENDED, DROPPED]})], job, has_person=True)
