"""One script for every host: what the model sends, what the person types, and the plan that must be in the file.

The plan is read by `todo-context show` from the host's own session file, after each step. What it must be stands
here once, so that all hosts agree with it and with each other.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_repl.process import run as run_our_program
from todo_context import to_markdown
from todo_context.plan.load import plan_from_json


class Driver(Protocol):
    """A host in a process of its own, with the extension in it and one session."""

    def start(self) -> None:
        """Begin a session."""
        ...

    def say(self, text: str) -> None:
        """Send a message to the agent, and wait for the end of its run."""
        ...

    def type(self, line: str) -> None:
        """Type a line that begins with /todo, and wait until it is done."""
        ...

    def kill(self) -> None:
        """End the process with SIGKILL."""
        ...

    def resume(self) -> None:
        """Start a process that goes on with the same session."""
        ...

    def session_file(self) -> Path:
        """The file that the host itself writes."""
        ...

    def close(self) -> None:
        """End what runs."""
        ...


@dataclass(frozen=True)
class Act:
    """One step: what is done with the driver, the model's steps for it, and the plan afterwards."""

    name: str
    do: Callable[[Driver], None]
    plan: str
    model: tuple[Step, ...] = ()


def _calls(*arguments: Any) -> tuple[Step, ...]:
    """One message with a call for each of these arguments, and a last word."""
    calls: Step = {"tool_calls": [{"name": "todo_write", "arguments": each} for each in arguments]}
    return calls, {"text": "That is all."}


def _said(text: str) -> Callable[[Driver], None]:
    return lambda driver: driver.say(text)


def _typed(line: str) -> Callable[[Driver], None]:
    return lambda driver: driver.type(line)


def _killed_and_resumed(driver: Driver) -> None:
    driver.kill()
    driver.resume()


WHOLE_LIST = json.dumps(
    [
        {"content": "Wire config", "status": "in_progress", "activeForm": "Wiring config"},
        {"content": "Port logger", "status": "pending"},
        {"content": "Schreib 日本語 ✅", "status": "pending"},
    ]
)

BY_THE_PERSON = """\
# Tasks
- [x] Wire config
- [x] Port logger
- [-] Schreib 日本語 ✅

# Verify
- [/] Run tests
- [ ] Ask Ada
"""

SCRIPT = (
    Act(
        "a whole list, as text that is JSON",
        _said("Plan it."),
        "# Tasks\n- [/] Wire config\n- [ ] Port logger\n- [ ] Schreib 日本語 ✅\n",
        _calls({"todos": WHOLE_LIST}),
    ),
    Act(
        "a phase appended by an operation",
        _said("Check it too."),
        "# Tasks\n- [/] Wire config\n- [ ] Port logger\n- [ ] Schreib 日本語 ✅\n\n# Verify\n- [ ] Run tests\n",
        _calls({"ops": [{"op": "append", "phase": "Verify", "items": ["Run tests"]}]}),
    ),
    Act(
        "one task completed",
        _said("Go on."),
        "# Tasks\n- [x] Wire config\n- [/] Port logger\n- [ ] Schreib 日本語 ✅\n\n# Verify\n- [ ] Run tests\n",
        _calls({"ops": [{"op": "done", "task": "Wire config"}]}),
    ),
    Act(
        "two calls at once in one message",
        _said("Both."),
        "# Tasks\n- [x] Wire config\n- [x] Port logger\n- [/] Schreib 日本語 ✅\n\n"
        "# Verify\n- [ ] Run tests\n  > on CI\n",
        _calls(
            {"ops": [{"op": "done", "task": "Port logger"}]},
            {"ops": [{"op": "note", "task": "Run tests", "text": "on CI"}]},
        ),
    ),
    Act(
        "the person appends",
        _typed('/todo append Verify "Ask Ada"'),
        "# Tasks\n- [x] Wire config\n- [x] Port logger\n- [/] Schreib 日本語 ✅\n\n"
        "# Verify\n- [ ] Run tests\n  > on CI\n- [ ] Ask Ada\n",
    ),
    Act(
        "the person drops",
        _typed("/todo drop schreib"),
        BY_THE_PERSON.replace("Run tests\n", "Run tests\n  > on CI\n"),
    ),
    Act(
        "killed, and resumed",
        _killed_and_resumed,
        BY_THE_PERSON.replace("Run tests\n", "Run tests\n  > on CI\n"),
    ),
    Act(
        "the model completes the rest",
        _said("Finish."),
        "# Tasks\n- [x] Wire config\n- [x] Port logger\n- [-] Schreib 日本語 ✅\n\n"
        "# Verify\n- [x] Run tests\n  > on CI\n- [x] Ask Ada\n",
        _calls({"ops": [{"op": "done"}]}),
    ),
)


def model_steps() -> list[Step]:
    """What the model's server answers over the whole script."""
    return [step for act in SCRIPT for step in act.model]


def shown(session: Path) -> str:
    """The plan that `todo-context show` reads from a session file, as Markdown."""
    done = run_our_program("show", str(session), "--json", cwd=session.parent)
    assert done.returncode == 0, done.stderr
    return to_markdown(plan_from_json(json.loads(done.stdout)).plan)


def play(make: Callable[[ScriptedLlm], Driver]) -> Sequence[dict[str, Any]]:
    """Play the script in one host; the requests that the model got."""
    with ScriptedLlm(model_steps()) as server:
        driver = make(server)
        driver.start()
        try:
            for act in SCRIPT:
                act.do(driver)
                assert (act.name, shown(driver.session_file())) == (act.name, act.plan)
        finally:
            driver.close()
        return server.bodies
