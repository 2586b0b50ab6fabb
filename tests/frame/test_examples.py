"""The three examples do what they say, and docs/extensions.md shows what happens."""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_repl.process import run
from todo_context import plan_of, to_markdown
from todo_repl.answers import ANSWERS
from todo_repl.session import Session

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGE = (ROOT / "docs/extensions.md").read_text(encoding="utf-8")
LINES = 40
"""What one sees at a glance."""


@pytest.fixture(autouse=True)
def examples(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def said(text: str, folder: Path, *flags: str, steps: list[Step]) -> list[Any]:
    """Say something to a scripted model, with this flags; the requests."""
    with ScriptedLlm(steps) as server:
        online = ("--session", "s.jsonl", "--model", "openai:m", "--base-url", server.base_url)
        done = run(*online, *flags, "-p", text, cwd=folder)
        assert done.returncode == 0, done.stderr
        return [body["messages"] for body in server.bodies]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < LINES


def test_the_branch_is_told_with_each_request_and_stored_nowhere(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/feature/x\n")
    requests = said("hi", tmp_path, "-e", "examples/git_branch.py", steps=[{"text": "Hello."}])

    assert "<note>The git branch is feature/x.</note>" in str(requests[0][-1])
    assert "feature/x" not in (tmp_path / "s.jsonl").read_text()


def test_without_a_branch_nothing_is_told(tmp_path: Path) -> None:
    requests = said("hi", tmp_path, "-e", "examples/git_branch.py", steps=[{"text": "Hello."}])

    assert len(requests[0]) == 2


@pytest.mark.parametrize("is_text", [False, True], ids=["as it should be", "as a text"])
def test_the_guard_keeps_the_model_from_removing(is_text: bool, tmp_path: Path) -> None:
    init = {"ops": [{"op": "init", "list": [{"phase": "Build", "items": ["One", "Two"]}]}]}
    removal: Any = [{"op": "rm", "task": "One"}]
    remove = {"ops": json.dumps(removal) if is_text else removal}
    steps: list[Step] = [
        {"tool_calls": [{"name": "todo_write", "arguments": arguments}]} for arguments in (init, remove)
    ]
    requests = said("plan", tmp_path, "-e", "examples/guard.py", steps=[*steps, {"text": "I see."}])

    # Behind the result stands what the plan's own extension says of the plan.
    assert requests[2][-2]["content"] == "Nothing is removed from this plan. Use drop, and say in a note why."
    with Session.open(tmp_path / "s.jsonl") as session:
        assert to_markdown(plan_of(session.branch())) == "# Build\n- [/] One\n- [ ] Two\n"


def test_a_jotted_line_is_there_after_a_resume_and_the_model_does_not_see_it(tmp_path: Path) -> None:
    flags = ("--session", "s.jsonl", "-e", "examples/jot.py")
    assert run(*flags, cwd=tmp_path, lines="/jot\n/jot call Ada\n/jot  buy milk \n").stdout == (
        "Nothing is kept yet. Add a line: /jot call Ada\nKept: call Ada\nKept: buy milk\n"
    )
    assert run(*flags, cwd=tmp_path, lines="/jot\n").stdout == "1. call Ada\n2. buy milk\n"
    assert "call Ada" not in str(said("hi", tmp_path, steps=[{"text": "Hello."}]))


def test_all_three_at_once_are_listed(tmp_path: Path) -> None:
    flags = [flag for path in EXAMPLES for flag in ("-e", f"examples/{path.name}")]
    done = run("--no-session", *flags, "-p", "/help", cwd=tmp_path)

    assert done.stdout.endswith(
        "Extensions: todo-context, git_branch (undeclared), guard (undeclared), jot (undeclared)\n"
    )


# The page


def test_what_the_page_shows_is_printed(tmp_path: Path) -> None:
    (tmp_path / "hello.py").write_text(blocks("python")[0])
    shown = [text for text in blocks("text") if not text.startswith("hello")]

    for commands, expected in zip(blocks("sh"), shown, strict=True):
        lines = [shlex.split(line)[1:] for line in commands.splitlines()]
        assert "".join(run(*line, cwd=tmp_path).stdout for line in lines) == expected


def test_the_manifest_of_the_page_is_one_for_its_extension(tmp_path: Path) -> None:
    (tmp_path / "hello.py").write_text(blocks("python")[0])
    (tmp_path / "hello.json").write_text(blocks("json")[0])

    assert run("--no-session", "-e", "hello.py", "-p", "/help", cwd=tmp_path).stdout.endswith(": todo-context, hello\n")


BROKEN = [
    "def activate(pi):\n    pi.on('tool_call', lambda event, ctx: True)\n",
    "def activate(pi):\n    pi.on('turn_end', oh)\n\ndef oh(event, ctx):\n    raise ValueError('oh no')\n",
    "\n\nactivate = = 1\n",
    "",
    blocks("python")[0].replace('"hello"', '"todo"'),
]


def test_the_errors_of_the_page_are_those_that_come(tmp_path: Path) -> None:
    shown = "".join(text for text in blocks("text") if text.startswith("hello")).splitlines()
    steps: list[Step] = [
        {"tool_calls": [{"name": "todo_write", "arguments": {"ops": [{"op": "view"}]}}]},
        {"text": "."},
    ]

    for code, line in zip(BROKEN, shown, strict=True):
        (tmp_path / "hello.py").write_text(code)
        with ScriptedLlm(steps) as server:
            online = ("--no-session", "--model", "openai:m", "--base-url", server.base_url)
            done = run(*online, "-e", "hello.py", "-p", "hi", cwd=tmp_path)
        begin = line.removesuffix(" …") if "trace" in line else line
        assert done.stderr.splitlines()[0].startswith(begin)


def test_the_page_names_each_event_with_what_it_takes() -> None:
    rows = {
        name: row
        for row in PAGE.splitlines()
        for name in re.findall(r"`(\w+)`", row.split("|")[1] if "|" in row else "")
    }

    for event, takes in ANSWERS.items():
        answer = rows[event]
        if event == "tool_result":
            assert "any of the last three" in answer
            continue
        assert all(f'"{key}"' in answer for key in takes.keys)
