"""`todo-context show` on sessions of every program: the plan, and the format it was found in."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.plans import plan
from todo_context.plan.load import plan_to_json
from todo_context.plan.replay import plan_of
from todo_repl.cli import main
from todo_repl.session_read import read_session

SAMPLES = Path(__file__).parent / "samples"

FIRST = "# Tasks\n- [ ] first\n"
SECOND = "# Tasks\n- [ ] first\n- [ ] second\n"
WIRED = "# Build\n- [x] Wire config\n- [/] Port logger\n"
BEGUN = "# Build\n- [/] Wire config\n- [ ] Port logger\n\n# Ship\n- [ ] Write notes\n"
CALLED = "# Build\n- [x] Wire config\n- [/] Port logger\n\n# Ship\n- [ ] Write notes\n"
WRITTEN = "# Work\n- [x] Write the first draft\n- [x] Review the first draft\n"

# Written by the programs themselves: all but pi-version-*, omp-flat, omp-13 and omp-14, and handwritten-minimal.
ROWS = [
    ("aelix-calls.jsonl", "Aelix (version 3)", CALLED),
    ("aelix-leaf.jsonl", "Aelix (version 3)", BEGUN),
    ("aelix-session.jsonl", "Aelix (version 3)", FIRST),
    ("handwritten-minimal.jsonl", "pi (version 3)", "# Tasks\n- [ ] handwritten\n"),
    ("omp-13-session.jsonl", "OMP (version 3)", WIRED + "  > see the old one\n"),
    ("omp-14-session.jsonl", "OMP (version 3)", BEGUN),
    ("omp-18.2.3-rpc-user-todo-edit.jsonl", "OMP (version 3)", WRITTEN + "- [ ] Third-thing\n"),
    ("omp-18.2.3-session.jsonl", "OMP (version 3)", WRITTEN),
    ("omp-flat-session.jsonl", "OMP (version 3)", WIRED.replace("Build", "Tasks")),
    ("ours/continued-by-pi.jsonl", "todo-context (version 3)", "# Tasks\n- [x] wire it\n- [/] test it\n"),
    ("ours/session.jsonl", "todo-context (version 3)", "# Tasks\n- [/] wire it\n- [ ] test it\n"),
    ("pi-0.74.2-session.jsonl", "pi (version 3)", SECOND),
    ("pi-1.6.0-session.jsonl", "pi (version 3)", SECOND),
    ("pi-python-calls.jsonl", "pi-python (version 3)", CALLED),
    ("pi-python-leaf.jsonl", "pi-python (version 3)", BEGUN),
    ("pi-python-session.jsonl", "pi-python (version 3)", FIRST),
    ("pi-version-1.jsonl", "pi (version 1)", WIRED),
    ("pi-version-2.jsonl", "pi (version 2)", WIRED.replace("[x]", "[-]")),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the program is started."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_sample_has_its_row() -> None:
    found = sorted(path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*.*"))

    assert found == [name for name, _, _ in ROWS]


@pytest.mark.parametrize(("name", "format_", "shown"), ROWS)
def test_the_plan_and_the_format_are_those_of_the_program(
    name: str, format_: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(SAMPLES / name)]) == 0
    assert capsys.readouterr() == (shown, f"format: {format_}\n")


@pytest.mark.parametrize(("name", "format_", "shown"), ROWS)
def test_as_json_there_are_the_phases_and_nothing_else(
    name: str, format_: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(SAMPLES / name), "--json"]) == 0
    out, err = capsys.readouterr()

    assert [phase["name"] for phase in json.loads(out)] == [phase.name for phase in plan(shown).phases]
    assert json.loads(out) == plan_to_json(plan_of(read_session(SAMPLES / name).branch))
    assert (out.count("\n"), err, out.find(format_)) == (1, "", -1)


@pytest.mark.parametrize("name", [name for name, _, _ in ROWS])
def test_nothing_is_written_to_it_or_beside_it(name: str, here: Path) -> None:
    (here / "kept").mkdir()
    path = Path(shutil.copyfile(SAMPLES / name, here / "kept" / "s.jsonl"))
    path.chmod(0o400)
    path.parent.chmod(0o500)
    before = path.stat()

    try:
        assert main(["show", str(path)]) == 0
        assert list(path.parent.iterdir()) == [path]
        assert (path.read_bytes(), path.stat().st_mtime_ns) == ((SAMPLES / name).read_bytes(), before.st_mtime_ns)
    finally:
        path.parent.chmod(0o700)


@pytest.mark.parametrize("name", ["aelix-calls.jsonl", "aelix-session.jsonl"])
def test_the_plan_of_raw_entries_of_aelix_is_the_same(name: str) -> None:
    entries = [json.loads(line) for line in (SAMPLES / name).read_text(encoding="utf-8").splitlines()]

    assert plan_of(entries) == plan_of(read_session(SAMPLES / name).branch)
    assert plan_of(entries).phases


def test_messages_of_aelix_come_in_the_spelling_of_pi() -> None:
    _, assistant, result, *_ = (entry["message"] for entry in read_session(SAMPLES / "aelix-calls.jsonl").branch)

    assert isinstance(assistant, dict)
    assert isinstance(result, dict)
    assert assistant["stopReason"] == "toolUse"
    assert isinstance(assistant["content"], list)
    (call,) = assistant["content"]
    assert isinstance(call, dict)
    assert (call["id"], call["name"]) == (result["toolCallId"], "todo_write")
    assert isinstance(call["arguments"], dict)
    assert result["isError"] is False
    assert not {key for message in (assistant, call, result) for key in message if "_" in key} - {"cache_read"}


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to this user")
def test_a_file_that_may_not_be_read_is_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "s.jsonl").touch(0o000)

    assert main(["show", "s.jsonl"]) == 1
    assert "s.jsonl: cannot be read (Permission denied)" in capsys.readouterr().err


def test_a_path_that_is_missing_says_how_to_do_without(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "a.jsonl"]) == 1
    assert capsys.readouterr().err == (
        "todo-context: a.jsonl: there is no such file."
        " Check the path; without one, show takes the newest session of this folder.\n"
    )


@pytest.mark.parametrize("below", [".", "--home-user-project--"])
def test_a_folder_names_the_newest_session_in_it(below: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = here / "my sessions" / below
    folder.mkdir(parents=True)
    for age, name in enumerate(["new.jsonl", "old.jsonl"]):
        shutil.copyfile(SAMPLES / "pi-version-1.jsonl", folder / name)
        os.utime(folder / name, (1_000_000 - age, 1_000_000 - age))

    assert main(["show", "my sessions"]) == 1
    step = f"todo-context show '{Path('my sessions') / below / 'new.jsonl'}'"
    assert capsys.readouterr().err == (
        f"todo-context: my sessions: is a folder. Name a file in it; the newest: {step}\n"
    )


def test_a_folder_without_sessions_says_what_a_session_is(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "empty").mkdir()

    assert main(["show", "empty"]) == 1
    assert capsys.readouterr().err.startswith("todo-context: empty: is a folder. Name a .jsonl file of a session of pi")


def test_a_name_that_is_too_long_is_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "x" * 5000]) == 1
    assert "there is no such file" in capsys.readouterr().err
