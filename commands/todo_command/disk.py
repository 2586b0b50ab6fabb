"""Files that a person names: read whole and bounded, written whole or not at all.

Only regular files: a pipe would be waited for, and a device is no document. What is wrong with one is a
`FileError`, one line for the person. Nothing here knows what a plan is.
"""

import contextlib
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from todo_context.errors import TodoContextError
from todo_context.plan.text import for_screen

MOST_BYTES = 5_000_000
"""The largest file that is read: some 50,000 tasks, and still only a blink of waiting."""

SHOWN_CHARACTERS = 200
"""How much of a path a message shows. Of a longer one it is the end, which tells files apart."""

_QUOTES = ('"', "'")
_SEPARATORS = tuple({os.sep, "/"})


class FileError(TodoContextError):
    """A file that cannot be used, and a step that works."""

    def __init__(self, path: Path | str, fact: str, step: str) -> None:
        super().__init__(f"{shown(path)}: {fact}. {step}")
        self.path = path
        self.fact = fact


@dataclass(frozen=True, slots=True)
class Found:
    """A regular file as it was at one moment. Two that are equal are the same file, unchanged.

    `raw` is at most one byte more than `MOST_BYTES`, which then stands for a file that is larger.
    """

    raw: bytes
    mode: int
    inode: int
    changed_ns: int


def shown(path: Path | str) -> str:
    """A path, safe for the screen and bounded."""
    text = for_screen(str(path))
    return text if len(text) <= SHOWN_CHARACTERS else f"…{text[1 - SHOWN_CHARACTERS :]}"


def unquoted(typed: str) -> str:
    """A path as it was typed, without the quotes around it. Backslashes stay: on Windows they are part of it."""
    is_quoted = len(typed) > 1 and typed[0] in _QUOTES and typed[0] == typed[-1]
    return typed[1:-1] if is_quoted else typed


def place(typed: str, cwd: str) -> Path:
    """The path that a person means: quotes around it go, ~ is a home folder, and the rest stands in `cwd`.

    Raises:
        FileError: it is the name of a folder, or of no place, or could not be shown as it is.
    """
    typed = unquoted(typed)
    control = next(filter(_is_control, typed), None)
    if control is not None:
        raise FileError(typed, f"this name holds a control character (U+{ord(control):04X})", "Name a file without.")
    if typed.endswith(_SEPARATORS):
        raise FileError(typed, "this is the name of a folder", "Name a file in it.")
    try:
        return Path(cwd) / Path(typed).expanduser()
    except (RuntimeError, ValueError) as error:
        raise FileError(typed, "there is no such home folder", "Name the whole path.") from error


def find(path: Path) -> Found | None:
    """What is at this path, behind symbolic links too; None when nothing is.

    Raises:
        FileError: it is no regular file, or cannot be read.
    """
    try:
        # Before it is opened: opening alone can set a device in motion.
        return _read(path) if is_there(path) else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def is_there(path: Path) -> bool:
    """Whether a regular file is at this path; what is in it is not looked at.

    Raises:
        FileError: something else is, or it cannot be told.
    """
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    if stat.S_ISDIR(kind):
        raise FileError(path, "this is a folder", "Name a file in it.")
    if not stat.S_ISREG(kind):
        raise FileError(path, "this is no regular file", "Name another one.")
    return True


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        FileError: there is none, it cannot be read, it is larger than `MOST_BYTES`, or it is not UTF-8.
    """
    found = find(path)
    if found is None:
        raise FileError(path, "there is no such file", "Name another one; Tab completes.")
    if len(found.raw) > MOST_BYTES:
        raise FileError(path, f"larger than {MOST_BYTES // 1_000_000} MB", "Name the file of a plan.")
    try:
        return found.raw.decode("utf-8")
    except UnicodeDecodeError as error:
        fact = f"not UTF-8: byte {error.start} is 0x{found.raw[error.start]:02x}"
        raise FileError(path, fact, "Save it as UTF-8.") from error


def write_text(path: Path, text: str, *, over: Found | None) -> None:
    """Put the text in the place of what was found there; into a new file where nothing was.

    A file keeps its mode, and a symbolic link stays one: what it points to is written.

    Raises:
        FileError: it cannot be written, or is no longer as it was found. Nothing has changed then.
    """
    target = path.resolve()
    # Not named after the file: a name can be so long that nothing fits behind it.
    draft = target.with_name(f".todo-export-{secrets.token_hex(8)}")
    try:
        # Else a file marked as not to be written would be: renaming asks only the folder.
        if over is not None and not os.access(target, os.W_OK):
            raise FileError(path, "may not be written", "Name another file.")
        _write_new(draft, text.encode(), over.mode if over else None)
        if find(path) != over:
            raise FileError(path, "changed just now, and was left alone", "Look at it, then try again.")
        draft.replace(target)
    except (OSError, ValueError) as error:
        raise FileError(path, f"cannot be written: {_reason(error)}", "Name another file.") from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()


def free_name(typed: str, cwd: str) -> str:
    """A name like the one that was typed, under which nothing is yet."""
    path, number = Path(unquoted(typed)), 2
    while os.path.lexists(place(name := str(path.with_name(f"{path.stem}-{number}{path.suffix}")), cwd)):
        number += 1
    return name


def _read(path: Path) -> Found:
    # Should it have become a pipe since, this does not wait for its other end.
    waits_not = getattr(os, "O_NONBLOCK", 0)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | waits_not)) as file:
        status = os.fstat(file.fileno())
        raw = file.read(MOST_BYTES + 1) or b""
    return Found(raw, stat.S_IMODE(status.st_mode), status.st_ino, status.st_mtime_ns)


def _write_new(path: Path, content: bytes, mode: int | None) -> None:
    """A new file of this mode, on the disk; without a mode, of the one that new files have."""
    # Private until it has its mode, for the file it replaces may be.
    first = 0o666 if mode is None else 0o600
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, first)) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if mode is not None:
        path.chmod(mode)


def _is_control(character: str) -> bool:
    return character < " " or "\x7f" <= character <= "\x9f"


def _unreadable(path: Path, error: OSError | ValueError) -> FileError:
    return FileError(path, f"cannot be read: {_reason(error)}", "Name another file.")


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or for_screen(str(error))
