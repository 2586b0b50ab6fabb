"""A session: a tree of entries, append-only, in a file or in memory.

An entry is in memory only once it is in the file, and both hold the same. The branch is the path from
the root to the leaf; the leaf is the entry stored last, or the one it points to (`Log.leaf_id`).
Source: pi session format, version 3.
"""

import secrets
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from todo_context.pi import Entry
from todo_context.plan.model import Json
from todo_context.plan.text import for_screen
from todo_repl.session_file import SessionError, SessionFile, read_file
from todo_repl.session_folder import (
    Clock,
    new_session_path,
    newest_session,
    session_folder,
    session_id_in,
    timestamp,
    utc_now,
)
from todo_repl.session_format import (
    Log,
    Refused,
    dump,
    foreign,
    header_line,
    header_of,
    is_torn_header,
    parse,
    read_log,
)
from todo_repl.session_read import read_branch

__all__ = ["Session", "SessionError", "new_session_path", "newest_session", "read_branch", "session_folder"]

ID_BYTES = 4
"""Of an entry's id, written as 8 hexadecimal digits. Source: pi, generateId."""


class Session:
    """One session, for one writer. Make it with `create`, `open` or `memory`; a `with` block closes it.

    `notices` are lines for the person about what was found on opening: a torn line, lines skipped.
    """

    def __init__(self, *, session_id: str, cwd: str, file: SessionFile | None, now: Clock) -> None:
        self.id = session_id
        self.cwd = cwd
        self.notices: tuple[str, ...] = ()
        self._file = file
        self._now = now
        self._header = header_line(session_id, cwd, timestamp(now()))
        self._is_closed = False
        self._entries: list[Entry] = []
        self._by_id: dict[str, Entry] = {}
        self._leaf_id: str | None = None
        self._branch: list[Entry] = []

    @classmethod
    def create(cls, path: Path, cwd: str, *, now: Clock = utc_now) -> Self:
        """Begin a session whose file, and its folder, are made by the first append."""
        return cls(session_id=session_id_in(path), cwd=cwd, file=SessionFile(path), now=now)

    @classmethod
    def memory(cls, cwd: str, *, now: Clock = utc_now) -> Self:
        """Begin a session that ends with the process."""
        return cls(session_id=session_id_in(Path()), cwd=cwd, file=None, now=now)

    @classmethod
    def open(cls, path: Path, *, cwd: str | None = None, now: Clock = utc_now) -> Self:
        """Go on with a session of ours, holding its file.

        A torn last line is moved to a file of its own before anything is appended. A file without even a whole
        header begins anew; `cwd` is for that case alone (None: the process's own).

        Raises:
            SessionError: the file is missing, foreign, no session, not ours to write, or open in another process.
        """
        _check_ours(path, read_file(path))
        file = SessionFile(path)
        file.hold()
        try:
            # Read again: it may have grown before the lock was ours.
            _check_ours(path, read_file(path))
            content, notices = file.mend()
            session = cls._of(path, content, cwd, file=file, now=now)
        except BaseException:
            file.close()
            raise
        session.notices = tuple(for_screen(f"{path.name}: {notice}") for notice in (*notices, *session.notices))
        return session

    @classmethod
    def _of(cls, path: Path, content: bytes, cwd: str | None, *, file: SessionFile, now: Clock) -> Self:
        if not content:
            return cls(session_id=session_id_in(path), cwd=cwd or str(Path.cwd()), file=file, now=now)
        log = _log(path, content)
        session = cls(session_id=log.header.id, cwd=log.header.cwd, file=file, now=now)
        session._restore(log)
        return session

    @property
    def path(self) -> Path | None:
        """The file; None in memory. It exists once something was appended."""
        return None if self._file is None else self._file.path

    @property
    def storage(self) -> Literal["session", "memory"]:
        """Whether entries outlive the process."""
        return "memory" if self._file is None else "session"

    @property
    def leaf_id(self) -> str | None:
        """The id of the entry that the next one follows; None while there is none."""
        return self._leaf_id

    def entries(self) -> Sequence[Entry]:
        """All entries in the order stored, without the header."""
        return tuple(self._entries)

    def branch(self) -> Sequence[Entry]:
        """The entries from the root to the leaf, the root first."""
        return tuple(self._branch)

    def append(self, entry_type: str, fields: Mapping[str, Json]) -> str:
        """Store an entry after the leaf; its id.

        Raises:
            SessionError: nothing was stored, in the file or in memory.
        """
        envelope: dict[str, Json] = {
            "type": entry_type,
            "id": self._new_id(),
            "parentId": self._leaf_id,
            "timestamp": timestamp(self._now()),
        }
        # Twice: once for the order of the keys, once so that no field takes the place of one of them.
        line, entry = self._line({**envelope, **fields, **envelope})
        self._store(line)
        self._add(entry)
        return str(entry["id"])

    def append_message(self, message: Mapping[str, Json]) -> str:
        """Store a message in pi's shape; the entry's id."""
        return self.append("message", {"message": dict(message)})

    def append_custom(self, custom_type: str, data: Mapping[str, Json]) -> str:
        """Store an entry of an extension, which the model does not see; its id."""
        return self.append("custom", {"customType": custom_type, "data": dict(data)})

    def append_custom_message(self, custom_type: str, text: str, *, display: bool = True) -> str:
        """Store a message of an extension, which the model sees, and the person if `display`; its id."""
        return self.append("custom_message", {"customType": custom_type, "content": text, "display": display})

    def close(self) -> None:
        """Give the file free. Nothing can be appended afterwards; reading goes on."""
        self._is_closed = True
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _new_id(self) -> str:
        while (new := secrets.token_hex(ID_BYTES)) in self._by_id:
            pass
        return new

    def _line(self, record: Mapping[str, Json]) -> tuple[bytes, Entry]:
        try:
            line = dump(record)
        except (ValueError, RecursionError):
            line = b""
        # Memory gets what the file will give back, never the caller's own object, which may change later.
        entry = parse(line)
        if entry is None:
            raise self._error("an entry is nested too deeply to be stored.", "Send less at once.")
        return line, entry

    def _store(self, line: bytes) -> None:
        if self._is_closed:
            raise self._error("the session is closed.", "Open it again.")
        if self._file is None:
            return
        self._file.hold()
        # One write for both: no entry of a file of ours stands without the header.
        self._file.append(self._header + line)
        self._header = b""

    def _add(self, entry: Entry) -> None:
        self._entries.append(entry)
        self._by_id[str(entry["id"])] = entry
        self._leaf_id = str(entry["id"])
        self._branch.append(entry)

    def _restore(self, log: Log) -> None:
        self._header = b""
        self._entries = list(log.entries)
        self._by_id = log.by_id
        self._leaf_id = log.leaf_id
        self._branch = list(log.branch())
        self.notices = log.notices
        if self._branch and self._branch[0].get("parentId") is not None:
            root = self._branch[0]["id"]
            self.notices += (f"what came before entry {root} is missing; the conversation begins there",)

    def _error(self, fact: str, step: str) -> SessionError:
        return SessionError(self.path or Path("(memory)"), fact, step)


def _log(path: Path, content: bytes) -> Log:
    log = read_log(content)
    if isinstance(log, Refused):
        raise SessionError(path, log.fact, log.step)
    return log


def _check_ours(path: Path, content: bytes) -> None:
    if is_torn_header(content):
        return
    header = header_of(content)
    if isinstance(header, Refused):
        raise SessionError(path, header.fact, header.step)
    fact = foreign(header)
    if fact is not None:
        raise SessionError(path, fact, f"Its plan: todo-context show {shlex.quote(str(path))}")
