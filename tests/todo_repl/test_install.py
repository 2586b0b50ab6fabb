"""`todo-context install`: what it writes, what it says, and what it leaves alone."""

import os
import sys
from pathlib import Path

import pytest

from tests.todo_repl.process import run
from todo_repl.cli import main
from todo_repl.install import shim


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """pi's folder, which is not there yet."""
    folder = tmp_path / "pi" / "agent"
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(folder))
    return folder


def installed(agent: Path) -> Path:
    return agent / "extensions" / "todo-context.ts"


def test_it_says_what_it_did_and_what_to_do_next(agent: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "pi"]) == 0
    assert capsys.readouterr().out == (
        f"Installed: {installed(agent)}\n"
        f"It starts {sys.executable}. Move that, and this has to be done again.\n"
        "Next: start pi, or type /reload in it, and then /todo help.\n"
        "To remove it: delete the file.\n"
    )
    assert f'\nconst INSTALLED = "{sys.executable}";\n' in installed(agent).read_text("utf-8")
    assert [path.name for path in installed(agent).parent.iterdir()] == ["todo-context.ts"]


def test_done_again_it_changes_nothing_or_brings_it_up_to_date(agent: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["install", "pi"])
    first = installed(agent).read_text("utf-8")
    assert main(["install", "pi"]) == 0
    installed(agent).write_text(first + "// older\n")
    assert main(["install", "pi"]) == 0

    said = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()[::4]]
    assert said == ["Installed", "Already there", "Brought up to date"]
    assert installed(agent).read_text("utf-8") == first


def test_without_a_variable_it_is_the_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PI_CODING_AGENT_DIR", raising=False)

    assert main(["install", "pi"]) == 0
    assert installed(home / ".pi" / "agent").is_file()


def test_a_file_of_somebody_else_is_left_alone(agent: Path, capsys: pytest.CaptureFixture[str]) -> None:
    installed(agent).parent.mkdir(parents=True)
    installed(agent).write_text("export default () => {};\n")

    assert main(["install", "pi"]) == 1
    assert capsys.readouterr().err == (
        f"todo-context: {installed(agent)}: this file is not ours. Move it away, then install again.\n"
    )
    assert installed(agent).read_text() == "export default () => {};\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["pie"], 'install: no host "pie". There is pi: todo-context install pi\n', id="unknown"),
        pytest.param(["\x1b[31m"], 'install: no host "". There is pi: todo-context install pi\n', id="hostile"),
        pytest.param([], "the following arguments are required: HOST\n", id="none"),
    ],
)
def test_a_host_that_cannot_be_meant_is_a_usage_error(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", *arguments]) == 2
    assert capsys.readouterr().err.endswith(said)


def test_help_says_which_hosts_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "--help"]) == 0
    assert "$PI_CODING_AGENT_DIR or ~/.pi/agent" in " ".join(capsys.readouterr().out.split())


def test_a_folder_that_cannot_be_written_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "file"))

    assert main(["install", "pi"]) == 1
    assert capsys.readouterr().err == (f"todo-context: {tmp_path}/file/extensions/todo-context.ts: Not a directory\n")


def test_a_read_only_folder_is_one_line(agent: Path, capsys: pytest.CaptureFixture[str]) -> None:
    installed(agent).parent.mkdir(parents=True)
    installed(agent).parent.chmod(0o500)
    if os.geteuid() == 0:
        pytest.skip("nothing is read-only for root")

    assert main(["install", "pi"]) == 1
    assert capsys.readouterr().err.endswith("todo-context.ts.new: Permission denied\n")


def test_a_user_without_a_home_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", "~")  # what "~" comes to for a user whom the system does not know, too
    monkeypatch.delenv("PI_CODING_AGENT_DIR", raising=False)
    assert os.path.expanduser("~") == "~"  # noqa: PTH111 (so the real home of whoever runs this is never meant)

    assert main(["install", "pi"]) == 1
    assert capsys.readouterr().err == (
        "todo-context: ~: this user has no home folder. Set HOME, or PI_CODING_AGENT_DIR to pi's folder.\n"
    )
    assert not list(tmp_path.iterdir())


def test_a_python_of_any_name_is_written_as_ascii() -> None:
    text = shim('/home/Ünal/\\"x"/python')

    assert text.isascii()
    assert r'const INSTALLED = "/home/\u00dcnal/\\\"x\"/python";' in text


def test_the_program_does_it_too(agent: Path, tmp_path: Path) -> None:
    done = run("install", "pi", cwd=tmp_path, PI_CODING_AGENT_DIR=str(agent))

    assert (done.returncode, done.stderr) == (0, "")
    assert installed(agent).is_file()
