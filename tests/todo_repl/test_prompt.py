"""A person at a real terminal."""

import os
import signal
import stat
import sys
import termios
from pathlib import Path

import pytest

from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_repl.process import run
from tests.todo_repl.terminal import Terminal, online

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a pty")

SIZES = [pytest.param((80, 24), id="80x24"), pytest.param((40, 12), id="40x12")]
LIST = "- [ ] Write parser\n- [ ] Test parser\n- Ship it"

ESCAPE, CTRL_C, CTRL_D, CTRL_S, CTRL_U = "\x1b", "\x03", "\x04", "\x13", "\x15"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def planned(here: Path, *, size: tuple[int, int] = (80, 24), **env: str) -> Terminal:
    """At the prompt, with a plan of one task."""
    terminal = Terminal(cwd=here, size=size, env=env)
    terminal.wait_for_prompt()
    append(terminal, "One")
    return terminal


def append(terminal: Terminal, task: str) -> None:
    terminal.type(f'/todo append Build "{task}"\r')
    terminal.wait_for(f'"{task}".')
    terminal.wait_for_prompt()


def open_our_editor(terminal: Terminal) -> None:
    terminal.type("/todo edit\r")
    terminal.wait_for("Ctrl-S saves")


def plan_of(folder: Path) -> str:
    return run("show", cwd=folder).stdout


@pytest.mark.parametrize("size", SIZES)
def test_from_a_pasted_list_to_coming_back(here: Path, size: tuple[int, int]) -> None:
    terminal = Terminal(cwd=here, size=size)
    terminal.wait_for_prompt()
    assert "todo-context 0.1.0 · a new session" in terminal.flowing
    assert "No model is configured: the offline planner answers." in terminal.flowing

    terminal.paste(LIST)
    terminal.type("\r")
    terminal.wait_for("0 of 3 done, 3 open.")
    terminal.wait_for_prompt()
    assert "\n▸ Write parser\n○ Test parser\n○ Ship it\n" in terminal.text, "the panel"
    terminal.type('/todo append Tasks "Rest"\r')
    terminal.wait_for('Added to "Tasks": "Rest".')
    terminal.leave()
    assert "Session kept: todo-context -c" in terminal.text

    again = Terminal("-c", cwd=here, size=size)
    again.wait_for_prompt()
    assert "Plan: 0 of 4 done, 4 open. /todo shows it." in again.flowing
    again.type("/todo\r")
    again.wait_for("- [ ] Rest")
    again.wait_for_prompt()
    again.type(CTRL_D)
    assert again.wait_for_end() == 0


def test_a_session_file_that_was_named_is_named_again(here: Path) -> None:
    terminal = Terminal("--session", "my s.jsonl", cwd=here)
    terminal.wait_for_prompt()
    terminal.type("/todo append One\r")
    terminal.wait_for("Added")
    terminal.leave()

    assert "Session kept: todo-context --session 'my s.jsonl'" in terminal.text


def test_without_a_session_nothing_is_kept_and_nothing_is_said(here: Path, home: Path) -> None:
    terminal = Terminal("--no-session", cwd=here)
    terminal.wait_for_prompt()
    assert "nothing is kept" in terminal.text
    terminal.type("/todo append One\r")
    terminal.wait_for("Added")
    terminal.leave()

    assert "Session kept" not in terminal.text
    assert [path for path in home.rglob("*") if path.is_file()] == []


SLOW_START = """
import os, time

def activate(pi):
    print("LOADING", flush=True)
    while not os.path.exists("gate"):
        time.sleep(0.01)
"""


def starting_slowly(here: Path, typed: str, echo: str) -> Terminal:
    """At its first prompt, after this was typed while it was still starting, and showed so."""
    (here / "slow.py").write_text(SLOW_START)
    terminal = Terminal("-e", "slow.py", cwd=here)
    terminal.wait_for("LOADING")
    terminal.type(typed)
    terminal.wait_for(echo)
    (here / "gate").touch()
    terminal.wait(lambda: terminal.last_row.startswith(">"))
    return terminal


def test_lines_that_are_typed_before_the_prompt_stands_are_submitted_and_the_rest_stands_in_it(here: Path) -> None:
    lines = "".join(f'/todo append Build "Task {number}"\r' for number in range(80))
    terminal = starting_slowly(here, f"{lines}and the worst\x7f\x7f\x7f\x7fest", "and the west")

    terminal.wait_for('"Task 79".')
    terminal.wait(lambda: terminal.last_row == "> and the west")
    assert sum("and the west" in line for line in terminal.lines) == 1
    terminal.type(CTRL_U)
    terminal.leave()

    assert plan_of(here) == "# Build\n- [/] Task 0\n" + "".join(f"- [ ] Task {number}\n" for number in range(1, 80))


def test_to_leave_can_be_typed_ahead(here: Path) -> None:
    terminal = starting_slowly(here, f"/todo append Build One\r{CTRL_D}", "Build One")

    assert terminal.wait_for_end() == 0
    assert plan_of(here) == "# Build\n- [/] One\n"


def test_ctrl_c_clears_the_line_and_on_an_empty_one_leaves_when_it_comes_twice(here: Path) -> None:
    terminal = Terminal(cwd=here)
    terminal.wait_for_prompt()

    terminal.type("half a line")
    terminal.wait_for("half a line")
    terminal.type(CTRL_C)
    terminal.wait_for_prompt()
    assert "leaves" not in terminal.text
    terminal.type(CTRL_C)
    terminal.wait_for("Ctrl-C again, or Ctrl-D, leaves.")
    terminal.wait_for_prompt()
    terminal.type("half a line again")
    terminal.wait_for("half a line again")
    terminal.type(CTRL_C)
    terminal.wait_for_prompt()
    terminal.type(CTRL_C)
    terminal.wait(lambda: terminal.text.count("Ctrl-C again") == 2)
    terminal.wait_for_prompt()
    terminal.type(CTRL_C)

    assert terminal.wait_for_end() == 0


def test_ctrl_c_stops_a_run_and_the_prompt_comes_back(here: Path, tmp_path: Path) -> None:
    steps: list[Step] = [{"text": "I begin to think", "hold": str(tmp_path / "never")}, {"text": "As you like."}]
    with ScriptedLlm(steps) as server:
        terminal = online(server, cwd=here)
        assert "Model: openai:m" in terminal.text
        terminal.type("go\r")
        terminal.wait_for("I begin to")
        terminal.type(CTRL_C)
        terminal.wait_for("Stopped.")
        terminal.wait_for_prompt()
        terminal.type("stop it\r")
        terminal.wait_for("As you like.")
        terminal.leave()


def test_a_model_that_fails_is_one_line_and_the_prompt_comes_back(here: Path) -> None:
    steps: list[Step] = [{"status": 401, "text": "no such\x1b[2J key"}]
    with ScriptedLlm(steps) as server:
        terminal = online(server, "--no-session", cwd=here)
        terminal.type("go\r")
        terminal.wait_for("openai:m: ")
        terminal.leave()

    assert "Traceback" not in terminal.text
    assert b"\x1b[2J" not in terminal.raw


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_told_to_end_it_leaves_the_terminal_as_it_was(here: Path, number: signal.Signals, code: int) -> None:
    terminal = Terminal(cwd=here)
    before = termios.tcgetattr(terminal.child.child_fd)
    terminal.wait_for_prompt()
    terminal.type("/todo append One\r")
    terminal.wait_for("Added")
    terminal.wait_for_prompt()
    assert termios.tcgetattr(terminal.child.child_fd) != before

    terminal.child.kill(number)
    terminal.wait(lambda: not terminal.child.isalive())

    assert termios.tcgetattr(terminal.child.child_fd) == before
    assert terminal.wait_for_end() == code
    assert terminal.raw.rindex(b"\x1b[?2004l") > terminal.raw.rindex(b"\x1b[?2004h")
    assert "Traceback" not in terminal.text
    assert plan_of(here).endswith("- [/] One\n")


def test_a_terminal_that_hangs_up_ends_it(here: Path) -> None:
    terminal = Terminal(cwd=here)
    terminal.wait_for_prompt()

    # By the signal, or by the end of its input, whichever it sees first.
    assert terminal.hang_up() in {129, 0, 1}


def test_a_terminal_that_hangs_up_while_something_is_asked_is_no_bug(here: Path) -> None:
    terminal = Terminal(cwd=here)
    terminal.wait_for_prompt()
    for content in ("One", "Two"):
        append(terminal, content)
    terminal.type("/todo drop o\r")
    terminal.wait(lambda: terminal.last_row == "Enter chooses, Esc leaves:")
    terminal.hang_up()

    assert not list(Path(os.environ["HOME"]).rglob("*.log"))


@pytest.mark.parametrize("size", SIZES)
def test_the_editor_of_our_own_edits_and_saves(here: Path, size: tuple[int, int]) -> None:
    terminal = planned(here, size=size)

    open_our_editor(terminal)
    terminal.wait_for("- [/] One")
    # Down to the task, to its end, a new line.
    terminal.type("\x1b[B\x05\r- [ ] 漢字 two")
    terminal.wait_for("- [ ] 漢字 two")
    terminal.type(CTRL_S)
    terminal.wait_for("Edited: 1 added")
    terminal.leave()

    assert plan_of(here) == "# Build\n- [/] One\n- [ ] 漢字 two\n"


def test_the_editor_of_our_own_says_what_the_marks_of_its_text_are(here: Path) -> None:
    terminal = planned(here)
    open_our_editor(terminal)
    terminal.wait_for("[!] blocked")
    terminal.type(CTRL_C)
    terminal.wait_for("Edit cancelled")
    terminal.type("/backlog add Port logger\r")
    terminal.wait_for("Added: td-")

    terminal.type("/backlog edit\r")
    terminal.wait_for("[~] parked")
    terminal.wait_for("Ctrl-S saves · Esc cancels")

    assert not any("[!] blocked" in row for row in terminal.rows)
    terminal.type(CTRL_C)
    terminal.wait_for_prompt()
    terminal.leave()


def test_what_cannot_be_read_stands_above_the_text_once_and_in_whole_words(here: Path) -> None:
    terminal = planned(here, size=(40, 12))
    open_our_editor(terminal)
    terminal.type("\x1b[B\x05\r- [q] two\r- [q] three")
    terminal.wait_for("- [q] three")

    terminal.type(CTRL_S)
    terminal.wait_for("lines 3, 4: ")

    assert [row.rstrip() for row in terminal.rows][1:4] == [
        " lines 3, 4: unknown mark [q]; use one",
        " of [ ] [/] [x] [-] [!]",
        "# Build",
    ]
    terminal.type(CTRL_C)
    terminal.wait_for("kept")
    terminal.leave()


def test_behind_a_last_task_that_is_higher_than_the_screen_its_end_is_seen(here: Path) -> None:
    (here / "big.md").write_text(f"# Build\n- [ ] One\n- [ ] {'word ' * 4000}end\n")
    terminal = Terminal(cwd=here)
    terminal.wait_for_prompt()
    terminal.type("/todo import big.md\r")
    terminal.wait_for("2 tasks")
    open_our_editor(terminal)

    terminal.type("\x1b[1;5F")  # Ctrl-End
    terminal.wait(lambda: any(row.rstrip().endswith("word end") for row in terminal.rows))
    terminal.type("ing")
    terminal.wait_for("ending")
    terminal.type(CTRL_S)
    terminal.wait_for("Edited:")
    terminal.leave()

    assert plan_of(here).endswith(" word ending\n")


def test_leaving_the_editor_asks_before_something_is_lost(here: Path) -> None:
    terminal = planned(here)
    open_our_editor(terminal)
    terminal.type(CTRL_C)
    terminal.wait_for("Edit cancelled; the plan is unchanged.")
    terminal.wait_for_prompt()

    open_our_editor(terminal)
    terminal.type("wrong")
    terminal.wait_for("wrong# Build")
    terminal.type(ESCAPE)
    terminal.wait_for("Discard your changes? y / n")
    terminal.type("xn")
    terminal.wait_for("Ctrl-S saves")
    assert "wrong# Build" in terminal.text
    terminal.type(CTRL_C)
    terminal.wait_for("Discard your changes? y / n")
    terminal.type("y")
    terminal.wait(lambda: terminal.text.count("Edit cancelled") == 2)
    terminal.leave()

    assert plan_of(here) == "# Build\n- [/] One\n"


@pytest.mark.parametrize("size", SIZES)
def test_a_line_that_cannot_be_read_opens_it_again_and_the_text_is_kept(here: Path, size: tuple[int, int]) -> None:
    terminal = planned(here, size=size)
    open_our_editor(terminal)
    terminal.type("- [?] odd\r")
    terminal.wait_for("- [?] odd")
    terminal.type(CTRL_S)
    terminal.wait_for("line 1: ")
    assert any(row.startswith("- [?] odd") for row in terminal.rows)
    terminal.type(ESCAPE)
    terminal.wait_for("Your text is kept in")
    terminal.leave()

    (kept,) = Path(os.environ["HOME"]).rglob("edits/todo-*.md")
    assert kept.read_text().startswith("- [?] odd\n# Build\n- [/] One\n")
    assert kept.name in terminal.flowing


def test_told_to_end_the_editor_of_our_own_keeps_the_text(here: Path) -> None:
    terminal = planned(here)
    open_our_editor(terminal)
    terminal.type("precious ")
    terminal.wait_for("precious # Build")

    terminal.child.kill(signal.SIGTERM)

    assert terminal.wait_for_end() == 143
    (kept,) = Path(os.environ["HOME"]).rglob("edits/todo-*.md")
    assert kept.read_text().startswith("precious # Build\n")


def test_a_text_in_the_editor_of_our_own_survives_the_death_of_the_program(here: Path) -> None:
    terminal = planned(here)
    open_our_editor(terminal)
    terminal.type("precious ")
    edits = Path(os.environ["HOME"])
    terminal.wait(lambda: any("precious #" in path.read_text() for path in edits.rglob("edits/todo-*.md")))
    terminal.child.kill(signal.SIGKILL)
    assert terminal.wait_for_end() == -signal.SIGKILL

    again = Terminal("-c", cwd=here)
    again.wait_for_prompt()
    again.type("/todo edit\r")
    again.wait_for("y/N, then Enter:")
    again.type("y\r")
    again.wait_for("precious # Build")
    again.type(f"{ESCAPE}")
    again.leave()


def test_an_editor_of_the_persons_own_gets_the_terminal(here: Path, tmp_path: Path) -> None:
    script = tmp_path / "my editor.py"
    script.write_text(
        "import os, select, signal, sys\n"
        # Not print(): the signal may come while it still writes.
        "signal.signal(signal.SIGINT, lambda *_: os.write(1, b'ctrl-c is mine'))\n"
        "os.write(1, b'EDITING %s more:' % str(sys.stdin.isatty()).encode())\n"
        # In short waits: a signal that comes just before a long one would be told only after it.
        "while not select.select([0], [], [], 0.05)[0]:\n"
        "    pass\n"
        "open(sys.argv[-1], 'a').write(sys.stdin.readline())\n"
    )
    terminal = planned(here, EDITOR=f"{sys.executable} '{script}'")
    terminal.type("/todo edit\r")
    terminal.wait_for("more:")
    assert "EDITING True" in terminal.text
    terminal.type(CTRL_C)
    terminal.wait_for("ctrl-c is mine")
    terminal.type("- [ ] Two\r")
    terminal.wait_for("Edited: 1 added")
    terminal.leave()

    assert plan_of(here) == "# Build\n- [/] One\n- [ ] Two\n"


def test_told_to_end_it_ends_the_editor_of_the_persons_own_and_the_text_stays(here: Path, tmp_path: Path) -> None:
    script = tmp_path / "editor.py"
    script.write_text("import sys, time\nopen(sys.argv[-1], 'w').write('half')\nprint('EDITING')\ntime.sleep(600)\n")
    terminal = planned(here, EDITOR=f"{sys.executable} -u {script}")
    terminal.type("/todo edit\r")
    terminal.wait_for("EDITING")

    terminal.child.kill(signal.SIGTERM)

    assert terminal.wait_for_end() == 143
    (kept,) = Path(os.environ["HOME"]).rglob("edits/todo-*.md")
    assert kept.read_text() == "half"


def test_an_editor_that_dies_raw_leaves_a_terminal_one_can_type_in(here: Path, tmp_path: Path) -> None:
    script = tmp_path / "editor.py"
    script.write_text("import os, signal, tty\ntty.setraw(0)\nos.kill(os.getpid(), signal.SIGKILL)\n")
    terminal = Terminal(cwd=here, env={"VISUAL": f"{sys.executable} {script}"})
    before = termios.tcgetattr(terminal.child.child_fd)
    terminal.wait_for_prompt()
    append(terminal, "One")
    terminal.type("/todo edit\r")
    terminal.wait_for("was ended by signal 9. Nothing was changed.")
    terminal.wait_for_prompt()
    terminal.type("/quit\r")
    terminal.wait(lambda: not terminal.child.isalive())

    assert termios.tcgetattr(terminal.child.child_fd) == before
    assert terminal.wait_for_end() == 0


FULL_SCREEN = """\
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sys.stdout.write("\\x1b[?1049h\\x1b[?25l\\x1b[2J\\x1b[HIN FULL")
sys.stdout.flush()
{then}
"""


@pytest.mark.parametrize("killed", ["the editor", "both"])
def test_an_editor_that_dies_on_the_other_screen_gives_this_one_back(here: Path, tmp_path: Path, killed: str) -> None:
    script = tmp_path / "editor.py"
    alone = killed == "the editor"
    script.write_text(FULL_SCREEN.format(then="os.kill(os.getpid(), signal.SIGKILL)" if alone else "time.sleep(300)"))
    terminal = planned(here, VISUAL=f"{sys.executable} {script}")
    terminal.type("/todo edit\r")
    if alone:
        terminal.wait_for("was ended by signal 9. Nothing was changed.")
        terminal.leave()
    else:
        terminal.wait_for("IN FULL")
        terminal.child.kill(signal.SIGTERM)
        assert terminal.wait_for_end() == 143

    assert "Added" in terminal.text
    assert "IN FULL" not in terminal.text
    assert not terminal.screen.cursor.hidden


def test_a_name_that_means_several_is_asked_back(here: Path) -> None:
    terminal = Terminal(cwd=here)
    terminal.wait_for_prompt()
    for content in ("Write tests", "Run tests"):
        append(terminal, content)
    for shown, way_out in enumerate((ESCAPE, CTRL_C, CTRL_D)):
        terminal.type("/todo drop tests\r")
        terminal.wait(lambda: terminal.last_row == "Enter chooses, Esc leaves:")
        terminal.type(way_out)
        terminal.wait(lambda shown=shown: terminal.text.count("Nothing chosen") == shown + 1)  # type: ignore[misc]
        terminal.wait_for_prompt()
    terminal.type("/todo done tests\r")
    terminal.wait(lambda: terminal.last_row == "Enter chooses, Esc leaves:")
    for nothing in ("3\r", "9" * 5000 + "\r", "no such words\r"):
        terminal.type(nothing)
        terminal.wait_for("None of 2 has that.")
        terminal.type(CTRL_U)
        terminal.wait(lambda: "None of 2" not in terminal.text)
    terminal.type("2\r")
    terminal.wait_for('Done: "Run tests"')
    terminal.leave()

    assert plan_of(here) == "# Build\n- [/] Write tests\n- [x] Run tests\n"


def test_what_is_missing_is_asked_for(here: Path) -> None:
    terminal = Terminal(cwd=here)
    terminal.wait_for_prompt()
    terminal.type("/todo append\r")
    terminal.wait_for("A task; or a phase, and then the task.")
    terminal.wait(lambda: terminal.last_row == ">")
    terminal.type("\rBuild the \u65e5\u672c thing\r")
    terminal.wait_for('Added to "Build" (new)')
    terminal.wait_for_prompt()
    terminal.type("/todo note thing\r")
    terminal.wait_for('Note on "The \u65e5\u672c thing":')
    terminal.type(ESCAPE)
    terminal.wait_for("Nothing typed; the plan is unchanged.")
    terminal.leave()

    assert plan_of(here) == "# Build\n- [/] The \u65e5\u672c thing\n"


def test_emptying_the_plan_is_confirmed(here: Path) -> None:
    script = here.parent / "editor.py"
    script.write_text("import sys\nopen(sys.argv[-1], 'w').write('# Build\\n')\n")
    terminal = planned(here, EDITOR=f"{sys.executable} {script}")
    for answer, text in (("n", "Edit cancelled"), ("y/todo\ry", "Edited:")):
        terminal.wait_for_prompt()
        terminal.type("/todo edit\r")
        terminal.wait(lambda: terminal.last_row == "y/N, then Enter:")
        terminal.type(f"{answer}\r")
        terminal.wait_for(text)
    terminal.leave()

    assert plan_of(here) == "No plan.\n"


def test_commands_and_tasks_are_completed(here: Path) -> None:
    terminal = Terminal(cwd=here)
    terminal.wait_for_prompt()
    append(terminal, "Wire config")

    terminal.type("/to")
    terminal.wait_for("Show and change the plan")
    terminal.type("\tdo")
    terminal.wait_for("/todo do")
    terminal.wait_for("done [")
    terminal.type("ne w")
    terminal.wait_for("in progress, Build")
    terminal.type("\t")
    terminal.wait_for('/todo done "Wire config"')
    terminal.type("\r")
    terminal.wait_for('Done: "Wire config"')
    terminal.leave()


def test_the_history_is_the_persons_alone_and_comes_back(here: Path, home: Path) -> None:
    terminal = planned(here)
    terminal.leave()

    (history,) = home.rglob("history")
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    again = Terminal("--no-todo", cwd=here)
    again.wait_for_prompt()
    again.type("\x1b[A\x1b[A")
    again.wait_for('> /todo append Build "One"')
    again.type(CTRL_U)
    again.leave()


def test_alt_enter_begins_a_new_line_and_enter_sends_both(here: Path) -> None:
    terminal = Terminal(cwd=here)
    terminal.wait_for_prompt()
    terminal.type("- [ ] one\x1b\r- [ ] two\r")
    terminal.wait_for("0 of 2 done")
    terminal.leave()


UNSEEN = "\u00ad\u200b\u2060\ufe0f\ufeff\U000e0041"
HOSTILE = f"\x1b]52;c;aGFja2Vk\x07\x9b31mred\x9d0;title\x9c \u202egnp.exe\u2066{UNSEEN}"


def test_hostile_text_of_a_model_never_reaches_the_terminal_raw(here: Path) -> None:
    items = [f"task {HOSTILE}", "b"]
    ops = [{"op": "init", "list": [{"phase": f"phase {HOSTILE}", "items": items}]}]
    steps: list[Step] = [
        {"text": HOSTILE * 3, "tool_calls": [{"name": "todo_write", "arguments": {"ops": ops}}]},
        {"text": f"The end. {HOSTILE}", "tool_calls": [{"name": f"x{HOSTILE}", "arguments": HOSTILE}]},
        {"text": "Over."},
    ]
    with ScriptedLlm(steps) as server:
        terminal = online(server, cwd=here)
        terminal.type("go\r")
        terminal.wait_for("Over.")
        terminal.wait_for_prompt()
        for line in ("/todo", "/todo start task", "/todo note task x", "/todo done task"):
            terminal.type(f"{line}\r")
            terminal.wait(lambda line=line: f"> {line}" in terminal.text)  # type: ignore[misc]
            terminal.wait_for_prompt()
        # In the editor and in the menu of completions too.
        open_our_editor(terminal)
        terminal.wait_for("gnp.exe")
        terminal.type(CTRL_C)
        terminal.wait_for_prompt()
        terminal.type("/todo start ")
        terminal.wait_for("> /todo start")
        terminal.type(CTRL_U)
        terminal.wait_for_prompt()
        terminal.paste(f"pasted {HOSTILE} text")
        terminal.wait_for(" text")
        terminal.type(CTRL_U)
        terminal.leave()

    sent = terminal.raw.decode()
    assert "gnp.exe" in sent
    assert not set(sent) & set(f"\x07\x9b\x9d\x9c\u202e\u2066{UNSEEN}")
    assert "\x1b]52" not in sent


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_that_cannot_draw_gets_lines(here: Path, term: str) -> None:
    terminal = Terminal("--no-session", cwd=here, env={"TERM": term})
    terminal.type("/todo append Build One\n/todo\n")
    terminal.wait_for("- [/] One")
    terminal.type(CTRL_D)

    assert terminal.wait_for_end() == 0
    assert b"\x1b" not in terminal.raw


def test_no_color_is_heeded(here: Path) -> None:
    terminal = Terminal("--no-session", cwd=here, env={"NO_COLOR": "1"})
    terminal.wait_for_prompt()
    terminal.type("/nothing\r")
    terminal.wait_for("no such command")
    terminal.leave()

    assert b"[31m" not in terminal.raw
