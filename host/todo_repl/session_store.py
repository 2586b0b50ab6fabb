"""Where the entries of a session are: all of them at hand, and in the file as far as the disk takes them.

What the disk did not take waits, and goes first, in order, with the next that comes. What another program added to
the file is never written after as if it were not there. A reading method raises a SessionError when the file cannot
be read any more.
"""

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from todo_context.pi import Entry
from todo_repl.session_branch import Way
from todo_repl.session_error import NotWrittenError, SessionError, SessionMovedError
from todo_repl.session_file import SessionFile
from todo_repl.session_format import Header, Refused, dump, foreign
from todo_repl.session_rebase import rebased
from todo_repl.session_records import Records
from todo_repl.session_tail import BLOCK_BYTES, OpenFile

IN_MEMORY = "The session goes on in memory alone."


def held(path: Path) -> tuple[SessionFile, Header | None, Sequence[str]]:
    """Hold a session file of ours, with its last line whole: its header, if it has one, and what had to be done.

    One that the disk lets nobody hold or mend now is read as it is.

    Raises:
        SessionError: the file is missing, foreign, no session, or open in another process.
    """
    _ours(OpenFile(path))
    file = SessionFile(path)
    try:
        try:
            file.hold()
            told = file.mend()
        except NotWrittenError as error:
            file.leave_as_it_is()
            fact = f"{error.what_fails} ({error.reason})."
            told = (f"{fact} {IN_MEMORY} {error.remedy}, or /fork takes it into a new file.",)
        # After that: before the lock was ours it may have changed.
        return file, _ours(file.opened()), told
    except BaseException:
        file.close()
        raise


class Store:
    """The entries of one session; `file` is None for one in memory.

    `header` is written with the first entry; empty, the file has one. `tell` takes a line for the person, which does
    not name the file.
    """

    def __init__(self, file: SessionFile | None, header: bytes, tell: Callable[[str], None]) -> None:
        self.file = file
        self._header = header
        self._header_lines = 1
        self._begins_at = len(header)
        self._tell = tell
        self._records = Records()
        self._leaf_id: str | None = None
        self._waiting: list[Entry] = []
        self._kept_elsewhere = 0
        self._moved: SessionMovedError | None = None
        self._is_closed = False
        if file is not None and not header:
            self._leaf_id = self._read(file.opened())

    @property
    def leaf_id(self) -> str | None:
        """Where the session stands, with what waits."""
        return str(self._waiting[-1]["id"]) if self._waiting else self._leaf_id

    @property
    def records(self) -> Records:
        """The entries of this moment. Another program's are among them once they were noticed."""
        return self._records

    @property
    def is_waiting(self) -> bool:
        """Whether there is anything that the disk did not take."""
        return bool(self._waiting)

    def is_gone(self) -> bool:
        """Whether the file that was written is no more."""
        return self.file is not None and not self.file.is_there()

    @property
    def faults(self) -> Sequence[str]:
        """What was passed over in the file, as far as it was read."""
        return self._records.faults(self._header_lines)

    def find(self, entry_id: str) -> Entry | None:
        """The entry of this id, None if there is none."""
        return self._records.find(entry_id)

    def put(self, line: bytes, entry: Entry) -> None:
        """Take in an entry, and write it if the disk takes it. `line` is the entry in the file.

        Raises:
            SessionMovedError: another program went on with the session. Nothing was taken in.
            SessionError: the file is no longer the one that this session wrote, or another process holds it. Likewise.
        """
        self._raise_if_moved()
        try:
            self._write(line)
        except NotWrittenError as error:
            self._wait(entry, error)
        else:
            self._leaf_id = str(entry["id"])
        self._records.add(entry)

    def look(self) -> None:
        """Notice what another program did to the file.

        Raises:
            SessionMovedError, SessionError: as `put`.
        """
        self._raise_if_moved()
        if self.file is not None and not self._header and self.file.has_changed():
            self._catch_up(self.file)

    def go_on_there(self) -> Sequence[str]:
        """Take for the leaf what another program left as such; what waits comes after it, merged with it.

        What the two disagreed on, a sentence each.

        Raises:
            SessionError: the file cannot be read. All is as it was, and can be tried again.
        """
        if self.file is None or self._moved is None:
            return ()
        before = self._leaf_id, self._moved, self._waiting
        try:
            return self._go_on_there(self.file)
        except BaseException:
            self._leaf_id, self._moved, self._waiting = before
            raise

    def _go_on_there(self, file: SessionFile) -> Sequence[str]:
        left = self._leaf_id
        while self._moved is not None:
            self._leaf_id, self._moved = self._moved.their_leaf, None
            try:
                self.look()
            except SessionMovedError:
                # It went on once more while the person was asked.
                continue
        base, theirs = (Way(self.find, leaf).branch() for leaf in (left, self._leaf_id))
        behind = rebased(self._waiting, base, theirs)
        self._waiting = list(behind.entries)
        self._read(file.opened())
        return behind.remarks

    def note_copy(self) -> None:
        """Remember that all that waits now is in another file too, and so is not lost with this one."""
        self._kept_elsewhere = len(self._waiting)

    def flush(self) -> None:
        """Write what waits.

        Raises:
            SessionMovedError, SessionError, NotWrittenError: as `put`; it waits still.
        """
        if self._waiting:
            self._raise_if_moved()
            self._write(b"")

    def close(self) -> None:
        """Write what waits, if the disk takes it now, and give the file free. Never raises."""
        if self.file is None or self._is_closed:
            return
        # Once: what was given up must not come back behind what another session has written since.
        self._is_closed = True
        if self._waiting:
            try:
                self.flush()
            except SessionError as error:
                count = len(self._waiting) - self._kept_elsewhere
                if count:
                    self._tell(f"{count} {'entry was' if count == 1 else 'entries were'} kept nowhere: {error.fact}")
        self.file.close()

    def _write(self, line: bytes) -> None:
        if self.file is None:
            return
        self.file.hold()
        # One write for all: no entry of a file of ours stands without the header, or before its parent.
        lines = b"".join((self._header, *(dump(entry) for entry in self._waiting), line))
        while not self.file.append(lines):
            self._catch_up(self.file)
        self._header = b""
        if self._waiting:
            self._leaf_id = str(self._waiting[-1]["id"])
            self._waiting.clear()
            self._kept_elsewhere = 0
            self._tell("written again, and nothing is missing.")

    def _wait(self, entry: Entry, error: NotWrittenError) -> None:
        if not self._waiting:
            self._tell(
                f"{error.what_fails} ({error.reason}). {IN_MEMORY} {error.remedy}: what is "
                "missing is written with what comes next."
            )
        self._waiting.append(entry)

    def _catch_up(self, file: SessionFile) -> None:
        if not file.catch_up():
            return
        theirs = self._read(file.opened())
        if theirs != self._leaf_id:
            self._moved = SessionMovedError(file.path, theirs)
            self._raise_if_moved()

    def _raise_if_moved(self) -> None:
        if self._moved is not None:
            raise SessionMovedError(self._moved.path, self._moved.their_leaf)

    def _read(self, file: OpenFile) -> str | None:
        """Begin to read the file anew, from its end, and all of it if it is short: the leaf in it."""
        found = file.header()
        if isinstance(found, tuple):
            self._header_lines, self._begins_at = found[0].line_number, found[1]
        # Without the last line feed, behind which there is no line.
        size = file.stat().st_size
        end = size - (file.read(max(0, size - 1), size) == b"\n")
        self._records = Records(file.lines_back(self._begins_at, end))
        if end - self._begins_at <= BLOCK_BYTES:
            self._records.all()
        leaf_id = self._records.leaf_id()
        for entry in self._waiting:
            self._records.add(entry)
        return leaf_id


def _ours(file: OpenFile) -> Header | None:
    found = file.header()
    if found is None:
        return None
    if isinstance(found, Refused):
        raise SessionError(file.path, found.fact, found.step)
    fact = foreign(found[0])
    if fact is not None:
        raise SessionError(file.path, fact, f"Its plan: todo-context show {shlex.quote(str(file.path))}")
    return found[0]
