"""When to plan, through a whole host: what stands in the system prompt of each request, to the byte."""

from pathlib import Path
from typing import Any

import pytest

from tests.cases.host import Host, calling, run, said
from tests.cases.test_compaction import LONG, compact
from tests.conftest import STOP_REMINDERS
from tests.plans import INIT
from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_context.attention.branches import golden
from tests.todo_repl.process import run as run_program
from todo_context.pi import Answer, Context, Pi
from todo_repl.manifest import Manifest
from todo_repl.runtime import Submitted

EAGER = "TODO_CONTEXT_ATTENTION_EAGER"


def system_prompts(server: ScriptedLlm) -> list[str]:
    """Those of all requests, one each."""
    bodies: list[Any] = server.bodies
    return [message["content"] for body in bodies for message in body["messages"] if message["role"] == "system"]


def ask_by_command(pi: Pi) -> None:
    """An extension whose command has the agent begin by itself."""

    async def ask(args: str, ctx: Context) -> Answer:
        del ctx
        pi.send_message(args, custom_type="ask", display=False, trigger_turn=True)
        return Answer(text="Asked.")

    pi.register_command("ask", description="", handler=ask)


def test_it_is_the_same_in_every_request_of_every_run_whoever_began_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The prefix law begins with the system prompt: messages, a stop reminder, a command, /reload, a resume."""
    monkeypatch.delenv(STOP_REMINDERS)
    seen: list[str] = []
    rests: list[Step] = [{"text": "I rest."}] * 30

    async def job(host: Host) -> None:
        for line in ("Plan it.", "Go on.", "/ask and now?", "/todo done wire", "/reload", "/ask again?", "Go on."):
            await host.runtime.submit(line)
        seen.extend(system_prompts(host.server))

    declared = {"name": "ask", "version": "1", "entrypoint": "ask:activate", "commands": [{"name": "ask"}]}
    others = [(Manifest.model_validate(declared), ask_by_command)]
    for _ in range(2):
        run(tmp_path / "s.jsonl", [*calling(INIT), *rests], job, extensions=others)

    assert len(seen) > 20
    assert set(seen) == {f"Plan.\n\n{golden('eager_soft')}"}


@pytest.mark.parametrize(
    ("eager", "line"),
    [
        pytest.param("off", "", id="off"),
        pytest.param("soft", f"\n\n{golden('eager_soft')}", id="soft"),
        pytest.param("first", f"\n\n{golden('eager_first')}", id="first"),
    ],
)
def test_the_setting_says_how_much_it_asks(
    eager: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(EAGER, eager)
    seen: list[str] = []

    async def job(host: Host) -> None:
        assert await host.runtime.submit("Plan it.") is Submitted.DONE
        seen.extend(system_prompts(host.server))

    run(tmp_path / "s.jsonl", calling(INIT), job)

    assert seen == [f"Plan.{line}"] * 2


def test_the_summariser_is_not_asked_for_a_plan(tmp_path: Path) -> None:
    async def job(host: Host) -> None:
        for line in ("Plan it.", LONG):
            await host.runtime.submit(line)
        await compact(host)
        *_, summary = system_prompts(host.server)
        assert golden("eager_soft") not in summary

    run(tmp_path / "s.jsonl", [*calling(INIT), {"text": LONG}], job)


@pytest.mark.parametrize("option", ["--no-todo", "--no-tools"])
def test_m12_where_the_tool_is_off_the_system_prompt_is_the_hosts_own(option: str, tmp_path: Path) -> None:
    with ScriptedLlm([{"text": "Hello."}]) as server:
        where = ("--no-session", "--model", "openai:scripted", "--base-url", server.base_url)
        done = run_program(option, *where, "-p", "hi", cwd=tmp_path, OPENAI_API_KEY="unused", **{EAGER: "first"})
        (system,) = system_prompts(server)

    assert done.returncode == 0
    assert "todo_write" not in system
    assert "three or more steps" not in system


def test_a_first_run_says_it_in_its_first_request(tmp_path: Path) -> None:
    """Also where there is no plan yet, for then it is wanted most."""

    async def job(host: Host) -> None:
        await said("Hello.")(host)
        assert golden("eager_soft") in system_prompts(host.server)[0]

    run(tmp_path / "s.jsonl", [{"text": "Hello."}], job)
