"""A session whose last changes no disk took: it is not left by accident, and a script learns of it."""

import re
import shutil
import threading
from pathlib import Path

import pytest

from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_repl.process import run, start
from tests.todo_repl.session_kit import append_as_another, ids
from todo_context import plan_of, to_markdown
from todo_repl.session import read_branch

GO_ON = ("--session", "folder/s.jsonl")


def test_new_is_refused_while_something_waits_and_fork_saves_it(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with start(*GO_ON, "--session-dir", "others", cwd=tmp_path) as process:
        process.type("/todo append A one")
        assert process.line() == 'Added to "A" (new): "One". It is in progress now.\n'
        shutil.rmtree(tmp_path / "folder")
        (tmp_path / "folder").write_text("in the way")
        process.type("/todo append A two")
        assert "Two" in process.line()
        process.type("/new")
        process.type("/fork")
        assert process.line().startswith("A session of its own")
        process.stdin.close()
        _, _, said = process.end()

    assert "what was done last is not written yet, and leaving would lose it" in said
    (fork,) = (tmp_path / "others").rglob("*.jsonl")
    assert to_markdown(plan_of(read_branch(fork))) == "# A\n- [/] One\n- [ ] Two\n"


def test_an_answer_that_the_session_did_not_take_is_printed_and_kept_elsewhere(tmp_path: Path) -> None:
    run("--session", "s.jsonl", "-p", "/todo append A one", cwd=tmp_path)
    leaf = ids(read_branch(tmp_path / "s.jsonl"))[-1]
    gate = threading.Event()
    steps: list[Step] = [{"text": "All I found.", "hold": gate}]
    with ScriptedLlm(steps, asides=steps) as server:
        flags = ("--session", "s.jsonl", "--model", "openai:m", "--base-url", server.base_url)
        with start(*flags, "-p", "look", cwd=tmp_path, OPENAI_API_KEY="x") as process:
            server.wait_for(1)
            append_as_another(tmp_path / "s.jsonl", "theirs", leaf)
            gate.set()
            code, shown, said = process.end()

    assert (code, shown) == (1, "All I found.\n")
    (kept,) = re.findall(r"all of it is kept in (.*)", said)
    assert "All I found." in Path(kept).read_text()


@pytest.mark.parametrize("is_room_elsewhere", [True, False])
def test_what_its_file_does_not_take_is_kept_elsewhere_or_said_to_be_kept_nowhere(
    tmp_path: Path, *, is_room_elsewhere: bool
) -> None:
    (tmp_path / "folder").write_text("in the way")
    others = tmp_path / "others"
    if not is_room_elsewhere:
        others.write_text("in the way too")

    done = run(*GO_ON, "--session-dir", str(others), "-p", "/todo append A one", cwd=tmp_path)

    assert done.returncode == 1
    assert done.stderr.count("kept nowhere") == (not is_room_elsewhere)
    assert done.stderr.count("all of it is kept in ") == is_room_elsewhere
    if is_room_elsewhere:
        (rescued,) = others.rglob("*.jsonl")
        assert to_markdown(plan_of(read_branch(rescued))) == "# A\n- [/] One\n"
