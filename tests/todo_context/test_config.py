"""Settings come from settings.toml and the environment; what cannot be meant is said in our words."""

import os
from dataclasses import fields
from pathlib import Path

import pytest

from todo_context.config import settings
from todo_context.errors import TodoContextError
from todo_context.settings import KeySettings, Settings, declared


@pytest.fixture(autouse=True)
def config_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("TODO_CONTEXT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TODO_CONTEXT_CONFIG_DIR", str(tmp_path))
    return tmp_path


def write(folder: Path, text: str) -> None:
    (folder / "settings.toml").write_bytes(text.encode())


def test_without_a_file_all_settings_have_their_defaults() -> None:
    assert settings() == Settings()
    assert settings().plan.auto_start is True
    assert settings().repl.max_rounds == 200


def test_the_file_sets_them(config_folder: Path) -> None:
    write(config_folder, '\ufeff[plan]\nauto_start = false\n[repl]\nmodel = "openai:x"\nmax_rounds = 3\n')

    found = settings()

    assert (found.plan.auto_start, found.repl.model, found.repl.max_rounds) == (False, "openai:x", 3)
    assert found.repl.base_url == ""
    assert found.warnings == ()


@pytest.mark.parametrize(
    ("text", "value"), [("0", False), ("off", False), ("No", False), ("1", True), (" TRUE ", True), ("on", True)]
)
def test_the_environment_wins_over_the_file(
    config_folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, value: bool
) -> None:
    write(config_folder, f"[plan]\nauto_start = {str(not value).lower()}\n")
    monkeypatch.setenv("TODO_CONTEXT_PLAN_AUTO_START", text)
    monkeypatch.setenv("TODO_CONTEXT_REPL_MAX_ROUNDS", "7")

    assert settings().plan.auto_start is value
    assert settings().repl.max_rounds == 7


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        pytest.param(
            "[plan]\nautostart = true\n",
            "settings.toml: [plan] autostart: no such setting, ignored. Closest: [plan] auto_start.",
            id="key",
        ),
        pytest.param(
            '[rpel]\nmodel = "x"\n',
            "settings.toml: [rpel] model: no such setting, ignored. Closest: [repl] model.",
            id="table",
        ),
        pytest.param(
            "auto_start = true\n",
            "settings.toml: auto_start: no such setting, ignored. Closest: [plan] auto_start.",
            id="outside of a table",
        ),
        pytest.param(
            "[zzz]\nqqq = 1\n",
            "settings.toml: [zzz] qqq: no such setting, ignored. The tables are [plan], [attention], [backlog], [repl], [panel], [keys].",
            id="nothing close",
        ),
    ],
)
def test_an_unknown_name_is_a_warning_with_the_closest(config_folder: Path, text: str, warning: str) -> None:
    write(config_folder, text + "[plan]\nauto_start = false\n" * ("[plan]" not in text))

    assert [w.removeprefix(f"{config_folder}{os.sep}") for w in settings().warnings] == [warning]


def test_an_unknown_variable_is_named_in_its_own_spelling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TODO_CONTEXT_REPL_MODELL", "x")
    monkeypatch.setenv("TODO_CONTEXT_DATA_DIR", "/somewhere")

    assert settings().warnings == (
        "TODO_CONTEXT_REPL_MODELL: no such setting, ignored. Closest: TODO_CONTEXT_REPL_MODEL.",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "[plan]\nauto_start = 1\n",
            "settings.toml: [plan] auto_start is 1. It must be true or false.",
            id="a number for a claim",
        ),
        pytest.param(
            "[repl]\nmax_rounds = true\n",
            "settings.toml: [repl] max_rounds is True. It must be a whole number of requests to the model for one "
            "message of yours, 1 or more.",
            id="a claim for a number",
        ),
        pytest.param("[repl]\nmax_rounds = 0\n", "settings.toml: [repl] max_rounds is 0. It must be", id="too small"),
        pytest.param("[repl]\nmodel = ['a']\n", "settings.toml: [repl] model is ['a']. It must be text", id="a list"),
        pytest.param("plan = 3\n", "settings.toml: plan is 3. It must be a table", id="no table"),
        pytest.param("[plan\n", "settings.toml: not TOML: ", id="torn TOML"),
        pytest.param("[repl]\nmax_rounds = 1000000000\n", "1 or more, and 999999999 at most.", id="too large"),
        pytest.param(f"[repl]\nmax_rounds = {'9' * 5000}\n", "settings.toml: not TOML: ", id="5,000 digits"),
        pytest.param(f"[plan]\nauto_start = 0x{'f' * 5000}\n", "auto_start is a very large number. It", id="in hex"),
        pytest.param("[repl]\nmodel = '" + "x" * 500 + "'\nmax_rounds = '" + "y" * 500 + "'\n", "yyy…", id="long"),
    ],
)
def test_a_value_that_cannot_be_meant_is_an_error_of_one_line(config_folder: Path, text: str, said: str) -> None:
    write(config_folder, text)

    with pytest.raises(TodoContextError) as caught:
        settings()

    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "pydantic" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TODO_CONTEXT_PLAN_AUTO_START", "perhaps"),
        ("TODO_CONTEXT_REPL_MAX_ROUNDS", "many"),
        ("TODO_CONTEXT_REPL_MAX_ROUNDS", "²"),
        ("TODO_CONTEXT_REPL_MAX_ROUNDS", "1000000000"),
    ],
)
def test_a_variable_that_cannot_be_meant_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(TodoContextError, match=f"{name} is '{value}'. It must be "):
        settings()


def test_a_file_that_is_not_utf_8_names_the_line(config_folder: Path) -> None:
    (config_folder / "settings.toml").write_bytes(b"[plan]\n# caf\xe9\n")

    with pytest.raises(TodoContextError, match="line 2 is not UTF-8"):
        settings()


def test_a_folder_in_place_of_the_file_is_said(config_folder: Path) -> None:
    (config_folder / "settings.toml").mkdir()

    with pytest.raises(TodoContextError, match=r"settings\.toml: cannot be read: "):
        settings()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_a_pipe_in_place_of_the_file_is_not_waited_for(config_folder: Path) -> None:
    os.mkfifo(config_folder / "settings.toml")

    with pytest.raises(TodoContextError, match="it is no regular file"):
        settings()


def test_each_setting_has_a_unit_and_a_reason() -> None:
    assert {f"{d.table}.{d.key}" for d in declared()} == {
        "plan.auto_start",
        "plan.prompts_dir",
        "plan.reply_open_tasks",
        "plan.reply_line_characters",
        "plan.view_characters",
        "backlog.store",
        "backlog.project",
        "backlog.tool",
        "backlog.inject",
        "backlog.lease_minutes",
        "backlog.auto_prune",
        "backlog.prune_days",
        "backlog.agent_may_delete",
        "attention.eager",
        "attention.reminder",
        "attention.placement",
        "attention.reminder_characters",
        "attention.plan_tasks",
        "attention.plan_notes",
        "attention.line_characters",
        "attention.tell_edits",
        "attention.tell_carried_over",
        "attention.tell_interrupted",
        "attention.quiet_rounds",
        "attention.verify_from_tasks",
        "attention.stop_reminders",
        "repl.model",
        "repl.base_url",
        "repl.session_dir",
        "repl.max_rounds",
        "repl.handoff",
        "repl.keep_recent_tokens",
        "repl.context_window",
        "repl.compact_at",
        "repl.reflow",
        "panel.show",
        "panel.rows",
        "panel.theme",
        "panel.glyphs",
        "panel.motion",
        *(f"keys.{field.name}" for field in fields(KeySettings)),
    }
    assert all(d.unit and d.reason for d in declared())
