"""What a help says of turning things off: names and values that the settings take."""

import tomllib
from dataclasses import replace

import pytest

from tests.todo_context.attention.branches import begun
from todo_context.attention import reminder, stop_reminder
from todo_context.config import settings
from todo_context.paths import config_dir
from todo_context.settings import AttentionSettings, Declared, declared
from todo_context.switches import HEAD, TABLE, off_value, switch_lines

LINES = [line.removeprefix("to ").partition(": ") for line in switch_lines()]
EACH = [(key, value) for value, _, keys in LINES for key in keys.split(", ")]


def test_the_lines() -> None:
    assert HEAD == "To turn off what a model is told, set in settings.toml, [attention]:"
    assert switch_lines() == [
        'to "off": eager',
        "to false: reminder, plan_notes, tell_edits, tell_carried_over, tell_interrupted",
        "to 0: plan_tasks, quiet_rounds, verify_from_tasks, stop_reminders",
    ]


@pytest.mark.parametrize(("key", "value"), EACH)
def test_a_file_with_it_is_taken_and_the_value_is_not_the_default(key: str, value: str) -> None:
    config_dir().mkdir(parents=True)
    (config_dir() / "settings.toml").write_text(f"[{TABLE}]\n{key} = {value}\n")

    found = settings()

    assert found.warnings == ()
    assert getattr(found.attention, key) == tomllib.loads(f"x = {value}")["x"] != getattr(AttentionSettings(), key)


def test_the_rest_of_the_table_has_no_value_that_turns_it_off() -> None:
    others = {setting.key for setting in declared() if setting.table == TABLE} - {key for key, _ in EACH}

    assert others == {"placement", "reminder_characters", "line_characters"}


def test_with_all_of_them_nothing_is_said() -> None:
    """Of an edit, a carried plan, an interruption, quiet rounds, at a stop."""
    values = {key: tomllib.loads(f"x = {value}")["x"] for key, value in EACH}
    off = replace(AttentionSettings(), **values)
    branch = (
        begun().works().answer("", ended="aborted").compacted().change("- [/] a\n").person().works().works().works()
    )

    assert "a" in (reminder(branch.facts, AttentionSettings()) or "")
    assert reminder(branch.facts, off) is None
    assert reminder(branch.facts, replace(off, reminder=True)) is None
    assert stop_reminder(branch.answer("I rest.").facts, off) is None


def test_a_setting_that_is_off_already_is_no_switch() -> None:
    made = Declared(TABLE, "new", default=False, unit="", reason="", least=None, among=())

    assert off_value(made) is None
    assert off_value(replace(made, default=0, least=0)) is None
