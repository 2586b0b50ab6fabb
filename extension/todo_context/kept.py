"""What a person wrote and nobody stored yet: kept in a file, and offered again at the next edit.

For every host whose editor gives back a text. A text stands in its file before it is given on, and goes when
it is settled, so neither a crash nor a full disk loses it.
"""

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from todo_context.drafts import Draft, comments_of, left_over, without_comments, without_secrets
from todo_context.errors import TodoContextError
from todo_context.paths import data_dir
from todo_context.pi import LeftOver, Level
from todo_context.plan.problem import LineProblem

Notify = Callable[[str, Level], None]

Offer = Callable[[str, str], Awaitable[bool]]
"""`offer(title, message)`: whether the person wants it."""


def drafts_folder() -> Path:
    """Where texts are kept.

    Raises:
        TodoContextError: this user has no home folder.
    """
    return data_dir() / "edits"


@dataclass(slots=True, kw_only=True)
class Kept:
    """The texts of one session, by its id `owner`; without `offer` none is offered again.

    `folder` is asked for only when a text is to be kept.
    """

    notify: Notify
    owner: str
    offer: Offer | None = None
    folder: Callable[[], Path] = drafts_folder
    _until_settled: list[Draft] = field(default_factory=list[Draft], init=False)
    _left_over: Draft | None = field(default=None, init=False)
    """One of an earlier program, whose editor may still be open."""
    _held: Draft | None = field(default=None, init=False)
    """What stands in an editor of our own now."""
    _declined: set[Path] = field(default_factory=set[Path], init=False)
    """Not offered again before the next start."""

    def follow(self, owner: str, *others: Draft) -> None:
        """Go on for another session. A text that could not be stored, and `others`, come along as copies."""
        if owner == self.owner:
            return
        for draft in (*self._until_settled, *others):
            with contextlib.suppress(OSError, UnicodeDecodeError, TodoContextError):
                self._write(draft.read(), draft.opened, owner)
        self._until_settled.clear()
        self.owner = owner

    def settled(self) -> None:
        """What was given on last is stored, or not wanted: its file goes."""
        while self._until_settled:
            self._until_settled.pop().remove()
        if self._left_over is not None:
            self._left_over.settle()
        self._left_over = None

    async def left_over(self) -> LeftOver | None:
        """A text that was never taken over, if there is one and the person wants to go on with it."""
        # A new edit begins: what the one before could not store is on the disk, and no more this one's to remove.
        self._until_settled.clear()
        self._left_over = None
        if self.offer is None:
            return None
        try:
            draft = left_over(self.folder(), self.owner)
            if draft is None or draft.path in self._declined:
                return None
            edited = draft.read()
        except (OSError, TodoContextError):
            return None
        wants = await self.offer("A text of yours was not taken over", f"Go on with it? It stays in {draft.path}")
        if not wants:
            self._declined.add(draft.path)
            return None
        self._left_over = draft
        return LeftOver(edited, draft.opened)

    async def edited(
        self,
        ask: Callable[[str], Awaitable[str | None]],
        text: str,
        problems: Sequence[LineProblem] = (),
        opened: str | None = None,
    ) -> str | None:
        """Let a host's editor, which shows one text and nothing else, `ask` the person; as `Ui.editor`."""
        comments = comments_of(problems)
        edited = await ask("".join(f"{line}\n" for line in comments) + text)
        own = None if edited is None else without_comments(edited, comments)
        return self.given(own, text, problems, opened or text)

    def given(self, edited: str | None, text: str, problems: Sequence[LineProblem], opened: str) -> str | None:
        """What to give on of a text that came back from the person's editor, None where they cancelled.

        With `problems`, one that is unchanged counts as left: it is kept, and its path is shown.
        """
        if edited is None and not problems:
            return None  # a left-over text stays where it is
        self.settled()  # a draft of the round before
        if problems and (edited is None or _is_same(edited, text)):
            self.keep(text, opened)
            return None
        if edited and edited.strip() and not _is_same(edited, opened):
            with contextlib.suppress(OSError, TodoContextError):
                self._until_settled.append(self._write(edited, opened, self.owner))
        return edited

    def hold(self, text: str | None, opened: str) -> None:
        """Have what stands in an open editor in a file, for a crash; None when the editor was left.

        Where there is no place for it, the text is in the editor alone.
        """
        with contextlib.suppress(OSError, TodoContextError):
            if text is None:
                if self._held is not None:
                    self._held.remove()
                self._held = None
            elif self._held is None:
                self._held = self._write(text, opened, self.owner)
            else:
                self._held.rewrite(without_secrets(text, opened))

    def leave_held(self) -> None:
        """Leave what stands in an open editor in its file, and say where: the person was torn from it."""
        if self._held is not None:
            self._say_where(self._held)
        self._held = None

    def keep(self, text: str, opened: str) -> None:
        """Put a text into a file that stays, and say which."""
        try:
            draft = self._write(text, opened, self.owner)
        except OSError as error:
            self.notify(f"{error.filename}: the text cannot be kept there: {error.strerror}", "error")
        except TodoContextError as error:
            self.notify(f"The text cannot be kept. {error}", "error")
        else:
            self._say_where(draft)

    def _write(self, text: str, opened: str, owner: str) -> Draft:
        return Draft.write(self.folder(), without_secrets(text, opened), owner=owner, opened=opened)

    def _say_where(self, draft: Draft) -> None:
        self.notify(f"Your text is kept in {draft.path}", "warning")


def _is_same(edited: str, text: str) -> bool:
    # Editors end the last line when they save, or take its end away.
    return edited.rstrip("\r\n") == text.rstrip("\r\n")
