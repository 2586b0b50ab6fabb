"""What docs/terminal.md says of the prompt is so."""

import re
from pathlib import Path

import pytest

from tests.plans import plan
from todo_command.preview import preview
from todo_context.errors import TodoContextError
from todo_context.settings import KeySettings
from todo_repl.ui import history, paste
from todo_repl.ui.keys import ACTIONS, rows, sequences

PAGE = (Path(__file__).parents[2] / "docs/terminal.md").read_text(encoding="utf-8")

PLAN = plan("# Build\n- [ ] Port logger\n- [ ] Port tests\n- [ ] Port config\n- [ ] Wire it\n")
"""What its examples are typed over."""


def test_it_lists_all_keys_with_their_words_and_settings() -> None:
    found = re.findall(r"^\| ([^|`]+) \| ([^|`]+) \| `(\w+)` \|$", PAGE, re.MULTILINE)

    assert [(key, words) for key, words, _ in found] == list(rows(KeySettings()))
    assert [name for _, _, name in found] == [action.name for action in ACTIONS]


def test_each_example_of_a_line_says_that() -> None:
    examples = re.findall(r"^\| `/todo ([^`]+)` \| `([^`]+)` \|$", PAGE, re.MULTILINE)

    assert len(examples) == 6
    assert [(line, preview(PLAN, line)) for line, _ in examples] == examples


def test_the_keys_it_shows_can_be_set_and_its_errors_are_those() -> None:
    assert sequences(KeySettings(panel="f2", search="c-r, escape r", editor=""))["search"] == (
        ("c-r",),
        ("escape", "r"),
    )
    for keys in (KeySettings(panel="ctrl-t"), KeySettings(panel="c-r")):
        with pytest.raises(TodoContextError) as caught:
            sequences(keys)
        assert f"{caught.value}\n" in PAGE


def test_the_numbers_it_names_are_those() -> None:
    assert f"up to {paste.MOST_LINES} lines and {paste.MOST_CHARACTERS} characters" in PAGE
    assert (history.MOST_BYTES, history.MOST_LINE_BYTES) == (500_000, 50_000)
