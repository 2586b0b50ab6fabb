"""The tables of the SQLite store, and how an item lies in them.

What a question asks for is an index of its own, over just the rows that it is about. `live`, `aside`, `shut` and
`running` follow from the other columns. A row of `item` goes only with its id in `gone`: the database itself refuses
any other deletion.
"""

import json
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

from todo_context.backlog.item import PRIORITIES, Item, Status, text_key
from todo_context.plan.model import Json

APPLICATION_ID = 0x746F646F
"""What SQLite's header says the file is: "todo"."""

VERSION = 1
"""Of the tables. A program refuses what a later version wrote, and migrates what an earlier one did."""

Step = Callable[[sqlite3.Connection], None]
"""Brings the tables from one version to the next, inside a transaction, on a copy."""

TABLES = """
CREATE TABLE item (
    id TEXT NOT NULL PRIMARY KEY,
    text TEXT NOT NULL,
    text_key TEXT NOT NULL,
    notes TEXT NOT NULL,
    project TEXT NOT NULL,
    tags TEXT NOT NULL,
    priority INTEGER NOT NULL,
    status TEXT NOT NULL,
    source TEXT NOT NULL,
    origin TEXT NOT NULL,
    owner TEXT NOT NULL,
    lease_until TEXT NOT NULL,
    blocked_by TEXT NOT NULL,
    parked_until TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    closed_at TEXT NOT NULL,
    archived_at TEXT NOT NULL,
    trashed_at TEXT NOT NULL,
    trashed_batch INTEGER NOT NULL,
    trashed_reason TEXT NOT NULL,
    extra TEXT NOT NULL,
    live INTEGER GENERATED ALWAYS AS
        (status IN ('open', 'in_progress') AND archived_at = '' AND trashed_at = '') VIRTUAL,
    aside INTEGER GENERATED ALWAYS AS
        ((status = 'parked' OR (status IN ('open', 'in_progress') AND parked_until <> ''))
            AND archived_at = '' AND trashed_at = '') VIRTUAL,
    shut INTEGER GENERATED ALWAYS AS
        (status IN ('done', 'cancelled') AND archived_at = '' AND trashed_at = '') VIRTUAL,
    running INTEGER GENERATED ALWAYS AS (status = 'in_progress') VIRTUAL
);
CREATE INDEX active ON item(running DESC, priority DESC, created_at, id, parked_until) WHERE live;
CREATE INDEX active_of ON item(project, running DESC, priority DESC, created_at, id, parked_until) WHERE live;
CREATE INDEX active_as ON item(priority, running DESC, created_at, id, parked_until, project) WHERE live;
CREATE INDEX parked ON item(project, status, parked_until) WHERE aside;
CREATE INDEX shut_lately ON item(updated_at, id) WHERE shut;
CREATE INDEX shut_of ON item(project, closed_at) WHERE shut;
CREATE INDEX archived ON item(updated_at, id) WHERE archived_at <> '' AND trashed_at = '';
CREATE INDEX archived_of ON item(project, updated_at, id) WHERE archived_at <> '' AND trashed_at = '';
CREATE INDEX trashed ON item(trashed_batch, project) WHERE trashed_at <> '';
CREATE INDEX twin ON item(project, text_key) WHERE status IN ('open', 'in_progress', 'parked');
CREATE INDEX origin ON item(origin) WHERE origin <> '';
CREATE TABLE edge (
    item TEXT NOT NULL,
    blocker TEXT NOT NULL,
    PRIMARY KEY (item, blocker)
) WITHOUT ROWID;
CREATE INDEX edge_back ON edge(blocker, item);
CREATE TABLE gone (id TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
CREATE TRIGGER item_stays BEFORE DELETE ON item WHEN NOT EXISTS (SELECT 1 FROM gone WHERE id = OLD.id)
    BEGIN SELECT RAISE(ABORT, 'an item goes only with an operation that deletes it'); END;
CREATE TABLE change (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    verb TEXT NOT NULL,
    batch INTEGER NOT NULL,
    item TEXT NOT NULL,
    before TEXT,
    after TEXT,
    of INTEGER NOT NULL
);
CREATE INDEX change_batch ON change(batch);
CREATE INDEX change_item ON change(item, seq);
CREATE INDEX change_at ON change(at);
CREATE TABLE counter (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counter VALUES ('batch', 0);
"""

COLUMNS = (
    *("id", "text", "text_key", "notes", "project", "tags", "priority", "status", "source", "origin", "owner"),
    *("lease_until", "blocked_by", "parked_until", "created_at", "updated_at", "closed_at", "archived_at"),
    *("trashed_at", "trashed_batch", "trashed_reason", "extra"),
)

SELECTED = ", ".join(f"item.{name}" for name in COLUMNS if name != "text_key")
"""What `item_of` reads, in its order."""


@dataclass(frozen=True, slots=True)
class Schema:
    """Tables of one version, and the steps that lead there: each by the version it starts from."""

    version: int = VERSION
    tables: str = TABLES
    steps: Mapping[int, Step] = field(default_factory=dict[int, Step])


CURRENT = Schema()

Cell = str | int
Row = tuple[Cell, ...]


def row_of(item: Item) -> Row:
    """The cells of an item, in the order of `COLUMNS`."""
    return (
        item.id,
        item.text,
        text_key(item.text),
        item.notes,
        item.project,
        _packed(list(item.tags)),
        item.priority.rank,
        item.status.value,
        item.source,
        item.origin,
        item.owner,
        item.lease_until,
        _packed(list(item.blocked_by)),
        item.parked_until,
        item.created_at,
        item.updated_at,
        item.closed_at,
        item.archived_at,
        item.trashed_at,
        item.trashed_batch,
        item.trashed_reason,
        _packed(dict(item.extra)),
    )


def item_of(row: tuple[object, ...]) -> Item:
    """The item of the cells that `SELECTED` names."""
    cells = dict(zip((name for name in COLUMNS if name != "text_key"), row, strict=True))
    return Item(
        **{name: str(cells[name]) for name in _PLAIN},
        tags=_unpacked(cells["tags"]),
        blocked_by=_unpacked(cells["blocked_by"]),
        priority=PRIORITIES[cast("int", cells["priority"])],
        status=Status(cast("str", cells["status"])),
        trashed_batch=cast("int", cells["trashed_batch"]),
        extra=cast("dict[str, Json]", json.loads(cast("str", cells["extra"]))),
    )


_PLAIN = (
    *("id", "text", "notes", "project", "source", "origin", "owner", "lease_until", "parked_until"),
    *("created_at", "updated_at", "closed_at", "archived_at", "trashed_at", "trashed_reason"),
)


def _packed(value: Json) -> str:
    # Escaped, for a lone surrogate in another program's key is no UTF-8.
    return json.dumps(value)


def _unpacked(cell: object) -> tuple[str, ...]:
    return tuple(cast("list[str]", json.loads(cast("str", cell))))
