"""What the world says, in words for an operator: the file, the fact, a step that works. No value of an item in it."""

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from todo_context.backlog.shapes import Backup
from todo_context.backlog.store import StoreError
from todo_context.backlog.words import count

RECOVER = "Recover from it, or say that a new one is wanted"

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def of_os(error: OSError, path: Path) -> StoreError:
    """An error of the system, about a store at `path`."""
    place, said = str(error.filename or path), error.strerror or str(error)
    if error.errno in _FULL:
        return full(place, said)
    if isinstance(error, PermissionError):
        return denied(place, said)
    return StoreError("io", place, f"nothing was changed ({said})", "Look at the disk, and try again")


def full(place: str, said: str) -> StoreError:
    """The disk takes no more."""
    return StoreError("full", place, f"nothing was changed, the disk is full ({said})", "Make room on it")


def denied(place: str, said: str) -> StoreError:
    """It is not ours to read or write."""
    return StoreError("denied", place, f"nothing was changed ({said})", "Make it yours to read and write")


def named(backup: Backup) -> str:
    """A backup in a sentence."""
    return f"a backup of {backup.at:%Y-%m-%d %H:%M} with {count(backup.items)}"


def refuse_if_lost(place: str, fact: str, backups: Sequence[Backup], aside: Path | None) -> None:
    """An empty beginning is nobody's wish where backups say that there was more.

    `aside` is what was set aside last.

    Raises:
        StoreError: so it is.
    """
    backup = next(iter(backups), None)
    if backup is not None and backup.items:
        also = f", and what was set aside, {aside}," if aside else ""
        raise StoreError("missing", place, f"{fact}, but {named(backup)}{also} is", RECOVER, backup=backup)


def free_bytes(path: Path) -> int | None:
    """The room on the disk of a file; None where nobody says."""
    with suppress(OSError):
        status = os.statvfs(path.parent)
        return status.f_bavail * status.f_frsize
    return None
