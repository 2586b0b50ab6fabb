"""Editing in the person's own editor: what is taken over, what is kept, what they are told."""

import asyncio
import os
import shlex
import stat
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.todo_repl.desk import WAIT_S
from todo_context.drafts import comment
from todo_context.kept import Kept
from todo_context.pi import LeftOver, Level
from todo_context.plan.markdown import from_markdown
from todo_context.plan.problem import LineProblem
from todo_repl.ui.editor import RETURNED, Editor, configured_command

TEXT = "# Build\n- [ ] one\r\n- [ ] \u2028two"
PROBLEM = LineProblem(2, "- [?] x -->", "unknown mark [?]")


@dataclass
class Desk:
    """An editor, the folder of its drafts, and what the person was told."""

    folder: Path
    builtin_answer: str | None = None
    told: list[tuple[str, Level]] = field(default_factory=list)
    shown: list[tuple[str, str, Sequence[LineProblem]]] = field(default_factory=list)
    owner: str = "s1"
    offered: list[str] = field(default_factory=list)
    wants: bool = True

    def edit(
        self,
        text: str = TEXT,
        problems: Sequence[LineProblem] = (),
        *,
        opened: str | None = None,
        is_stored: bool = True,
    ) -> str | None:
        editor = self.editor()
        edited = asyncio.run(editor.edit("A title", text, problems, opened=opened))
        if is_stored:
            editor.settled()
        return edited

    def left_over(self) -> LeftOver | None:
        return asyncio.run(self.editor().left_over())

    def editor(self) -> Editor:
        kept = Kept(folder=lambda: self.folder, notify=self.notify, owner=self.owner, offer=self.offer)
        return Editor(kept=kept, builtin=self.builtin)

    async def offer(self, title: str, message: str) -> bool:
        assert title
        self.offered.append(message)
        return self.wants

    def notify(self, message: str, level: Level) -> None:
        self.told.append((message, level))

    async def builtin(
        self, title: str, text: str, problems: Sequence[LineProblem], hold: Callable[[str], None]
    ) -> str | None:
        self.shown.append((title, text, problems))
        del hold
        return self.builtin_answer

    @property
    def kept(self) -> list[Path]:
        return sorted(self.folder.glob("*.md")) if self.folder.exists() else []

    def told_of_the_kept_one(self) -> str:
        (path,) = self.kept
        (message, level) = self.told[-1]
        assert level in {"warning", "error"}
        assert str(path) in message
        return path.read_bytes().decode("utf-8", errors="replace")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "data" / "edits")


def wait_for(flag: Path) -> None:
    end = time.monotonic() + WAIT_S
    while not flag.exists():
        assert time.monotonic() < end, flag
        time.sleep(0.01)


Use = Callable[..., None]


@pytest.fixture
def use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Use:
    """Make a program of these lines of Python the editor; `path` is the file to edit."""

    def use(body: str, *, name: str = "my editor.py", arguments: str = "") -> None:
        script = tmp_path / name
        script.write_text(f"import os, pathlib, signal, sys\npath = pathlib.Path(sys.argv[-1])\n{body}\n")
        monkeypatch.setenv("EDITOR", f"{shlex.quote(sys.executable)} {shlex.quote(str(script))} {arguments}")

    return use


def test_what_is_saved_comes_back_and_the_file_goes(desk: Desk, use: Use) -> None:
    use("path.write_bytes(path.read_bytes() + b'\\n- [x] three\\n')")

    assert desk.edit() == f"{TEXT}\n- [x] three\n"
    assert (desk.kept, desk.told) == ([], [])


def test_an_unchanged_text_comes_back_as_it_is(desk: Desk, use: Use) -> None:
    use("")

    assert desk.edit() == TEXT
    assert desk.told == [(RETURNED, "info")]


def test_an_unchanged_draft_stays_until_the_next_edit_for_an_editor_that_returned_too_soon(
    desk: Desk, use: Use, tmp_path: Path
) -> None:
    """E01."""
    go, done = tmp_path / "go", tmp_path / "done"
    use(
        "if os.fork() == 0:\n"
        f"    while not pathlib.Path({str(go)!r}).exists(): pass\n"
        "    path.write_text('- [ ] late')\n"
        f"    pathlib.Path({str(done)!r}).touch()\n"
    )

    assert desk.edit() == TEXT
    go.touch()
    wait_for(done)
    assert [path.read_text() for path in desk.kept] == ["- [ ] late"]

    assert desk.left_over() == LeftOver("- [ ] late", TEXT)
    assert desk.offered == [f"Go on with it? It stays in {desk.kept[0]}"]


def test_a_draft_that_nobody_changed_goes_when_no_editor_can_have_it_open_any_more(desk: Desk, use: Use) -> None:
    use("")
    desk.edit()

    assert desk.left_over() is None
    assert len(desk.kept) == 1
    os.utime(desk.kept[0], (0, 0))
    assert desk.left_over() is None
    assert desk.kept == []


def test_a_text_left_by_a_crash_is_offered_once_to_its_own_session_alone(desk: Desk, use: Use) -> None:
    use("path.write_text('precious'); sys.exit(1)")
    desk.edit()

    desk.owner = "another"
    assert desk.left_over() is None
    assert desk.offered == []
    desk.owner, desk.wants = "s1", False
    editor = desk.editor()
    assert asyncio.run(editor.left_over()) is None
    assert asyncio.run(editor.left_over()) is None
    assert len(desk.offered) == 1
    assert [path.read_text() for path in desk.kept] == ["precious"]


def test_a_text_that_could_not_be_read_is_offered_again_with_what_it_began_from(desk: Desk, use: Use) -> None:
    use("")
    assert desk.edit("- [?] mine", [PROBLEM], opened=TEXT) is None

    assert desk.left_over() == LeftOver("- [?] mine", TEXT)


def test_a_text_that_was_gone_on_with_and_taken_over_is_not_offered_again(desk: Desk, use: Use) -> None:
    use("")

    assert desk.edit("- [ ] mine", opened=TEXT) == "- [ ] mine"
    assert desk.left_over() is None


def test_a_left_over_text_is_offered_again_when_the_editor_fails_after_the_yes(desk: Desk, use: Use) -> None:
    use("path.write_text('precious'); sys.exit(1)")
    desk.edit()
    use("sys.exit(3)")

    assert desk.left_over() == LeftOver("precious", TEXT)
    assert desk.edit("precious", opened=TEXT) is None
    assert desk.left_over() == LeftOver("precious", TEXT)


def test_what_an_editor_writes_after_its_text_was_stored_is_offered(desk: Desk, use: Use) -> None:
    use("")

    assert desk.edit("- [ ] mine", opened=TEXT) == "- [ ] mine"
    desk.kept[0].write_text("- [ ] mine\n- [ ] late")

    assert desk.left_over() == LeftOver("- [ ] mine\n- [ ] late", "- [ ] mine")


def test_a_text_that_could_not_be_stored_is_offered_again(
    desk: Desk, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    use("path.write_text('- [ ] precious')")
    assert desk.edit(is_stored=False) == "- [ ] precious"
    assert desk.left_over() == LeftOver("- [ ] precious", TEXT)

    monkeypatch.delenv("EDITOR")
    desk.builtin_answer = "- [ ] ours"
    assert desk.edit(is_stored=False) == "- [ ] ours"
    assert desk.left_over() == LeftOver("- [ ] ours", TEXT)


def test_an_emptied_file_is_an_empty_text(desk: Desk, use: Use) -> None:
    use("path.write_text('')")

    assert desk.edit() == ""
    assert desk.kept == []


def test_an_editor_that_fails_after_a_change_has_the_text_kept(desk: Desk, use: Use) -> None:
    use("path.write_text('precious'); sys.exit(1)")

    assert desk.edit() is None
    assert desk.told_of_the_kept_one() == "precious"
    assert "ended with code 1. Nothing was taken over" in desk.told[0][0]


def test_an_editor_that_fails_without_a_change_leaves_nothing(desk: Desk, use: Use) -> None:
    use("sys.exit(3)")

    assert desk.edit() is None
    assert desk.kept == []
    assert "ended with code 3. Nothing was changed." in desk.told[0][0]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_editor_that_is_killed_has_the_text_kept(desk: Desk, use: Use) -> None:
    use("path.write_text('half'); os.kill(os.getpid(), signal.SIGKILL)")

    assert desk.edit() is None
    assert desk.told_of_the_kept_one() == "half"
    assert "was ended by signal 9" in desk.told[0][0]


def test_a_missing_program_is_named_with_what_to_do(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "/no/such/editor --wait")

    assert desk.edit() is None
    assert desk.kept == []
    (message, level) = desk.told[0]
    assert message.startswith("/no/such/editor --wait does not start: No such file or directory. Set $VISUAL or")
    assert level == "warning"


def test_arguments_and_blanks_in_the_path_arrive(desk: Desk, use: Use) -> None:
    use("path.write_text('|'.join(sys.argv[1:-1]))", name="the  'best' editor.py", arguments="-n 'two words'")

    assert desk.edit() == "-n|two words"


def test_visual_comes_before_editor_and_a_blank_one_is_none(use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    use("")
    assert configured_command() is not None
    monkeypatch.setenv("VISUAL", "  ")
    assert configured_command() == shlex.split(os.environ["EDITOR"])
    monkeypatch.setenv("VISUAL", "vi -e")
    assert configured_command() == ["vi", "-e"]


def test_a_quote_that_does_not_close_is_said(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "vi 'x")

    assert desk.edit() is None
    assert desk.told == [('$VISUAL is "vi \'x": a quote does not close. Set it again, quotes in pairs.', "error")]


def test_a_file_that_vanished_is_said(desk: Desk, use: Use) -> None:
    use("path.unlink()")

    assert desk.edit() is None
    assert "nothing was taken over: No such file or directory" in desk.told[0][0]


def test_a_file_that_is_not_utf_8_is_kept(desk: Desk, use: Use) -> None:
    use("path.write_bytes(b'# ok\\n- caf\\xe9\\n')")

    assert desk.edit() is None
    assert "caf" in desk.told_of_the_kept_one()
    assert "line 2 is not UTF-8" in desk.told[0][0]


@pytest.mark.skipif(os.name == "nt", reason="modes")
def test_a_draft_is_for_this_user_only_and_named_for_an_editor(desk: Desk, use: Use) -> None:
    use("path.write_text(f'{path.name} {path.stat().st_mode:o} {path.parent.stat().st_mode:o}')")

    name, mode, folder_mode = (desk.edit() or "").split()

    assert name.startswith("todo-")
    assert name.endswith(".md")
    assert stat.S_IMODE(int(mode, 8)) == 0o600
    assert stat.S_IMODE(int(folder_mode, 8)) == 0o700


def test_problems_stand_above_the_text_as_comments(desk: Desk, use: Use, tmp_path: Path) -> None:
    use(f"pathlib.Path({str(tmp_path / 'seen')!r}).write_bytes(path.read_bytes()); path.write_bytes(b'# Fixed\\n')")

    assert desk.edit(TEXT, [PROBLEM]) == "# Fixed\n"
    seen = (tmp_path / "seen").read_bytes().decode()
    assert seen == f"<!-- line 3: unknown mark [?] -->\n{TEXT}"
    assert not from_markdown(seen.split("\n", 1)[0]).problems


def test_our_comments_are_taken_out_and_the_persons_stay(desk: Desk, use: Use) -> None:
    own = comment(PROBLEM, below=1)
    use(f"path.write_text(path.read_text().replace('one', '1') + '\\n<!-- mine -->\\n' + {own!r} + '\\n')")

    edited = desk.edit("- [ ] one", [PROBLEM])

    assert edited == f"- [ ] 1\n<!-- mine -->\n{own}\n"


@pytest.mark.parametrize("body", ["", "path.write_bytes(path.read_bytes() + b'\\n')", "sys.exit(1)"])
def test_leaving_a_text_with_problems_keeps_it(desk: Desk, use: Use, body: str) -> None:
    use(body)

    assert desk.edit("- [?] mine", [PROBLEM]) is None
    assert desk.told_of_the_kept_one().rstrip("\n") == f"{comment(PROBLEM, below=1)}\n- [?] mine"


def test_without_an_editor_it_is_the_one_of_our_own(desk: Desk) -> None:
    desk.builtin_answer = "saved"

    assert desk.edit(TEXT, [PROBLEM]) == "saved"
    assert desk.shown == [("A title", TEXT, [PROBLEM])]
    assert desk.kept == []


@pytest.mark.parametrize("answer", [None, "- [?] mine"])
def test_leaving_our_own_with_problems_keeps_the_text(desk: Desk, answer: str | None) -> None:
    desk.builtin_answer = answer

    assert desk.edit("- [?] mine", [PROBLEM]) is None
    assert desk.told_of_the_kept_one() == "- [?] mine"


def test_a_place_where_no_draft_can_be_written_is_said(desk: Desk, use: Use, tmp_path: Path) -> None:
    use("")
    desk.folder = tmp_path / "file"
    desk.folder.write_text("")

    assert desk.edit() is None
    assert "no draft can be written there" in desk.told[0][0]


def test_the_agent_goes_on_while_the_editor_is_open(desk: Desk, use: Use, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    use(f"import time\nwhile not pathlib.Path({str(flag)!r}).exists(): time.sleep(0.01)\npath.write_text('done')")

    async def both() -> str | None:
        edit = asyncio.create_task(desk.editor().edit("A title", TEXT))
        await asyncio.sleep(0)
        flag.touch()
        return await edit

    assert asyncio.run(both()) == "done"


def test_the_editor_ends_with_the_program_and_its_file_stays(desk: Desk, use: Use, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    use(f"import time\npath.write_text('half')\npathlib.Path({str(flag)!r}).touch()\ntime.sleep(600)")

    async def told_to_leave() -> None:
        edit = asyncio.create_task(desk.editor().edit("A title", TEXT))
        await asyncio.to_thread(wait_for, flag)
        edit.cancel()
        with pytest.raises(asyncio.CancelledError):
            await edit

    asyncio.run(told_to_leave())

    assert [path.read_text() for path in desk.kept] == ["half"]


def test_a_text_that_was_not_stored_and_then_declined_stays_in_its_file(desk: Desk, use: Use) -> None:
    use("path.write_text(path.read_text() + '\\n- [ ] precious')")
    editor = desk.editor()
    asyncio.run(editor.edit("A title", TEXT))

    desk.wants = False
    assert asyncio.run(editor.left_over()) is None
    use("")
    asyncio.run(editor.edit("A title", TEXT))
    editor.settled()

    assert any("precious" in path.read_text() for path in desk.kept)
