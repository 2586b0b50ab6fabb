import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plans import plan
from tests.todo_command.desk import THREE, Desk
from todo_command.complete import LIMIT, completions
from todo_command.disk import place
from todo_command.grammar import verb_call
from todo_command.manual import VERBS
from todo_command.match import find_target, key
from todo_context.plan.model import Phase, Plan, Task
from todo_context.plan.ops import Target
from todo_context.plan.text import for_screen, one_line

PLAN = plan("""\
# Build
- [/] Wire config
- [ ] Logger
- [x] Port cables

# Verify all
- [!] Run tests <!-- blocker: no key -->
- [-] Skip it

# Empty
""")


def values(prefix: str) -> list[str]:
    return [completion.value for completion in completions(PLAN, prefix)]


@pytest.mark.parametrize("prefix", ["", "  "])
def test_verbs_come_first(prefix: str) -> None:
    assert values(prefix) == [f"{verb.name} " if verb.arguments else verb.name for verb in VERBS]


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("d", ["done ", "drop "]),
        ("UNB", ["unblock "]),
        ("und", ["undo"]),
        ("xyz", []),
        (
            "done ",
            ['done "Wire config"', "done Logger", 'done "Run tests"', "done Build", 'done "Verify all"', "done Empty"],
        ),
        ("drop wire", ['drop "Wire config"']),
        ("start ", ["start Logger", 'start "Run tests"', 'start "Port cables"', 'start "Skip it"']),
        ("block ", ['block "Wire config" ', "block Logger "]),
        ("unblock ", ['unblock "Run tests"']),
        ("note LOG", ["note Logger "]),
        ("rm it", ['rm "Skip it"']),
        ('rm "run te', ['rm "Run tests"']),
        ("rm verify", ['rm "Verify all"']),
        ("append ", ["append Build ", 'append "Verify all" ', "append Empty "]),
        ("append ver", ['append "Verify all" ']),
        ('append "verify a', ['append "Verify all" ']),
        ("append Build ", []),
        ("append Build x", []),
        ("edit ", []),
        ("help x", []),
        ("nope ", []),
    ],
)
def test_what_is_offered(prefix: str, expected: list[str]) -> None:
    assert values(prefix) == expected


def test_a_task_is_shown_with_its_status_and_phase() -> None:
    offered = completions(PLAN, "start run")[0]

    assert (offered.label, offered.description) == ("Run tests", "blocked, Verify all")


def test_what_is_worked_on_comes_first_then_what_is_open_and_what_begins_with_the_text_before_what_holds_it() -> None:
    mixed = plan(
        "# A\n- [x] one test\n- [!] test two\n- [ ] the test\n- [/] last test\n- [-] test off\n\n# Test\n- [ ] z\n"
    )

    assert [offered.label for offered in completions(mixed, "rm test")] == [
        "test two", "Test", "test off", "last test", "the test", "one test",
    ]  # fmt: skip
    assert [offered.label for offered in completions(mixed, "rm ")] == [
        "last test", "test two", "the test", "z", "A", "Test", "one test", "test off",
    ]  # fmt: skip


def test_a_phase_is_shown_with_how_far_it_is() -> None:
    offered = {found.label: found.description for found in completions(PLAN, "append ")}

    assert offered == {"Build": "phase, 1 of 3 closed", "Verify all": "phase, 1 of 2 closed", "Empty": "phase, empty"}


def test_a_verb_is_shown_with_what_may_follow_and_what_it_does() -> None:
    offered = completions(PLAN, "note")[0]

    assert (offered.label, offered.description) == ("note <task> <text…>", "add a note")


def test_the_list_is_bounded() -> None:
    many = Plan((Phase(name="P", tasks=tuple(Task(content=f"task {n}") for n in range(400))),))

    assert len(completions(many, "done ")) == LIMIT
    assert [offered.value for offered in completions(many, "done 399")] == ['done "task 399"']


def test_labels_and_values_are_safe_for_the_screen() -> None:
    hostile = Plan((Phase(name="P\u202e", tasks=(Task(content="ok\u202e\u2066 go"),)),))
    (offered, _) = completions(hostile, "done ")

    assert (offered.value, offered.label, offered.description) == ('done "ok go"', "ok go", "pending, P")


def test_a_long_content_has_a_short_label_and_a_whole_value() -> None:
    content = "x" * 500
    (offered, _) = completions(Plan((Phase(name="P", tasks=(Task(content=content),)),)), "done ")

    assert len(offered.label) == 80
    assert offered.value == f"done {content}"


def test_a_phase_with_the_name_of_a_task_is_not_offered_where_the_task_would_be_meant() -> None:
    same = plan("# Docs\n- [ ] docs\n")

    assert [offered.value for offered in completions(same, "done ")] == ["done docs"]
    assert [offered.value for offered in completions(same, "append ")] == ["append Docs "]


def test_the_host_gets_completions_of_the_plan_as_it_is() -> None:
    desk = Desk(THREE)
    assert [offered.value for offered in desk.complete("done port")] == ['done "Port logger"']

    desk.type("done port")

    assert desk.complete("done port") == []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a home beside it."""
    here = tmp_path / "here"
    (here / "docs").mkdir(parents=True)
    for name in ("TODO.md", "my notes.md", ".hidden", "docs/plan.md", " blank", "a\x1b[2Jb", '"quoted".md', "~home"):
        (here / name).touch()
    os.mkfifo(here / "pipe")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "mine.md").touch()
    monkeypatch.chdir(here)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return here


@pytest.mark.skipif(os.name == "nt", reason="names that Windows does not have")
@pytest.mark.parametrize("verb", ["export", "import"])
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("", ["TODO.md", "docs/", "my notes.md"]),
        ("to", ["TODO.md"]),
        ("my no", ["my notes.md"]),
        ('"my no', ["my notes.md"]),
        ("d", ["docs/"]),
        ("docs/", ["docs/plan.md"]),
        ("docs/x", []),
        (".h", [".hidden"]),
        ("./T", ["./TODO.md"]),
        ("~/", ["~/mine.md"]),
        ("~", []),
        ("nowhere/", []),
        ("a\x00/", []),
        ("~\ud800/x", []),
    ],
)
@pytest.mark.usefixtures("folder")
def test_files_and_folders_are_offered_where_a_path_is_due(verb: str, typed: str, expected: list[str]) -> None:
    assert values(f"{verb} {typed}") == [f"{verb} {path}" for path in expected]


@pytest.mark.skipif(os.name == "nt", reason="names that Windows does not have")
def test_a_path_is_shown_by_its_last_name_and_means_itself(folder: Path) -> None:
    (offered,) = completions(PLAN, "export docs/p")

    assert (offered.label, offered.description) == ("plan.md", "file")
    assert place(verb_call(offered.value).rest, str(folder)) == folder / "docs/plan.md"


def test_of_many_files_the_first_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(LIMIT + 10):
        (tmp_path / f"{number:03}").touch()

    assert values("import ") == [f"import {number:03}" for number in range(LIMIT)]


_NAMES = st.text("ab \"\\'é\u202e", min_size=1, max_size=5).map(one_line).filter(key)


@given(st.lists(st.tuples(_NAMES, st.lists(_NAMES, max_size=4)), max_size=3))
def test_a_completion_typed_as_it_stands_means_what_it_shows(phases: list[tuple[str, list[str]]]) -> None:
    whole = Plan(tuple(Phase(name=name, tasks=tuple(Task(content=c) for c in contents)) for name, contents in phases))

    for offered in completions(whole, "rm "):
        found = find_target(whole, verb_call(offered.value).rest)
        assert isinstance(found, Target)
        assert one_line(for_screen(found.task or found.phase or "")) == offered.label
        assert (found.task is None) == offered.description.startswith("phase, ")
