"""Let the person edit a text: in `$VISUAL` or `$EDITOR`, else in the plain editor of our own.

A text that was changed and is not returned is kept in a file, and the person is told which. A file is
removed only after its text was read. The editor owns the terminal while it runs; the event loop goes on.
"""

import asyncio
import contextlib
import os
import shlex
import subprocess
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from todo_context.paths import FILE_MODE, make_private
from todo_context.pi import Level
from todo_context.plan.problem import LineProblem
from todo_context.plan.text import for_screen
from todo_repl.ui.tty import terminal_restored

VARIABLES = ("VISUAL", "EDITOR")
"""Where the command stands. The first that is set wins. Source: environ(7)."""

Notify = Callable[[str, Level], None]

Builtin = Callable[[str, str, Sequence[LineProblem], Callable[[str], None]], Awaitable[str | None]]
"""`builtin(title, text, problems, keep)`: the saved text, or None. `keep` takes a changed text that
the person was torn from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Editor:
    """One way to edit a text. `folder` is where drafts lie; it is asked for only when one is written."""

    folder: Callable[[], Path]
    notify: Notify
    builtin: Builtin

    async def edit(self, title: str, text: str, problems: Sequence[LineProblem] = ()) -> str | None:
        """What the person left, or None where they cancelled or the editor failed.

        With `problems`, a text that comes back unchanged counts as left: it is kept in a file.
        """
        try:
            command = configured_command()
        except ValueError as error:
            self.notify(str(error), "error")
            return None
        if command is None:
            return await self._in_ours(title, text, problems)
        try:
            draft = EditedFile.write(self.folder(), text, problems)
        except OSError as error:
            self.notify(f"{error.filename}: no draft can be written there: {error.strerror}", "error")
            return None
        with terminal_restored():
            failure = await _run(command, draft.path)
        return self._outcome(draft, failure)

    async def _in_ours(self, title: str, text: str, problems: Sequence[LineProblem]) -> str | None:
        edited = await self.builtin(title, text, problems, self._keep)
        if problems and edited in (None, text):
            self._keep(text)
            return None
        return edited

    def _keep(self, text: str) -> None:
        try:
            draft = EditedFile.write(self.folder(), text, ())
        except OSError as error:
            self.notify(f"{error.filename}: the text cannot be kept there: {error.strerror}", "error")
        else:
            self.notify(f"Your text is kept in {draft.path}", "warning")

    def _outcome(self, draft: "EditedFile", failure: str | None) -> str | None:
        try:
            edited = draft.read()
        except (OSError, UnicodeDecodeError) as error:
            self.notify(f"{draft.path}: nothing was taken over: {_unreadable(error)}", "error")
            return None
        # Editors end the last line when they save.
        unchanged = edited.rstrip("\r\n") == draft.text.rstrip("\r\n")
        if draft.comments and (failure or unchanged):
            self.notify(f"{failure or 'Unchanged'}. Your text is kept in {draft.path}", "warning")
            return None
        if failure and not unchanged:
            self.notify(f"{failure}. Nothing was taken over; your text is kept in {draft.path}", "warning")
            return None
        draft.remove()
        if failure:
            self.notify(f"{failure}. Nothing was changed.", "warning")
            return None
        return edited


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A text in a file, below the `comments` that we wrote above it."""

    path: Path
    text: str
    comments: tuple[str, ...]

    @classmethod
    def write(cls, folder: Path, text: str, problems: Sequence[LineProblem]) -> "EditedFile":
        """Put the text into a new file of `folder`, for this user only.

        Raises:
            OSError: it cannot be written.
        """
        comments = tuple(comment(problem, below=len(problems)) for problem in problems)
        path = _new_file(make_private(folder))
        # As bytes: the text's own line ends stand as they are.
        encoded = text.encode("utf-8", errors="replace")
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

    def remove(self) -> None:
        """Take the file away. One that cannot be removed is no reason to lose what was read from it."""
        with contextlib.suppress(OSError):
            self.path.unlink()


def comment(problem: LineProblem, *, below: int) -> str:
    """A problem as one line of Markdown that reads as nothing. `below` so many of them the text begins."""
    said = for_screen(f"line {problem.line + below}: {problem.message}")
    # Else the text could end the comment, and its rest would be read.
    return f"<!-- {said.replace('--', '- -')} -->"


def configured_command() -> list[str] | None:
    """The person's editor as program and arguments; None when no variable names one.

    Raises:
        ValueError: the variable's quotes do not close.
    """
    for variable in VARIABLES:
        value = os.environ.get(variable, "")
        if not value.strip():
            continue
        try:
            return _split(value)
        except ValueError as error:
            message = f"${variable} is {value!r}: a quote does not close. Set it again, quotes in pairs."
            raise ValueError(message) from error
    return None


def _split(value: str) -> list[str]:
    if os.name != "nt":
        return shlex.split(value)
    # There a backslash parts folders, and quotes stay on the word.
    return [word.strip('"') for word in shlex.split(value, posix=False)]


async def _run(command: Sequence[str], path: Path) -> str | None:
    """Run the editor on the file and wait for its end; why it failed, or None."""
    shown = for_screen(shlex.join(command))
    try:
        process = subprocess.Popen([*command, str(path)])  # noqa: ASYNC220, S603 (inherits the terminal; the person chose the program)
    except OSError as error:
        return f"{shown} does not start: {error.strerror}. Set $VISUAL or $EDITOR to an editor"
    try:
        code = await asyncio.to_thread(process.wait)
    except asyncio.CancelledError:
        # The program is ending. Without this it would wait for a thread that waits for the person.
        process.terminate()
        raise
    if code < 0:
        return f"{shown} was ended by signal {-code}"
    return f"{shown} ended with code {code}" if code else None


def _new_file(folder: Path) -> Path:
    while True:
        # The clock moves on, so this ends.
        path = folder / f"todo-{datetime.now().astimezone():%Y%m%d-%H%M%S-%f}.md"
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))
        except FileExistsError:
            continue
        return path


def _unreadable(error: OSError | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        line = error.object[: error.start].count(b"\n") + 1
        return f"line {line} is not UTF-8. The file is kept"
    return str(error.strerror)
