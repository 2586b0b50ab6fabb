"""Copies of a store's file that lie beside it: backups, and what was set aside.

`<file>.backup-<time>` are made by us and bounded in number; `<file>.aside-<time>` are what could not be read or
was replaced, and `<file>.v<n>` what a migration began from: those are never taken away by us.
"""

import os
import re
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from todo_context.backlog.shapes import Backup
from todo_context.backlog.trouble import free_bytes
from todo_context.paths import FILE_MODE

KEPT = 7
"""Backups. One a day makes a week of them."""

EVERY = timedelta(days=1)
"""How old the newest backup is before a write makes another."""

ROOM = 1_000_000
"""Bytes that a backup which nobody asked for leaves free, beside the room for another copy."""

PAUSES_S = (0.01, 0.02, 0.05, 0.1, 0.2)
"""Seconds between the tries to put a file in its place, when that is denied."""

_BACKUP, _ASIDE, _NEW = ".backup-", ".aside-", ".new-by-"
_FORM = "%Y%m%dT%H%M%S.%fZ"


def backup_paths(store: Path, now: datetime) -> list[Path]:
    """All backups of a store, the newest first; behind them those of a time to come, which a wrong clock has made."""
    found = store.parent.glob(f"{_escaped(store.name)}{_BACKUP}*")
    dated = sorted(((at, path) for path in found if (at := time_of(path)) is not None), reverse=True)
    return [path for _, path in sorted(dated, key=lambda each: each[0] > now + EVERY)]


def time_of(path: Path) -> datetime | None:
    """When a backup was made; None if it is none."""
    try:
        return datetime.strptime(path.name.rpartition(_BACKUP)[2], _FORM).replace(tzinfo=UTC)
    except ValueError:
        return None


def is_due(store: Path, now: datetime) -> bool:
    """Whether it is time for another."""
    newest = next(iter(backup_paths(store, now)), None)
    at = None if newest is None else time_of(newest)
    return at is None or not -EVERY <= now - at < EVERY


def leaves_room(store: Path) -> bool:
    """Whether a backup leaves room on the disk for what is to be written."""
    free, size = free_bytes(store), store.stat().st_size
    return free is None or free > 2 * size + ROOM


def make_backup(store: Path, now: datetime, copy: Callable[[Path], None]) -> Path:
    """Have `copy` write a backup into a file of its own, then give it its name; older ones beyond `KEPT` go.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    sweep(store)
    made = store.with_name(f"{store.name}{_BACKUP}{now.astimezone(UTC).strftime(_FORM)}")
    written_whole(made, copy)
    for path in backup_paths(store, now)[KEPT:]:
        path.unlink(missing_ok=True)
    return made


def sweep(store: Path) -> None:
    """Take away what a process left that was killed while it wrote. With the lock held nobody else writes."""
    ours = re.compile(rf"{re.escape(store.name)}({re.escape(_BACKUP)}[0-9TZ.]+)?{re.escape(_NEW)}[0-9]+(-journal)?")
    # Whole: a file of the person's, or of another store, may begin alike.
    for path in store.parent.glob(f"{_escaped(store.name)}*{_NEW}*"):
        if ours.fullmatch(path.name):
            path.unlink(missing_ok=True)


def written_whole(path: Path, write: Callable[[Path], object], *, clear: Callable[[], object] | None = None) -> None:
    """Write a file beside, make it last, and put it in its place: whole, or not at all.

    It has the owner and the mode of what stood there; else it is for its owner alone.

    `clear` makes the place free, when nothing more can fail but that.

    Raises:
        OSError: it cannot be written; what stood there stands there still.
    """
    # A name of each process: two that write at once do not write into one file.
    new = path.with_name(f"{path.name}{_NEW}{os.getpid()}")
    try:
        os.close(os.open(new, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, FILE_MODE))
        write(new)
        with suppress(FileNotFoundError):
            _made_alike(new, path.stat())
        sync(new)
        if clear is not None:
            clear()
        _replace(new, path)
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)
    sync(path.parent)


def _made_alike(new: Path, before: os.stat_result) -> None:
    if os.geteuid() == 0 and before.st_uid != 0:
        os.chown(new, before.st_uid, before.st_gid)
    new.chmod(stat.S_IMODE(before.st_mode))


def _replace(new: Path, path: Path) -> None:
    # On some systems a file that somebody reads is denied for that moment. One that is truly not ours was denied
    # before, when the new one was made beside it.
    for pause in (*PAUSES_S, None):
        try:
            new.replace(path)
        except PermissionError as error:
            if pause is None:
                raise PermissionError(error.errno, error.strerror, str(path)) from error
            time.sleep(pause)
        else:
            return


def good(store: Path, now: datetime, items_in: Callable[[Path], int | None]) -> list[Backup]:
    """The backups that can be read, in the order of `backup_paths`.

    `items_in` counts what is in one, None for a broken one.
    """
    found: list[Backup] = []
    for path in backup_paths(store, now):
        at, items = time_of(path), items_in(path)
        if at is not None and items is not None:
            found.append(Backup(str(path), at, items))
    return found


def set_aside(path: Path, now: datetime) -> Path:
    """Give what lies there another name, and say which."""
    aside = free_name(path, now)
    path.rename(aside)
    sync(path.parent)
    return aside


def newest_aside(path: Path) -> Path | None:
    """What was set aside of it last."""
    return max(path.parent.glob(f"{_escaped(path.name)}{_ASIDE}*"), default=None)


def free_name(path: Path, now: datetime) -> Path:
    """A name for what is to be set aside."""
    return path.with_name(f"{path.name}{_ASIDE}{now.astimezone(UTC).strftime(_FORM)}")


def sync(path: Path) -> None:
    """Have what was written to a file, or in a folder, last.

    Raises:
        OSError: the disk does not say that it does.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


SQLITE = b"SQLite format 3\0"
"""How each file of SQLite begins. Source: its file format, 1.3."""

_HEAD = 512


def head_of(path: Path) -> bytes:
    """The first bytes of a file that nobody has open here."""
    with path.open("rb") as file:
        return file.read(_HEAD)


def is_text(head: bytes) -> bool:
    """Whether the beginning of a file is that of a text, and not of what a disk has left of one."""
    # The last character may be cut.
    return bool(head) and b"\0" not in head and "\ufffd" not in head.decode(errors="replace")[:-1]


def _escaped(name: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)
