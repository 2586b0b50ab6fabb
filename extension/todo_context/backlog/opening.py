"""Open a store, by the words of a setting: a path, or `json:` and a path."""

import secrets
from datetime import UTC, datetime

from todo_context.backlog.backlog import Backlog
from todo_context.backlog.item import ID_ALPHABET
from todo_context.backlog.lock import WAIT_S
from todo_context.backlog.places import JSON, path_of, refuse_unfit
from todo_context.backlog.store import Clock, IdMaker, Store


def clock() -> datetime:
    """The clock of this machine."""
    return datetime.now(UTC)


def random_id(length: int) -> str:
    """Characters of an id, by chance."""
    return "".join(secrets.choice(ID_ALPHABET) for _ in range(length))


def open_store(place: str, *, now: Clock = clock, make_id: IdMaker = random_id, wait_s: float = WAIT_S) -> Store:
    """The store at a place: a path for SQLite, `json:PATH` for a file in armory's form. Nothing is touched yet.

    `wait_s` is for how long it waits for others, each time.

    Raises:
        StoreError: it is a place where a store would be lost.
    """
    path = path_of(place)
    refuse_unfit(path)
    if place.startswith(JSON):
        from todo_context.backlog.json_file import JsonShelf  # noqa: PLC0415 (one of the two)

        return Backlog(JsonShelf(path, now=now, wait_s=wait_s), now=now, make_id=make_id)
    from todo_context.backlog.sqlite import SqliteShelf  # noqa: PLC0415 (sqlite3 takes 2 ms)

    return Backlog(SqliteShelf(path, now=now, wait_s=wait_s), now=now, make_id=make_id)
