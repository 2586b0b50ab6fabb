"""Several programs on one store. The long versions of these are in tests/soak."""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.todo_context.backlog.kit import LEASE, S1, S2, Clock, Kit, add, codes
from tests.todo_context.backlog.processes import ALL, Said, started, together
from todo_context.backlog.item import Status, box_of
from todo_context.backlog.opening import clock, open_store
from todo_context.backlog.shapes import Draft, Query
from todo_context.backlog.store import Store

pytestmark = pytest.mark.slow


def integrity(kit: Kit) -> str:
    if kit.kind == "json":
        json.loads(kit.path.read_text())
        return "ok"
    with closing(sqlite3.connect(kit.path)) as connection:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])


def add_in_processes(kit: Kit, processes: int, each: int) -> None:
    said = together([("add", kit.place, f"p{number}", str(each)) for number in range(processes)])

    acknowledged = [line["id"] for lines in said for line in lines]
    found = [item.id for item in open_store(kit.place).list(Query(limit=None)).items]
    assert len(set(acknowledged)) == processes * each
    assert sorted(found) == sorted(map(str, acknowledged))


def claim_in_processes(kit: Kit, processes: int, tasks: int) -> None:
    store = open_store(kit.place)
    ids = [item.id for item in store.add([Draft(text=f"task {n}") for n in range(tasks)], S1).items]
    # Every third waits for the two before it.
    edges = [(ids[n], ids[n - back]) for n in range(2, tasks, 3) for back in (1, 2)]
    assert not store.block(edges, S1).refusals

    said = together([("claim", kit.place, f"p{number}") for number in range(processes)])

    claimed = [line["claimed"] for lines in said for line in lines if "claimed" in line]
    assert sorted(map(str, claimed)) == sorted(ids)
    places = {change.item: change.seq for change in store.log(limit=10 * tasks) if change.verb == "claim"}
    done = {change.item: change.seq for change in store.log(limit=10 * tasks) if change.verb == "complete"}
    known = [edge for edge in edges if edge[0] in places and edge[1] in done]
    assert known
    assert all(done[blocker] < places[item] for item, blocker in known)
    assert store.count(Query()) == 0


def test_d01_four_processes_add_400_items_under_400_ids(kit: Kit) -> None:
    add_in_processes(kit, 4, 100)


def test_each_task_is_claimed_once_and_none_before_what_it_waits_for(kit: Kit) -> None:
    claim_in_processes(kit, 8, 200) if kit.kind == "sqlite" else claim_in_processes(kit, 4, 42)


def test_d11_what_a_killed_claimer_held_is_free_after_its_lease_and_not_before(kit: Kit, store: Store) -> None:
    real = open_store(kit.place)
    (id_,) = add(real, "a")
    with started("one_claim", kit.place, "killed") as claimer:
        assert claimer.stdout is not None
        assert claimer.stdin is not None
        claimer.stdout.readline()
        claimer.stdin.write("go\n")
        claimer.stdin.flush()
        assert json.loads(claimer.stdout.readline()) == {"claimed": id_}
        claimer.kill()
    until = real.get([id_]).items[0].lease_until
    later = Clock(clock())

    store = open_store(kit.place, now=later)
    assert codes(store.claim(None, S2, lease=LEASE)) == ["nothing"]
    later.pass_by(0.9 * LEASE)
    assert codes(store.claim(id_, S2, lease=LEASE)) == ["held"]
    later.pass_by(0.2 * LEASE)
    assert until
    taken = store.claim(None, S2, lease=LEASE)
    assert taken.items[0].owner == "S2"
    assert taken.items[0].status is Status.IN_PROGRESS


def mix_in_processes(kit: Kit, processes: int, each: int) -> None:
    said = together([("mix", kit.place, str(number), str(each)) for number in range(processes)])

    wanted: dict[str, str] = {}
    for lines in said:
        for line in lines:
            wanted |= line.get("has", {})
    store = open_store(kit.place)
    found = {id_: str(change) for id_, change in boxes(store).items()}
    assert found == wanted
    assert integrity(kit) == "ok"
    assert not [path for path in kit.folder.iterdir() if ".aside-" in path.name]


def boxes(store: Store) -> dict[str, str]:
    return {item.id: box_of(item, clock()).value for item in store.list(ALL).items}


def test_d03_many_short_writers_and_one_that_compacts_lose_nothing(kit: Kit) -> None:
    mix_in_processes(kit, 8 if kit.kind == "sqlite" else 4, 15)


def rounds_of(what: str, kit: Kit, seed: str, rounds: int) -> list[Said]:
    kit.folder.mkdir(parents=True)
    with started(what, kit.place, seed, str(rounds)) as driver:
        assert driver.stdout is not None
        said = [json.loads(line) for line in driver.stdout]
    assert driver.returncode == 0
    assert len(said) == rounds
    return said


def kill_writers(kit: Kit, seed: str, rounds: int) -> None:
    said = rounds_of("killed", kit, seed, rounds)

    assert [line for line in said if line["wrong"] or line["extra"]] == []
    assert all(float(str(line["took_s"])) < 5 for line in said)
    assert integrity(kit) == "ok"
    assert not [path for path in kit.folder.iterdir() if ".aside-" in path.name]


def kill_migrations(kit: Kit, seed: str, rounds: int) -> None:
    said = rounds_of("killed_migrating", kit, seed, rounds)

    assert [line for line in said if line["lost"] or not line["kept"] or line["left"]] == []


def test_two_writers_that_are_killed_at_any_moment_lose_nothing_they_said(kit: Kit) -> None:
    kill_writers(kit, "short", 12)


@pytest.mark.parametrize("kit", ["sqlite"], indirect=True)
def test_a_migration_that_is_killed_at_any_moment_loses_nothing(kit: Kit) -> None:
    kill_migrations(kit, "short", 8)
