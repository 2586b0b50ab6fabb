import json
import unicodedata
from pathlib import Path

import pytest
from rich.text import Text

from tests.todo_command.desk import THREE, Desk
from todo_command.manual import EXAMPLE, help_text
from todo_command.manual import VERBS as ENTRIES
from todo_command.verbs import VERBS
from todo_context.pi import Answer

ROOT = Path(__file__).parents[2]
HOSTILE = '"\x1b[2J\x1b]52;c;ZXZpbA==\x07ok\u202e \x9b31mred\rline"'


def test_without_a_verb_the_checklist_is_shown_and_nothing_changes() -> None:
    desk = Desk("# Build\n- [ ] Wire config\n  > see the log\n\n# Gone\n\n# Verify\n- [ ] Run tests\n")

    answer = desk.type("")

    assert answer.text == "# Build\n- [ ] Wire config\n  > see the log\n\n# Verify\n- [ ] Run tests"
    assert isinstance(answer.view, Text)
    assert answer.view.plain == answer.text
    assert desk.actions == []


@pytest.mark.parametrize("markdown", ["", "# Emptied\n"])
def test_a_plan_without_tasks_says_so_and_how_to_start(markdown: str) -> None:
    answer = Desk(markdown).type("")

    assert (answer.text, answer.is_error) == ("The plan is empty. /todo append <task> starts one.", False)


@pytest.mark.parametrize("args", ["help", "?", " HELP me"])
def test_help(args: str) -> None:
    desk = Desk(THREE)

    assert desk.type(args) == Answer(
        text=(ROOT / "tests/golden/todo_help.txt").read_text(encoding="utf-8").rstrip("\n")
    )
    assert desk.actions == []


def test_help_fits_a_narrow_screen() -> None:
    assert max(len(line) for line in help_text().split("\n")) <= 40


def test_help_and_verbs_are_of_one_mind() -> None:
    assert {entry.name for entry in ENTRIES} == set(VERBS) - {"", "?", "panel"}


def test_the_manifest_says_the_usage_of_each_verb() -> None:
    manifest = json.loads((ROOT / "manifest.json").read_text(encoding="utf-8"))

    assert manifest["commands"][0]["usage"] == ["", *(entry.usage for entry in ENTRIES)]


@pytest.mark.parametrize(
    "example", [entry.example for entry in ENTRIES if entry.name not in {"edit", "expand", "collapse", "pull"}]
)
def test_each_example_works_after_the_one_in_the_help(example: str, tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("", encoding="utf-8")
    desk = Desk(cwd=tmp_path)
    desk.type(EXAMPLE.removeprefix("/todo "))

    assert not desk.type(example).is_error


def test_an_unknown_verb_is_answered_with_the_closest_and_the_known_ones() -> None:
    answer = Desk(THREE).type("unblok x")

    assert answer.is_error
    assert answer.text == (
        'There is no verb "unblok". Closest: unblock. '
        "Verbs: append, start, done, drop, rm, note, block, unblock, edit, copy, export, import, undo, redo, log, "
        "expand, collapse, park, pull, backlog, help."
    )


@pytest.mark.parametrize(
    "args",
    [
        f"append {HOSTILE}",
        f"append {HOSTILE} x",
        f"done {HOSTILE}",
        f"note one {HOSTILE}",
        f"block one {HOSTILE}",
        f"{HOSTILE} x",
        "\x1b]0;title\x07",
    ],
)
def test_what_is_typed_reaches_the_screen_without_controls(args: str) -> None:
    desk = Desk("# A\n- [ ] one\n")

    shown = [desk.type(args).text, desk.type("").text, *(offered.label for offered in desk.complete("rm "))]

    for text in shown:
        assert [c for c in text if c != "\n" and unicodedata.category(c) in {"Cc", "Cf"}] == []


def test_only_the_visible_text_is_kept() -> None:
    desk = Desk()

    assert desk.type('append "\x1b[2J\x1b]52;c;ZXZpbA==\x07ok"').text.startswith('Added to "Todos" (new): "Ok".')
    assert desk.type("").text == "# Todos\n- [/] Ok"


def test_an_answer_stays_short_however_long_a_content_is() -> None:
    desk = Desk(f"# A\n- [/] {'x' * 20_000}\n- [ ] {'y' * 20_000}\n")

    for args in ("done x", "start y", "note y " + "z" * 50_000, "block y " + "z" * 50_000, "rm y", "done z" * 9_000):
        assert len(desk.type(args).text) < 400
