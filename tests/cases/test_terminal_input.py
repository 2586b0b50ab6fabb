"""Groups P and E, what is typed: public reports about other tools, with lines, keys and pastes of ours."""

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.todo_repl.stage import Stage, runtime
from tests.todo_repl.terminal import Terminal
from todo_command.complete import LIMIT, completions
from todo_command.manual import VERBS
from todo_command.preview import preview
from todo_context import activate
from todo_context.cells import width_cells
from todo_context.config import settings
from todo_context.plan.model import Phase, Plan, Status, Task
from todo_context.plan.text import one_line
from todo_repl.manifest import own_manifest
from todo_repl.ui.history import LineHistory
from todo_repl.ui.keys import sequences
from todo_repl.ui.paste import Pastes

HOSTILE = "\x1b[2J\x1b]52;c;ZXZpbA==\x07ok\u202e"
C1 = "ok\u009b31m\r"


def one(content: str) -> Plan:
    return Plan((Phase(name=content, tasks=(Task(content=content),)),))


def test_a07_a_line_that_is_half_typed_breaks_nothing() -> None:
    texts = st.text(st.sampled_from("ab \"'\\\t\n\x00漢\u202e/~.?[]"), max_size=12)
    verbs = st.sampled_from(["", *(verb.name for verb in VERBS)])

    @given(verbs, texts, st.lists(texts.filter(one_line), max_size=3), st.sampled_from(Status))
    def whatever(verb: str, rest: str, contents: list[str], status: Status) -> None:
        tasks = tuple(Task(content=one_line(content), status=status) for content in dict.fromkeys(contents))
        plan = Plan((Phase(name="P", tasks=tasks), Phase(name="Q")))
        line = f"{verb}{rest}"

        said = preview(plan, line)

        assert said is None or said.isprintable()
        assert all(found.label.isprintable() for found in completions(plan, line))

    whatever()


def test_a19_a_task_of_20_000_characters_and_400_tasks_stay_short() -> None:
    contents = [f"{number} word" for number in range(399)] + ["7 " + "word " * 4_000]
    large = Plan((Phase(name="P", tasks=tuple(Task(content=one_line(content)) for content in contents)),))

    for line in ("done word", "done 7", "note 7 word", "rm", f"block {'word ' * 300}"):
        assert width_cells(preview(large, line) or "") <= 110
    assert len(completions(large, "done ")) == LIMIT
    assert max(len(found.label) for found in completions(large, "done ")) <= 80


def test_p03_the_key_of_the_panel_is_in_the_help_and_can_be_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TODO_CONTEXT_KEYS_PANEL", "f4")
    front = Stage(has_ui=True)
    made = runtime(front)
    made.keys = settings().keys

    asyncio.run(made.submit("/help"))

    assert any(
        line.split() == ["F4", "unfold", "the", "panel,", "or", "fold", "it"] for line in front.shown.splitlines()
    )
    assert sequences(made.keys)["panel"] == (("f4",),)


@pytest.mark.parametrize("content", [HOSTILE, C1])
def test_p06_nothing_of_a_hostile_task_reaches_the_line_or_the_menu(content: str) -> None:
    async def of_our_host() -> list[str]:
        made = runtime(Stage())
        await made.load(own_manifest(), activate)
        await made.submit(f"/todo append Build {content}")
        found = [text for one in await made.completions("/todo done ") for text in (one.value, one.label)]
        return [*found, await made.preview(f"/todo append {content} {content}") or ""]

    said = [preview(one(content), f"done {content}") or "", *asyncio.run(of_our_host())]

    assert all(text.isprintable() and "\u202e" not in text for text in said)
    assert said[0] == 'completes "ok"'


def test_p06_a_hostile_paste_and_a_hostile_history_are_harmless(tmp_path: Path) -> None:
    (tmp_path / "history").write_bytes(b"\n+" + HOSTILE.encode() + C1.encode() + b"\n")

    assert LineHistory(tmp_path, str).newest_first() == ["ok\u202eok\n"]
    assert Pastes().fold(HOSTILE + C1) == "ok\u202eok\n"


def test_p11_a_line_feed_in_a_name_is_seen_as_a_blank() -> None:
    plan = one("two\nlines")

    assert preview(plan, "done two") == 'completes "two lines"'
    assert completions(plan, "done ")[0].label == "two lines"


def test_e10_before_a_file_is_written_over_the_line_says_that_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "TODO.md").write_text("prose of another\n")

    said = preview(one("A"), "export")

    assert said == "writes 1 task over TODO.md; asks first if others wrote there"
    assert (tmp_path / "TODO.md").read_text() == "prose of another\n"


@pytest.mark.skipif(os.name == "nt", reason="needs a pty")
def test_p06_what_is_pasted_at_a_terminal_presses_no_key(tmp_path: Path) -> None:
    terminal = Terminal("--no-session", cwd=tmp_path)
    terminal.wait_for_prompt()

    terminal.paste("/todo append Build one\x1b[2J\x1b]0;owned\x07\x03\x04\rtwo\n")
    terminal.wait(lambda: "two" in terminal.text)
    terminal.type("\r")
    terminal.wait_for('"One two". It is in progress now.')
    terminal.paste("needle\n" * 500)
    terminal.wait_for("[Pasted text #1 +500 lines]")
    terminal.type("\x7f/quit\r")

    assert terminal.wait_for_end() == 0
    assert b"owned" not in terminal.raw
