"""Open a store, by the words of a setting: a path, or `json:` and a path."""

import secrets
from datetime import UTC, datetime
from pathlib import Path

from todo_context.backlog.backlog import Backlog
from todo_context.backlog.item import ID_ALPHABET
from todo_context.backlog.places import refuse_unfit
from todo_context.backlog.store import Clock, IdMaker, Store

JSON = "json:"
"""How the place of a JSON file begins."""


def clock() -> datetime:
    """The clock of this machine."""
    return datetime.now(UTC)


def random_id(length: int) -> str:
    """Characters of an id, by chance."""
    return "".join(secrets.choice(ID_ALPHABET) for _ in range(length))


def open_store(place: str, *, now: Clock = clock, make_id: IdMaker = random_id) -> Store:
    """The store at a place: a path for SQLite, `json:PATH` for a file in armory's form. Nothing is touched yet.

    Raises:
        StoreError: it is a place where a store would be lost.
    """
    path = _path(place.removeprefix(JSON))
    refuse_unfit(path)
    if place.startswith(JSON):
        from todo_context.backlog.json_file import JsonShelf  # noqa: PLC0415 (one of the two)

        return Backlog(JsonShelf(path, now=now), now=now, make_id=make_id)
    from todo_context.backlog.sqlite import SqliteShelf  # noqa: PLC0415 (sqlite3 takes 2 ms)

    return Backlog(SqliteShelf(path, now=now), now=now, make_id=make_id)


def _path(text: str) -> Path:
    # Resolved: by whatever way a store is named, its lock is the same.
    return Path(text).expanduser().resolve()
