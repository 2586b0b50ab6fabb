"""A session of ours that begins as a branch of another, of ours or of any program.

The new file is there whole or not at all, and the other is not touched. Entries keep their ids.
Source: pi, createBranchedSession; but labels and names come along only where they stand on the branch.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from todo_context.pi import Entry
from todo_repl.session_branch import Way
from todo_repl.session_error import SessionError
from todo_repl.session_file import SessionFile
from todo_repl.session_folder import Clock, session_id_in, timestamp, utc_now
from todo_repl.session_format import dump, header_line
from todo_repl.session_read import read_session


def fork_file(source: Path, path: Path, *, cwd: str, at: str | None = None, now: Clock = utc_now) -> None:
    """Begin, at `path`, a session for `cwd` as the branch of a session file up to an entry (None: up to its leaf).

    Raises:
        NotWrittenError: the disk does not take it.
        SessionError: the source is no session or has no such entry on its branch, or there is a file at `path`.
    """
    branch: Sequence[Entry] = read_session(source).branch
    if at is not None:
        by_id = {str(entry["id"]): entry for entry in branch}
        branch = Way(by_id.get, at).branch()
        if not branch:
            raise SessionError(source, f"there is no entry {at} on its branch.", "Leave it out, or name another.")
    write_fork(branch, path, cwd=cwd, parent=source, now=now)


def write_fork(branch: Sequence[Entry], path: Path, *, cwd: str, parent: Path | None, now: Clock) -> None:
    """Begin a session of ours as this branch; `parent` is the file that it comes from.

    Raises:
        NotWrittenError: the disk does not take it.
        SessionError: there is a file at `path`, or an entry that cannot be written.
    """
    parent_path = None if parent is None else str(parent.absolute())
    header = header_line(session_id_in(path), cwd, timestamp(now()), parent=parent_path)
    file, lines = SessionFile(path), [header]
    for entry in _from_a_root(branch):
        try:
            lines.append(dump(entry, at_any_depth=True))
        except (ValueError, RecursionError) as error:
            fact = f"entry {entry['id']} cannot be copied ({error})."
            raise SessionError(path, fact, "Go to a point before it with /tree, and try again.") from error
    try:
        file.create(b"".join(lines))
    finally:
        file.close()


def _from_a_root(branch: Sequence[Entry]) -> Iterator[Entry]:
    # A parent that was missing there is not missing here, where nobody knows of it.
    parent: str | None = None
    for entry in branch:
        yield {**entry, "parentId": parent}
        parent = str(entry["id"])
