"""Texts that are being edited, as files: written, read back, and found again when nobody took them over.

A draft is two files: `<name>.md`, which the editor is given, and `<name>.base` beside it with the text that
the edit began from. As long as the second one is there and the two differ, the draft is offered again; what it
began from comes with it, so that it can be merged with what changed since. It belongs to one session.
"""

import contextlib
import errno
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from todo_context.paths import FILE_MODE, make_private
from todo_context.plan.problem import LineProblem
from todo_context.plan.text import for_screen

UNCHANGED_KEPT_S = 86_400.0
"""How long a draft that nobody changed is kept, in seconds: an editor may still have it open."""

OWNER_CHARACTERS = 16
"""How much of a session's id stands in a file name; enough to tell sessions of one person apart."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text in a file, below the `comments` that we wrote above it; `opened` is what the edit began from."""

    path: Path
    text: str
    comments: tuple[str, ...] = ()
    opened: str = ""

    @classmethod
    def write(
        cls,
        folder: Path,
        text: str,
        problems: Sequence[LineProblem] = (),
        *,
        owner: str = "",
        opened: str | None = None,
    ) -> "Draft":
        """Put the text into a new file of `folder`, for this user only.

        `owner` is the session's id. Without `opened` the edit begins from this text.

        Raises:
            OSError: it cannot be written.
        """
        comments = comments_of(problems)
        path = _new_file(make_private(folder), _owner(owner))
        encoded = text.encode("utf-8", errors="replace")
        # As bytes: the text's own line ends stand as they are. The base first, so that no draft is without.
        base = text if opened is None else opened
        _write_private(_base(path), without_secrets(base, base).encode("utf-8", errors="replace"))
        path.write_bytes("".join(f"{line}\n" for line in comments).encode() + encoded)
        return cls(path, encoded.decode(), comments, base)

    def read(self) -> str:
        """What stands in the file now, without our comments.

        Raises:
            OSError: the file is gone or closed to us.
            UnicodeDecodeError: it is not UTF-8.
        """
        if self.path.exists() and not self.path.is_file():
            # To read a pipe may never end.
            raise OSError(errno.EINVAL, "no regular file", str(self.path))
        text = self.path.read_bytes().decode("utf-8")
        if (kept := without_secrets(text, self.opened)) != text:
            with contextlib.suppress(OSError):  # no reason to lose what was read
                self.rewrite(kept)
        return without_comments(text, self.comments)

    def is_unchanged(self, edited: str) -> bool:
        """Whether a text is the one that was opened. Editors end the last line when they save."""
        return edited.rstrip("\r\n") == self.text.rstrip("\r\n")

    @property
    def is_as_opened(self) -> bool:
        """Whether the text is still what the edit began from, not the person's own yet."""
        return self.text.rstrip("\r\n") == self.opened.rstrip("\r\n")

    def remove_if_old(self) -> None:
        """Take it away if it has not been written for a day."""
        with contextlib.suppress(OSError):
            if time.time() - self.path.stat().st_mtime > UNCHANGED_KEPT_S:
                self.remove()

    def remove(self) -> None:
        """Take the files away. What cannot be removed is no reason to lose what was read from it."""
        for path in (_base(self.path), self.path):
            with contextlib.suppress(OSError):
                path.unlink()

    def rewrite(self, text: str) -> None:
        """Have another text stand in the file, which stays the draft of the same edit.

        Raises:
            OSError: it cannot be written.
        """
        _write_private(self.path, text.encode("utf-8", errors="replace"))

    def settle(self) -> None:
        """Keep it as one that nobody changed: what an editor that still has it open writes later is offered.

        What cannot be written is no reason to lose what was read from it.
        """
        with contextlib.suppress(OSError, UnicodeDecodeError):
            _write_private(_base(self.path), self.path.read_bytes())

    def remove_unless_open(self) -> None:
        """Take it away, but for one that came back as it was given: its editor may still have it open.

        What that one writes later begins from the text of now.
        """
        try:
            is_open = self.is_unchanged(self.read())
        except (OSError, UnicodeDecodeError):
            is_open = False
        if not is_open:
            self.remove()
            return
        with contextlib.suppress(OSError):
            kept = without_secrets(self.text, self.opened)
            _write_private(_base(self.path), kept.encode("utf-8", errors="replace"))


def left_over(folder: Path, owner: str) -> Draft | None:
    """The newest draft of a session that was changed and never taken over; old unchanged ones are removed."""
    found: Draft | None = None
    for base in sorted(folder.glob(f"todo-{_owner(owner)}-*.base"), reverse=True):
        draft = _opened(base)
        if draft is None:
            continue
        try:
            is_changed = draft.read().rstrip("\r\n") != draft.opened.rstrip("\r\n")
        except (OSError, UnicodeDecodeError):
            continue
        if not is_changed:
            draft.remove_if_old()
        elif found is None:
            found = draft
    return found


def without_secrets(text: str, opened: str) -> str:
    """A text as it may stay on the disk: of one of the backlog, which began from `opened`, no secret."""
    from todo_context.backlog.checklist import is_backlog  # noqa: PLC0415 (a session without a backlog needs none of it)
    from todo_context.backlog.secrets import masked  # noqa: PLC0415 (likewise)

    return masked(text) if is_backlog(opened) else text


def comments_of(problems: Sequence[LineProblem]) -> tuple[str, ...]:
    """The problems as lines that stand above the text they are about."""
    return tuple(comment(problem, below=len(problems)) for problem in problems)


def without_comments(text: str, comments: Sequence[str]) -> str:
    """A text without the lines that we wrote into it, each taken out once; the person's own comments stay."""
    left = list(comments)
    kept: list[str] = []
    # Not splitlines(): it also splits at U+2028, which a task may hold.
    for line in text.split("\n"):
        if line.removesuffix("\r") in left:
            left.remove(line.removesuffix("\r"))
        else:
            kept.append(line)
    return "\n".join(kept)


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
        text = without_secrets(text, text)
        first = path.read_bytes().decode("utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return None
    ours = [line.removesuffix("\r") for line in first if re.match(r"<!-- line \d+: .* -->\r?\Z", line)]
    return Draft(path, text, tuple(ours), text)


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
