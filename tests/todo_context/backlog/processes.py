"""Programs that work on one store at the same time, and say what they did only once it is done.

Started as `python processes.py WHAT PLACE …`; what they say are JSON lines.
"""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from todo_context.backlog.backlog import Backlog
from todo_context.backlog.item import Box, box_of
from todo_context.backlog.moves import Who
from todo_context.backlog.opening import clock, open_store, random_id
from todo_context.backlog.shapes import Draft, Prune, Query
from todo_context.backlog.sqlite import SqliteShelf
from todo_context.backlog.sqlite_schema import TABLES, Schema
from todo_context.backlog.store import Store

ALL = Query(boxes=frozenset(Box), limit=None)
ANY_AGE = Prune(older_than=None)
LEASE = timedelta(minutes=30)


Said = dict[str, Any]
"""A line of what one says."""


def add_column(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE item ADD COLUMN colour TEXT NOT NULL DEFAULT ''")
    connection.execute("UPDATE item SET colour = 'red'")


SECOND = Schema(version=2, tables=TABLES, steps={1: add_column})
"""A version to come."""


def started(*arguments: str) -> subprocess.Popen[str]:
    """One of them."""
    return subprocess.Popen(
        [sys.executable, __file__, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def together(commands: Sequence[Sequence[str]]) -> list[list[Said]]:
    """Start several, let them go at once, and what each said."""
    running = [started(*command) for command in commands]
    for each in running:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in running:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    said: list[list[Said]] = []
    for each in running:
        with each:
            assert each.stdout is not None
            said.append([json.loads(line) for line in each.stdout])
        assert each.returncode == 0
    return said


def say(**said: object) -> None:
    os.write(1, (json.dumps(said) + "\n").encode())


def adder(store: Store, name: str, most: int) -> None:
    for number in range(most):
        say(id=store.add([Draft(text=f"{name} {number}")], Who(name)).items[0].id)


def claimer(store: Store, name: str) -> None:
    """Take and do what is ready, until all is done."""
    while store.count(Query()):
        claimed = store.claim(None, Who(name), lease=LEASE)
        if claimed.changes:
            (id_,) = (change.item for change in claimed.changes)
            say(claimed=id_)
            store.complete([id_], Who(name))
            say(done=id_)
        else:
            time.sleep(0.002)


def one_claim(store: Store, name: str) -> None:
    """Take one, and hold it."""
    say(claimed=store.claim(None, Who(name), lease=LEASE).items[0].id)
    signal.pause()


def mixer(store: Store, name: str, most: int) -> None:
    """Anything, on items of its own; the first one makes the file smaller now and then."""
    chance = random.Random(name)  # noqa: S311 (no secret)
    for number in range(most):
        if name == "0" and number % 10 == 0:
            store.compact()
        for step in steps(store, name, chance):
            say(**step)


def steps(store: Store, name: str, chance: random.Random) -> Iterator[dict[str, object]]:
    """One change: first what is wanted, then that it is done, each as boxes by id."""
    who, mine = Who(name), Query(boxes=frozenset(Box), project=name, limit=None)
    there = {item.id: box_of(item, clock()) for item in store.list(mine).items}
    closed = [id_ for id_, box in there.items() if box is Box.CLOSED]
    archived = [id_ for id_, box in there.items() if box is Box.ARCHIVE]
    active = [id_ for id_, box in there.items() if box is Box.ACTIVE]
    prune = Prune(older_than=None, project=name)
    wish = chance.choice(["add", "add", "complete", "complete", "prune", "restore", "delete"])
    if wish == "complete" and active:
        id_ = chance.choice(active)
        yield {"wants": {id_: "closed"}}
        store.complete([id_], who)
        yield {"has": {id_: "closed"}}
    elif wish == "prune" and closed:
        yield {"wants": dict.fromkeys(closed, "archive")}
        store.prune(prune, who)
        yield {"has": dict.fromkeys(closed, "archive")}
    elif wish == "restore" and archived:
        yield {"wants": dict.fromkeys(archived, "closed")}
        store.restore(archived, who)
        yield {"has": dict.fromkeys(archived, "closed")}
    elif wish == "delete" and len(archived) > 1:
        shown = store.hard_prune(prune, who)
        yield {"wants": dict.fromkeys(shown.ids, "trash")}
        store.hard_prune(prune, who, token=shown.token)
        yield {"has": dict.fromkeys(shown.ids, "trash")}
    else:
        yield {"wants": {}}
        made = store.add([Draft(text=f"{name} {chance.random()} {'x' * chance.randrange(3_000)}", project=name)], who)
        yield {"has": {made.items[0].id: "active"}}


def killed(place: str, seed: str, rounds: int) -> None:
    """Kill two writers at any moment, look at the store, and do it again. Says what each round found."""
    chance = random.Random(seed)  # noqa: S311 (no secret)
    known: dict[str, str] = {}
    for number in range(rounds):
        lines = _killed_after(
            chance.random() * 0.04,
            [_writer(place, name, f"{seed} {number} {name}") for name in ("0", "1")],
        )
        maybe: dict[str, str] = {}
        unsaid = 0
        for said in lines:
            for each in said:
                known |= each.get("has", {})
            last = said[-1] if said else {}
            maybe |= last.get("wants", {})
            unsaid += last.get("wants") == {}
        store = open_store(place)
        began = time.monotonic()
        fresh = store.add([Draft(text="the next write", project="driver")], Who("driver"), force=True).items[0].id
        took_s = time.monotonic() - began
        found = {item.id: box_of(item, clock()).value for item in store.list(ALL).items}
        wrong = {
            id_: (box, found.get(id_)) for id_, box in known.items() if found.get(id_) not in (box, maybe.get(id_))
        }
        extra = len(found.keys() - known.keys() - {fresh})
        store.close()
        say(wrong=wrong, extra=extra - unsaid if extra > unsaid else 0, took_s=took_s, items=len(found))
        known = found
        if wrong:
            break


def killed_migrating(place: str, seed: str, rounds: int) -> None:
    """Kill a migration at any moment; the next one finds the store whole, and ends it."""
    chance = random.Random(seed)  # noqa: S311 (no secret)
    path = Path(place)
    store = open_store(place)
    for start in range(0, 1_000, 250):
        store.add([Draft(text=f"item {start + number}") for number in range(250)], Who("driver"))
    ids = {item.id for item in store.list(ALL).items}
    store.close()
    before = path.read_bytes()

    def migrate() -> None:
        say(state="ready")
        _second(path).add([Draft(text="the first write")], Who("x"), force=True)
        say(state="done")

    for _ in range(rounds):
        for each in path.parent.iterdir():
            each.unlink()
        path.write_bytes(before)
        (said,) = _killed_after(chance.random() * 0.06, [migrate])
        second = _second(path)
        began = time.monotonic()
        second.add([Draft(text="the next write")], Who("driver"), force=True)
        took_s = time.monotonic() - began
        found = {item.id for item in second.list(ALL).items}
        second.close()
        old = path.with_name(f"{path.name}.v1")
        say(
            lost=len(ids - found),
            kept=old.read_bytes() == before,
            was_done={"state": "done"} in said,
            took_s=took_s,
            left=sorted(each.name for each in path.parent.iterdir() if ".new-" in each.name),
        )


def _second(path: Path) -> Store:
    return Backlog(SqliteShelf(path, now=clock, schema=SECOND), now=clock, make_id=random_id)


def _writer(place: str, name: str, seed: str) -> Callable[[], None]:
    def write() -> None:
        chance = random.Random(seed)  # noqa: S311 (no secret)
        store = open_store(place)
        say(state="ready")
        while True:
            for step in steps(store, name, chance):
                say(**step)

    return write


def _killed_after(wait_s: float, works: list[Callable[[], None]]) -> list[list[Said]]:
    """Fork a process for each, kill them a while after the first words, and what they said."""
    running: list[tuple[int, int]] = []
    for work in works:
        out, into = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.dup2(into, 1)
            os.close(out)
            os.close(into)
            try:
                work()
            finally:
                os._exit(0)
        os.close(into)
        running.append((pid, out))
    said = [os.read(out, 1) for _, out in running]
    time.sleep(wait_s)
    for pid, _ in running:
        os.kill(pid, signal.SIGKILL)
    lines: list[list[Said]] = []
    for (pid, out), first in zip(running, said, strict=True):
        with os.fdopen(out, "rb") as rest:
            whole = (first + rest.read()).decode()
        os.waitpid(pid, 0)
        # What stands without a line feed was not said wholly.
        lines.append([json.loads(line) for line in whole.split("\n")[:-1]])
    return lines


def main() -> None:
    what, place, *rest = sys.argv[1:]
    if what == "killed":
        killed(place, rest[0], int(rest[1]))
        return
    if what == "killed_migrating":
        killed_migrating(place, rest[0], int(rest[1]))
        return
    store = open_store(place)
    os.write(1, b"ready\n")
    sys.stdin.readline()
    match what:
        case "add":
            adder(store, rest[0], int(rest[1]))
        case "claim":
            claimer(store, rest[0])
        case "one_claim":
            one_claim(store, rest[0])
        case _:
            mixer(store, rest[0], int(rest[1]))


if __name__ == "__main__":
    main()
