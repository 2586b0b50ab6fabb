"""Our extension in real pi, when something dies or was never there."""

import os
import signal
from pathlib import Path

import pytest

from tests.e2e.pi import VERSIONS, Home, Installed, wait
from tests.e2e.pi_others import DONE, INIT, results, with_others
from tests.e2e.same_script import shown
from tests.scripted_llm import ScriptedLlm

pytestmark = [pytest.mark.e2e, pytest.mark.parametrize("pi", VERSIONS)]


def test_a_killed_pi_leaves_no_process(pi: Installed, tmp_path: Path) -> None:
    home = Home(pi, tmp_path)

    with home.rpc() as rpc:
        rpc.type("/todo")
        assert len(home.bridges()) == 1
        rpc.kill()
        home.wait_for_no_bridge()


def test_a_killed_python_is_told_at_once_and_pi_goes_on(pi: Installed, tmp_path: Path) -> None:
    with ScriptedLlm([{"tool_calls": [{"name": "slow", "arguments": {}}]}, DONE]) as server:
        home = with_others(pi, tmp_path, server, "other:slow")
        with home.rpc() as rpc:
            rpc.call("prompt", message="hello")
            wait((home.project / "slow.begun").exists)
            os.kill(home.bridges()[0], signal.SIGKILL)
            told = rpc.asked("notify")["message"]
            rpc.wait(lambda said: said.get("type") == "agent_end")
            # The last line that Python wrote to stderr stands in it; here that was a print.
            assert told == (
                f"todo-context: {home.python} ended (SIGKILL): this is no message to pi. "
                '/reload starts it again; "todo-context install pi" names another one.'
            )
            assert rpc.type("/todo") == told
    assert results(home)[0]["isError"] is True
    assert results(home)[0]["content"][0]["text"] == told.removeprefix("todo-context: ")
    assert home.entries[-1]["message"]["content"][0]["text"] == "All done."


@pytest.mark.parametrize(
    ("script", "told"),
    [
        pytest.param(None, "cannot be started (ENOENT).", id="missing"),
        pytest.param("exit 3", "ended (exit 3).", id="ends at once"),
        pytest.param("echo 'No module named todo_context' >&2; exit 1", "ended (exit 1): No module named todo_context.", id="not importable"),
        pytest.param("printf 'one\\n\\033[31mtwo\\033[0m\\n' >&2; exit 1", "ended (exit 1):  [31mtwo [0m.", id="escape sequences"),
        pytest.param("echo hello; sleep 60", "said what is no message.", id="garbage"),
        pytest.param("exec tr '\\0' a </dev/zero", "said a line of more than 67108864 characters.", id="a line without end"),
    ],
)  # fmt: skip
def test_a_python_that_does_not_work_is_told_in_one_line(
    pi: Installed, tmp_path: Path, script: str | None, told: str
) -> None:
    python = tmp_path / "python"
    if script is not None:
        python.write_text(f"#!/bin/sh\n{script}\n")
        python.chmod(0o755)
    with ScriptedLlm([DONE]) as server:
        home = Home(pi, tmp_path, server)
        done = home.print("-p", "hello", TODO_CONTEXT_PYTHON=str(python))

    assert done.stdout == "All done.\n"
    assert (
        done.stderr
        == f'todo-context: {python} {told} /reload starts it again; "todo-context install pi" names another one.\n'
    )
    assert done.returncode == 0


def test_a_setting_that_cannot_be_meant_is_told(pi: Installed, tmp_path: Path) -> None:
    home = Home(pi, tmp_path)

    with home.rpc(TODO_CONTEXT_PLAN_AUTO_START="perhaps") as rpc:
        told = rpc.asked("notify")["message"]
    assert "perhaps" in told
    assert told.startswith(f"todo-context: {home.python} ended (exit 1): ")


def test_a_folder_of_the_project_is_not_imported_from(pi: Installed, tmp_path: Path) -> None:
    home = Home(pi, tmp_path)
    (home.project / "json.py").write_text("raise SystemExit('imported')")
    (home.project / "todo_context.py").write_text("raise SystemExit('imported')")
    variables = {"PYTHONPATH": os.pathsep.join(home.env()["PYTHONPATH"].split(os.pathsep)[:-1])}

    with home.rpc(**variables) as rpc:
        assert rpc.type("/todo").startswith("The plan is empty")


def test_an_extension_that_fails_is_told_and_stops_nothing(pi: Installed, tmp_path: Path) -> None:
    with ScriptedLlm([INIT, DONE]) as server:
        home = with_others(pi, tmp_path, server, "other:failing")
        done = home.print("-p", "hello")
        again = home.print("-c", "-p", "/failing")

    assert done.stdout == "All done.\n"
    assert done.stderr == "todo-context: ValueError: on purpose\n"
    assert again.stderr == "todo-context: ValueError: on purpose\n"
    assert shown(home.session) == "# Work\n- [/] First\n- [ ] Second\n"
