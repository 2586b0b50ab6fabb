"""Group P, the panel: public reports about other tools, on a real screen, with a plan that a scripted model makes."""

import json
import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cases.host import calling
from tests.plans import INIT
from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_context.panel.boards import EIGHT, Board, many
from tests.todo_repl.terminal import Terminal
from todo_context import plan_of
from todo_context.plan.model import EMPTY, Plan
from todo_context.plan.select import active_task, counts
from todo_repl.session import read_branch

needs_a_pty = pytest.mark.skipif(os.name == "nt", reason="needs a pty")

HEADING = re.compile(r"Plan (\d+)/(\d+) done")


def init(*phases: tuple[str, Sequence[str]]) -> Any:
    return {"ops": [{"op": "init", "list": [{"phase": name, "items": list(items)} for name, items in phases]}]}


def done(task: str) -> Any:
    return {"ops": [{"op": "done", "task": task}]}


FORTY = [f"Step {n} of many, with {'words ' * 12}" for n in range(40)]


class Repl(Terminal):
    """The program with a plan of a scripted model, in a terminal."""

    def __init__(self, folder: Path, server: ScriptedLlm, size: tuple[int, int] = (80, 24), **env: str) -> None:
        self.path = folder / "s.jsonl"
        super().__init__(
            *("--session", str(self.path), "--model", "openai:m", "--base-url", server.base_url),
            cwd=folder,
            size=size,
            env={"OPENAI_API_KEY": "x", **env},
        )
        self.wait_for_prompt()

    def say(self, text: str) -> None:
        """Type a line, and wait until all of it is done."""
        # The line stands above what comes of it, also when it was a command.
        sign = f"> {text}" if text.startswith("/") else "That is all."
        before = self.text.count(sign)
        self.type(f"{text}\r")
        self.wait(lambda: self.text.count(sign) > before + self.typed.count(sign))
        self.wait_for_prompt()

    @property
    def typed(self) -> str:
        """The row of the prompt, with what is typed there and not sent yet."""
        return next((row for row in reversed(self.rows) if row.startswith(">")), "")

    @property
    def heading(self) -> int:
        """The row of the panel's heading."""
        return next((at for at, row in enumerate(self.rows) if HEADING.match(row)), -1)

    @property
    def panel(self) -> list[str]:
        """The rows of the panel, as far as the status line."""
        rows = self.rows[self.heading :] if self.heading >= 0 else []
        ends = ("openai:m", "Esc stops", ">")
        end = next((at for at, row in enumerate(rows) if row.startswith(ends)), len(rows))
        return rows[:end]

    @property
    def plan(self) -> Plan:
        return plan_of(read_branch(self.path)) if self.path.exists() else EMPTY

    def agreed(self) -> bool:
        """Whether the panel says what the session file says."""
        found, heading = counts(self.plan), HEADING.match(self.rows[self.heading]) if self.heading >= 0 else None
        if heading is None:
            return not found.open
        active = active_task(self.plan)
        return (int(heading[1]), int(heading[2])) == (found.completed, found.total) and (
            active is None or any(active.content[:20] in row for row in self.panel)
        )


@pytest.fixture
def play() -> Iterator[Any]:
    servers: list[ScriptedLlm] = []

    def begin(steps: Sequence[Step]) -> ScriptedLlm:
        servers.append(ScriptedLlm(steps))
        return servers[-1].__enter__()

    yield begin
    for server in servers:
        server.__exit__(None, None, None)


@needs_a_pty
def test_p01_fifty_changes_leave_the_height_as_it_is_and_each_row_on_one_line(play: Any, tmp_path: Path) -> None:
    steps = [*calling(init(("Build", FORTY))), *calling(*(done(task) for task in FORTY[:25]))]
    repl = Repl(tmp_path, play(steps), (80, 12))
    repl.say("plan")
    before = repl.panel
    assert len(before) == 4

    repl.say("go")

    assert len(repl.panel) == 4
    assert repl.panel[0].startswith("Plan 25/40 done")
    assert repl.panel[-1] == "+38 more (24 done, 14 open)"
    assert repl.agreed()


@needs_a_pty
@pytest.mark.parametrize(("rows", "most"), [(24, 8), (10, 3)])
def test_p02_the_panel_takes_a_third_of_the_screen_at_most_and_goes_when_all_is_done(
    rows: int, most: int, play: Any, tmp_path: Path
) -> None:
    thirty = [f"Item {n}" for n in range(30)]
    steps = [*calling(init(("Build", thirty)), done("Item 0")), *calling({"ops": [{"op": "done", "phase": "Build"}]})]
    repl = Repl(tmp_path, play(steps), (80, rows))
    repl.say("plan")

    assert len(repl.panel) == most
    assert any("Item 1" in row for row in repl.panel)
    assert re.fullmatch(r"\+\d+ more \(.*\)", repl.panel[-1])

    repl.say("finish")
    assert repl.heading == -1
    assert counts(repl.plan).completed == 30


@needs_a_pty
def test_p03_a_key_shows_all_of_the_plan_and_so_does_todo(play: Any, tmp_path: Path) -> None:
    twelve = [f"Item {n}" for n in range(12)]
    repl = Repl(tmp_path, play(calling(init(("Build", twelve)))))
    repl.say("plan")
    assert any(row.startswith("+") for row in repl.panel)

    repl.type("\x14")  # Ctrl-T
    repl.wait(lambda: len(repl.panel) == 13)
    assert [row.split(" ", 1)[1] for row in repl.panel[1:]] == twelve
    repl.type("\x14")
    repl.wait(lambda: len(repl.panel) == 8)
    repl.say("/todo")
    assert all(f"] {item}" in repl.text for item in twelve)


@needs_a_pty
def test_p03_the_choice_comes_back_with_the_session(play: Any, tmp_path: Path) -> None:
    twelve = [f"Item {n}" for n in range(12)]
    server = play(calling(init(("Build", twelve))))
    repl = Repl(tmp_path, server)
    repl.say("plan")
    repl.say("/todo expand")
    repl.type("\x04")
    assert repl.wait_for_end() == 0

    again = Repl(tmp_path, server)
    again.wait(lambda: len(again.panel) == 13)
    again.type("\x04")
    assert again.wait_for_end() == 0


@needs_a_pty
@pytest.mark.parametrize(
    "content", ["\x1b[2J\x1b]52;c;ZXZpbA==\x07ok\u202e", "ok\u009b31m\r", "\x1b]0;title\x07ok", "\x9dok\x9c ok"]
)
def test_p06_nothing_of_a_hostile_task_reaches_the_screen(content: str, play: Any, tmp_path: Path) -> None:
    repl = Repl(tmp_path, play(calling(init((content, [content, "Next"])))))
    repl.say("plan")
    repl.type("\x14")
    repl.say("/todo")

    assert any(re.fullmatch(r"▸ ok.*", row.strip()) for row in repl.panel)
    for secret in (b"\x1b[2J", b"]52;", b"\x9b31m", b"\xc2\x9b", b"title", "\u202e".encode()):
        assert secret not in repl.raw
    shown = {unicodedata.category(character) for row in repl.lines for character in row}
    assert not shown & {"Cc", "Cf", "Cs"}


@needs_a_pty
def test_p07_panel_todo_file_and_request_say_the_same_after_each_change(play: Any, tmp_path: Path) -> None:
    steps = [
        *calling(INIT),
        *calling({"ops": [{"op": "done", "phase": "Build"}]}),
        *calling({"ops": [{"op": "append", "phase": "Ship", "items": ["Tag"]}]}),
        {"text": "That is all."},
    ]
    server = play(steps)
    edit = tmp_path / "edit.sh"
    edit.write_text('#!/bin/sh\nprintf "\\n# Later\\n- [ ] Celebrate\\n" >> "$1"\n')
    edit.chmod(0o755)
    repl = Repl(tmp_path, server, EDITOR=str(edit))

    for line in (
        *("plan", "go", "/todo append Ship Notes", "/todo undo", "/todo redo", "/todo edit", "more"),
        *("/todo block run no key", "/todo drop notes"),
    ):
        repl.say(line)
        repl.wait(repl.agreed)
    repl.type("/rewind\r")
    repl.wait(lambda: repl.last_row == "> more")
    repl.wait(repl.agreed)
    repl.type("\x15")
    repl.wait_for_prompt()
    for line in ("/compact", "/todo done", "/todo undo"):
        repl.say(line)
        repl.wait(repl.agreed)
    repl.say("and now")

    told = json.dumps(server.bodies[-1]["messages"][-1], ensure_ascii=False)
    for task in repl.plan.tasks():
        if task.status.is_open:
            assert task.content in told


@needs_a_pty
def test_p09_the_count_goes_on_and_what_was_closed_last_stays_in_sight(play: Any, tmp_path: Path) -> None:
    four = ["Wire config", "Port logger", "Run tests", "Write notes"]
    steps = [*calling(init(("Build", four))), *calling(done(four[0])), {"text": "That is all."}]
    repl = Repl(tmp_path, play(steps), (80, 14))
    repl.say("plan")
    assert repl.panel[0].startswith("Plan 0/4 done")

    repl.say("go")
    assert repl.panel[0].startswith("Plan 1/4 done")
    assert repl.panel[1:] == ["✓ Wire config", "▸ Port logger", "+2 more (2 open)"]
    at = repl.heading + 1
    assert repl.screen.buffer[at][2].strikethrough

    repl.say("what else")
    assert repl.panel[1] == "▸ Port logger"


@needs_a_pty
def test_p10_expanded_a_text_of_200_cells_is_there_to_its_end(play: Any, tmp_path: Path) -> None:
    words = [f"word{n:03d}" for n in range(24)] + ["漢字の最後"]
    repl = Repl(tmp_path, play(calling(init(("Build", [" ".join(words)])))))
    repl.say("plan")
    assert "漢字" not in " ".join(repl.panel)

    repl.type("\x14")

    repl.wait(lambda: len(repl.panel) > 2)
    # pyte leaves a cell without text behind a wide character, which a row reads as none.
    shown = " ".join(row.strip(" ▸") for row in repl.panel[1:])
    assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", " ".join(words))


@pytest.mark.parametrize("size", [(100, 14), (100, 12), (40, 8)])
def test_p13_with_phases_on_a_low_screen_there_is_an_open_task_and_one_kind_of_count(size: tuple[int, int]) -> None:
    for closed in range(9):
        shown = Board(many(9, 3, closed=closed)).rows(*size)

        assert any(f"▸ Task {closed}" in row for row in shown)
        assert re.findall(r"\d+/\d+[^━─]*", shown[0]) == [f"{closed}/9 done "]
        assert not any(re.search(r"\d+/\d+", row) for row in shown[1:])


@needs_a_pty
@pytest.mark.parametrize("size", [(200, 50), (80, 24), (40, 12), (20, 5)])
def test_the_panel_on_a_real_screen_is_the_one_that_was_drawn(size: tuple[int, int], play: Any, tmp_path: Path) -> None:
    contents = [(phase.name, [task.content for task in phase.tasks]) for phase in EIGHT.phases]
    repl = Repl(tmp_path, play(calling(init(*contents))), size)
    repl.say("plan")

    expected = [row.replace("👩", "👩 ") for row in Board(repl.plan).rows(size[0] - 1, size[1])]
    rows = [re.sub(" +", " ", row).rstrip() for row in expected]
    # The lowest screen has no row that says when the agent has stopped.
    repl.wait(lambda: [re.sub(" +", " ", row) for row in repl.panel] == rows)
