"""A query as SQL: conditions that the partial indexes of the schema answer, and their values."""

from datetime import datetime

from todo_context.backlog.item import Box, Priority, Status
from todo_context.backlog.moment import canonical, stamp
from todo_context.backlog.shapes import Query

# The words of these conditions are those of the indexes: SQLite takes an index only for what it is literally over.
_BOXES = {
    Box.ACTIVE: "(live AND parked_until <= :now)",  # an empty one is before all times
    Box.PARKED: "(aside AND (status = 'parked' OR parked_until > :now))",
    Box.CLOSED: "(shut)",
    Box.ARCHIVE: "(archived_at <> '' AND trashed_at = '')",
    Box.TRASH: "(trashed_at <> '')",
}

_READY = (
    "(status <> 'in_progress' OR owner = '' OR (lease_until <> '' AND lease_until <= :now))"
    " AND NOT EXISTS (SELECT 1 FROM edge JOIN item AS blocker ON blocker.id = edge.blocker WHERE edge.item = item.id"
    " AND blocker.status IN ('open', 'in_progress', 'parked') AND blocker.archived_at = '' AND blocker.trashed_at = '')"
)

_IN_ORDER = "running DESC, priority DESC, created_at, id"
_NEWEST_FIRST = "updated_at DESC, id DESC"

Values = dict[str, str | int]


def where(query: Query, now: datetime) -> tuple[str, Values]:
    """The condition of a query, and the values in it."""
    values: Values = {"now": stamp(now)}
    # A constant where nothing is asked for: an item is always in a box.
    boxes = sorted(query.boxes)
    terms = [f"({' OR '.join(_BOXES[box] for box in boxes)})" if len(boxes) < len(Box) else "1"]
    if len(boxes) == 1:
        terms = [_BOXES[boxes[0]].removeprefix("(").removesuffix(")")]
    if not boxes:
        terms = ["0"]
    if query.statuses == (Status.IN_PROGRESS,):
        terms.append("running = 1")
    elif query.statuses:
        values |= {f"status{i}": status.value for i, status in enumerate(query.statuses)}
        terms.append(f"status IN ({', '.join(f':status{i}' for i in range(len(query.statuses)))})")
    for name, term, value in (
        ("project", "project = :project", query.project),
        ("elsewhere", "project <> :elsewhere", query.elsewhere),
        ("tag", "EXISTS (SELECT 1 FROM json_each(tags) WHERE value = :tag)", query.tag or None),
        ("owner", "owner = :owner", query.owner or None),
        ("origin", "origin <> '' AND origin >= :origin AND origin < :origin_end", query.origin or None),
        ("since", "updated_at >= :since", canonical(query.since) or None),
        ("before", "updated_at < :before", canonical(query.before) or None),
        ("text", "(instr(text_key, :text) OR instr(casefold(notes), :text))", query.text.casefold() or None),
    ):
        if value is not None:
            terms.append(term)
            values[name] = value
    if query.origin:
        # What follows a colon.
        values["origin_end"] = f"{query.origin[:-1]};"
    if query.at_least is Priority.CRITICAL:
        # Nothing is above it; and an index can be entered at one value, not at a range, to be read in our order.
        terms.append(f"priority = {Priority.CRITICAL.rank}")
    elif query.at_least is not None:
        terms.append("priority >= :least")
        values["least"] = query.at_least.rank
    if query.ready:
        terms.append(_READY)
    return " AND ".join(terms), values


def order_by(query: Query) -> str:
    """The order of a query."""
    return _NEWEST_FIRST if query.newest_first else _IN_ORDER


def boxed(box: Box) -> str:
    """The condition of a box; it has a value `now`."""
    return _BOXES[box]
