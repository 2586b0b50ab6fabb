"""What an adapter has to be: a shelf that hands out a ledger for the time of one transaction.

All verbs are written once, over this. An adapter reads and writes rows and knows no verb.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from todo_context.backlog.changes import Change, ChangeSet
from todo_context.backlog.item import Box, Item
from todo_context.backlog.shapes import Backup, Query, StoreState


class Ledger(Protocol):
    """The rows, inside one transaction; not to be used after it."""

    def get(self, id_: str) -> Item | None:
        """The item with exactly this id."""
        ...

    def beginning(self, prefix: str, most: int) -> Sequence[str]:
        """Ids that begin so, sorted, at most so many."""
        ...

    def is_gone(self, id_: str) -> bool:
        """Whether an item had this id and is gone for good."""
        ...

    def find(self, query: Query, now: datetime) -> Sequence[Item]:
        """The items that fit, in order."""
        ...

    def count(self, query: Query, now: datetime) -> int:
        """How many fit, whatever the limit."""
        ...

    def counts(self, boxes: frozenset[Box], now: datetime) -> Mapping[str, Mapping[Box, int]]:
        """How many lie in each of these boxes, by project."""
        ...

    def twin(self, project: str, key: str) -> Item | None:
        """An unfinished item of the project whose text has this `text_key`."""
        ...

    def of_origin(self, origin: str) -> Item | None:
        """The item of this origin, unless it is in the trash."""
        ...

    def waiting_for(self, ids: Iterable[str]) -> Sequence[Item]:
        """Unfinished items that wait for one of these."""
        ...

    def of_trash(self, batch: int) -> Sequence[Item]:
        """What the hard prune with this change set deleted and is still in the trash."""
        ...

    def expired(self, now: datetime) -> Sequence[Item]:
        """What is in progress with a lease that is over."""
        ...

    def sets(self) -> Iterator[ChangeSet]:
        """The change sets, the newest first, read as far as somebody looks."""
        ...

    def changes(
        self, *, since: int | None = None, before: int = 0, batch: int = 0, item: str = "", limit: int
    ) -> Sequence[Change]:
        """Changes that fit all that is given, the oldest first.

        Where the limit cuts it, the first ones after `since` or of the batch are there; else the newest.
        """
        ...

    def seq(self) -> int:
        """The newest `seq` ever given."""
        ...

    def first_kept(self) -> int:
        """The oldest `seq` that the history still has; one more than the newest where it is empty."""
        ...

    def next_batch(self) -> int:
        """A number for a change set that none had."""
        ...

    # Only in a transaction that writes:

    def put(self, item: Item) -> None:
        """Write an item, new or not."""
        ...

    def remove(self, item: Item) -> None:
        """Take an item away for good; its id is given to no other."""
        ...

    def record(self, changes: Sequence[Change]) -> Sequence[Change]:
        """Append to the history; the changes with the `seq` they got. Trims what is too old."""
        ...

    def overwrite_history(self, id_: str) -> None:
        """Forget the texts of an item in the history."""
        ...


class Shelf(Protocol):
    """A store without verbs."""

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        ...

    def reading(self) -> AbstractContextManager[Ledger]:
        """A transaction that only reads. Where there is no store yet, it is an empty one.

        Raises:
            StoreError: it cannot be read.
        """
        ...

    def writing(self, *, with_backup: bool = False) -> AbstractContextManager[Ledger]:
        """A transaction that writes, wholly or not at all; an exception inside takes all of it back.

        `with_backup` makes one first in any case.

        Raises:
            StoreError: it cannot be written, or items would be missing that `remove` did not name.
        """
        ...

    def state(self) -> StoreState:
        """What its place is like."""
        ...

    def make_private(self) -> None:
        """Have the file be read by its owner alone."""
        ...

    def purge_copies(self) -> None:
        """After something was forgotten: have no backup, and no free page of the file, still know it."""
        ...

    def backups(self) -> Sequence[Backup]:
        """The good ones, the newest first."""
        ...

    def recover(self, backup: Backup | None) -> int:
        """Put a backup, or an empty store, in the place of what is there; how many items."""
        ...

    def compact(self) -> None:
        """Give back the room that nothing needs any more."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...
