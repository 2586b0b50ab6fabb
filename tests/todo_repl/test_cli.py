"""The command line: what the flags mean, and what the exit code says."""

import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_repl.process import run, start
from todo_context import __version__
from todo_repl.cli import main
from todo_repl.config import newest_here


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test works in a folder of its own."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def sessions(home: Path) -> list[Path]:
    return sorted(home.rglob("sessions/*/*.jsonl"))


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"todo-context {__version__}\n"


def test_help_names_every_flag_and_fits_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    for flag in ("-p", "--json", "--model", "--base-url", "--session", "-c", "--no-session", "--session-dir", "show"):
        assert flag in said
    assert max(map(len, said.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["--nothing"], "unrecognized arguments: --nothing", id="no such flag"),
        pytest.param(["-c", "--no-session"], "not allowed with argument", id="two sessions"),
        pytest.param(["-p"], "expected one argument", id="no text"),
        pytest.param(["-p", " \n"], "-p: the text is empty.", id="blank text"),
        pytest.param(["--json"], "--json: it needs -p TEXT.", id="json alone"),
        pytest.param(["--base-url", "http://x"], "Add --model openai:NAME.", id="a server without a model"),
        pytest.param(
            ["--model", "openai:x", "--base-url", "127.0.0.1:9/v1"],
            "it begins with http://",
            id="an address without its scheme",
        ),
        pytest.param(["--model", "gpt-5"], "--model gpt-5: it is PROVIDER:NAME, such as openai:", id="no provider"),
        pytest.param(["--model", ":x"], "--model :x: it is PROVIDER:NAME", id="an empty provider"),
        pytest.param(["--model", "openai:"], "--model openai:: it is PROVIDER:NAME", id="an empty name"),
        pytest.param(["--model", "gogle:x"], "no provider gogle. There are openai and anthropic:", id="unknown"),
        pytest.param(["show", "a", "b"], "unrecognized arguments: b", id="show two"),
    ],
)
def test_flags_that_cannot_be_meant_are_usage_errors(
    arguments: Sequence[str], said: str, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""
    assert sessions(home) == []


def test_a_command_is_run_and_kept_in_the_sessions_of_this_folder(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    assert main(["-p", "/todo append Build One"]) == 0
    assert main(["-c", "-p", "/todo append Build Two"]) == 0
    capsys.readouterr()
    assert main(["show"]) == 0

    assert capsys.readouterr().out == "# Build\n- [/] One\n- [ ] Two\n"
    (path,) = sessions(home)
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_looking_leaves_nothing_behind(home: Path) -> None:
    assert main(["-p", "/todo"]) == 0
    assert [path for path in home.rglob("*") if path.is_file()] == []


def test_nothing_to_go_on_with_names_the_folder(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    for arguments in (["-c"], ["show"]):
        assert main(arguments) == 1
        said = capsys.readouterr().err
        assert said.startswith(f"todo-context: {here}: no session was kept for this folder under ")
        assert said.endswith("Start one: todo-context\n")


def test_a_session_of_another_folder_is_not_this_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["-p", "/todo append Build One"]) == 0
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")

    assert main(["-c"]) == 1


def test_sessions_can_be_kept_elsewhere(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    flag, setting = tmp_path / "by flag", tmp_path / "by setting"
    monkeypatch.setenv("TODO_CONTEXT_REPL_SESSION_DIR", str(setting))

    assert main(["-p", "/todo append Build One"]) == 0
    assert main(["--session-dir", str(flag), "-p", "/todo append Build Two"]) == 0
    capsys.readouterr()
    assert main(["show", "--session-dir", str(flag)]) == 0

    assert capsys.readouterr().out == "# Build\n- [/] Two\n"
    assert sessions(home) == []
    assert len(list(setting.rglob("*.jsonl"))) == len(list(flag.rglob("*.jsonl"))) == 1
    assert newest_here(str(Path.cwd()), flag).is_relative_to(flag)


def test_no_session_keeps_nothing(home: Path) -> None:
    assert main(["--no-session", "-p", "first one, then two"]) == 0
    assert [path for path in home.rglob("*") if path.is_file()] == []


def test_a_named_session_is_begun_then_gone_on_with(capsys: pytest.CaptureFixture[str]) -> None:
    for content in ("One", "Two"):
        assert main(["--session", "my session.jsonl", "-p", f"/todo append Build {content}"]) == 0
    capsys.readouterr()

    assert main(["show", "my session.jsonl", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {
            "name": "Build",
            "tasks": [{"content": "One", "status": "in_progress"}, {"content": "Two", "status": "pending"}],
        }
    ]


FOREIGN = [
    '{"type":"session","version":3,"id":"x","timestamp":"2026-11-30T12:00:00.000Z","cwd":"/"}',
    '{"type":"custom","id":"aaaaaaa1","parentId":null,"timestamp":"2026-11-30T12:00:00.000Z","customType":"x"}',
]


@pytest.mark.parametrize(
    ("lines", "said"), [(FOREIGN, "todo-context show"), (["no session"], "s.jsonl"), (["{}", "{}"], "s.jsonl")]
)
def test_a_file_that_is_not_ours_is_left_alone(
    lines: Sequence[str], said: str, capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    text = "\n".join([*lines, ""])
    (here / "s.jsonl").write_text(text)

    assert main(["--session", "s.jsonl", "-p", "/todo append Build One"]) == 1
    assert said in capsys.readouterr().err
    assert (here / "s.jsonl").read_text() == text


def test_a_torn_line_is_told_and_set_aside(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    main(["--session", "s.jsonl", "-p", "/todo append Build One"])
    with (here / "s.jsonl").open("a") as file:
        file.write('{"type":"cust')
    capsys.readouterr()

    assert main(["--session", "s.jsonl", "-p", "/todo"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "# Build\n- [/] One\n"
    assert captured.err.startswith("s.jsonl: ")


def test_a_session_that_is_open_elsewhere_is_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with start("--session", "s.jsonl", cwd=here) as process:
        process.type("/todo append Build One")
        process.line()

        assert main(["--session", "s.jsonl", "-p", "/todo append Build Two"]) == 1
    assert "s.jsonl" in capsys.readouterr().err


def test_show_says_that_there_is_no_plan(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "s.jsonl").write_text("\n".join([*FOREIGN, ""]))

    assert main(["show", "s.jsonl"]) == 0
    assert capsys.readouterr().out == "No plan.\n"
    assert main(["show", "missing.jsonl"]) == 1
    assert "missing.jsonl" in capsys.readouterr().err


def test_without_todo_there_is_no_command_and_no_tool(capsys: pytest.CaptureFixture[str]) -> None:
    steps: list[Step] = [{"text": "Nothing to plan with."}]
    with ScriptedLlm(steps) as server:
        online = ["--no-session", "--no-todo", "--model", "openai:x", "--base-url", server.base_url]
        assert main([*online, "-p", "/todo"]) == 1
        assert "/todo: no such command." in capsys.readouterr().err
        assert main([*online, "-p", "hi"]) == 0
        assert not server.bodies[0].get("tools")


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_prompt_prints_the_last_words_only(provider: str, capsys: pytest.CaptureFixture[str]) -> None:
    ops = [{"op": "init", "list": [{"phase": "Build", "items": ["One"]}]}]
    steps: list[Step] = [
        {"text": "Let me plan.", "tool_calls": [{"name": "todo_write", "arguments": {"ops": ops}}]},
        {"text": "All is planned."},
    ]
    with ScriptedLlm(steps) as server:
        url = server.base_url if provider == "openai" else server.base_url.removesuffix("/v1")
        assert main(["--model", f"{provider}:m", "--base-url", url, "-p", "Plan\nthis"]) == 0

    assert capsys.readouterr().out == "All is planned.\n"
    assert main(["show"]) == 0
    assert capsys.readouterr().out == "# Build\n- [/] One\n"


def test_as_json_every_message_is_a_line_and_the_last_is_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--no-session", "--json", "-p", "first wire it \u202e, then test it"]) == 0
    out = capsys.readouterr().out
    lines: list[Any] = [json.loads(line) for line in out.splitlines()]

    assert out.isascii()
    assert [line.get("role") for line in lines[:2]] == ["user", "assistant"]
    assert {line.get("role") for line in lines[:-1]} == {"user", "assistant", "toolResult"}
    assert lines[-1]["type"] == "result"
    assert lines[-1]["reason"] == "stop"
    assert lines[-1]["text"] == lines[-2]["content"][0]["text"]
    assert [task["status"] for task in lines[-1]["plan"][0]["tasks"]] == ["in_progress", "pending"]


@pytest.mark.parametrize(
    ("text", "code", "reason"), [("/todo", 0, "command"), ("/todo start x", 1, "error"), ("/nothing", 1, "error")]
)
def test_as_json_a_command_is_one_line(text: str, code: int, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--no-session", "--json", "-p", text]) == code
    result = json.loads(capsys.readouterr().out)

    assert (result["type"], result["reason"], result["plan"]) == ("result", reason, [])


def test_a_model_that_fails_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    steps: list[Step] = [{"status": 401, "text": "no such key"}]
    with ScriptedLlm(steps) as server:
        assert main(["--no-session", "--model", "openai:x", "--base-url", server.base_url, "-p", "hi"]) == 1

    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("openai:x: ")
    assert captured.err.count("\n") == 1


def test_a_model_without_a_key_is_said(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    assert main(["--model", "openai:x", "-p", "hi"]) == 1
    assert capsys.readouterr().err == "openai:x: no key is set. Set OPENAI_API_KEY.\n"
    assert len(sessions(home)) == 1  # what was asked is kept


def test_commands_need_no_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--model", "openai:x", "-p", "/todo append One"]) == 0
    assert capsys.readouterr().out == 'Added to "Todos" (new): "One". It is in progress now.\n'


def test_the_model_may_stand_in_the_settings(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedLlm([{"text": "From the settings."}]) as server:
        monkeypatch.setenv("TODO_CONTEXT_REPL_MODEL", "openai:x")
        monkeypatch.setenv("TODO_CONTEXT_REPL_BASE_URL", server.base_url)

        assert main(["--no-session", "-p", "hi"]) == 0
    assert capsys.readouterr().out == "From the settings.\n"

    monkeypatch.setenv("TODO_CONTEXT_REPL_MODEL", "x")
    assert main(["-p", "hi"]) == 1
    assert "settings: [repl] model x: it is PROVIDER:NAME" in capsys.readouterr().err


def test_a_folder_may_hold_other_words_for_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "system.md").write_text("Be brief.")
    (tmp_path / "todo_write.md").write_text("Only when asked.")
    (tmp_path / "todo.md").write_text("For later.")
    (tmp_path / "eager_soft.md").write_text("Plan\nwhen asked.\n")
    monkeypatch.setenv("TODO_CONTEXT_PLAN_PROMPTS_DIR", str(tmp_path))
    with ScriptedLlm([{"text": "Yes."}]) as server:
        assert main(["--no-session", "--model", "openai:x", "--base-url", server.base_url, "-p", "hi"]) == 0
        asked: Any = server.bodies[0]

    assert asked["messages"][0] == {"role": "system", "content": "Be brief.\n\nPlan when asked."}
    assert [tool["function"]["description"] for tool in asked["tools"]] == ["Only when asked.", "For later."]


def test_unknown_settings_are_warned_about_and_wrong_ones_are_errors(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TODO_CONTEXT_REPL_MODLE", "x")
    assert main(["--no-session", "-p", "/todo"]) == 0
    assert "TODO_CONTEXT_REPL_MODLE: no such setting, ignored. Closest: " in capsys.readouterr().err

    monkeypatch.setenv("TODO_CONTEXT_PLAN_AUTO_START", "perhaps")
    assert main(["--no-session", "-p", "/todo"]) == 1
    assert "TODO_CONTEXT_PLAN_AUTO_START is 'perhaps'." in capsys.readouterr().err


def test_the_prompt_may_come_through_a_pipe(here: Path) -> None:
    done = run("--no-session", "-p", "-", cwd=here, lines="- [ ] one\n- [ ] two\n")

    assert (done.returncode, done.stderr) == (0, "")
    assert "0 of 2" in done.stdout


def test_the_prompt_of_a_flag_leaves_the_pipe_alone(here: Path) -> None:
    with start("--no-session", "-p", "/todo help", cwd=here) as process:
        # The input stays open: a program that read it would wait for ever.
        assert process.end()[0] == 0


def test_a_bug_is_one_line_and_its_trace_is_in_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    bug = tmp_path / "bug.py"
    # No Exception: what is one is told of the extension, and the program goes on.
    bug.write_text("class Odd(BaseException): ...\n\ndef activate(pi):\n    raise Odd('oh\\x1b[2J no')\n")

    assert main(["--no-session", "-e", str(bug), "-p", "/todo"]) == 3
    said = capsys.readouterr().err
    (log,) = home.rglob("logs/*.log")
    assert said.startswith("todo-context: a bug: Odd: oh no. Its trace is in ")
    assert said.endswith(f" {log}\n")
    assert "Traceback" in log.read_text()
    if os.name == "posix":
        assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_without_a_home_a_named_session_works(here: Path) -> None:
    nowhere = {"HOME": "", "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": ""}

    done = run("--session", str(here / "s.jsonl"), "-p", "/todo append Build One", cwd=here, **nowhere)

    assert (done.returncode, done.stderr) == (0, "")


def test_a_folder_that_is_gone_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert main(["-p", "/todo"]) == 1
