"""The reminder in real pi: in every request, in no file, and in nobody's cache."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.pi import VERSIONS, Home, Installed
from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_context.attention.branches import golden

pytestmark = [pytest.mark.e2e]

OPEN = "<system-reminder>"


def plan(*ops: Any) -> Step:
    return {"tool_calls": [{"name": "todo_write", "arguments": {"ops": [*ops]}}]}


def bash(number: int) -> Step:
    """A call of another tool: behind our own result there is no reminder."""
    return {"tool_calls": [{"name": "bash", "arguments": {"command": f"echo {number}"}}]}


INIT = plan({"op": "init", "list": [{"phase": "Work", "items": ["First", "Second"]}]})
STEPS: list[Step] = [INIT, *(bash(number) for number in range(6)), {"text": "That is all."}]


def blocks(body: Any) -> list[dict[str, Any]]:
    """All parts of the messages of a request in Anthropic's protocol, in order."""
    return [block for message in body["messages"] for block in message["content"]]


def is_reminder(block: dict[str, Any]) -> bool:
    return str(block.get("text", "")).startswith(OPEN)


def bare(found: list[dict[str, Any]]) -> str:
    return json.dumps([{key: value for key, value in block.items() if key != "cache_control"} for block in found])


@pytest.mark.parametrize("pi", VERSIONS)
def test_the_open_plan_is_in_each_request_and_never_in_the_file(pi: Installed, tmp_path: Path) -> None:
    with ScriptedLlm(STEPS) as server:
        home = Home(pi, tmp_path, server)
        done = home.print("-p", "hello")
        told = [json.dumps(body["messages"]).count(OPEN) for body in server.bodies]

    assert (done.returncode, done.stdout) == (0, "That is all.\n")
    # Nothing is open at first, and the second request ends in our own result.
    assert told == [0, 0, *[1] * 6]
    assert OPEN not in home.session.read_text("utf-8")


@pytest.mark.parametrize("pi", VERSIONS)
def test_pi_says_when_a_plan_is_worth_it_as_long_as_the_tool_is_offered(pi: Installed, tmp_path: Path) -> None:
    line = golden("eager_soft")
    with ScriptedLlm(
        [INIT, {"text": "Planned."}, {"text": "On it."}, {"text": "Off."}, {"text": "No tool."}]
    ) as server:
        home = Home(pi, tmp_path, server)
        home.print("-p", "hello")
        home.print("-c", "-p", "go on")
        home.print("-c", "-p", "go on", TODO_CONTEXT_ATTENTION_EAGER="off")
        home.print("-p", "hello", "--no-tools")
        bodies: list[Any] = [*server.bodies]

    systems = [json.dumps(body["messages"][0], ensure_ascii=False) for body in bodies]
    assert [body["messages"][0]["role"] for body in bodies] == ["system"] * len(bodies)
    assert len(set(systems[:3])) == 1
    assert [system.count(f"- {line}") for system in systems] == [1, 1, 1, *[0] * (len(systems) - 3)]
    assert len(systems) == 5


@pytest.mark.parametrize("pi", VERSIONS)
def test_what_is_written_into_the_cache_anew_does_not_grow(pi: Installed, tmp_path: Path) -> None:
    """pi marks the last part; on the reminder, the mark would have the whole conversation written each time."""
    with ScriptedLlm(STEPS) as server:
        home = Home(pi, tmp_path, server)
        models = json.loads((home.agent / "models.json").read_text())
        provider = models["providers"]["scripted"]
        provider["api"] = "anthropic-messages"
        provider["baseUrl"] = re.sub("/v1$", "", provider["baseUrl"])
        (home.agent / "models.json").write_text(json.dumps(models))
        done = home.print("-p", "hello")
        requests = [blocks(body) for body in server.bodies]

    assert (done.returncode, done.stdout) == (0, "That is all.\n")
    assert len(requests) == 8
    written, anew = "", list[int]()
    for found in requests:
        marked = [position for position, block in enumerate(found) if "cache_control" in block]
        assert marked
        assert not any(is_reminder(found[position]) for position in marked)
        kept = bare(found[: marked[-1] + 1])[:-1]
        assert kept.startswith(written)
        anew.append(len(kept) - len(written))
        written = kept
    assert max(anew[3:]) <= 1.2 * max(anew[1:3])
