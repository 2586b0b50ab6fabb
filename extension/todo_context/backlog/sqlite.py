# ruff: noqa: D102 (the port says what each of them does)
"""The SQLite store: one file, a rollback journal, one transaction after the other.

Each transaction holds the store's lock, readers together and a writer alone. Whoever puts another file in the
place of the store (a migration, a recovery) holds it alone too; so nobody writes into a file that is no more the
store, for each transaction looks first whether it is still the one it has open.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from todo_context.backlog import copies, sqlite_file
from todo_context.backlog.ledger import Ledger
from todo_context.backlog.lock import WAIT_S, StoreLock
from todo_context.backlog.shapes import Backup, StoreState
from todo_context.backlog.sqlite_ledger import SqliteLedger
from todo_context.backlog.sqlite_schema import CURRENT, Schema
from todo_context.backlog.store import Clock, StoreError
from todo_context.backlog.trouble import RECOVER, free_bytes, named, of_os, refuse_if_lost
from todo_context.backlog.words import count
from todo_context.paths import FILE_MODE


class SqliteShelf:
    """A `Shelf` in a file of SQLite. It is opened with the first transaction, and made with the first that writes."""

    def __init__(self, path: Path, *, now: Clock, schema: Schema = CURRENT, wait_s: float = WAIT_S) -> None:
        self._path, self._now, self._schema = path, now, schema
        self._lock, self._wait_s = StoreLock(path, wait_s), wait_s
        self._turn = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int, int] | None = None
        """Process, device and inode of the file that is open."""

    @property
    def place(self) -> str:
        return str(self._path)

    @contextmanager
    def reading(self) -> Iterator[Ledger]:
        if not self._path.exists() and not copies.backup_paths(self._path, self._now()):
            with closing(sqlite3.connect(":memory:", isolation_level=None)) as nothing:
                sqlite_file.prepare(nothing)
                sqlite_file.create(nothing, self._schema)
                yield SqliteLedger(nothing)
            return
        with self._errors(), self._open(exclusive=False) as connection:
            connection.execute("BEGIN")
            try:
                yield SqliteLedger(connection)
            finally:
                _roll_back(connection)

    @contextmanager
    def writing(self, *, with_backup: bool = False) -> Iterator[Ledger]:
        with self._errors(), self._open(exclusive=True) as connection:
            self._back_up(connection, must=with_backup)
            connection.execute("BEGIN IMMEDIATE")
            try:
                ledger = SqliteLedger(connection)
                before = _count(connection)
                yield ledger
                after = _count(connection)
                if after != before + ledger.grown:
                    fact = f"the store would go from {count(before)} to {after}, which is not what was asked for"
                    raise StoreError("dropped", self.place, fact, "Nothing was changed. Please report this")
                connection.execute("COMMIT")
            finally:
                _roll_back(connection)

    def state(self) -> StoreState:
        trouble: list[str] = []
        mode = None
        with suppress(OSError):
            mode = self._path.stat().st_mode & 0o777
        if mode is not None:
            with self._errors(), self._open(exclusive=False) as connection:
                trouble += sqlite_file.findings(connection)
        return StoreState(place=self.place, mode=mode, free_bytes=free_bytes(self._path), trouble=tuple(trouble))

    def make_private(self) -> None:
        with suppress(FileNotFoundError), self._errors():
            self._path.chmod(FILE_MODE)

    def purge_copies(self) -> None:
        with self._errors(), self._open(exclusive=True) as connection:
            for path in copies.backup_paths(self._path, self._now()):
                path.unlink(missing_ok=True)
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.execute("VACUUM")
            self._back_up(connection, must=True)

    def backups(self) -> Sequence[Backup]:
        return copies.good(self._path, self._now(), self._items_in)

    def recover(self, backup: Backup | None) -> int:
        with self._errors(), self._turn, self._lock.held(exclusive=True):
            self.close()
            items = 0 if backup is None else self._items_in(Path(backup.path))
            if backup is not None and items is None:
                raise StoreError("broken", backup.path, "this backup cannot be read", "Choose another")

            def write(copy: Path) -> None:
                if backup is None:
                    sqlite_file.make_file(copy, self._schema)
                    return
                with closing(sqlite_file.connected(Path(backup.path))) as connection:
                    sqlite_file.copy_into(connection, copy)

            copies.written_whole(self._path, write, clear=self._clear)
            return items or 0

    def compact(self) -> None:
        if self._path.exists():
            with self._errors(), self._open(exclusive=True) as connection:
                connection.execute("VACUUM")

    def close(self) -> None:
        with self._turn:
            # One that a fork brought along is the other process's to close.
            if self._connection is not None and self._opened is not None and self._opened[0] == os.getpid():
                self._connection.close()
            self._connection = self._opened = None

    @contextmanager
    def _open(self, *, exclusive: bool) -> Iterator[sqlite3.Connection]:
        """The store, opened and of our version, with its lock held."""
        with self._turn:
            with self._lock.held(exclusive=exclusive):
                connection = self._ready(may_change=exclusive)
                if connection is not None:
                    yield connection
                    return
            with self._lock.held(exclusive=True):
                self._ready(may_change=True)
            with self._lock.held(exclusive=exclusive):
                connection = self._ready(may_change=exclusive)
                if connection is None:
                    fact = "it went away while it was opened"
                    raise StoreError("io", self.place, fact, "Try again")
                yield connection

    def _ready(self, *, may_change: bool) -> sqlite3.Connection | None:
        """The connection; None where the file is first to be made or migrated, which this lock does not allow."""
        key = self._key()
        if self._connection is not None and key is not None and key == self._opened:
            return self._connection
        self.close()
        if key is None:
            if not may_change:
                return None
            self._refuse_if_lost("it is not there")
            sqlite_file.make_file(self._path, self._schema)
        if not self._is_current(may_change=may_change):
            return None
        self._connection, self._opened = sqlite_file.connected(self._path, self._wait_s), self._key()
        return self._connection

    def _is_current(self, *, may_change: bool) -> bool:
        """Whether the file has our version; it is brought to it where that may be."""
        with closing(sqlite_file.connected(self._path, self._wait_s)) as connection:
            version = sqlite_file.version_of(connection, self._path)
        if version > self._schema.version:
            fact = f"written by version {version}, this is version {self._schema.version}"
            raise StoreError("newer", self.place, fact, "Update todo-context")
        if version < self._schema.version and may_change:
            if version == 0:
                sqlite_file.refuse_text(self._path)
                self._refuse_if_lost("it is empty")
                sqlite_file.make_file(self._path, self._schema)
            else:
                sqlite_file.migrate(self._path, self._schema)
            return True
        return version == self._schema.version

    def _key(self) -> tuple[int, int, int] | None:
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return None
        return os.getpid(), status.st_dev, status.st_ino

    def _refuse_if_lost(self, fact: str) -> None:
        refuse_if_lost(self.place, fact, self.backups(), copies.newest_aside(self._path))

    def _back_up(self, connection: sqlite3.Connection, *, must: bool) -> None:
        if not must and not (copies.is_due(self._path, self._now()) and _count(connection)):
            return
        if not must and not copies.leaves_room(self._path):
            return
        try:
            copies.make_backup(self._path, self._now(), lambda path: sqlite_file.copy_into(connection, path))
        except (OSError, sqlite3.Error):
            # A change may still fit where a whole copy does not.
            if must:
                raise

    def _items_in(self, path: Path) -> int | None:
        return sqlite_file.items_in(path, self._schema.version)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if sqlite_file.is_broken(error):
                self._set_aside(error)
            self.close()
            raise sqlite_file.told(error, self._path, self._wait_s) from error
        except OSError as error:
            raise of_os(error, self._path) from error

    def _set_aside(self, error: sqlite3.Error) -> None:
        """Move a broken file out of the way, if a second look, alone with it, says the same.

        Raises:
            StoreError: it was moved; where to, and what it can be recovered from.
        """
        with self._turn, self._lock.held(exclusive=True):
            self.close()
            try:
                with closing(sqlite_file.connected(self._path)) as connection:
                    sqlite_file.version_of(connection, self._path)
                    if not sqlite_file.findings(connection):
                        return
            except sqlite3.Error as second:
                if not sqlite_file.is_broken(second):
                    return
            sqlite_file.refuse_text(self._path)
            aside = self._clear()
        backup = next(iter(self.backups()), None)
        fact = f"it cannot be read ({error}), and was set aside as {aside}"
        step = f"The next use begins a new one, for there is no backup. Keep {aside}"
        if backup is not None:
            fact, step = f"{fact}; {named(backup)} is there", RECOVER
        raise StoreError("broken", self.place, fact, step, set_aside=str(aside), backup=backup) from error

    def _clear(self) -> Path | None:
        """Set aside what is there, with what belongs to it."""
        aside = copies.free_name(self._path, self._now())
        journal = Path(f"{self._path}-journal")
        # First, and also one that is left alone: beside another file it would be written into that.
        if journal.exists():
            journal.rename(f"{aside}-journal")
        if not self._path.exists():
            return None
        self._path.rename(aside)
        copies.sync(self._path.parent)
        return aside


def _count(connection: sqlite3.Connection) -> int:
    ((number,),) = connection.execute("SELECT count(*) FROM item")
    return int(number)


def _roll_back(connection: sqlite3.Connection) -> None:
    # After a full disk SQLite has done so already, and would hide the real error behind another.
    if connection.in_transaction:
        connection.execute("ROLLBACK")
