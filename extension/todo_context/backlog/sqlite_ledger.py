# ruff: noqa: D102, S608 (the port says what each of them does; names in SQL are ours, values are bound)
"""The rows of the SQLite store, inside one transaction."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import cast

from todo_context.backlog.changes import HISTORY_KEPT, SETS_KEPT, Change, ChangeSet, forgotten
from todo_context.backlog.item import Box, Item
from todo_context.backlog.moment import moment, stamp
from todo_context.backlog.record import from_json, to_json
from todo_context.backlog.shapes import Query
from todo_context.backlog.sqlite_query import Values, boxed, order_by, where
from todo_context.backlog.sqlite_schema import COLUMNS, SELECTED, item_of, row_of
from todo_context.plan.text import whole_characters

_CHUNK = 50
_UNFINISHED = "status IN ('open', 'in_progress', 'parked') AND archived_at = '' AND trashed_at = ''"
_PUT = f"UPDATE item SET {', '.join(f'{name} = ?' for name in COLUMNS[1:])} WHERE id = ?"
_NEW = f"INSERT INTO item ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
_CHANGE = "seq, at, by, verb, batch, item, before, after, of"


class SqliteLedger:
    """A `Ledger`. `grown` is by how many items the store has to be larger at the end than at the beginning."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.grown = 0

    def get(self, id_: str) -> Item | None:
        return next(iter(self._items("WHERE id = ?", (id_,))), None)

    def beginning(self, prefix: str, most: int) -> Sequence[str]:
        # Behind every id that begins so: no id has a character above this one.
        values = (prefix, f"{prefix}\U0010ffff", most)
        return [
            str(id_)
            for (id_,) in self._rows("SELECT id FROM item WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?", values)
        ]

    def is_gone(self, id_: str) -> bool:
        return bool(self._rows("SELECT 1 FROM gone WHERE id = ?", (id_,)))

    def find(self, query: Query, now: datetime) -> Sequence[Item]:
        condition, values = where(query, now)
        limit = -1 if query.limit is None else query.limit
        rest = f"WHERE {condition} ORDER BY {order_by(query)} LIMIT {limit} OFFSET {query.offset}"
        return self._items(rest, values)

    def count(self, query: Query, now: datetime) -> int:
        condition, values = where(query, now)
        return self._number(f"SELECT count(*) FROM item WHERE {condition}", values)

    def counts(self, boxes: frozenset[Box], now: datetime) -> Mapping[str, Mapping[Box, int]]:
        found: dict[str, dict[Box, int]] = {}
        for box in sorted(boxes):
            # Each box of its own, so that each has its index.
            sql = f"SELECT project, count(*) FROM item WHERE {boxed(box)} GROUP BY project"
            for project, number in self._rows(sql, {"now": stamp(now)}):
                found.setdefault(str(project), {})[box] = cast("int", number)
        return found

    def twin(self, project: str, key: str) -> Item | None:
        rest = f"WHERE project = ? AND text_key = ? AND {_UNFINISHED} ORDER BY created_at, id LIMIT 1"
        return next(iter(self._items(rest, (project, key))), None)

    def of_origin(self, origin: str) -> Item | None:
        rest = "WHERE origin = ? AND origin <> '' ORDER BY trashed_at, id LIMIT 1"
        return next(iter(self._items(rest, (origin,))), None)

    def waiting_for(self, ids: Iterable[str]) -> Sequence[Item]:
        found: dict[str, Item] = {}
        for id_ in ids:
            rest = f"JOIN edge ON edge.item = item.id WHERE edge.blocker = ? AND {_UNFINISHED} ORDER BY item.id"
            found |= {item.id: item for item in self._items(rest, (id_,))}
        return sorted(found.values(), key=lambda item: item.id)

    def of_trash(self, batch: int) -> Sequence[Item]:
        return self._items("WHERE trashed_at <> '' AND trashed_batch = ? ORDER BY id", (batch,))

    def expired(self, now: datetime) -> Sequence[Item]:
        rest = "WHERE live AND running = 1 AND lease_until <> '' AND lease_until <= ? ORDER BY id"
        return self._items(rest, (stamp(now),))

    def sets(self) -> Iterator[ChangeSet]:
        before = self._number("SELECT coalesce(max(seq), 0) + 1 FROM change")
        last = 0
        while before > 0:
            sql = "SELECT seq, batch, verb, of FROM change WHERE seq < ? ORDER BY seq DESC LIMIT ?"
            rows = cast("list[tuple[int, int, str, int]]", self._rows(sql, (before, _CHUNK)))
            for batch, of_one in groupby(rows, key=lambda row: row[1]):
                (_, _, verb, of) = next(of_one)
                if batch != last:
                    last = batch
                    yield ChangeSet(batch, verb, of)
            before = rows[-1][0] if rows else 0

    def changes(
        self, *, since: int | None = None, before: int = 0, batch: int = 0, item: str = "", limit: int
    ) -> Sequence[Change]:
        terms = ["seq > :since"]
        terms += ["seq < :before"] if before else []
        terms += ["batch = :batch"] if batch else []
        terms += ["item = :item"] if item else []
        way = "DESC" if since is None and not batch else "ASC"
        sql = f"SELECT {_CHANGE} FROM change WHERE {' AND '.join(terms)} ORDER BY seq {way} LIMIT :limit"
        values: Values = {"since": since or 0, "before": before, "batch": batch, "item": item, "limit": limit}
        return sorted(map(_change_of, self._rows(sql, values)), key=lambda change: change.seq)

    def seq(self) -> int:
        return self._number("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'change'")

    def first_kept(self) -> int:
        first = self._number("SELECT coalesce(min(seq), 0) FROM change")
        return first or self.seq() + 1

    def next_batch(self) -> int:
        return self._number("UPDATE counter SET value = value + 1 WHERE name = 'batch' RETURNING value")

    def put(self, item: Item) -> None:
        row = row_of(item)
        if self._connection.execute(_PUT, (*row[1:], row[0])).rowcount == 0:
            self._connection.execute(_NEW, row)
            self._connection.execute("DELETE FROM gone WHERE id = ?", (item.id,))
            self.grown += 1
        self._connection.execute("DELETE FROM edge WHERE item = ?", (item.id,))
        self._connection.executemany("INSERT INTO edge VALUES (?, ?)", [(item.id, id_) for id_ in item.blocked_by])

    def remove(self, item: Item) -> None:
        self._connection.execute("INSERT OR IGNORE INTO gone VALUES (?)", (item.id,))
        self.grown -= self._connection.execute("DELETE FROM item WHERE id = ?", (item.id,)).rowcount
        self._connection.execute("DELETE FROM edge WHERE item = ?", (item.id,))

    def record(self, changes: Sequence[Change]) -> Sequence[Change]:
        recorded: list[Change] = []
        for change in changes:
            values = (
                change.at,
                change.by,
                change.verb,
                change.batch,
                change.item,
                _packed(change.before),
                _packed(change.after),
            )
            sql = "INSERT INTO change (at, by, verb, batch, item, before, after, of) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
            seq = self._connection.execute(sql, (*values, change.of)).lastrowid
            recorded.append(replace(change, seq=seq or 0))
        self._trim(changes[-1])
        return recorded

    def overwrite_history(self, id_: str) -> None:
        for change in self.changes(item=id_, limit=-1):
            before, after = (None if item is None else forgotten(item) for item in (change.before, change.after))
            sql = "UPDATE change SET before = ?, after = ? WHERE seq = ?"
            self._connection.execute(sql, (_packed(before), _packed(after), change.seq))

    def _trim(self, newest: Change) -> None:
        now = moment(newest.at)
        if now is not None:
            oldest, last = stamp(now - HISTORY_KEPT), newest.batch - SETS_KEPT
            self._connection.execute("DELETE FROM change WHERE at < ? AND batch <= ?", (oldest, last))

    def _items(self, rest: str, values: "Sequence[str | int] | Mapping[str, str | int]") -> list[Item]:
        return [item_of(row) for row in self._rows(f"SELECT {SELECTED} FROM item {rest}", values)]

    def _number(self, sql: str, values: "Sequence[str | int] | Mapping[str, str | int]" = ()) -> int:
        ((number,),) = self._rows(sql, values)
        return cast("int", number)

    def _rows(self, sql: str, values: "Sequence[str | int] | Mapping[str, str | int]") -> list[tuple[object, ...]]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except UnicodeEncodeError:
            return self._connection.execute(sql, _encodable(values)).fetchall()


def _encodable(
    values: "Sequence[str | int] | Mapping[str, str | int]",
) -> "Sequence[str | int] | Mapping[str, str | int]":
    """Values with what stands for half of a character where that is kept: no text that is kept has one."""
    if isinstance(values, Mapping):
        return {name: whole_characters(value) if isinstance(value, str) else value for name, value in values.items()}
    return [whole_characters(value) if isinstance(value, str) else value for value in values]


def _packed(item: Item | None) -> str | None:
    return None if item is None else json.dumps(to_json(item))


def _change_of(row: tuple[object, ...]) -> Change:
    seq, at, by, verb, batch, item, before, after, of = row
    return Change(
        seq=cast("int", seq),
        at=str(at),
        by=str(by),
        verb=str(verb),
        batch=cast("int", batch),
        item=str(item),
        before=None if before is None else from_json(json.loads(str(before))),
        after=None if after is None else from_json(json.loads(str(after))),
        of=cast("int", of),
    )
