# ruff: noqa: D102 (the port says what each of them does)
"""The rows of a document, inside one transaction: nothing is written before its end."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby

from todo_context.backlog.armory import Document
from todo_context.backlog.changes import HISTORY_KEPT, SETS_KEPT, Change, ChangeSet, forgotten
from todo_context.backlog.item import Box, Item, Status, box_of, is_unfinished, text_key
from todo_context.backlog.moment import is_past, moment, stamp
from todo_context.backlog.record import Object, change_from_json, change_to_json, number
from todo_context.backlog.selection import cut, selected
from todo_context.backlog.shapes import Query

CHANGES_KEPT = 500
"""How many are kept at most: the whole file is written with each change, and people read it."""


class JsonLedger:
    """A `Ledger` over a document. `removed` are the ids that may be missing from it at the end."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.removed: set[str] = set()
        self.is_changed = False

    def get(self, id_: str) -> Item | None:
        return self._document.items.get(id_)

    def beginning(self, prefix: str, most: int) -> Sequence[str]:
        return sorted(id_ for id_ in self._document.items if id_.startswith(prefix))[:most]

    def is_gone(self, id_: str) -> bool:
        return id_ in self._document.gone

    def find(self, query: Query, now: datetime) -> Sequence[Item]:
        return cut(selected(self._all(), query, now, self.get), query)

    def count(self, query: Query, now: datetime) -> int:
        return len(selected(self._all(), query, now, self.get))

    def counts(self, boxes: frozenset[Box], now: datetime) -> Mapping[str, Mapping[Box, int]]:
        found: dict[str, dict[Box, int]] = {}
        for item in self._all():
            box = box_of(item, now)
            if box in boxes:
                of_project = found.setdefault(item.project, {})
                of_project[box] = of_project.get(box, 0) + 1
        return found

    def twin(self, project: str, key: str) -> Item | None:
        same = (i for i in self._all() if i.project == project and text_key(i.text) == key and is_unfinished(i))
        return min(same, key=lambda item: (item.created_at, item.id), default=None)

    def of_origin(self, origin: str) -> Item | None:
        same = (item for item in self._all() if item.origin == origin)
        return min(same, key=lambda item: (item.trashed_at, item.id), default=None)

    def waiting_for(self, ids: Iterable[str]) -> Sequence[Item]:
        wanted = set(ids)
        return sorted(
            (item for item in self._all() if is_unfinished(item) and wanted.intersection(item.blocked_by)),
            key=lambda item: item.id,
        )

    def of_trash(self, batch: int) -> Sequence[Item]:
        return [item for item in self._all() if item.trashed_at and item.trashed_batch == batch]

    def expired(self, now: datetime) -> Sequence[Item]:
        held = (item for item in self._all() if item.status is Status.IN_PROGRESS and is_unfinished(item))
        return [item for item in held if is_past(item.lease_until, now)]

    def sets(self) -> Iterator[ChangeSet]:
        for batch, of_one in groupby(reversed(self._document.changes), key=_batch):
            change = next(of_one)
            yield ChangeSet(batch, str(change.get("verb")), number(change, "of"))

    def changes(
        self, *, since: int | None = None, before: int = 0, batch: int = 0, item: str = "", limit: int
    ) -> Sequence[Change]:
        found = [
            change
            for change in self._document.changes
            if number(change, "seq") > (since or 0)
            and (not before or number(change, "seq") < before)
            and (not batch or _batch(change) == batch)
            and (not item or change.get("item") == item)
        ]
        cut_out = found[-limit:] if since is None and not batch else found[:limit]
        return [change_from_json(change) for change in cut_out]

    def seq(self) -> int:
        return self._document.seq

    def first_kept(self) -> int:
        return number(self._document.changes[0], "seq") if self._document.changes else self._document.seq + 1

    def next_batch(self) -> int:
        self._document.batch += 1
        return self._document.batch

    def put(self, item: Item) -> None:
        self._document.items[item.id] = item
        self._document.gone.discard(item.id)
        self.removed.discard(item.id)
        self.is_changed = True

    def remove(self, item: Item) -> None:
        if self._document.items.pop(item.id, None) is not None:
            self._document.gone.add(item.id)
            self.removed.add(item.id)
            self.is_changed = True

    def record(self, changes: Sequence[Change]) -> Sequence[Change]:
        recorded = [replace(change, seq=self._document.seq + number) for number, change in enumerate(changes, 1)]
        self._document.seq += len(recorded)
        self._document.changes += map(change_to_json, recorded)
        self.is_changed = True
        self._trim(recorded[-1])
        return recorded

    def overwrite_history(self, id_: str) -> None:
        self._document.changes = [
            _forgotten(change) if change.get("item") == id_ else change for change in self._document.changes
        ]
        self.is_changed = True

    def _all(self) -> Iterable[Item]:
        return self._document.items.values()

    def _trim(self, newest: Change) -> None:
        now = moment(newest.at)
        kept = self._document.changes
        if len(kept) > CHANGES_KEPT:
            # Whole sets: half of one cannot be undone. The newest stays, however large.
            cut_in = _batch(kept[-CHANGES_KEPT])
            kept = [change for change in kept if _batch(change) > cut_in or _batch(change) == newest.batch]
        if now is not None:
            last = newest.batch - SETS_KEPT
            oldest = stamp(now - HISTORY_KEPT)
            kept = [change for change in kept if str(change.get("at")) >= oldest or _batch(change) > last]
        self._document.changes = kept


def _batch(change: Object) -> int:
    return number(change, "batch")


def _forgotten(raw: Object) -> Object:
    change = change_from_json(raw)
    before, after = (None if item is None else forgotten(item) for item in (change.before, change.after))
    return change_to_json(replace(change, before=before, after=after))
