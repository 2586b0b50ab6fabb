"""Group R, as far as one branch goes: a plan that is all done, and a branch that is long.

Left for the reminder to come: what R11 says of it.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import pytest

from tests.cases.host import Extension, calling, read_by_model
from tests.plans import INIT, plan
from tests.scripted_llm import ScriptedLlm
from tests.todo_repl.process import run
from todo_context.checklist import bounded_checklist, checklist
from todo_context.hosts.memory import MemoryPi
from todo_context.looks import STYLES
from todo_context.pi import Entry
from todo_context.plan.load import plan_to_json

ALL_DONE = "# Build\n- [x] Wire config\n- [x] Port logger\n\n# Verify\n- [x] Run tests\n"


def test_r11_a_plan_that_is_all_done_is_there_in_full_after_coming_back(tmp_path: Path) -> None:
    """Each time in a new process: /todo, show, an export and the model all have the three done tasks; none says empty."""
    session = ("--session", "s.jsonl")

    def online(text: str, *calls: Any) -> tuple[str, list[str]]:
        with ScriptedLlm(calling(*calls)) as server:
            ended = run(*session, "--model", "openai:m", "--base-url", server.base_url, "-p", text, cwd=tmp_path)
            assert (ended.returncode, ended.stderr) == (0, "")
            return ended.stdout, read_by_model(server.bodies[-1])

    _, read = online("Do it.", INIT, {"ops": [{"op": "done"}]})
    assert read[-1] == "All 3 closed: 3 done.\n# Build: 2 done\n# Verify: 1 done"

    assert run("show", "s.jsonl", cwd=tmp_path).stdout == ALL_DONE
    assert run(*session, cwd=tmp_path, lines="/todo\n").stdout == ALL_DONE
    assert run(*session, cwd=tmp_path, lines="/todo export\n").stdout.startswith("Exported 3 tasks to ")
    assert (tmp_path / "TODO.md").read_text() == ALL_DONE

    _, read = online("What is there?", {"ops": [{"op": "view"}]}, {"ops": [{"op": "done", "task": "Run tests"}]})
    assert read[-2] == f"All 3 closed: 3 done.\n{ALL_DONE}".rstrip("\n")
    assert read[-1].startswith("No change.\nAll 3 closed: 3 done.\n")
    assert not any("empty" in text for text in read)


class Counted(Sequence[Entry]):
    """A branch that counts how often an entry of it is looked at."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self.looks = 0

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | Sequence[Entry]:
        found = self._entries[index]
        self.looks += len(found) if isinstance(index, slice) else 1
        return found

    def __iter__(self) -> Iterator[Entry]:
        for entry in self._entries:
            self.looks += 1
            yield entry

    def __reversed__(self) -> Iterator[Entry]:
        for entry in reversed(self._entries):
            self.looks += 1
            yield entry


class CountingPi(MemoryPi):
    """A host that knows how many entries it has shown."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: list[Counted] = []

    def branch(self) -> Sequence[Entry]:
        self._shown.append(Counted(self.path))
        return self._shown[-1]

    def looked(self) -> int:
        """How many entries were looked at since this was asked last."""
        shown, self._shown = self._shown, []
        return sum(counted.looks for counted in shown)


LENGTH = 50_000


def long_branch(*places: int) -> Extension:
    """A branch of messages, with an entry of ours at each of these places."""
    extension = Extension(CountingPi())
    phases = plan_to_json(plan("# Build\n- [/] Wire config\n- [ ] Port logger\n"))
    said: Any = {"role": "user", "content": [{"type": "text", "text": "Go on."}], "timestamp": 1}
    for place in range(LENGTH):
        entry: dict[str, Any] = {"type": "message", "message": said}
        if place in places:
            data = {"v": 1, "seq": places.index(place) + 1, "phases": phases, "by": "model", "action": "init"}
            entry = {"type": "custom", "customType": "todo_write", "data": data}
        extension.pi.path.append({**entry, "id": f"{place:08x}", "parentId": None})
    return extension


def looked(extension: Extension) -> int:
    assert isinstance(extension.pi, CountingPi)
    return extension.pi.looked()


def test_r12_of_a_long_branch_only_its_end_is_looked_at() -> None:
    """Every read stops at the newest entry of ours, however many entries there are before it."""
    extension = long_branch(100, LENGTH - 20)

    shown = extension.type("").text
    assert shown == "# Build\n- [/] Wire config\n- [ ] Port logger"
    assert looked(extension) == 20
    assert not extension.call({"ops": [{"op": "done", "task": "Wire config"}]}).is_error
    assert looked(extension) == 20
    assert not extension.call({"ops": [{"op": "view"}]}).is_error
    # The entry of the call before, and its result.
    assert looked(extension) == 2


def test_r12_at_worst_each_entry_is_looked_at_once_for_a_read() -> None:
    """With the only entry near the start, and for what asks for the whole history."""
    extension = long_branch(100)

    assert extension.type("start logger").text == 'Started: "Port logger". "Wire config" is pending again.'
    # Once to know what is meant, once more in the turn that changes it.
    assert looked(extension) <= 2 * LENGTH
    assert extension.type("log").text.startswith("#2 you       start: 2 changed (")
    assert looked(extension) <= 3 * LENGTH


def test_r12_a_branch_without_a_plan_is_looked_at_a_few_times_over_and_no_more() -> None:
    """Then the calls on it could be one: they are looked for, once each way."""
    extension = long_branch()

    assert extension.type("").text.startswith("The plan is empty.")
    assert LENGTH <= looked(extension) <= 3 * LENGTH


@pytest.mark.parametrize("draw", [checklist, bounded_checklist])
def test_r12_drawing_a_plan_looks_at_no_entry(draw: Any) -> None:
    """A hundred times over: what is drawn is the plan that was read, or the details of a result."""
    extension = long_branch(LENGTH - 20)
    result = extension.call({"ops": [{"op": "done", "task": "Wire config"}]})
    tool, now = extension.pi.tools["todo_write"], plan("# Build\n- [x] Wire config\n- [/] Port logger\n")
    looked(extension)

    for _ in range(100):
        assert "Port logger" in draw(now, STYLES["dark"]).plain
        assert tool.render_result is not None
        assert tool.render_result(result) is not None

    assert looked(extension) == 0
