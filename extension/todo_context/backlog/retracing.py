"""Undo and redo: over which change set, and what is written to go over it. What that is follows from the history."""

from todo_context.backlog.changes import Retrace, before_housekeeping, retraced, to_retrace
from todo_context.backlog.ledger import Ledger
from todo_context.backlog.moves import Who
from todo_context.backlog.pen import Pen
from todo_context.backlog.refusal import Refusal
from todo_context.backlog.shapes import Outcome
from todo_context.backlog.store import Clock

_NO_LIMIT = 2**31
_LAST_CHANGES = 10
"""Of one item, that are looked through for housekeeping. There is never more of that in a row."""


def retrace(ledger: Ledger, action: Retrace, who: Who, now: Clock) -> Outcome:
    """Go over the set that is next; refused where there is none, or where somebody changed something since."""
    wanted = to_retrace(ledger.sets(), action)
    pen = Pen(ledger, who, now(), action, of=wanted.batch if wanted else 0)
    if wanted is None:
        pen.refuse(Refusal(code="nothing", fact=f"there is nothing to {action}", step="Look at the log"))
        return pen.outcome()
    changes = ledger.changes(batch=wanted.batch, limit=_NO_LIMIT)
    found = [item for change in changes if (item := ledger.get(change.item)) is not None]
    earlier = {item.id: before_housekeeping(item, ledger.changes(item=item.id, limit=_LAST_CHANGES)) for item in found}
    made = retraced(changes, {item.id: item for item in found}, action, earlier)
    if isinstance(made, Refusal):
        pen.refuse(made)
        return pen.outcome()
    for before, after in made:
        pen.write(before, after)
    return pen.outcome()
