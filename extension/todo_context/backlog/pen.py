"""One change set being written: items are looked up, changed, and at the end recorded under one number.

Several changes of one item in a call are one change. What came to nothing is told as `same`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from todo_context.backlog.changes import Change
from todo_context.backlog.item import ID_PREFIX, Item, full_id
from todo_context.backlog.ledger import Ledger
from todo_context.backlog.moment import stamp
from todo_context.backlog.moves import Who
from todo_context.backlog.refusal import Refusal
from todo_context.backlog.secrets import masked
from todo_context.backlog.shapes import Outcome
from todo_context.plan.names import quoted
from todo_context.plan.text import one_line

LEAST_OF_AN_ID = 3
"""Characters of a beginning that may stand for an id. Fewer hit something by chance."""

_CANDIDATES = 5
"""How many ids an ambiguous beginning names."""


class Pen:
    """Writes into the ledger of a transaction, in the name of `who`."""

    def __init__(self, ledger: Ledger, who: Who, now: datetime, verb: str, *, of: int = 0) -> None:
        self.ledger, self.now = ledger, now
        self._who, self._verb, self._of = who, verb, of
        self._batch = 0
        self._before: dict[str, Item | None] = {}
        self._after: dict[str, Item | None] = {}
        self._refusals: list[Refusal] = []

    @property
    def batch(self) -> int:
        """The number of this change set."""
        if not self._batch:
            self._batch = self.ledger.next_batch()
        return self._batch

    def each(self, references: Sequence[str], move: Callable[[Item], Item | Refusal]) -> None:
        """Do the same to the items that these mean."""
        for index, reference in enumerate(references):
            item = resolve(self.ledger, reference)
            if isinstance(item, Refusal):
                self.refuse(item, index)
                continue
            made = move(item)
            if isinstance(made, Refusal):
                self.refuse(made, index)
            else:
                self.write(item, made)

    def write(self, before: Item | None, after: Item | None) -> None:
        """Have what was `before` be `after`; None is no item."""
        known = before or after
        if known is None:
            return
        self._before.setdefault(known.id, before)
        self._after[known.id] = after
        if after is None:
            self.ledger.remove(known)
        elif after != before:
            self.ledger.put(after)

    def refuse(self, refusal: Refusal, index: int = 0) -> None:
        """Note what was not granted, at its place in the sender's list."""
        self._refusals.append(replace(refusal, index=index))

    def outcome(self) -> Outcome:
        """Record what was written."""
        pairs = [(self._before[id_], after) for id_, after in self._after.items()]
        changed = [(before, after) for before, after in pairs if before != after]
        same = tuple(after for before, after in pairs if after is not None and before == after)
        if not changed:
            return Outcome(same=same, refusals=tuple(self._refusals))
        recorded = self.ledger.record([self.change(before, after) for before, after in changed])
        return Outcome(changes=tuple(recorded), same=same, refusals=tuple(self._refusals))

    def change(self, before: Item | None, after: Item | None) -> Change:
        """A line of the history of this set, which `record` gives its `seq`."""
        known = before or after
        return Change(
            seq=0,
            at=stamp(self.now),
            by=self._who.name,
            verb=self._verb,
            batch=self.batch,
            item=known.id if known is not None else "",
            before=before,
            after=after,
            of=self._of,
        )


def resolve(ledger: Ledger, reference: str) -> Item | Refusal:
    """The item that a reference means."""
    named = one_line(reference)
    if not named:
        return Refusal(code="blank", fact="no item is named", step="Use an id that list shows")
    begins = full_id(named)
    # Ours are of small letters, those of other programs may be of any.
    spelled = dict.fromkeys((named, ID_PREFIX + named, begins))
    for id_ in spelled:
        item = ledger.get(id_)
        if item is not None:
            return item
    if len(begins) - len(ID_PREFIX) >= LEAST_OF_AN_ID:
        ids = sorted({id_ for each in spelled for id_ in ledger.beginning(each, _CANDIDATES)})
        only = ledger.get(ids[0]) if len(ids) == 1 else None
        if only is not None:
            return only
        if ids:
            fact = f"{quoted(masked(named))} is the beginning of {', '.join(ids[:_CANDIDATES])}"
            return Refusal(code="ambiguous", fact=fact, step="Use more of the id", others=tuple(ids))
    if ledger.is_gone(begins):
        return Refusal(code="deleted", id=begins, fact="it was deleted for good", step="Use an id that list shows")
    return Refusal(code="unknown", fact=f"no item {quoted(masked(named))}", step="Use an id that list shows")
