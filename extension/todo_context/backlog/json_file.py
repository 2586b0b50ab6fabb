# ruff: noqa: D102 (the port says what each of them does)
"""The JSON store: armory's file, written whole with each change.

Writers take turns by the store's lock; a reader needs none, for the file is replaced, never written into. Programs
that know no lock, armory among them, may write between our transactions: each begins by reading.
"""

import errno
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from todo_context.backlog import armory, copies
from todo_context.backlog.json_ledger import JsonLedger
from todo_context.backlog.ledger import Ledger
from todo_context.backlog.lock import WAIT_S, StoreLock
from todo_context.backlog.shapes import Backup, StoreState
from todo_context.backlog.store import Clock, StoreError
from todo_context.backlog.trouble import RECOVER, free_bytes, named, of_os, refuse_if_lost
from todo_context.backlog.words import count
from todo_context.paths import FILE_MODE, make_private

_BLANK = b"\xef\xbb\xbf \t\r\n"
_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonShelf:
    """A `Shelf` in a JSON file. It is made with the first transaction that writes."""

    def __init__(self, path: Path, *, now: Clock, wait_s: float = WAIT_S) -> None:
        self._path, self._now = path, now
        self._lock = StoreLock(path, wait_s)
        self._turn = threading.RLock()
        self._known: tuple[tuple[int, ...], armory.Document] | None = None
        """What was read last, and of which file: to ask often costs no reading. Writers read anew."""
        self._items: armory.Raw = {}

    @property
    def place(self) -> str:
        return str(self._path)

    @contextmanager
    def reading(self) -> Iterator[Ledger]:
        with self._errors():
            key, known = self._key(), self._known
            try:
                document = known[1] if known and known[0] == key else self._read()
                self._known = (key, document) if key else None
            except armory.UnreadableError:
                # Perhaps only now: a program without our care may be writing it.
                with self._turn, self._lock.held(exclusive=True):
                    document = self._read_or_set_aside()
            yield JsonLedger(document)

    @contextmanager
    def writing(self, *, with_backup: bool = False) -> Iterator[Ledger]:
        with self._errors(), self._turn, self._lock.held(exclusive=True):
            document = self._read_or_set_aside()
            self._back_up(document, must=with_backup)
            before = set(document.items)
            ledger = JsonLedger(document)
            yield ledger
            missing = before - document.items.keys() - ledger.removed
            if missing:
                fact = f"{len(missing)} of {count(len(before))} would vanish, which is not what was asked for"
                raise StoreError("dropped", self.place, fact, "Nothing was changed. Please report this")
            if ledger.is_changed:
                self._write(document)

    def state(self) -> StoreState:
        mode = None
        with suppress(OSError):
            mode = self._path.stat().st_mode & 0o777
        trouble: list[str] = []
        with self._errors(), suppress(FileNotFoundError, armory.UnreadableError, armory.OtherVersionError):
            odd = armory.read(self._text()).odd
            if odd:
                counted = f"{len(odd)} entries that are" if len(odd) > 1 else "1 entry that is"
                trouble.append(f"{counted} no item, or with an id twice; kept as it was")
        return StoreState(place=self.place, mode=mode, free_bytes=free_bytes(self._path), trouble=tuple(trouble))

    def make_private(self) -> None:
        with suppress(FileNotFoundError), self._errors():
            self._path.chmod(FILE_MODE)

    def purge_copies(self) -> None:
        with self._errors(), self._turn, self._lock.held(exclusive=True):
            for path in copies.backup_paths(self._path, self._now()):
                path.unlink(missing_ok=True)
            self._back_up(self._read_or_set_aside(), must=True)

    def backups(self) -> Sequence[Backup]:
        return copies.good(self._path, self._now(), _items_in)

    def recover(self, backup: Backup | None) -> int:
        with self._errors(), self._turn, self._lock.held(exclusive=True):
            if backup is not None and _items_in(Path(backup.path)) is None:
                raise StoreError("broken", backup.path, "this backup cannot be read", "Choose another")
            document = armory.Document() if backup is None else armory.read(_text_of(Path(backup.path)))
            self._write(document, clear=self._clear)
            return sum(not item.trashed_at for item in document.items.values())

    def compact(self) -> None:
        """The file has no room that nothing needs."""

    def close(self) -> None:
        """Nothing is held between transactions."""

    def _key(self) -> tuple[int, ...]:
        """What changes with the file; empty where there is none. Taken before it is read."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return ()
        return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns

    def _text(self) -> str:
        return _text_of(self._path)

    def _read(self) -> armory.Document:
        try:
            text = self._text()
        except FileNotFoundError:
            return self._new("it is not there")
        if not text.strip():
            return self._new("it is empty")
        try:
            document = armory.read(text, self._items)
        except armory.OtherVersionError as error:
            fact = f"it is no armory file of version {armory.VERSION} ({error})"
            raise StoreError("newer", self.place, fact, "Name another place for the backlog, and import it") from error
        self._items = document.raw
        return document

    def _new(self, fact: str) -> armory.Document:
        refuse_if_lost(self.place, fact, self.backups(), copies.newest_aside(self._path))
        return armory.Document()

    def _read_or_set_aside(self) -> armory.Document:
        """The document, read with the lock held; what cannot be read now is set aside.

        Raises:
            StoreError: it was set aside; where to, and what it can be recovered from.
        """
        try:
            return self._read()
        except armory.UnreadableError as error:
            _refuse_foreign(self._path)
            aside = copies.set_aside(self._path, self._now())
            backup = next(iter(self.backups()), None)
            fact = f"it cannot be read ({error}), and was set aside as {aside}"
            step = "Mend that and put it back. The next use begins a new one, for there is no backup"
            if backup is not None:
                fact, step = f"{fact}; {named(backup)} is there", f"Mend it and put it back. {RECOVER}"
            raise StoreError("broken", self.place, fact, step, set_aside=str(aside), backup=backup) from error

    def _clear(self) -> None:
        if self._path.exists():
            copies.set_aside(self._path, self._now())

    def _write(self, document: armory.Document, *, clear: Callable[[], None] | None = None) -> None:
        # A lone surrogate is no UTF-8; as an escape it is what it was.
        text = _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", armory.write(document, self._now()))
        make_private(self._path.parent)
        if self._path.exists() and not os.access(self._path, os.W_OK):
            # Else it would be replaced all the same, for that the folder's rights are enough.
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self._path))
        copies.written_whole(self._path, lambda new: new.write_bytes(text.encode()), clear=clear)

    def _back_up(self, document: armory.Document, *, must: bool) -> None:
        if not self._path.exists() or (not must and not (document.items and copies.is_due(self._path, self._now()))):
            return
        if not must and not copies.leaves_room(self._path):
            return
        try:
            whole = self._path.read_bytes()
            copies.make_backup(self._path, self._now(), lambda path: _write_bytes(path, whole))
        except OSError:
            # A change may still fit where a whole copy does not.
            if must:
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise of_os(error, self._path) from error


def _refuse_foreign(path: Path) -> None:
    """Leave alone what is another program's: text that never was JSON, or a store of SQLite."""
    head = copies.head_of(path)
    if head.startswith(copies.SQLITE):
        step = "Name it without json:, or another place for the backlog"
        raise StoreError("foreign", str(path), "this is a file of SQLite, and not JSON", step)
    if copies.is_text(head) and not head.lstrip(_BLANK).startswith(b"{"):
        step = "Name another place for the backlog"
        raise StoreError("foreign", str(path), "this is a text of something else, and not JSON", step)


def _items_in(path: Path) -> int | None:
    try:
        return sum(not item.trashed_at for item in armory.read(_text_of(path)).items.values())
    except (OSError, armory.UnreadableError, armory.OtherVersionError):
        return None


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise armory.UnreadableError(f"no UTF-8 at byte {error.start}") from error


def _write_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)
