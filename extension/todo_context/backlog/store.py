"""The port: what a store of the backlog can do. Adapters are `sqlite` and `json_file`; `open_store` chooses.

Every method is one transaction: all of it happens, or none. What a caller asks wrongly is a `Refusal` in the
outcome, and the rest of the same call still applies; what the world does wrong is a `StoreError`, and then nothing
was changed. References are ids, with or without `td-`, or a beginning of 3 or more characters that only one has.
A method may wait for others, for a few seconds at most; a store may be called from any thread.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal, Protocol

from todo_context.backlog.changes import Change
from todo_context.backlog.item import Box, Item
from todo_context.backlog.moves import Who
from todo_context.backlog.refusal import Refusal
from todo_context.backlog.shapes import (
    Backup,
    Doomed,
    Draft,
    Edit,
    Flag,
    Found,
    News,
    Outcome,
    Page,
    Prune,
    Query,
    Revision,
)
from todo_context.errors import TodoContextError

Clock = Callable[[], datetime]
"""The time now, aware of its zone."""

IdMaker = Callable[[int], str]
"""So many characters of `ID_ALPHABET`, by chance."""

Trouble = Literal[
    "busy",  # others held it for too long
    "broken",  # it cannot be read; it was set aside
    "missing",  # it is gone, and backups of it are there
    "newer",  # a later version wrote it
    "foreign",  # it is something else
    "full",  # the disk takes no more
    "denied",  # it is not ours to read or write
    "place",  # a network or sync folder
    "dropped",  # items would vanish that nobody deleted
    "io",  # anything else that the disk says
]


CAN_BE_RECOVERED = frozenset[Trouble]({"broken", "missing"})
"""The troubles in which nothing is lost by taking a backup, or by beginning anew."""


class StoreError(TodoContextError):
    """The store could not be used, and is as it was.

    `place` is the file, `fact` what is the matter, `step` what works. `set_aside` is where a broken file lies now;
    `backup` is the newest good one, for `recover`.
    """

    def __init__(  # noqa: PLR0913 (an error has parts)
        self,
        trouble: Trouble,
        place: str,
        fact: str,
        step: str,
        *,
        set_aside: str = "",
        backup: Backup | None = None,
    ) -> None:
        super().__init__(f"{place}: {fact}. {step}.")
        self.trouble, self.place, self.fact, self.step = trouble, place, fact, step
        self.set_aside, self.backup = set_aside, backup


class Store(Protocol):
    """One backlog. Opening it touches nothing; it comes to be with the first write."""

    # Reading

    def resolve(self, reference: str) -> Item | Refusal:
        """The item that a reference means, whatever box it is in."""
        ...

    def get(self, references: Sequence[str]) -> Found:
        """The items that these mean."""
        ...

    def list(self, query: Query) -> Page:
        """The items that fit. Only those, and what decides about them, are read."""
        ...

    def count(self, query: Query) -> int:
        """How many fit, whatever the limit."""
        ...

    def counts(self, boxes: frozenset[Box]) -> Mapping[str, Mapping[Box, int]]:
        """How many lie in each of these boxes, by project; what is zero is left out."""
        ...

    def waiting_for(self, ids: Sequence[str]) -> Sequence[Item]:
        """The unfinished items that wait for one of these."""
        ...

    def seq(self) -> int:
        """Where the history stands: the `seq` of the newest change, 0 for none. Cheap, for asking often."""
        ...

    def changes(self, since: int, limit: int = 200) -> News:
        """What changed after a place, the oldest first."""
        ...

    def log(self, limit: int = 20, reference: str = "", before: int = 0) -> Sequence[Change]:
        """The history, the newest first: of all, or of one item; only what came before the seq `before`, if given."""
        ...

    # Writing

    def add(
        self,
        drafts: Sequence[Draft],
        who: Who,
        *,
        force: bool = False,
        allow_secret: bool = False,
        all_or_none: bool = False,
    ) -> Outcome:
        """Add items, each for itself unless `all_or_none`; without `force` none that an open one of its project is."""
        ...

    def update(self, reference: str, edit: Edit, who: Who, *, allow_secret: bool = False) -> Outcome:
        """Change fields of an item."""
        ...

    def revise(self, revisions: Sequence[Revision], who: Who) -> Outcome:
        """Write what somebody changed in a text of items, in one change set: all of it, or none of it with refusals.

        What another changed meanwhile stays as it is now, and its refusal, `changed`, does not stop the rest.
        """
        ...

    def block(self, edges: Sequence[tuple[str, str]], who: Who) -> Outcome:
        """Let items wait: (item, blocker). Each edge is judged by itself, with those before it that were taken."""
        ...

    def unblock(self, edges: Sequence[tuple[str, str]], who: Who) -> Outcome:
        """Take edges away. The blocker need not exist any more; an empty one means all of the item's."""
        ...

    def rename_project(self, old: str, new: str, who: Who, *, allow_secret: bool = False) -> Outcome:
        """Give all items of a project, in whatever box, another one."""
        ...

    def claim(self, reference: str | None, who: Who, *, lease: timedelta | None, query: Query | None = None) -> Outcome:
        """Take an item to work on; without a reference the next ready one that fits `query`, refused if there is none.

        One's own is claimed again with success: `same`, and its lease begins anew. Where another's lease was over, the
        change says so: `before.owner` was not empty.
        """
        ...

    def renew(self, who: Who, lease: timedelta) -> int:
        """Begin anew the leases of all that `who` holds; how many. It is no change: no history, no undo."""
        ...

    def succeed(self, before: str, who: Who, lease: timedelta) -> Outcome:
        """Have all that the session of this name works on be that of `who`, who goes on with it."""
        ...

    def expire(self, who: Who) -> Outcome:
        """Release all whose lease is over."""
        ...

    def release(self, references: Sequence[str], who: Who) -> Outcome:
        """Give items back: one's own, those whose lease is over, or any as a person."""
        ...

    def park(self, references: Sequence[str], who: Who, until: str = "") -> Outcome:
        """Put items aside, until a time if one is given."""
        ...

    def unpark(self, references: Sequence[str], who: Who) -> Outcome:
        """Have them active again."""
        ...

    def complete(self, references: Sequence[str], who: Who) -> Outcome:
        """Close them as done."""
        ...

    def cancel(self, references: Sequence[str], who: Who) -> Outcome:
        """Close them as cancelled; what `delete` means for models."""
        ...

    def reopen(self, references: Sequence[str], who: Who) -> Outcome:
        """Have closed or archived ones open again."""
        ...

    def prune(self, prune: Prune, who: Who, *, by_itself: bool = False) -> Outcome:
        """Put closed items into the archive. Nothing is deleted. `by_itself`: nobody asked, so undo passes it over."""
        ...

    def restore(self, references: Sequence[str], who: Who, *, reopen: bool = False) -> Outcome:
        """Bring items back from the archive, closed as they were; or open."""
        ...

    def hard_prune(
        self, prune: Prune, who: Who, *, token: str = "", reason: str = "", from_closed: bool = False
    ) -> Doomed:
        """Delete from the archive, with `from_closed` also what is closed; without `token` only say what it would be.

        With the token of that answer it is done, if the set is still the same; else the outcome refuses it. What was
        deleted 30 days ago goes for good then. A backup is made before.
        """
        ...

    def untrash(self, batch: int, who: Who) -> Outcome:
        """Bring back what the hard prune with this change set deleted."""
        ...

    def undo(self, who: Who) -> Outcome:
        """Go back over the newest change set that stands, whoever made it; refused if something moved since.

        What is done by itself is no such set: a lease that ended, an archiving by age, claims that came along.
        """
        ...

    def redo(self, who: Who) -> Outcome:
        """Do again what was undone last, unless something else came after."""
        ...

    def forget(self, reference: str, who: Who) -> Outcome:
        """Overwrite text and notes of an item in store, history and backups. Nothing brings them back."""
        ...

    def take_in(self, items: Sequence[Item], who: Who, *, dry_run: bool = False, allow_secret: bool = False) -> Outcome:
        """Add items of another store, or update those of the same `origin`; all or nothing, so any refusal is none.

        Nothing that is closed here is opened by it, and what is newer here stays. A dry run only answers.
        """
        ...

    def export(self) -> Sequence[Item]:
        """All items but those in the trash, in order."""
        ...

    # Its health

    def health(self, is_alive: Callable[[str], bool]) -> Sequence[Flag]:
        """What a person may want to look at; changes nothing. `is_alive(owner)`: whether that session shows life."""
        ...

    def fix(self, who: Who, is_alive: Callable[[str], bool]) -> Outcome:
        """Do what is safe of it, in one change set: leases that are over, blockers that are gone; and the mode."""
        ...

    # Its file

    def backups(self) -> Sequence[Backup]:
        """The good ones, the newest first. One is made before the first write of a day, and before each hard prune."""
        ...

    def recover(self, backup: Backup | None) -> int:
        """Have the store be what a backup holds, or empty and new; how many items. What is there is set aside.

        Raises a StoreError where what is there is of a later version, or another program's.
        """
        ...

    def compact(self) -> None:
        """Give back the room that nothing needs any more."""
        ...

    def close(self) -> None:
        """Let go of the file. It may be used again, and opens by itself."""
        ...
