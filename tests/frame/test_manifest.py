"""manifest.json says what the code registers, no more and no less."""

import asyncio
import json
import re
import tomllib
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Any

import pytest

import todo_context
from todo_context import activate
from todo_context.awaiting import awaited
from todo_context.hosts.memory import MemoryPi
from todo_context.pi import Capabilities, Ui
from todo_repl.manifest import parse_manifest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def manifest() -> Any:
    return json.loads((ROOT / "manifest.json").read_text(encoding="utf-8"))


def test_our_host_reads_it(manifest: Any) -> None:
    read = parse_manifest((ROOT / "manifest.json").read_text(encoding="utf-8"))

    assert (read.name, read.version, read.entrypoint) == ("todo-context", manifest["version"], manifest["entrypoint"])


@pytest.fixture
def pi() -> MemoryPi:
    every = Capabilities(
        context_hook=True, goes_on=True, payload_hook=True, draws_widgets=True, system_prompt="before_agent_start"
    )
    host = MemoryPi(capabilities=every)
    activate(host)
    return host


def test_it_names_each_tool(manifest: Any, pi: MemoryPi) -> None:
    assert [tool["name"] for tool in manifest["tools"]] == list(pi.tools)


def test_it_names_each_command_with_its_description(manifest: Any, pi: MemoryPi) -> None:
    declared = {command["name"]: command["description"] for command in manifest["commands"]}

    assert declared == {name: command.description for name, command in pi.commands.items()}


def test_it_names_each_hook(manifest: Any, pi: MemoryPi) -> None:
    assert sorted(manifest["hooks"]) == sorted(pi.handlers)


def test_it_names_each_verb_that_is_offered_for_completion(manifest: Any, pi: MemoryPi) -> None:
    command = manifest["commands"][0]
    complete = pi.commands["todo"].get_argument_completions
    assert complete is not None

    offered = {completion.value.strip() for completion in asyncio.run(awaited(complete("")))}

    assert {usage.partition(" ")[0] for usage in command["usage"]} - {""} == offered


def test_the_entrypoint_is_activate(manifest: Any) -> None:
    assert manifest["entrypoint"] == "todo_context:activate"
    assert callable(todo_context.activate)


def test_name_and_version_are_those_of_the_package(manifest: Any) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert (manifest["name"], manifest["version"]) == (project["name"], project["version"])
    assert manifest["description"] == project["description"]
    assert todo_context.__version__ == version("todo-context") == project["version"]


def test_the_package_carries_it() -> None:
    carried = distribution("todo-context").read_text("extra_metadata/manifest.json")

    assert carried == (ROOT / "manifest.json").read_text(encoding="utf-8"), "an editable install copies: `make test`"


def test_the_tool_asks_for_nothing(manifest: Any) -> None:
    tool = manifest["permissions"]["tool"]

    assert tool == {"fs": "none", "subprocess": "none", "network": "none", "browser": False, "models": False}


def test_the_backlog_asks_for_its_store_and_nothing_else(manifest: Any) -> None:
    backlog = manifest["permissions"]["backlog"]

    assert backlog == {"fs": "its store", "subprocess": "none", "network": "none", "browser": False, "models": False}


def test_it_declares_only_what_a_person_can_be_asked_through(manifest: Any) -> None:
    methods = {name for name in vars(Ui) if not name.startswith("_")}
    snake = {re.sub("[A-Z]", lambda match: f"_{match[0].lower()}", name) for name in manifest["permissions"]["ui"]}

    assert snake == methods


def test_the_lane_is_where_a_change_is_stored(manifest: Any, pi: MemoryPi) -> None:
    asyncio.run(pi.run_command("todo", "append Build One"))

    assert [entry.get("customType") for entry in pi.stored] == [manifest["state"]["lane"]["customType"]]
