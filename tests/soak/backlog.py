"""The backlog for minutes: killed at any moment, claimed by many, written by many. No part of the default run.

A failure names its seed; SOAK_SEED=… repeats it, as far as a machine repeats anything.
"""

import os
import time

import pytest

from tests.todo_context.backlog.conftest import kit as kit  # noqa: PLC0414 (a fixture is found by its name)
from tests.todo_context.backlog.kit import Kit
from tests.todo_context.backlog.test_store_processes import (
    add_in_processes,
    claim_in_processes,
    kill_migrations,
    kill_writers,
    mix_in_processes,
)

SEED = os.environ.get("SOAK_SEED", str(time.time_ns()))


def test_two_writers_are_killed_100_times(kit: Kit) -> None:
    print("SOAK_SEED", SEED)
    kill_writers(kit, SEED, 100)


@pytest.mark.parametrize("kit", ["sqlite"], indirect=True)
def test_a_migration_is_killed_100_times(kit: Kit) -> None:
    print("SOAK_SEED", SEED)
    kill_migrations(kit, SEED, 100)


def test_eight_claimers_do_200_tasks(kit: Kit) -> None:
    claim_in_processes(kit, 8, 200)


def test_d03_eight_processes_write_200_times_each_and_one_compacts(kit: Kit) -> None:
    mix_in_processes(kit, 8, 200 if kit.kind == "sqlite" else 50)


def test_eight_processes_add_100_items_each(kit: Kit) -> None:
    add_in_processes(kit, 8, 100 if kit.kind == "sqlite" else 50)
