"""A SQLite file: opened, copied, counted, brought to another version. Everything here is under the store's lock.

No other descriptor of a file that is open is ever opened and closed here: SQLite's own locks would go with it.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from todo_context.backlog import trouble
from todo_context.backlog.copies import head_of, is_text, sweep, sync, written_whole
from todo_context.backlog.sqlite_schema import APPLICATION_ID, Schema
from todo_context.backlog.store import StoreError
from todo_context.paths import FILE_MODE, make_private

BUSY_S = 5.0
"""Seconds to wait for a program that knows nothing of our lock, such as sqlite3 in a shell."""

_BROKEN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BASE_CODE = 0xFF
"""SQLite's codes are a kind in the lower byte, and details above it."""


def connected(path: Path, wait_s: float = BUSY_S) -> sqlite3.Connection:
    """The file, opened to be read and written; it is there already. `wait_s`: for a program that has no lock of ours.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    # By address: else a file that went away in between would be made anew, with the rights of the umask.
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=min(BUSY_S, wait_s),
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA synchronous = FULL")
        prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def prepare(connection: sqlite3.Connection) -> None:
    """What a connection needs for our queries."""
    connection.create_function("casefold", 1, str.casefold, deterministic=True)


def create(connection: sqlite3.Connection, schema: Schema) -> None:
    """Make the tables of a store."""
    connection.executescript(
        f"BEGIN IMMEDIATE; {schema.tables}"
        f"; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {schema.version}; COMMIT;"
    )


def make_file(path: Path, schema: Schema) -> None:
    """Make a new store, or fill a file that is empty. For its owner alone.

    Raises:
        OSError, sqlite3.Error: it cannot be made.
    """
    make_private(path.parent)
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, FILE_MODE))
    with closing(connected(path)) as connection:
        create(connection, schema)
    sync(path.parent)


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the tables; 0 where there are none.

    Raises:
        StoreError: it is no store of ours.
        sqlite3.Error: it cannot be read.
    """
    version, application = _pragma(connection, "user_version"), _pragma(connection, "application_id")
    if application == APPLICATION_ID:
        if version < 1:
            step = "Set it aside, and recover from a backup"
            raise StoreError("foreign", str(path), f"a store of version {version}, which nobody has written", step)
        return version
    ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_master")
    if version or application or tables:
        step = "Name another place for the backlog"
        raise StoreError("foreign", str(path), "this is a database of something else", step)
    return 0


def refuse_text(path: Path) -> None:
    """Leave alone a text: no disk makes one of a store. Nobody has the file open.

    Raises:
        StoreError: it is one.
    """
    head = head_of(path)
    if is_text(head):
        step = "If it is armory's, put json: before its path; else name another place for the backlog"
        raise StoreError("foreign", str(path), "this is a text, and not a store", step)


def copy_into(connection: sqlite3.Connection, path: Path) -> None:
    """Copy all of a store into a file."""
    with closing(sqlite3.connect(path, isolation_level=None)) as copy:
        copy.execute("PRAGMA synchronous = FULL")
        connection.backup(copy)


def items_in(path: Path, newest: int) -> int | None:
    """How many items a store holds that nobody has open; None if it is broken, none, or of a version after `newest`."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_S)) as connection:
            is_ours = _pragma(connection, "application_id") == APPLICATION_ID
            if not is_ours or _pragma(connection, "user_version") > newest or findings(connection):
                return None
            ((items,),) = connection.execute("SELECT count(*) FROM item")
            return int(items)
    except sqlite3.Error:
        return None


def findings(connection: sqlite3.Connection) -> list[str]:
    """What an integrity check finds."""
    return [str(said) for (said,) in connection.execute("PRAGMA integrity_check(5)") if said != "ok"]


def migrate(path: Path, schema: Schema) -> None:
    """Bring a store to another version: on a copy, which is verified before it takes the place of the file.

    The file as it was stays as `<file>.v<n>`. Killed at any moment, the one or the other is there, whole.

    Raises:
        StoreError: the copy does not hold what the file does.
        OSError, sqlite3.Error: the disk does not take it.
    """
    with closing(connected(path)) as connection:
        version = version_of(connection, path)
        if version >= schema.version:
            return
        ids = _ids(connection)

        sweep(path)

        def write(copy: Path) -> None:
            copy_into(connection, copy)
            _bring_on(copy, version, schema, ids)
            _keep(path, path.with_name(f"{path.name}.v{version}"))

        # To open it has ended what was cut off in it: no journal of the old file is left for the new one.
        written_whole(path, write)


def is_broken(error: sqlite3.Error) -> bool:
    """Whether an error says that the file is not what SQLite wrote."""
    return _code(error) in _BROKEN


def told(error: sqlite3.Error, path: Path, wait_s: float) -> StoreError:
    """What an error of SQLite says, in words for an operator. `wait_s` is as in `connected`."""
    said, place, code = str(error), str(path), _code(error)
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        fact = f"another program has held it for {min(BUSY_S, wait_s):g} s ({said})"
        return StoreError("busy", place, fact, "Try again; if that goes on, end the program that holds it")
    if code == sqlite3.SQLITE_FULL:
        return trouble.full(place, said)
    if code in {sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}:
        return trouble.denied(place, said)
    return StoreError("io", place, f"nothing was changed ({said})", "Look at the disk, and try again")


def _bring_on(copy: Path, version: int, schema: Schema, ids: list[str]) -> None:
    with closing(connected(copy)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        for step in range(version, schema.version):
            schema.steps[step](connection)
        connection.execute(f"PRAGMA user_version = {schema.version}")
        connection.execute("COMMIT")
        found = findings(connection)
        if found or _ids(connection) != ids:
            fact = f"not brought from version {version} to {schema.version}: the copy does not hold the same items"
            step_that_works = "Nothing was changed. Keep the file, and report this"
            raise StoreError("dropped", str(copy), fact + f" {found[:1]}" * bool(found), step_that_works)


def _keep(path: Path, name: Path) -> None:
    """Give a file a second name; what a migration that was cut off left there is the same file, or an older one."""
    if name.exists() and not name.samefile(path):
        number = 2
        while name.with_name(f"{name.name}-{number}").exists():
            number += 1
        name = name.with_name(f"{name.name}-{number}")
    if not name.exists():
        os.link(path, name)


def _ids(connection: sqlite3.Connection) -> list[str]:
    return [str(id_) for (id_,) in connection.execute("SELECT id FROM item ORDER BY id")]


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    ((value,),) = connection.execute(f"PRAGMA {name}")
    return int(value)


def _code(error: sqlite3.Error) -> int:
    # Errors of the module itself, such as a misuse, have none.
    return getattr(error, "sqlite_errorcode", 0) & _BASE_CODE
