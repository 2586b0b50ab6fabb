"""What a line will do is said while it is typed, and it is what the verb then does."""

import asyncio
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.plans import plan
from tests.todo_command.desk import Desk
from todo_command import grammar
from todo_command.manual import VERBS
from todo_command.preview import MOST_CHARACTERS, preview
from todo_context.awaiting import awaited
from todo_context.cells import width_cells
from todo_context.plan.markdown import from_markdown
from todo_context.plan.model import EMPTY, Phase, Plan, Task

TEXT = """\
# Build
- [/] Wire config
- [ ] Port logger
- [x] Port cables

# Verify
- [!] Run tests <!-- blocker: no key -->
- [-] Skip it

# Empty
"""
PLAN = plan(TEXT)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("append fix the login bug", 'phase "Fix" (new), task "The login bug"'),
        ("append ver read the log", 'phase "Verify", task "Read the log"'),
        ('append "read the log"', 'phase "Empty", task "Read the log"'),
        ('append Build "half a quo', 'phase "Build", task "Half a quo"'),
        ("append Build Wire config", '"Wire config" is already in "Build" (in progress)'),
        ("append", "append [<phase>] <task…>: add a task"),
        ('append "', "append [<phase>] <task…>: add a task"),
        ("start logger", 'starts "Port logger"; "Wire config" is pending again'),
        ("START logger", 'starts "Port logger"; "Wire config" is pending again'),
        ("start run", 'starts "Run tests" (blocked now); "Wire config" is pending again'),
        ("start wire", '"Wire config" is already in progress'),
        ("start ", "start <task>: work on it now"),
        ("done wire", 'completes "Wire config"'),
        ("done cables", '"Port cables" is already completed'),
        ("done build", 'completes 2 open tasks in "Build"'),
        ("done empty", 'nothing is open in "Empty"'),
        ("done", "completes 3 open tasks"),
        ("drop", "abandons 3 open tasks"),
        ("drop skip", '"Skip it" is already abandoned'),
        ("done zzzz", 'no task or phase matches "zzzz"'),
        ("done Port loger", 'no task or phase matches "Port loger"; closest: "Port logger"'),
        ("start o", '2 tasks match: "Wire config", "Port logger"'),
        ("rm wire", 'removes "Wire config"'),
        ("rm build", 'removes 3 tasks in "Build"'),
        ("rm empty", 'removes 0 tasks in "Empty"'),
        ("rm", "empties the plan, 5 tasks; /todo undo brings them back"),
        ("note", "note <task> <text…>: add a note"),
        ("note wire", 'notes on "Wire config": …'),
        ("note wire see the log", 'notes on "Wire config": "see the log"'),
        ("block logger", 'blocks "Port logger"'),
        ("block logger no key yet", 'blocks "Port logger": "no key yet"'),
        ("block tests", '"Run tests" is already blocked'),
        ("block tests other", 'blocks "Run tests": "other"'),
        ("block cables x", '"Port cables" is completed, and only open tasks can be blocked'),
        ("unblock s", 'unblocks "Run tests"'),
        ("unblock wire", '"Wire config" is not blocked'),
        ("undo", "takes back the newest change, whoever made it"),
        ("redo", "does again what was undone last"),
        ("undo it", "undo takes no name"),
        ("nope ", 'there is no verb "nope"'),
    ],
)
def test_said(line: str, said: str) -> None:
    assert preview(PLAN, line) == said


@pytest.mark.parametrize("line", ["", "  ", "d", "nope", "log", "help", "edit", "copy", "?"])
def test_nothing_is_said_of_a_verb_that_is_begun_or_that_only_shows(line: str) -> None:
    assert preview(PLAN, line) is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("rm", "the plan is already empty"),
        ("done", "nothing is open"),
        ("done x", "the plan is empty"),
        ("append x", 'phase "Todos" (new), task "X"'),
        ("export", "the plan is empty; no file is written"),
    ],
)
def test_of_an_empty_plan(line: str, said: str) -> None:
    assert preview(EMPTY, line) == said


def test_phases_that_are_all_there_is_are_counted() -> None:
    assert preview(plan("# A\n\n# B\n"), "rm") == "empties the plan, 2 empty phases; /todo undo brings them back"


def test_a_file_is_told_by_whether_it_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()

    assert preview(PLAN, "export") == "writes 5 tasks to TODO.md (new)"
    assert preview(PLAN, "import") == "TODO.md: there is no such file"
    (tmp_path / "TODO.md").touch()
    assert preview(PLAN, "export") == "writes 5 tasks over TODO.md; asks first if others wrote there"
    assert preview(PLAN, 'import "TODO.md"') == "reads TODO.md in place of 5 tasks"
    assert preview(EMPTY, "import TODO.md") == "reads TODO.md"
    assert preview(PLAN, "export docs") == "docs: this is a folder"
    assert preview(PLAN, "import docs/") == "docs/: this is the name of a folder"
    assert preview(PLAN, f"export {'x/' * 30}plan.md") == "writes 5 tasks to …x/x/x/x/x/x/x/x/x/x/plan.md (new)"
    assert preview(PLAN, f"export {'x' * 300}") == f"…{'x' * 27}: cannot be read: File name too long"


HOSTILE = "\x1b[2J\x1b]52;c;ZXZpbA==\x07ok\u202e\r\n\x9b31m\u200d"


@pytest.mark.parametrize("verb", [verb.name for verb in VERBS])
def test_hostile_text_is_safe_and_long_text_short(verb: str) -> None:
    content = f"{HOSTILE} {'漢' * 400}"
    hostile = Plan((Phase(name=content, tasks=(Task(content=content), Task(content=f"{content}2"))),))

    for rest in ("", HOSTILE, content, "ok", "漢", f"{content} {HOSTILE}", f"/{HOSTILE}"):
        said = preview(hostile, f"{verb} {rest}") or ""
        assert said.isprintable()
        assert "\u202e" not in said
        assert width_cells(said) <= 110


def test_a_line_that_is_very_long_is_not_looked_at() -> None:
    assert preview(PLAN, f"note wire {'x ' * MOST_CHARACTERS}") is None


def test_it_says_of_400_tasks_what_it_says_of_few() -> None:
    many = Plan((Phase(name="P", tasks=tuple(Task(content=f"task {n}") for n in range(400))),))

    assert preview(many, "done 399") == 'completes "task 399"'
    assert preview(many, "done task") == '400 tasks match: "task 0", "task 1" and 398 more'


def test_the_host_gets_the_preview_of_the_plan_as_it_is() -> None:
    desk = Desk(TEXT)
    command = desk.pi.commands["todo"]
    assert command.preview is not None

    assert asyncio.run(awaited(command.preview("done logger"))) == 'completes "Port logger"'
    desk.type("done logger")
    assert asyncio.run(awaited(command.preview("done logger"))) == '"Port logger" is already completed'


WORDS = [
    "wire",
    "port",
    "Build",
    "build",
    "Verify",
    "tests",
    '"',
    '"Port logger"',
    "i",
    "zz",
    "cables",
    "Empty",
    "x",
    "\\",
]
CHANGING = ["append", "start", "done", "drop", "rm", "note", "block", "unblock"]
SAYS_NO_CHANGE = re.compile(
    r"is already|match|closest|is not blocked|only open tasks|nothing is open|: …$|plan is (already )?empty"
    r"|removes 0 tasks|^(append|start|note|block|unblock) \[?<"
)


@given(st.sampled_from(CHANGING), st.lists(st.sampled_from(WORDS), max_size=3), st.booleans())
@example("done", [], False)
@example("rm", [], False)
def test_what_is_said_is_what_happens(verb: str, words: list[str], is_empty: bool) -> None:
    line = " ".join([verb, *words])
    desk = Desk("" if is_empty else TEXT)
    before = desk.markdown
    said = preview(from_markdown(before).plan, line)

    desk.type(line)

    assert said is not None
    assert (desk.markdown == before) == bool(SAYS_NO_CHANGE.search(said)), (said, grammar.verb_call(line))
