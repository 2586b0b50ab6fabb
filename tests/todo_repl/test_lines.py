"""Without a terminal: real processes, real pipes."""

import json
import signal
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from rich.text import Text

from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_repl.process import environment, run, start
from todo_context.cells import printable
from todo_context.pi import Answer
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


HOSTILE = "\x1b[2J\x1b]52;c;aGFja2Vk\x07\x9b31mred\x9d0;title\x9c \u202egnp.exe\u2066 over\rwritten \u00ad\u200b\u2060\ufe0f\ufeff\U000e0041"


def test_hostile_text_never_reaches_the_output_raw(tmp_path: Path) -> None:
    lines = f'/todo append Build "{HOSTILE}"\n/todo\n/todo start {HOSTILE}\n/{HOSTILE}\nfirst {HOSTILE}, then b\nnext\n'

    done = run("--session", "s.jsonl", cwd=tmp_path, lines=lines, FORCE_COLOR="1")
    shown = run("show", "s.jsonl", cwd=tmp_path, FORCE_COLOR="1")

    for text in (done.stdout, done.stderr, shown.stdout, shown.stderr):
        left = text.replace("\x1b[0m", "")
        assert not set(text) & set("\r\x07\x9b\x9d\x9c\u202e\u2066\u00ad\u200b\u2060\ufe0f\ufeff\U000e0041")
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
        assert not set(text) & set("\r\x07\x1b\x9b\x9d\x9c\u202e\u2066\u00ad\u200b\u2060\ufe0f\ufeff\U000e0041")
    assert "gnp.exe" in done.stdout


UNSEEN = (
    "\u00ad\u034f\u061c\u17b4\u180b\u180e\u200b\u200c\u200d\u200e\u2060\u2064\u206a\ufe00\ufe0f\ufeff\ufff9\U00013430"
    "\U0001bca0\U0001d173\U000e0001\U000e0041\U000e007f\U000e0100\U000e0fff"
)
"""Of each kind of characters that nobody sees one at least."""

SEEN = [
    pytest.param(
        "👨\u200d👩\u200d👧\u200d👦 👩🏽\u200d🚒 🏳\ufe0f\u200d🌈 ❤\ufe0f\u200d🔥", id="pictures that are joined"
    ),
    pytest.param(
        "❤\ufe0f ⚠\ufe0f ☎\ufe0e 1\ufe0f\u20e3 #\ufe0f\u20e3 👍🏽 🇯🇵", id="variants, keycaps, skin tones, flags"
    ),
    pytest.param(
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f 🏴\u200d☠\ufe0f", id="a region's flag"
    ),
    pytest.param(
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 ක්\u200dය ত্\u200d", id="letters that are joined, or kept apart"
    ),
    pytest.param("葛\U000e0100飾 ᠠ\u180b", id="variants of letters"),
    pytest.param("e\u0301 ก็ 각 각 漢字", id="marks on letters"),
]


@pytest.mark.parametrize("text", SEEN)
def test_what_makes_a_picture_or_a_letter_stays_however_it_comes(text: str) -> None:
    screen = StringIO()
    front = LinesFront(Output(screen), Output(StringIO()))
    pieces = [list(text), [text], [text[:3], text[3:]]]

    for streamed in pieces:
        for piece in streamed:
            front.show(TextDelta(piece))
        front.show(RunEnded(RunEnd("stop")))
    front.answer(Answer(text=text, view=Text(text)))
    front.notify(text)
    front.out.short_line(text)
    front.out.view(Text(text))

    assert screen.getvalue().split("\n") == [*[text] * 7, ""]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *(pytest.param(f"a{one * 2}b {one}漢 {one}", "ab 漢 ", id=f"U+{ord(one):04X}") for one in UNSEEN),
        pytest.param("a\u200d👩 👩\u200d 👩\u200dx 漢\u200d字", "a👩 👩 👩x 漢字", id="a joiner that joins nothing"),
        pytest.param("👩\u200b\u200d👩 👩\u200d\u200d👩", "👩👩 👩👩", id="what is parted is not joined by what goes"),
        pytest.param(
            "1\ufe0f 1\ufe0fx ❤\ufe0f\ufe0f 葛\U000e0100\U000e0101",
            "1 1x ❤\ufe0f 葛\U000e0100",
            id="variants of nothing",
        ),
        pytest.param("🏴\U000e0067 🏴\U000e007f x\U000e0067\U000e007f", "🏴 🏴 x", id="tags of no flag"),
        pytest.param(
            "🚒\u200d🏴\U000e0067 🏽\ufe0f 🚒\u200b🏽\ufe0f",
            "🚒\u200d🏴 🏽 🚒🏽",
            id="a flag that is none; a tone varies nothing",
        ),
        pytest.param("a\u3164b\uffa0c\u115fd\u1160e", "a b c d e", id="fillers are the blanks that they look like"),
    ],
)
def test_what_nobody_sees_is_not_printed_however_it_comes(text: str, shown: str) -> None:
    screen = StringIO()
    front = LinesFront(Output(screen), Output(screen))

    for pieces in (text, [text]):
        for piece in pieces:
            front.show(TextDelta(piece))
        front.show(RunEnded(RunEnd("stop")))
    front.answer(Answer(text=text))
    front.answer(Answer(text=text, is_error=True))
    front.notify(text)
    front.out.short_line(text)
    front.out.view(Text(text))

    assert screen.getvalue().split("\n") == [*[shown] * 7, ""]


DRAWN = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
"""Signs that Unicode counts among the format characters, and that have a look. Source: Unicode 16, 9.2 and 15.2."""


def test_no_format_character_is_printed_but_those_that_are_drawn() -> None:
    of_format = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cf"]

    assert [one for one in of_format if printable(f"a{one}b") != "ab"] == list(DRAWN)


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
