"""`[attention]` in settings.toml and in the environment, as the other tables."""

import pytest

from tests.conftest import STOP_REMINDERS
from todo_context.config import settings
from todo_context.errors import TodoContextError
from todo_context.paths import config_dir
from todo_context.settings import AttentionSettings


def write(text: str) -> None:
    config_dir().mkdir(parents=True, exist_ok=True)
    (config_dir() / "settings.toml").write_text(text, encoding="utf-8")


def test_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STOP_REMINDERS)
    assert settings().attention == AttentionSettings()
    assert AttentionSettings().quiet_crossings == (3, 6, 12)


def test_the_file_and_the_environment_set_them(monkeypatch: pytest.MonkeyPatch) -> None:
    write('[attention]\nplacement = "last_user"\nplan_tasks = 0\ntell_edits = false\n')
    monkeypatch.setenv("TODO_CONTEXT_ATTENTION_PLAN_TASKS", "7")

    found = settings().attention

    assert (found.placement, found.plan_tasks, found.tell_edits) == ("last_user", 7, False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('placement = "top"', '[attention] placement is \'top\'. It must be "tail" or "last_user".'),
        (
            "reminder_characters = 499",
            "[attention] reminder_characters is 499. It must be a whole number of characters",
        ),
        ("quiet_rounds = -1", "[attention] quiet_rounds is -1. It must be a whole number of answers"),
    ],
)
def test_what_cannot_be_meant_is_said(text: str, said: str) -> None:
    write(f"[attention]\n{text}\n")

    with pytest.raises(TodoContextError) as caught:
        settings()

    assert said in str(caught.value)
