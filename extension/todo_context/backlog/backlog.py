# ruff: noqa: D102 (the port says what each of them does)
"""The store: every verb of the port, written once over a shelf. One method, one transaction."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from todo_context.backlog import adding, checkup, claiming, editing, intake, moves, pruning
from todo_context.backlog.adding import Door
from todo_context.backlog.changes import Change, Retrace, forgotten
from todo_context.backlog.item import Box, Item, Status
from todo_context.backlog.ledger import Shelf
from todo_context.backlog.moves import Who
from todo_context.backlog.order import ordered
from todo_context.backlog.pen import Pen, resolve
from todo_context.backlog.refusal import Refusal
from todo_context.backlog.retracing import retrace
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
from todo_context.backlog.store import CAN_BE_RECOVERED, Clock, IdMaker, StoreError

_Move = Callable[[Item], Item | Refusal]
_ALL_BUT_TRASH = frozenset(Box) - {Box.TRASH}


class Backlog:
    """A `Store` over any shelf. `now` is the clock, `make_id` makes characters of new ids."""

    def __init__(self, shelf: Shelf, *, now: Clock, make_id: IdMaker) -> None:
        self._shelf, self._now, self._make_id = shelf, now, make_id
        self._shown: dict[str, frozenset[str]] = {}
        """The ids that the tokens of this store stood for."""

    # Reading

    def resolve(self, reference: str) -> Item | Refusal:
        with self._shelf.reading() as ledger:
            return resolve(ledger, reference)

    def get(self, references: Sequence[str]) -> Found:
        items: list[Item] = []
        refusals: list[Refusal] = []
        with self._shelf.reading() as ledger:
            for index, reference in enumerate(references):
                found = resolve(ledger, reference)
                if isinstance(found, Refusal):
                    refusals.append(replace(found, index=index))
                else:
                    items.append(found)
        return Found(tuple(items), tuple(refusals))

    def list(self, query: Query) -> Page:
        one_more = query if query.limit is None else replace(query, limit=query.limit + 1)
        with self._shelf.reading() as ledger:
            items = tuple(ledger.find(one_more, self._now()))
        if query.limit is None or len(items) <= query.limit:
            return Page(items)
        return Page(items[: query.limit], has_more=True)

    def count(self, query: Query) -> int:
        with self._shelf.reading() as ledger:
            return ledger.count(query, self._now())

    def counts(self, boxes: frozenset[Box]) -> Mapping[str, Mapping[Box, int]]:
        with self._shelf.reading() as ledger:
            return ledger.counts(boxes, self._now())

    def waiting_for(self, ids: Sequence[str]) -> Sequence[Item]:
        with self._shelf.reading() as ledger:
            return ledger.waiting_for(ids)

    def seq(self) -> int:
        with self._shelf.reading() as ledger:
            return ledger.seq()

    def changes(self, since: int, limit: int = 200) -> News:
        with self._shelf.reading() as ledger:
            newest, first = ledger.seq(), ledger.first_kept()
            told = tuple(ledger.changes(since=since, limit=limit + 1)) if since < newest else ()
        if len(told) > limit:
            return News(told[limit - 1].seq, told[:limit], is_cut=True)
        # A place beyond the newest: the store is not the one that was asked before.
        return News(newest, told, is_cut=since > newest or since + 1 < first)

    def log(self, limit: int = 20, reference: str = "", before: int = 0) -> Sequence[Change]:
        with self._shelf.reading() as ledger:
            found = resolve(ledger, reference) if reference else None
            # One that is gone for good still has a history, under its whole id.
            id_ = found.id if isinstance(found, Item) else reference
            return ledger.changes(item=id_, before=before, limit=limit)[::-1]

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
        told = Outcome()
        door = Door(who=who, make_id=self._make_id, force=force, allow_secret=allow_secret)
        with suppress(_GivenUpError), self._shelf.writing() as ledger:
            pen = Pen(ledger, who, self._now(), "add")
            adding.add(pen, drafts, door)
            told = pen.outcome()
            if told.refusals and all_or_none:
                raise _GivenUpError
        return Outcome(refusals=told.refusals) if told.refusals and all_or_none else told

    def update(self, reference: str, edit: Edit, who: Who, *, allow_secret: bool = False) -> Outcome:
        door = Door(who=who, make_id=self._make_id, allow_secret=allow_secret)
        return self._each_unheld(
            "update", [reference], who, lambda pen: lambda item: adding.edited(item, edit, pen.now, door)
        )

    def revise(self, revisions: Sequence[Revision], who: Who) -> Outcome:
        told = Outcome()
        door = Door(who=who, make_id=self._make_id)
        with suppress(_GivenUpError), self._shelf.writing() as ledger:
            pen = Pen(ledger, who, self._now(), "edit")
            is_whole = editing.revise(pen, revisions, door)
            told = pen.outcome()
            if not is_whole:
                told = Outcome(refusals=tuple(each for each in told.refusals if each.code != "changed"))
                raise _GivenUpError
        return told

    def block(self, edges: Sequence[tuple[str, str]], who: Who) -> Outcome:
        return self._write("block", who, lambda pen: adding.block(pen, edges))

    def unblock(self, edges: Sequence[tuple[str, str]], who: Who) -> Outcome:
        return self._write("unblock", who, lambda pen: adding.unblock(pen, edges))

    def rename_project(self, old: str, new: str, who: Who, *, allow_secret: bool = False) -> Outcome:
        door = Door(who=who, make_id=self._make_id, allow_secret=allow_secret)
        return self._write("rename", who, lambda pen: adding.rename_project(pen, old, new, door))

    def claim(self, reference: str | None, who: Who, *, lease: timedelta | None, query: Query | None = None) -> Outcome:
        if reference is None:
            wanted = query or Query()
            return self._write("claim", who, lambda pen: claiming.claim_next(pen, wanted, who, lease))
        return self._write("claim", who, lambda pen: claiming.claim(pen, reference, who, lease))

    def renew(self, who: Who, lease: timedelta) -> int:
        with self._shelf.reading() as ledger:
            if not claiming.held_by(ledger, who.name, self._now()):
                return 0
        with self._shelf.writing() as ledger:
            return claiming.renew(ledger, who, self._now(), lease)

    def succeed(self, before: str, who: Who, lease: timedelta) -> Outcome:
        with self._shelf.reading() as ledger:
            if not claiming.held_by(ledger, before, self._now()):
                return Outcome()
        return self._write("succeed", who, lambda pen: claiming.succeed(pen, before, who, lease))

    def expire(self, who: Who) -> Outcome:
        with self._shelf.reading() as ledger:
            if not ledger.expired(self._now()):
                return Outcome()

        def release(pen: Pen) -> None:
            for item in pen.ledger.expired(pen.now):
                made = moves.release(item, who, pen.now)
                if isinstance(made, Item):
                    pen.write(item, made)

        return self._write("expire", who, release)

    def release(self, references: Sequence[str], who: Who) -> Outcome:
        return self._each("release", references, who, lambda pen: lambda item: moves.release(item, who, pen.now))

    def park(self, references: Sequence[str], who: Who, until: str = "") -> Outcome:
        return self._each_unheld("park", references, who, lambda pen: lambda item: moves.park(item, pen.now, until))

    def unpark(self, references: Sequence[str], who: Who) -> Outcome:
        return self._each("unpark", references, who, lambda pen: lambda item: moves.unpark(item, pen.now))

    def complete(self, references: Sequence[str], who: Who) -> Outcome:
        return self._close("complete", references, who, Status.DONE)

    def cancel(self, references: Sequence[str], who: Who) -> Outcome:
        return self._close("cancel", references, who, Status.CANCELLED)

    def reopen(self, references: Sequence[str], who: Who) -> Outcome:
        return self._each("reopen", references, who, lambda pen: lambda item: moves.reopen(item, pen.now))

    def prune(self, prune: Prune, who: Who, *, by_itself: bool = False) -> Outcome:
        return self._write("tidy" if by_itself else "prune", who, lambda pen: pruning.archive(pen, prune))

    def restore(self, references: Sequence[str], who: Who, *, reopen: bool = False) -> Outcome:
        if reopen:
            return self.reopen(references, who)
        return self._each("restore", references, who, lambda pen: lambda item: moves.restore(item, pen.now))

    def hard_prune(
        self, prune: Prune, who: Who, *, token: str = "", reason: str = "", from_closed: bool = False
    ) -> Doomed:
        if not token:
            with self._shelf.reading() as ledger:
                shown = pruning.shown(ledger, pruning.doomed(ledger, prune, self._now(), from_closed=from_closed))
            self._shown[shown.token] = frozenset(shown.ids)
            return shown
        with self._shelf.writing(with_backup=True) as ledger:
            pen = Pen(ledger, who, self._now(), "delete")
            items = pruning.doomed(ledger, prune, pen.now, from_closed=from_closed)
            shown = pruning.shown(ledger, items)
            if shown.token != token:
                pen.refuse(pruning.token_refusal(items, self._shown.get(token)))
                return replace(shown, outcome=pen.outcome())
            pruning.trash(pen, items, reason=reason, from_closed=from_closed)
            outcome = pen.outcome()
            old = Pen(ledger, who, pen.now, "purge")
            pruning.purge(old)
            old.outcome()
        return replace(shown, outcome=outcome)

    def untrash(self, batch: int, who: Who) -> Outcome:
        return self._write("untrash", who, lambda pen: pruning.untrash(pen, batch))

    def undo(self, who: Who) -> Outcome:
        return self._retrace("undo", who)

    def redo(self, who: Who) -> Outcome:
        return self._retrace("redo", who)

    def forget(self, reference: str, who: Who) -> Outcome:
        with self._shelf.writing() as ledger:
            pen = Pen(ledger, who, self._now(), "forget")
            item = resolve(ledger, reference)
            if isinstance(item, Refusal):
                pen.refuse(item)
                return pen.outcome()
            empty = forgotten(item)
            ledger.put(empty)
            ledger.overwrite_history(empty.id)
            # Its own line in the history, in which nothing differs: the text is in neither half.
            outcome = Outcome(changes=tuple(ledger.record([pen.change(empty, empty)])))
        self._shelf.purge_copies()
        return outcome

    def take_in(self, items: Sequence[Item], who: Who, *, dry_run: bool = False, allow_secret: bool = False) -> Outcome:
        told = Outcome()
        door = Door(who=who, make_id=self._make_id, allow_secret=allow_secret)
        with suppress(_GivenUpError), self._shelf.writing() as ledger:
            pen = Pen(ledger, who, self._now(), "import")
            is_whole = intake.take_in(pen, items, door)
            told = pen.outcome()
            if dry_run or not is_whole:
                raise _GivenUpError
        return told if not told.refusals else Outcome(refusals=told.refusals)

    def export(self) -> Sequence[Item]:
        with self._shelf.reading() as ledger:
            return ordered(ledger.find(Query(boxes=_ALL_BUT_TRASH, limit=None), self._now()))

    # Its health, and its file

    def health(self, is_alive: Callable[[str], bool]) -> Sequence[Flag]:
        state = self._shelf.state()
        with self._shelf.reading() as ledger:
            return checkup.flags(ledger, state, self._now(), is_alive)

    def fix(self, who: Who, is_alive: Callable[[str], bool]) -> Outcome:
        self._shelf.make_private()
        return self._write("fix", who, lambda pen: checkup.fix(pen, is_alive))

    def backups(self) -> Sequence[Backup]:
        return self._shelf.backups()

    def recover(self, backup: Backup | None) -> int:
        try:
            self.seq()
        except StoreError as error:
            # What is held, denied, or another program's may be whole: nobody's to replace.
            if error.trouble not in CAN_BE_RECOVERED:
                raise
        return self._shelf.recover(backup)

    def compact(self) -> None:
        self._shelf.compact()

    def close(self) -> None:
        self._shelf.close()

    def _write(self, verb: str, who: Who, write: Callable[[Pen], None]) -> Outcome:
        with self._shelf.writing() as ledger:
            pen = Pen(ledger, who, self._now(), verb)
            write(pen)
            return pen.outcome()

    def _each(self, verb: str, references: Sequence[str], who: Who, move: Callable[[Pen], _Move]) -> Outcome:
        return self._write(verb, who, lambda pen: pen.each(references, move(pen)))

    def _each_unheld(self, verb: str, references: Sequence[str], who: Who, move: Callable[[Pen], _Move]) -> Outcome:
        """As `_each`, but no session touches what another one works on."""

        def guarded(pen: Pen) -> _Move:
            made = move(pen)
            return lambda item: moves.held_by_another(item, who, pen.now) or made(item)

        return self._each(verb, references, who, guarded)

    def _close(self, verb: str, references: Sequence[str], who: Who, status: Status) -> Outcome:
        return self._each_unheld(verb, references, who, lambda pen: lambda item: moves.close(item, pen.now, status))

    def _retrace(self, action: Retrace, who: Who) -> Outcome:
        with self._shelf.writing() as ledger:
            return retrace(ledger, action, who, self._now)


class _GivenUpError(Exception):
    """Takes a transaction back that is not to be."""
