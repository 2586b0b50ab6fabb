"""A session: a tree of entries, append-only, in a file or in memory.

The branch is the path from the root to the leaf; the leaf is the entry stored last, or the one it points to.
Everything else is told from the branch, and moving in the tree is an entry too.
Source: pi session format, version 3.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from todo_context.pi import Entry
from todo_context.plan.model import Json
from todo_context.plan.text import for_screen, one_line
from todo_repl.session_branch import Branch, Way
from todo_repl.session_error import SessionError, SessionMovedError
from todo_repl.session_file import SessionFile
from todo_repl.session_folder import (
    Clock,
    new_session_path,
    newest_session,
    session_folder,
    session_id_in,
    timestamp,
    utc_now,
)
from todo_repl.session_fork import write_fork
from todo_repl.session_format import dump, header_line, parse
from todo_repl.session_list import name_of
from todo_repl.session_read import read_branch
from todo_repl.session_store import Store, held
from todo_repl.session_tree import TreeNode, children_of, tree_of

__all__ = [
    "Session",
    "SessionError",
    "SessionMovedError",
    "new_session_path",
    "newest_session",
    "read_branch",
    "session_folder",
]

ID_BYTES = 4
"""Of an entry's id, written as 8 hexadecimal digits. Source: pi, generateId."""

LONG_ID_BYTES = 8
"""Of the id of an entry where not all others were read, so that it cannot be held against theirs."""

MOVE = "todo_leaf"
"""The custom type of an entry that says nothing: it follows another one and is the leaf by that, in pi too."""


class Session:
    """One session, for one writer. Make it with `create`, `open` or `memory`; a `with` block closes it.

    What is appended goes into the file at once. While the disk does not take it, the session goes on in memory:
    `on_trouble` gets one line for the person when that begins and one when all is written (None: they join the
    `notices`). Reading raises a SessionError when the file cannot be read any more.
    """

    def __init__(
        self, *, session_id: str, cwd: str, file: SessionFile | None, now: Clock, is_begun: bool = False
    ) -> None:
        self.id = session_id
        self.cwd = cwd
        self.on_trouble: Callable[[str], None] | None = None
        self._now = now
        self._is_closed = False
        self._told: list[str] = []
        header = b"" if is_begun else header_line(session_id, cwd, timestamp(now()))
        self._store = Store(file, header, self._tell)
        self._way = Way(self._store.find, self._store.leaf_id)

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
        """Go on with a session of ours, holding its file, of which the end is read and the rest when it is wanted.

        A torn last line is moved to a file of its own before anything is appended. What nobody may write now goes on in
        memory, as `notices` then say. A file without even a whole header begins anew; `cwd` is for that case alone
        (None: the process's own).

        Raises:
            SessionError: the file is missing, foreign, no session, or open in another process.
        """
        file, header, told = held(path)
        try:
            if header is None:
                session = cls(session_id=session_id_in(path), cwd=cwd or str(Path.cwd()), file=file, now=now)
            else:
                session = cls(session_id=header.id, cwd=header.cwd, file=file, now=now, is_begun=True)
                session._look_at_the_branch()
        except BaseException:
            file.close()
            raise
        session._told.extend(told)
        return session

    @property
    def path(self) -> Path | None:
        """The file; None in memory. It exists once something was appended."""
        return None if self._store.file is None else self._store.file.path

    @property
    def is_waiting(self) -> bool:
        """Whether there are entries that the disk did not take."""
        return self._store.is_waiting

    @property
    def unsaved(self) -> str:
        """What would be gone with this object, in words for the person; empty if nothing, or none is to be kept."""
        if self._store.is_waiting:
            return "what was done last is not written yet"
        if self.leaf_id is not None and self._store.is_gone():
            return "the file is gone, or another one is in its place"
        return ""

    @property
    def storage(self) -> Literal["session", "memory"]:
        """Whether entries outlive the process, all of them."""
        return "memory" if self._store.file is None or self._store.is_waiting else "session"

    @property
    def notices(self) -> tuple[str, ...]:
        """Lines for the person: what was found in the file as far as it was read, and trouble nobody was told."""
        cut_at = self._way.cut_at
        missing = [f"what came before entry {cut_at} is missing; the conversation begins there"] if cut_at else []
        name = "" if self.path is None else f"{self.path.name}: "
        return tuple(for_screen(f"{name}{notice}") for notice in (*self._told, *self._store.faults, *missing))

    @property
    def leaf_id(self) -> str | None:
        """The id of the entry that the next one follows; None while there is none."""
        return self._store.leaf_id

    def entries(self) -> Sequence[Entry]:
        """All entries in the order stored, without the header. Reads the whole file."""
        return self._store.records.all()

    def entry(self, entry_id: str) -> Entry | None:
        """The entry of this id, None if there is none."""
        return self._store.find(entry_id)

    def branch(self) -> Branch:
        """The entries from the root to the leaf, the root first; `reversed` reads no further than it is asked."""
        return self._way.branch()

    def branch_to(self, entry_id: str) -> Branch:
        """The entries from the root to one of them; none if there is no such entry."""
        return Way(self._store.find, entry_id).branch()

    def children(self, entry_id: str | None) -> Sequence[Entry]:
        """The entries that follow one directly, in the order stored; None: the roots."""
        return children_of(self.entries(), entry_id)

    def tree(self) -> Sequence[TreeNode]:
        """What was said and how the plan changed, on all branches, for a person who chooses where to go."""
        return tree_of(self.entries(), self.branch())

    @property
    def name(self) -> str:
        """The name that a person gave it, in pi or here; empty if it has none."""
        return name_of(self._store.records.newest_first("session_info"))

    @property
    def name_so_far(self) -> str:
        """The name, if what was read of the session says it: to look for none, all of a long one would be read."""
        return name_of(self._store.records.newest_first("session_info", reads=False))

    def rename(self, name: str) -> str:
        """Give the session a name, "" to take it away; the entry's id."""
        return self.append("session_info", {"name": one_line(name)})

    def move_to(self, entry_id: str | None) -> None:
        """Go on after another entry, None: before all of them. The leaf is then an entry that says just that.

        Raises:
            SessionError: there is no such entry; else as `append`.
        """
        if entry_id == self.leaf_id:
            return
        if entry_id is not None and self._store.find(entry_id) is None:
            raise self._error(f"there is no entry {entry_id}.", "Choose one of its tree.")
        self._append("custom", {"customType": MOVE}, after=entry_id)

    def append(self, entry_type: str, fields: Mapping[str, Json]) -> str:
        """Store an entry after the leaf; its id. If the disk does not take it, it is in memory all the same.

        Raises:
            SessionMovedError: another program went on with the session; so does each further append, until
                `go_on_there`. Nothing was stored.
            SessionError: the file was replaced, another process holds it, or the session is closed. Likewise.
        """
        return self._append(entry_type, fields, after=self.leaf_id)

    def append_message(self, message: Mapping[str, Json]) -> str:
        """Store a message in pi's shape; the entry's id. Raises as `append`."""
        return self.append("message", {"message": dict(message)})

    def append_custom(self, custom_type: str, data: Mapping[str, Json]) -> str:
        """Store an entry of an extension, which the model does not see; its id. Raises as `append`."""
        return self.append("custom", {"customType": custom_type, "data": dict(data)})

    def append_custom_message(self, custom_type: str, text: str, *, display: bool = True) -> str:
        """Store a message of an extension, which the model sees, and the person if `display`; its id.

        Raises as `append`.
        """
        return self.append("custom_message", {"customType": custom_type, "content": text, "display": display})

    def look(self) -> None:
        """Notice what another program did to the file, before work is done that could not be stored.

        Raises:
            SessionMovedError, SessionError: as `append`.
        """
        self._store.look()

    def go_on_there(self) -> Sequence[str]:
        """Go on where another program left the session; what was refused can be appended again.

        What waited for the disk is merged with what that program did: a sentence for each disagreement.

        Raises:
            SessionError: the file is no longer the one that this session wrote, or cannot be read. All is as it was.
        """
        remarks = self._store.go_on_there()
        self._way = Way(self._store.find, self.leaf_id)
        return remarks

    def fork(self, path: Path, *, at: str | None = None) -> "Session":
        """Begin another session, open at `path`, as the branch up to an entry (None: the leaf). This one stays.

        Raises:
            SessionError: there is no such entry, a file at `path`, or the disk does not take it.
        """
        branch = self.branch() if at is None else self.branch_to(at)
        if at is not None and not branch:
            raise self._error(f"there is no entry {at}.", "Choose one of its tree.")
        parent = None if self._store.file is None else self._store.file.real
        write_fork(branch, path, cwd=self.cwd, parent=parent, now=self._now)
        if at is None:
            self._store.note_copy()
        return Session.open(path, now=self._now)

    def flush(self) -> None:
        """Write what waits for the disk.

        Raises:
            SessionError: it cannot be written now, and waits still.
        """
        self._store.flush()

    def close(self) -> None:
        """Give the file free. Nothing can be appended afterwards; reading goes on."""
        self._is_closed = True
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _append(self, entry_type: str, fields: Mapping[str, Json], *, after: str | None) -> str:
        if self._is_closed:
            raise self._error("the session is closed.", "Open it again.")
        envelope: dict[str, Json] = {
            "type": entry_type,
            "id": self._new_id(),
            "parentId": after,
            "timestamp": timestamp(self._now()),
        }
        # Twice: once for the order of the keys, once so that no field takes the place of one of them.
        line, entry = self._line({**envelope, **fields, **envelope})
        is_move = after != self.leaf_id
        self._store.put(line, entry)
        if is_move:
            self._way = Way(self._store.find, after)
        self._way.grow(entry)
        return str(entry["id"])

    def _new_id(self) -> str:
        records = self._store.records
        while records.knows(new := secrets.token_hex(ID_BYTES if records.is_whole else LONG_ID_BYTES)):
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

    def _look_at_the_branch(self) -> None:
        # So that what is missing is told on opening; of a long file it is not known until somebody reads so far.
        if self._store.records.is_whole:
            len(self.branch())

    def _tell(self, line: str) -> None:
        if self.on_trouble is None:
            self._told.append(line)
        else:
            self.on_trouble(for_screen(f"{self.path}: {line}"))

    def _error(self, fact: str, step: str) -> SessionError:
        return SessionError(self.path or Path("(memory)"), fact, step)
