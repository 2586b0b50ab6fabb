"""Sessions for minutes: killed at any moment, and with several writers. No part of the default run; see CONTRIBUTING.

A failure names its seed; SOAK_SEED=… repeats it, as far as a machine repeats anything.
"""

import os
import time
from pathlib import Path

import pytest

from tests.soak.child import BUSY, FOREIGN, GOES_ON_THERE, IN_TURNS, Child, chance_of
from todo_repl.session import Session

SEED = int(os.environ.get("SOAK_SEED", str(time.time_ns())))
BATCHES, KILLS = 10, 20
"""Sessions that are killed, and how often each."""

SCHEDULES = 25
"""Of each kind of two writers."""


def stored_in(path: Path) -> list[str]:
    with Session.open(path, cwd="/") as session:
        assert not any("skipped" in notice or "missing" in notice for notice in session.notices)
        return [str(entry["id"]) for entry in session.entries()]


@pytest.mark.parametrize("batch", range(BATCHES))
def test_killed_at_any_moment_what_was_acknowledged_is_there(tmp_path: Path, batch: int) -> None:
    chance = chance_of(SEED + batch)
    path = tmp_path / "s.jsonl"
    path.touch()
    expected: list[str] = []
    for number in range(KILLS):
        child = Child(BUSY, path, "busy", chance)
        child.wait_until_ready()
        time.sleep(chance.random() / 40)
        child.kill()
        said = child.acknowledged(is_killed=True)
        stored = stored_in(path)
        where = f"seed {SEED}, batch {batch}, kill {number}"

        assert stored[: len(expected)] == expected, where
        assert stored[len(expected) :][: len(said)] == said, where
        assert len(stored) <= len(expected) + len(said) + 1, where
        with Session.open(path) as session:
            assert list(reversed(session.branch()))[::-1] == list(session.branch())
            stored.append(session.append_custom("t", {"text": "by the parent"}))
        expected = stored


@pytest.mark.parametrize("schedule", range(SCHEDULES))
def test_two_of_ours_take_turns_and_lose_nothing(tmp_path: Path, schedule: int) -> None:
    chance = chance_of(SEED + schedule)
    path = tmp_path / "s.jsonl"
    path.touch()
    children = [Child(IN_TURNS, path, name, chance, most=80) for name in "ab"]
    for child in children:
        child.wait_until_ready()
    for child in children:
        child.go()
    is_killed = schedule % 5 == 0
    if is_killed:
        time.sleep(chance.random() / 10)
        children[0].kill()
    said = children[0].acknowledged(is_killed=is_killed) + children[1].acknowledged()
    stored = stored_in(path)

    assert set(said) <= set(stored), f"seed {SEED}"
    assert len(stored) == len(set(stored)) <= len(said) + is_killed


@pytest.mark.parametrize("schedule", range(SCHEDULES))
def test_ours_and_another_program_lose_nothing(tmp_path: Path, schedule: int) -> None:
    chance = chance_of(SEED + schedule)
    path = tmp_path / "s.jsonl"
    with Session.create(path, "/") as session:
        first = session.append_custom("t", {})
    ours = Child(GOES_ON_THERE, path, "ours", chance, most=200)
    theirs = Child(FOREIGN, path, "theirs", chance, most=300)
    for child in (ours, theirs):
        child.wait_until_ready()
    for child in (ours, theirs):
        child.go()
    said = [first, *ours.acknowledged(), *theirs.acknowledged()]
    stored = stored_in(path)

    assert sorted(stored) == sorted(said), f"seed {SEED}"
    assert not list(tmp_path.glob("*.torn*"))
