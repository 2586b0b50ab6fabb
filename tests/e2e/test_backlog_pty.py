"""Two people at two terminals and a third one in a shell, over one backlog."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_repl.process import run
from tests.todo_repl.terminal import Terminal

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name == "nt", reason="needs a pty")]

SAID: Step = {"text": "Yes."}


class Person:
    """At a terminal, with a model that says yes."""

    def __init__(self, server: ScriptedLlm, here: Path) -> None:
        self.server = server
        self.terminal = Terminal("--model", "openai:m", "--base-url", server.base_url, cwd=here, size=(100, 40))
        self.terminal.wait_for_prompt()

    def type(self, line: str, answer: str) -> None:
        self.terminal.wait_for_prompt()
        self.terminal.type(f"{line}\r")
        self.terminal.wait_for(answer)

    def told(self, line: str) -> str:
        """Say something to the model; the request that carries it."""
        before = len(self.server.bodies)
        self.terminal.wait_for_prompt()
        self.terminal.type(f"{line}\r")
        self.terminal.wait(lambda: len(self.server.bodies) > before)
        self.terminal.wait_for_prompt()
        return json.dumps(self.server.bodies[-1]["messages"])

    def leave(self) -> None:
        self.terminal.wait_for_prompt()
        self.terminal.type("/quit\r")
        assert self.terminal.wait_for_end() == 0


@contextmanager
def two(here: Path) -> Iterator[tuple[Person, Person]]:
    with ExitStack() as stack:
        yield (
            Person(stack.enter_context(ScriptedLlm([SAID] * 9)), here),
            Person(stack.enter_context(ScriptedLlm([SAID] * 9)), here),
        )


def shell(*words: str, here: Path) -> str:
    ended = run("backlog", *words, cwd=here)
    assert ended.returncode == 0, ended
    return ended.stdout


def test_an_item_goes_from_one_to_the_other_and_the_log_tells_who_did_what(tmp_path: Path) -> None:
    with two(tmp_path) as (ann, ben):
        assert "Port the logger" not in ben.told("hello")

        ann.type("/backlog add Port the logger --priority high", "Added: td-")
        id_ = re.findall(r"Added: (td-\w+)", ann.terminal.text)[0]
        assert "Port the logger" in ben.told("and now?")
        assert ben.told("and again?").count("Port the logger") == 1, "said once"

        ben.type(f"/todo pull {id_}", f"Pulled {id_} into the plan")
        ann.type(f"/todo pull {id_}", "on it")
        assert "Pulled" not in ann.terminal.text
        assert "on it" in shell("list", here=tmp_path)

        ben.type("/todo done logger", "y or n:")
        ben.terminal.type("y\r")
        ben.terminal.wait_for(f"Closed in the backlog: {id_}")
        assert id_ not in shell("list", here=tmp_path)

        assert shell("undo", here=tmp_path).startswith("Undone: completed by")
        assert id_ in shell("list", here=tmp_path)
        assert "Port the logger" in ann.told("what is new?")

        told = shell("log", here=tmp_path)
        ann.leave()
        ben.leave()

    story = re.findall(rf"^#\d+ \S+ \S+ (\S+?:\w+)(?: \(person\))? (\w+) .*{id_}", told, re.MULTILINE)
    assert [verb for _, verb in story] == ["undid", "completed", "claimed", "added"], told
    (third, first, second, other) = (who for who, _ in story)
    assert first == second
    assert len({first, other, third}) == 3
