"""Without a terminal: real processes, real pipes."""

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest

from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_repl.process import environment, run, start
from todo_repl.agent_events import RunEnd, RunEnded
from todo_repl.models import TextDelta
from todo_repl.ui.lines import LinesFront
from todo_repl.ui.output import Output

PRINTF = '/todo append Build "Wire config"\n/todo append Build "Port logger"\n/todo start port\n/todo\n'
CHECKLIST = "# Build\n- [ ] Wire config\n- [/] Port logger\n"


def plan_entries(path: Path) -> list[object]:
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    return [entry for entry in entries if entry.get("customType") == "todo_write"]


def test_commands_through_a_pipe_make_a_plan_that_show_and_a_second_run_have(tmp_path: Path) -> None:
    first = run("--session", "s.jsonl", cwd=tmp_path, lines=PRINTF)

    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.endswith(CHECKLIST)
    assert run("show", "s.jsonl", cwd=tmp_path).stdout == CHECKLIST
    assert run("--session", "s.jsonl", cwd=tmp_path, lines="/todo").stdout == CHECKLIST
    assert len(plan_entries(tmp_path / "s.jsonl")) == 3


def test_each_line_is_answered_as_it_comes(tmp_path: Path) -> None:
    with start("--no-session", cwd=tmp_path) as process:
        for number in range(3):
            process.type(f'/todo append Build "Task {number}"')
            assert f'"Task {number}"' in process.line()
        process.stdin.close()

        assert process.end() == (0, "", "")


def test_a_message_in_a_pipe_is_planned_offline(tmp_path: Path) -> None:
    done = run("--no-session", cwd=tmp_path, lines="first wire it, then test it\n\n \nnext\n/todo\n")

    assert (done.returncode, done.stderr) == (0, "")
    assert "- [/] wire it\n- [ ] test it\n" in done.stdout
    assert done.stdout.endswith("# Tasks\n- [ ] wire it\n- [/] test it\n")
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("lines", "code", "said"),
    [
        pytest.param("", 0, "", id="nothing"),
        pytest.param("\n  \n", 0, "", id="blank lines"),
        pytest.param("/todo start nothing\n/todo\n", 1, 'No task matches "nothing"', id="a command that fails"),
        pytest.param("/tood\n", 1, "/tood: no such command.", id="no command"),
        pytest.param("/quit\n/tood\n", 0, "", id="nothing after quit"),
        pytest.param("/todo append a \xff", 0, "", id="no line end"),
        pytest.param("/todo append A b\r\n/todo\r\n", 0, "", id="CR LF"),
    ],
)
def test_the_exit_code_says_whether_all_went_well(tmp_path: Path, lines: str, code: int, said: str) -> None:
    done = run("--no-session", cwd=tmp_path, lines=lines)

    assert done.returncode == code
    assert done.stderr.startswith(said)
    assert bool(done.stderr) == bool(said)


def test_bytes_that_are_no_utf_8_are_replaced(tmp_path: Path) -> None:
    done = run("--no-session", cwd=tmp_path, lines=b'/todo append Build "a caf\xe9"\n/todo\n')

    assert done.returncode == 0
    assert "- [/] A caf\ufffd" in done.stdout


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_an_empty_one(tmp_path: Path, closed: str) -> None:
    run("--session", "s.jsonl", cwd=tmp_path, lines="/todo append Build One\n")
    before = (tmp_path / "s.jsonl").read_bytes()

    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m todo_repl --session s.jsonl {closed}', sys.executable],
        stdin=subprocess.DEVNULL,
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (tmp_path / "s.jsonl").read_bytes() == before


@pytest.mark.parametrize("arguments", [["--no-session"], ["--no-session", "-p", "/todo help"]])
def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, arguments: Sequence[str]) -> None:
    with start(*arguments, cwd=tmp_path) as process:
        process.stdout.close()
        if "-p" not in arguments:
            process.stdin.write(b"/todo help\n" * 3)
        process.stdin.close()

        assert process.stderr.read() == b""
        assert process.popen.wait() == 0


def test_an_output_that_is_full_is_a_known_error(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "todo_repl", "--no-session"],
            input=b"/todo help\n",
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env=environment(),
            check=False,
        )

    assert done.returncode == 1
    assert (
        done.stderr == b"todo-context: <stdout>: cannot be written: No space left on device. Write to another place.\n"
    )


HOSTILE = "\x1b[2J\x1b]52;c;aGFja2Vk\x07\x9b31mred\x9d0;title\x9c \u202egnp.exe\u2066 over\rwritten"


def test_hostile_text_never_reaches_the_output_raw(tmp_path: Path) -> None:
    lines = f'/todo append Build "{HOSTILE}"\n/todo\n/todo start {HOSTILE}\n/{HOSTILE}\nfirst {HOSTILE}, then b\nnext\n'

    done = run("--session", "s.jsonl", cwd=tmp_path, lines=lines, FORCE_COLOR="1")
    shown = run("show", "s.jsonl", cwd=tmp_path, FORCE_COLOR="1")

    for text in (done.stdout, done.stderr, shown.stdout, shown.stderr):
        left = text.replace("\x1b[0m", "")
        assert not set(text) & set("\r\x07\x9b\x9d\x9c\u202e\u2066")
        assert "]52" not in left
        assert "\x1b[2J" not in left
    assert "gnp.exe" in shown.stdout


def test_hostile_text_of_a_model_never_reaches_the_output_raw(tmp_path: Path) -> None:
    # The server streams in pieces of 8 characters, so sequences are split.
    steps: list[Step] = [
        {"tool_calls": [{"name": f"todo{HOSTILE}", "arguments": HOSTILE}], "text": HOSTILE},
        {"text": HOSTILE * 9},
    ]
    with ScriptedLlm(steps) as server:
        done = run(
            "--no-session", "--model", f"openai:{HOSTILE}", "--base-url", server.base_url, cwd=tmp_path, lines="hi\n"
        )

    for text in (done.stdout, done.stderr):
        assert not set(text) & set("\r\x07\x1b\x9b\x9d\x9c\u202e\u2066")
    assert "gnp.exe" in done.stdout


def test_killed_right_after_an_answer_the_plan_is_there(tmp_path: Path) -> None:
    with start(cwd=tmp_path) as process:
        process.type("first wire it, then test it")
        while "That is the plan" not in process.line():
            pass
        process.popen.kill()
        process.popen.wait()

    again = run("-c", cwd=tmp_path, lines="/todo\n")

    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout == "# Tasks\n- [/] wire it\n- [ ] test it\n"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_it_while_it_waits_for_a_line(tmp_path: Path, number: signal.Signals, code: int) -> None:
    with start("--session", "s.jsonl", cwd=tmp_path) as process:
        process.type("/todo append Build One")
        assert process.line()

        process.popen.send_signal(number)

        assert process.end() == (code, "", "")
    assert run("show", "s.jsonl", cwd=tmp_path).stdout == "# Build\n- [/] One\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_that_is_ignored_from_outside_stays_ignored(tmp_path: Path, number: signal.Signals) -> None:
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with start("--no-session", cwd=tmp_path) as process:
            process.type("/todo append Build One")
            assert process.line()
            process.popen.send_signal(number)
            process.type("/todo append Build Two")
            assert "Two" in process.line()
            process.stdin.close()
            assert process.end() == (0, "", "")
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_and_what_was_said_is_kept(tmp_path: Path, number: signal.Signals, code: int) -> None:
    step: Step = {"text": "I begin, ", "hold": str(tmp_path / "never")}
    with (
        ScriptedLlm([step]) as server,
        start("--session", "s.jsonl", "--model", "openai:x", "--base-url", server.base_url, cwd=tmp_path) as process,
    ):
        process.type("go")
        assert process.stdout.read(8) == b"I begin,"

        process.popen.send_signal(number)

        assert process.end()[0] == code
    last = json.loads((tmp_path / "s.jsonl").read_text().splitlines()[-1])
    assert last["message"]["stopReason"] == "aborted"


def test_text_that_the_encoding_lacks_is_replaced(tmp_path: Path) -> None:
    done = run("--no-session", cwd=tmp_path, lines="/todo append Build 漢字\n/todo\n", PYTHONIOENCODING="ascii")

    assert (done.returncode, done.stderr) == (0, "")
    assert "- [/] ??" in done.stdout


@pytest.mark.parametrize(
    ("variables", "is_coloured"),
    [
        pytest.param({}, False, id="a pipe"),
        pytest.param({"FORCE_COLOR": "1"}, True, id="FORCE_COLOR"),
        pytest.param({"NO_COLOR": "1"}, False, id="NO_COLOR"),
    ],
)
def test_there_is_colour_only_where_it_is_wanted(tmp_path: Path, variables: dict[str, str], is_coloured: bool) -> None:
    done = run("--no-session", cwd=tmp_path, lines="/tood\n", **variables)

    assert ("\x1b[31m" in done.stderr) is is_coloured
    assert "/tood: no such command." in done.stderr


def test_an_answer_without_an_end_is_shown_to_its_last_letter_and_leaves_nothing_for_the_next() -> None:
    """Its message could not be stored, so it never ended; what was held back for its sequence is shown all the same."""
    screen = StringIO()
    front = LinesFront(Output(screen), Output(StringIO()))

    front.show(TextDelta("half an answer \x1b["))
    front.show(RunEnded(RunEnd("error", "another program went on with this session.")))
    before = screen.getvalue()
    front.show(TextDelta("after"))

    assert before.startswith("half an answer")
    assert screen.getvalue().removeprefix(before) == "after"
