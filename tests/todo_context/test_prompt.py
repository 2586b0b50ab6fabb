"""The texts that a model reads first, and a folder of the person's own."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.plans import INIT
from todo_context import activate
from todo_context.errors import TodoContextError
from todo_context.hosts.memory import MemoryPi
from todo_context.prompt import PROMPT_BYTES, prompt


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TODO_CONTEXT_PLAN_PROMPTS_DIR", str(tmp_path))
    return tmp_path


def description() -> str:
    pi = MemoryPi()
    activate(pi)
    return pi.tools["todo_write"].description


def test_the_built_in_description_says_when_not_to_use_the_tool() -> None:
    """A18."""
    assert "Not for a single step or a question." in description()
    assert "any task" not in description()


def test_a_file_in_the_folder_takes_its_place(folder: Path) -> None:
    """A18."""
    (folder / "todo_write.md").write_bytes("\ufeff\r\nOnly when asked.\n\n".encode())

    assert description() == "Only when asked."


def test_what_is_not_in_the_folder_stays_built_in(folder: Path) -> None:
    (folder / "other.md").write_text("x")

    assert description() == prompt("todo_write").replace("{when}", prompt("eager_off"))


def test_a_folder_may_begin_in_the_home(home: Path) -> None:
    (home / "todo_write.md").write_text("mine")

    assert prompt("todo_write", "~") == "mine"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        pytest.param(b" \n", "todo_write.md: it is blank. Write a text", id="blank"),
        pytest.param(b"a\n\xff", "todo_write.md: line 2 is not UTF-8. Save the file as UTF-8.", id="not UTF-8"),
        pytest.param(b"x" * (PROMPT_BYTES + 1), "todo_write.md: it is longer than 64000 bytes. Shorten it.", id="long"),
        pytest.param(None, "todo_write.md: is no regular file. Write one", id="a folder"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(folder: Path, raw: bytes | None, said: str) -> None:
    file = folder / "todo_write.md"
    file.mkdir() if raw is None else file.write_bytes(raw)

    with pytest.raises(TodoContextError) as caught:
        description()

    assert f"{folder}/{said}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_not_there_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TODO_CONTEXT_PLAN_PROMPTS_DIR", str(folder / "nix"))

    with pytest.raises(TodoContextError, match=r"/nix: no such folder\. Make it, or change \[plan\] prompts_dir\."):
        description()


def test_the_bounds_of_a_reply_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A19."""
    for name, value in (("REPLY_OPEN_TASKS", "2"), ("REPLY_LINE_CHARACTERS", "20"), ("VIEW_CHARACTERS", "200")):
        monkeypatch.setenv(f"TODO_CONTEXT_PLAN_{name}", value)
    pi = MemoryPi()
    activate(pi)
    long: dict[str, Any] = {
        "ops": [{"op": "append", "phase": "Verify", "items": ["x" * 300]}, {"op": "start", "task": "x" * 300}]
    }

    view: dict[str, Any] = {"ops": [{"op": "view"}]}

    texts = [asyncio.run(pi.call_tool("todo_write", call)).text for call in (INIT, long, view)]

    assert texts[0].endswith(
        '# Build\n- [/] Wire config\n- [ ] Port logger\n… and 1 more open; {"op":"view"} shows all'
    )
    assert f"- [/] {'x' * 14}… (cut, 306 characters)" in texts[1]
    assert texts[2].endswith("x… (cut, 376 characters)")
    assert "x" * 300 in str(pi.stored[-1])
