"""Where sessions are: one folder for each folder that a person works in, laid out as pi does.

Only names are made here, and nothing is written.
Source: pi, getDefaultSessionDir and newSession.
"""

import os
import re
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from todo_repl.session_format import Refused, foreign, header_of

ENDING = ".jsonl"

HEAD_BYTES = 64 * 1024
"""How much of a file is read to tell whose it is: a header, with a title line before it, takes under 2 KiB."""

NAME_BYTES = 200
"""How long a folder's name may be, beside its marks; a file system takes 255 bytes."""

_UUID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

Clock = Callable[[], datetime]
"""Tells the time, with its time zone."""


def utc_now() -> datetime:
    """Tell the time of this machine."""
    return datetime.now(UTC)


def timestamp(now: datetime) -> str:
    """Write a time as pi does: UTC, milliseconds, `2026-11-30T12:00:00.000Z`."""
    return now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def session_folder(cwd: str, *, root: Path) -> Path:
    """The folder of the sessions of `cwd`: `/home/u/p` is `--home-u-p--` under `root`."""
    name = re.sub(r"[/\\:]", "-", re.sub(r"^[/\\]", "", cwd))
    if len(os.fsencode(name)) > NAME_BYTES:
        # Longer names no file system takes; pi keeps no session there at all.
        end = os.fsencode(name)[-NAME_BYTES // 2 :].decode(errors="ignore")
        name = f"{sha256(os.fsencode(name)).hexdigest()[:16]}-{end}"
    return root / f"--{name}--"


def new_session_path(cwd: str, *, root: Path, now: Clock = utc_now) -> Path:
    """The name of a session that begins now; it carries the session's id."""
    time = re.sub("[:.]", "-", timestamp(now()))
    return session_folder(cwd, root=root) / f"{time}_{uuid.uuid4()}{ENDING}"


def session_id_in(path: Path) -> str:
    """The id that a name of ours carries; a new one for any other name."""
    tail = path.stem.rpartition("_")[2]
    return tail if _UUID.fullmatch(tail) else str(uuid.uuid4())


def newest_session(cwd: str, *, root: Path) -> Path | None:
    """The session of ours for `cwd` that was written last; None if there is none.

    Foreign files, empty ones and what cannot be read are passed over.
    """
    written: list[tuple[int, Path]] = []
    for path in session_folder(cwd, root=root).glob(f"*{ENDING}"):
        try:
            if path.is_file() and _is_ours(path):
                written.append((path.stat().st_mtime_ns, path))
        except OSError:
            continue
    return max(written, default=(0, None))[1]


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        header = header_of(file.read(HEAD_BYTES))
    return not isinstance(header, Refused) and foreign(header) is None
