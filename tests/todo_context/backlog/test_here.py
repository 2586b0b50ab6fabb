"""A session's way to the backlog: where it is, which project is here, and under which name it acts."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from todo_context.backlog.here import Here
from todo_context.backlog.places import default_place
from todo_context.hosts.memory import MemoryContext
from todo_context.pi import session_name
from todo_context.settings import BacklogSettings


def here(**settings: Any) -> Here:
    return Here(BacklogSettings(**settings))


def test_where_nobody_says_it_is_in_the_data_folder() -> None:
    assert here().place == str(default_place())
    assert here(store="json:/x/todo.json").place == "json:/x/todo.json"


def test_it_is_there_when_its_file_is_or_backups_of_it(tmp_path: Path) -> None:
    found = here(store=str(tmp_path / "b.db"))
    seen = [found.is_there]

    for name in ("other.db.backup-20261101T090000.000000Z", "b.db.backup-20261101T090000.000000Z", "b.db"):
        (tmp_path / name).touch()
        seen.append(found.is_there)

    assert seen == [False, False, True, True]


def test_it_is_there_when_it_is_json(tmp_path: Path) -> None:
    (tmp_path / "todo.json").touch()

    assert here(store=f"json:{tmp_path}/todo.json").is_there


def test_without_a_home_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name)
    monkeypatch.setattr("pathlib.Path.home", _raise)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)

    assert not here().is_there


def _raise() -> Path:
    raise RuntimeError


def test_the_project_is_that_of_the_folder_unless_one_is_named(tmp_path: Path) -> None:
    ctx = MemoryContext(str(tmp_path / "core"))

    assert here().known_project is None
    found = here()
    assert (found.project(ctx), found.known_project) == ("core", "core")
    named = here(project="proj-1a2b")
    assert (named.project(ctx), named.known_project) == ("proj-1a2b", "proj-1a2b")


def test_agent_and_person_of_a_session_are_two_but_hold_one_claim() -> None:
    ctx = MemoryContext("/", session="pi:9f3a1b2c")
    found = here()

    assert (found.agent(ctx).name, found.agent(ctx).is_person) == ("pi:9f3a1b2c", False)
    assert (found.person(ctx).name, found.person(ctx).is_person) == ("pi:9f3a1b2c (person)", True)
    assert found.person(ctx, claims=True).name == "pi:9f3a1b2c"


def test_in_a_shell_there_is_one_who_acts_and_no_lease() -> None:
    shell = Here(BacklogSettings(), is_shell=True)
    ctx = MemoryContext("/", session="shell:ann")

    assert shell.person(ctx).name == shell.person(ctx, claims=True).name == "shell:ann"
    assert shell.lease is None
    assert here(lease_minutes=5).lease == timedelta(minutes=5)


def test_a_session_is_named_by_the_end_of_its_id() -> None:
    assert session_name("pi", "01936b0e-7c1a-7abc-8def-0123456789ab") == "pi:456789ab"
    assert session_name("pi", "") == ""
    assert here().name(MemoryContext("/")).startswith("process:")
