"""Group E, editor, Markdown and clipboard: public reports about other tools, shown at a real terminal or through pipes.

An editor is a program of a few lines, started as `EDITOR` says.
"""

import base64
import os
import re
import sys
from pathlib import Path

import pytest

from tests.cases.host import Host, calling, run, until, use_editor
from tests.plans import plan
from tests.todo_repl import process
from tests.todo_repl.terminal import Terminal
from todo_context.plan.load import plan_to_json
from todo_repl.runtime import Submitted
from todo_repl.session import Session

THREE = "# Build\n- [/] Wire config\n- [ ] Port logger\n\n# Verify\n- [ ] Run tests\n"

CANCELLED = "Edit cancelled; the plan is unchanged."

needs_a_pty = pytest.mark.skipif(os.name == "nt", reason="needs a pty")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with a session whose plan has three tasks: s.jsonl."""
    with Session.create(tmp_path / "s.jsonl", str(tmp_path)) as session:
        phases = plan_to_json(plan(THREE))
        session.append_custom("todo_write", {"v": 1, "seq": 1, "phases": phases, "by": "model", "action": "init"})
    return tmp_path


class Screen(Terminal):
    """A terminal, wide enough for paths, in which the session goes on."""

    def __init__(self, here: Path, **env: str) -> None:
        super().__init__("--session", "s.jsonl", cwd=here, size=(300, 40), env=env)
        self.wait_for_prompt()

    def say(self, line: str, answer: str) -> None:
        """Type a line, and wait for one more such answer and for the prompt."""
        before = self.flowing.count(answer)
        self.type(f"{line}\r")
        self.wait(lambda: self.flowing.count(answer) > before)
        self.wait_for_prompt()

    def leave(self) -> None:
        super().leave()
        assert "Traceback" not in self.text

    def kept(self) -> Path:
        """The draft whose path was shown last."""
        return Path(re.findall(r"/\S+/edits/todo-[\w-]+\.md", self.flowing)[-1])


def drafts() -> list[Path]:
    """The texts that lie in this test's home."""
    return sorted(Path(os.environ["HOME"]).rglob("edits/todo-*.md"))


def shown(here: Path) -> str:
    """The plan in the file, as another process shows it."""
    return process.run("show", "s.jsonl", cwd=here).stdout


@needs_a_pty
def test_e01_a_command_with_a_blank_in_its_path_and_an_argument_is_split_as_a_shell_does(here: Path) -> None:
    """The program starts, its flag comes before the file, and what it saved is taken over."""
    folder = here / "my ed"
    folder.mkdir()
    stub = folder / "stub"
    stub.write_text(
        f"#!{sys.executable}\nimport pathlib, sys\n"
        "path = pathlib.Path(sys.argv[-1])\n"
        "path.write_text(path.read_text() + f'- [ ] {sys.argv[1:-1]}\\n')\n"
    )
    stub.chmod(0o700)
    screen = Screen(here, EDITOR=f"'{stub}' --wait")

    screen.say("/todo edit", "Edited: 1 added")
    screen.leave()

    assert shown(here) == f"{THREE}- [ ] ['--wait']\n"


RETURNS_AT_ONCE = """
import subprocess
if not (folder / "seen").exists():
    (folder / "seen").write_text("")
    later = "import pathlib, sys, time\\nflag, path = map(pathlib.Path, sys.argv[1:])\\n"
    later += "end = time.monotonic() + 60\\nwhile not flag.exists() and time.monotonic() < end: time.sleep(0.01)\\n"
    later += "path.write_text(path.read_text() + '- [ ] Late\\\\n')"
    subprocess.Popen([sys.executable, "-c", later, folder / "save", path], start_new_session=True)
"""
"""The first time it leaves the file as it is, and a child of it adds a task once `save` is there."""


@needs_a_pty
def test_e01_what_an_editor_that_returned_at_once_saves_later_is_not_lost(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer hints at a flag that makes it wait; the file stays, and the next edit begins with what is in it."""
    use_editor(here, monkeypatch, RETURNS_AT_ONCE)
    screen = Screen(here)

    screen.say("/todo edit", "No change.")
    assert "If your editor returned before you were done" in screen.flowing
    assert 'EDITOR="code --wait"' in screen.flowing
    (draft,) = drafts()
    (here / "save").touch()
    screen.wait(lambda: draft.exists() and draft.read_text().endswith("- [ ] Late\n"))
    assert shown(here) == THREE
    screen.type("/todo edit\r")
    screen.wait(lambda: screen.last_row == "y/N, then Enter:")
    assert f"Go on with it? It stays in {draft}" in screen.flowing
    screen.say("y", "Edited: 1 added")
    screen.leave()

    assert shown(here) == f"{THREE}- [ ] Late\n"


def test_e01_what_was_saved_late_is_merged_with_what_the_agent_did_meanwhile(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The late text began from the plan of then: it takes back nothing of what the agent has done since."""
    use_editor(here, monkeypatch, RETURNS_AT_ONCE)
    agents = {"ops": [{"op": "done", "task": "Wire config"}, {"op": "append", "phase": "Verify", "items": ["Ship"]}]}

    async def job(host: Host) -> None:
        assert (await host.type("/todo edit")).endswith("No change.")
        (draft,) = drafts()
        assert await host.runtime.submit("Go on.") is Submitted.DONE
        (here / "save").touch()
        await until(lambda: draft.read_text().endswith("- [ ] Late\n"))
        assert (await host.type("/todo edit")).startswith("Edited: 1 added.")
        assert len(host.person.asked) == 1
        plan = await host.agreed()
        assert plan.startswith("# Build\n- [x] Wire config\n- [/] Port logger\n\n# Verify\n- [ ] Run tests\n")
        assert sorted(plan.split("\n")[-3:]) == ["", "- [ ] Late", "- [ ] Ship"]

    run(here / "s.jsonl", calling(agents), job, has_person=True)


@needs_a_pty
def test_e02_an_editor_that_ends_with_an_error_changes_nothing_and_its_text_is_kept(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As :cq does: the plan is as it was, and the path of the text is on the screen."""
    use_editor(here, monkeypatch, "path.write_text(path.read_text().replace('logger', 'the logger'))\nsys.exit(1)")
    screen = Screen(here)

    screen.say("/todo edit", CANCELLED)
    assert "ended with code 1. Nothing was taken over; your text is kept in" in screen.flowing
    kept = screen.kept()
    screen.leave()

    assert kept.read_text() == THREE.replace("logger", "the logger")
    assert shown(here) == THREE


BAD = THREE.replace("Port logger", "Port the logger").replace("- [ ] Run tests", "- [?] Run tests")

TWO_PASSES = f"""
seen = folder / "pass 2" if (folder / "pass 1").exists() else folder / "pass 1"
seen.write_text(path.read_text())
if seen.name == "pass 1":
    path.write_text({BAD!r})
"""


@needs_a_pty
def test_e03_a_rejected_text_is_opened_again_and_left_unchanged_it_is_kept(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second time it is the person's own text, the bad line named above it; nothing of it is lost."""
    use_editor(here, monkeypatch, TWO_PASSES)
    screen = Screen(here)

    screen.say("/todo edit", "Edit cancelled; the plan is unchanged. Line 6: unknown mark [?]")
    kept = screen.kept()
    assert (here / "pass 1").read_text() == THREE
    problem = "unknown mark [?]; use one of [ ] [/] [x] [-] [!]"
    assert (here / "pass 2").read_text() == f"<!-- line 7: {problem} -->\n{BAD}"
    assert BAD in kept.read_text()
    assert shown(here) == THREE
    kept.write_text(kept.read_text().replace("[?]", "[x]"))
    screen.say(f"/todo import {kept}", "Imported ")
    screen.leave()

    assert shown(here) == BAD.replace("[?]", "[x]")


ONLY_A_HEADING = "path.write_text('# Build\\n')"


@pytest.mark.parametrize(
    ("body", "said", "answer"),
    [
        pytest.param("path.write_bytes(b'')", None, CANCELLED, id="emptied"),
        pytest.param(ONLY_A_HEADING, False, CANCELLED, id="only a heading, and no"),
        pytest.param(
            ONLY_A_HEADING, True, "Edited: 3 removed. Nothing is open any more.", id="only a heading, and yes"
        ),
    ],
)
def test_e06_an_emptied_text_is_a_cancel_and_one_without_tasks_is_confirmed_first(
    here: Path, monkeypatch: pytest.MonkeyPatch, body: str, said: bool | None, answer: str
) -> None:
    """Neither sets another action in motion; and what went by mistake comes back with undo."""
    use_editor(here, monkeypatch, body)

    async def job(host: Host) -> None:
        host.person.confirms = bool(said)
        assert (await host.type("/todo edit")) == answer
        assert len(host.person.asked) == (said is not None)
        assert len(host.changes) == (2 if said else 1)
        if said:
            assert (await host.type("/todo undo")).startswith("Undone: edit by you (3 back")
        assert await host.agreed() == THREE

    run(here / "s.jsonl", [], job, has_person=True)


def test_e06_without_a_person_there_is_no_edit_and_the_answer_says_what_there_is(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No editor starts where nobody could confirm anything."""
    use_editor(here, monkeypatch, "(folder / 'started').touch()\npath.write_bytes(b'')")

    ended = process.run("--session", "s.jsonl", "-p", "/todo edit", cwd=here)

    assert ended.returncode == 1
    assert "/todo export writes the plan into a file to edit, and /todo import reads it back." in ended.stderr
    assert not (here / "started").exists()
    assert shown(here) == THREE


INDENTED = "\n# Build   \n\n* [X] A  \n    - [/] B\t\n\n\t- [ ] C\n  \n* [x] D\n"


def test_e07_a_text_that_a_program_re_indented_is_read_as_before(here: Path) -> None:
    """Stars, deep indents, tabs, blank lines and blanks at the ends change nothing; a capital X is an x."""
    (here / "TODO.md").write_text(INDENTED)
    (here / "bad.md").write_text(f"{INDENTED}- [?] What is this\n")

    ended = process.run("--session", "s.jsonl", cwd=here, lines="/todo import\n/todo import bad.md\n")

    assert "Imported " in ended.stdout
    assert ended.returncode == 1
    assert "line 10: - [?] What is this\n    unknown mark [?]; use one of [ ] [/] [x] [-] [!]" in ended.stderr
    assert shown(here) == "# Build\n- [x] A\n- [/] B\n- [ ] C\n- [x] D\n"


def test_e07_so_is_one_that_was_re_indented_in_the_editor(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same text by another way, and an edit that changes only blanks changes nothing."""
    use_editor(
        here, monkeypatch, "path.write_text(path.read_text().replace('- [', '    *   [').replace('\\n', ' \\n'))"
    )

    async def job(host: Host) -> None:
        assert (await host.type("/todo edit")) == "No change: the text says what the plan is."
        assert await host.agreed() == THREE
        assert len(host.changes) == 1

    run(here / "s.jsonl", [], job, has_person=True)


def test_e10_no_foreign_or_changed_file_is_overwritten_and_a_failed_import_leaves_all_as_it_was(here: Path) -> None:
    """Each time the answer names a way on that works; the 40th line is named, and the file stays."""
    prose = "# My list\nDo not lose this.\n"
    source = "# A\n" + "".join(f"- [ ] Task {n}\n" for n in range(2, 40)) + "what is this\n- [ ] Last\n"
    for name, text in (("TODO.md", prose), ("source.md", source)):
        (here / name).write_text(text)

    def typed(line: str) -> tuple[int, str]:
        ended = process.run("--session", "s.jsonl", "-p", line, cwd=here)
        return ended.returncode, ended.stdout + ended.stderr

    code, answer = typed("/todo export")
    assert code == 1
    assert "TODO.md: not overwritten" in answer
    assert "/todo export TODO-2.md writes a new file." in answer
    assert typed("/todo export TODO-2.md")[0] == 0
    assert typed("/todo drop logger")[0] == 0
    assert typed("/todo export TODO-2.md")[0] == 0
    changed = (here / "TODO-2.md").read_text() + "- [ ] Mine\n"
    (here / "TODO-2.md").write_text(changed)
    code, answer = typed("/todo export TODO-2.md")
    assert (code, "not overwritten" in answer) == (1, True)
    code, answer = typed("/todo import source.md")
    assert code == 1
    assert "source.md: 1 line cannot be read. Nothing was changed.\nline 40: what is this\n" in answer

    assert (here / "TODO.md").read_text() == prose
    assert (here / "TODO-2.md").read_text() == changed
    assert (here / "source.md").read_text() == source
    assert shown(here) == THREE.replace("[ ] Port", "[-] Port")


SEQUENCE = b"\x1b]52;c;" + base64.b64encode(THREE.encode()) + b"\x07"


@needs_a_pty
@pytest.mark.parametrize(
    ("multiplexer", "sent"),
    [
        pytest.param({}, SEQUENCE, id="ssh alone"),
        pytest.param({"TMUX": "/tmp/tmux-0/default,1,0"}, b"\x1bPtmux;\x1b" + SEQUENCE + b"\x1b\\", id="ssh and tmux"),
    ],
)
def test_e11_without_a_display_or_a_program_for_it_the_terminal_takes_the_copy(
    here: Path, monkeypatch: pytest.MonkeyPatch, multiplexer: dict[str, str], sent: bytes
) -> None:
    """Over ssh the terminal itself is told, once and for tmux wrapped; where there is none the text is printed."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "TMUX", "STY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("SSH_CONNECTION", "10.0.0.1 50000 10.0.0.2 22")
    screen = Screen(here, **multiplexer)

    screen.say("/todo copy", "Copied 3 tasks through the terminal (OSC 52).")
    screen.leave()
    alone = process.run("--session", "s.jsonl", "-p", "/todo copy", cwd=here)

    assert (screen.raw.count(sent), screen.raw.count(b"\x1b]52")) == (1, 1)
    assert (alone.returncode, alone.stderr) == (0, "")
    assert alone.stdout == f"Printed, not copied: there is no terminal here that takes it.\n\n{THREE}"
