"""docs/attention.md shows what is really said: each text on it is a golden one, each sentence one of ours."""

import re
from pathlib import Path

from tests.todo_context.attention.branches import GOLDEN, golden
from todo_context.settings import declared

PAGE = (Path(__file__).parents[3] / "docs/attention.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(r"^```text (\w+)\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)


def test_each_text_is_the_golden_one() -> None:
    shown = {name: text for name, text in BLOCKS if name != "wording"}

    assert len(shown) == 8
    assert {name: golden(name) for name in shown} == shown


def test_the_other_lines_stand_in_golden_texts_all_of_them() -> None:
    (lines,) = (text.split("\n") for name, text in BLOCKS if name == "wording")
    shown = {name for name, _ in BLOCKS}
    others = [path for path in GOLDEN.glob("reminder_*.txt") if path.stem not in shown]

    last = {path.read_text(encoding="utf-8").split("\n")[-3] for path in others}
    assert last == set(lines)


def test_the_settings_it_names_are_there() -> None:
    keys = {setting.key for setting in declared() if setting.table == "attention"}
    named = set(re.findall(r"`(\w+)(?: = [^`]+)?`", PAGE.partition("## Settings")[2].partition("## For a host")[0]))

    assert named <= keys
    assert re.findall(r"^(\w+) = ", PAGE, re.MULTILINE) == [
        "quiet_rounds",
        "reminder_characters",
        "facts",
        "text",
        "messages",
        "text",
    ]
