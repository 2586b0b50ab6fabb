"""Texts that are being edited, as files: written, read back, and found again when nobody took them over.

A draft is two files: `<name>.md`, which the editor is given, and `<name>.base` beside it with the text as it
was opened, or nothing where that was the person's own already. As long as the second one is there and the two
differ, the draft is offered again. It belongs to one session.
"""

import contextlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from todo_context.paths import FILE_MODE, make_private
from todo_context.plan.problem import LineProblem
from todo_context.plan.text import for_screen

OWNER_CHARACTERS = 16
"""How much of a session's id stands in a file name; enough to tell sessions of one person apart."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text in a file, below the `comments` that we wrote above it."""

    path: Path
    text: str
    comments: tuple[str, ...] = ()

    @classmethod
    def write(
        cls, folder: Path, text: str, problems: Sequence[LineProblem] = (), *, owner: str = "", is_own: bool = False
    ) -> "Draft":
        """Put the text into a new file of `folder`, for this user only.

        `owner` is the session's id. `is_own`: the text is the person's, and would be a loss as it stands.

        Raises:
            OSError: it cannot be written.
        """
        comments = tuple(comment(problem, below=len(problems)) for problem in problems)
        path = _new_file(make_private(folder), _owner(owner))
        encoded = text.encode("utf-8", errors="replace")
        # As bytes: the text's own line ends stand as they are. The base first, so that no draft is without.
        _write_private(_base(path), b"" if is_own or problems else encoded)
        path.write_bytes("".join(f"{line}\n" for line in comments).encode() + encoded)
        return cls(path, encoded.decode(), comments)

    def read(self) -> str:
        """What stands in the file now, without our comments.

        Raises:
            OSError: the file is gone or closed to us.
            UnicodeDecodeError: it is not UTF-8.
        """
        left = list(self.comments)
        kept: list[str] = []
        # Not splitlines(): it also splits at U+2028, which a task may hold.
        for line in self.path.read_bytes().decode("utf-8").split("\n"):
            if line.removesuffix("\r") in left:
                left.remove(line.removesuffix("\r"))
            else:
                kept.append(line)
        return "\n".join(kept)

    def is_unchanged(self, edited: str) -> bool:
        """Whether a text is the one that was opened. Editors end the last line when they save."""
        return edited.rstrip("\r\n") == self.text.rstrip("\r\n")

    def settle(self) -> None:
        """Offer it no more; the file stays for whoever was told its path."""
        with contextlib.suppress(OSError):
            _base(self.path).unlink()

    def remove(self) -> None:
        """Take the files away. What cannot be removed is no reason to lose what was read from it."""
        self.settle()
        with contextlib.suppress(OSError):
            self.path.unlink()


def left_over(folder: Path, owner: str) -> Draft | None:
    """The newest draft of a session that was changed and never taken over; older unchanged ones are removed."""
    found: Draft | None = None
    for base in sorted(folder.glob(f"todo-{_owner(owner)}-*.base"), reverse=True):
        draft = _opened(base)
        if draft is None:
            continue
        try:
            is_changed = not draft.is_unchanged(draft.read())
        except (OSError, UnicodeDecodeError):
            continue
        if not is_changed:
            draft.remove()
        elif found is None:
            found = draft
    return found


def comment(problem: LineProblem, *, below: int) -> str:
    """A problem as one line of Markdown that reads as nothing. `below` so many of them the text begins."""
    said = for_screen(f"line {problem.line + below}: {problem.message}")
    # Else the text could end the comment, and its rest would be read.
    return f"<!-- {said.replace('--', '- -')} -->"


def _opened(base: Path) -> Draft | None:
    """The draft of a base file, with the comment lines that still stand above it taken as ours."""
    path = base.with_suffix(".md")
    try:
        text = base.read_bytes().decode("utf-8")
        first = path.read_bytes().decode("utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return None
    ours = [line.removesuffix("\r") for line in first if re.match(r"<!-- line \d+: .* -->\r?\Z", line)]
    return Draft(path, text, tuple(ours))


def _base(path: Path) -> Path:
    return path.with_suffix(".base")


def _owner(session_id: str) -> str:
    return re.sub("[^0-9A-Za-z]", "", session_id)[:OWNER_CHARACTERS] or "none"


def _new_file(folder: Path, owner: str) -> Path:
    while True:
        # The clock moves on, so this ends.
        path = folder / f"todo-{owner}-{datetime.now().astimezone():%Y%m%d-%H%M%S-%f}.md"
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))
        except FileExistsError:
            continue
        return path


def _write_private(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, FILE_MODE)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
