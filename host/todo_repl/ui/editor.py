"""Let the person edit a text: in `$VISUAL` or `$EDITOR`, else in the plain editor of our own.

A text that was changed and is not returned is kept in a file, and the person is told which; the next edit
offers it again. The editor owns the terminal while it runs; the event loop goes on.
"""

import asyncio
import os
import shlex
import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from todo_context.drafts import Draft
from todo_context.kept import Kept
from todo_context.pi import LeftOver
from todo_context.plan.problem import LineProblem
from todo_context.plan.text import for_screen
from todo_repl.ui.tty import before_full_screen, leave_full_screen, terminal_restored

VARIABLES = ("VISUAL", "EDITOR")
"""Where the command stands. The first that is set wins. Source: environ(7)."""

LAST_WORDS_S = 1.0
"""How long an editor that is ended with us has to put the screen in order."""

RETURNED = (
    'If your editor returned before you were done, it needs a flag that makes it wait, such as EDITOR="code --wait".'
)

Builtin = Callable[[str, str, Sequence[LineProblem], Callable[[str], None]], Awaitable[str | None]]
"""`builtin(title, text, problems, hold)`: the saved text, or None. `hold` takes what was typed so far."""


@dataclass(slots=True, kw_only=True)
class Editor:
    """One way to edit a text. `kept` holds what was left over, and what our own editor gave back."""

    kept: Kept
    builtin: Builtin
    _given: Draft | None = field(default=None, init=False)
    """The draft of an editor of the person's, whose text was given back, until it is known to be stored."""

    def settled(self) -> None:
        """Say that the text given back last is stored, or not wanted: its draft goes."""
        if self._given is not None:
            self._given.remove_unless_open()
        self._given = None
        self.kept.settled()

    def follow(self, session_id: str) -> None:
        """Go on for another session; a text that could not be stored is offered there too."""
        self.kept.follow(session_id, *filter(None, [self._given]))

    async def edit(
        self, title: str, text: str, problems: Sequence[LineProblem] = (), *, opened: str | None = None
    ) -> str | None:
        """What the person left, or None where they cancelled or the editor failed.

        With `problems`, a text that comes back unchanged counts as left: it is kept in a file. `opened` is
        the text that the edit began from, where `text` is the person's already.
        """
        try:
            command = configured_command()
        except ValueError as error:
            self.kept.notify(str(error), "error")
            return None
        if command is None:
            return await self._in_ours(title, text, problems, opened or text)
        try:
            draft = Draft.write(self.kept.folder(), text, problems, owner=self.kept.owner, opened=opened or text)
        except OSError as error:
            self.kept.notify(f"{error.filename}: no draft can be written there: {error.strerror}", "error")
            return None
        self.settled()  # a draft of the round before; its text stands in the new one
        with terminal_restored():
            failure = await _run(command, draft.path)
        return self._outcome(draft, failure)

    async def left_over(self) -> LeftOver | None:
        """A text that was never taken over, if there is one and the person wants to go on with it."""
        self._given = None
        return await self.kept.left_over()

    async def _in_ours(self, title: str, text: str, problems: Sequence[LineProblem], opened: str) -> str | None:
        def hold(typed: str) -> None:
            self.kept.hold(typed, opened)

        try:
            edited = await self.builtin(title, text, problems, hold)
        except (asyncio.CancelledError, EOFError):
            self.kept.leave_held()  # the program ends, or the terminal is gone
            raise
        given = self.kept.given(edited, text, problems, opened)
        self.kept.hold(None, opened)
        return given

    def _outcome(self, draft: Draft, failure: str | None) -> str | None:
        try:
            edited = draft.read()
        except (OSError, UnicodeDecodeError) as error:
            self.kept.notify(f"{draft.path}: nothing was taken over: {_unreadable(error)}", "error")
            return None
        unchanged = draft.is_unchanged(edited)
        if draft.comments and (failure or unchanged):
            self.kept.notify(f"{failure or 'Unchanged'}. Your text is kept in {draft.path}", "warning")
            return None
        if failure and not unchanged:
            self.kept.notify(f"{failure}. Nothing was taken over; your text is kept in {draft.path}", "warning")
            return None
        if failure and not draft.is_as_opened:
            self.kept.notify(f"{failure}. Your text is kept in {draft.path}", "warning")
            return None
        if failure:
            draft.remove()
            self.kept.notify(f"{failure}. Nothing was changed.", "warning")
            return None
        if unchanged and draft.is_as_opened:
            self.kept.notify(RETURNED, "info")
        # An unchanged one stays: an editor that returns at once may write it later. It goes when it is a day old.
        if not edited.strip():
            draft.remove()  # a way to cancel; nothing is in it
        elif not unchanged or not draft.is_as_opened:
            self._given = draft
        return edited


async def edit_line(text: str, builtin: Builtin) -> str | None:
    """A message as the person left it in their editor; None where they cancelled. The line that holds it stays.

    Raises:
        ValueError: as `configured_command`.
        OSError: there is no place for a file.
    """
    command = configured_command()
    if command is None:
        edited = await builtin("Your message", text, (), lambda _typed: None)
        return None if edited is None else edited.rstrip("\n")
    with tempfile.TemporaryDirectory(prefix="todo-context-") as folder:
        path = Path(folder) / "message.md"
        path.write_text(f"{text}\n", encoding="utf-8", errors="replace")
        with terminal_restored():
            failure = await _run(command, path)
        if failure:
            raise OSError(failure)
        return path.read_text(encoding="utf-8", errors="replace").rstrip("\n")


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
    before_full_screen()
    try:
        process = subprocess.Popen([*command, str(path)])  # noqa: ASYNC220, S603 (inherits the terminal; the person chose the program)
    except OSError as error:
        return f"{shown} does not start: {error.strerror}. Set $VISUAL or $EDITOR to an editor"
    try:
        code = await asyncio.to_thread(process.wait)
    except asyncio.CancelledError:
        # The program is ending. Without this it would wait for a thread that waits for the person.
        process.terminate()
        try:
            process.wait(LAST_WORDS_S)
        except subprocess.TimeoutExpired:
            process.kill()  # the shell has the terminal next
        leave_full_screen()
        raise
    if code < 0:
        leave_full_screen()
        return f"{shown} was ended by signal {-code}"
    return f"{shown} ended with code {code}" if code else None


def _unreadable(error: OSError | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        line = error.object[: error.start].count(b"\n") + 1
        return f"line {line} is not UTF-8. The file is kept"
    return str(error.strerror)
