"""What the tool `todo` shows: lists, items, health. Nothing here changes anything."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from todo_context.backlog import words
from todo_context.backlog.calls import ARCHIVED, EVERY, Call
from todo_context.backlog.item import Box, Item, Status
from todo_context.backlog.outcomes import Asker, Reply, flag_json, flag_line, items_json, refusals_json
from todo_context.backlog.shapes import Query
from todo_context.backlog.store import Store
from todo_context.backlog.when import earlier
from todo_context.plan.model import Json

PAGE = 20
"""Items in one answer. Source: armory-todo 0.2."""

MOST = 100
"""The most that a call can ask for at once."""

NOTES_LINES = 100
"""Lines of notes that one answer shows; stored notes are never cut."""

ANYWHERE = "*"
"""In place of a project: all of them."""


def listed(store: Store, call: Call, asker: Asker, *, ready: bool = False) -> Reply:
    """A page of what fits."""
    limit = min(max(call.number("limit", PAGE), 1), MOST)
    page = max(call.number("page", 1), 1)
    query = replace(_query(call, asker), ready=ready, limit=limit, offset=(page - 1) * limit)
    found = store.list(query)
    where = "in all projects" if query.project is None else f"in the project {words.name(query.project)}"
    what = "ready" if ready else ", ".join(call.texts("status") or ("open",))
    rows = words.lines(found.items, asker.now, asker.me.name, project=query.project is None)
    if not rows and page > 1:
        pages = -(-store.count(query) // limit)
        return Reply((f"No page {page}: {words.count(pages, 'page')} {what} {where}.",), {"items": []}, is_error=True)
    if not rows:
        head = f"Nothing {what} {where}" + (" with these filters" if set(call.given) - {"project", "status"} else "")
        return Reply((f"{head}. {_elsewhere(store, asker, query)}".rstrip(),), {"items": []})
    more = (f'More: "page":{page + 1}.',) if found.has_more else ()
    head = f"{words.count(len(rows))} {what} {where}" + (f", page {page}" if page > 1 or more else "") + ":"
    return Reply((head, *rows, *more), {"items": items_json(found.items), "page": page, "hasMore": found.has_more})


def _elsewhere(store: Store, asker: Asker, query: Query) -> str:
    """What a session that finds nothing here may look for: other projects, parked ones."""
    if query.project is None:
        return ""
    counted = store.counts(frozenset({Box.ACTIVE, Box.PARKED}))
    others = sum(each.get(Box.ACTIVE, 0) for project, each in counted.items() if project != asker.project)
    parked = counted.get(asker.project, {}).get(Box.PARKED, 0)
    said = [f'{words.count(others)} open in other projects ("project":"{ANYWHERE}")'] if others else []
    said += [f"{parked} parked here"] if parked else []
    return f"Also {', '.join(said)}." if said else ""


def _query(call: Call, asker: Asker) -> Query:
    boxes, statuses = meant_by(call.texts("status") or ())
    since = call.text("since")
    return Query(
        boxes=boxes,
        statuses=statuses,
        project=project_meant(call, asker),
        tag=(call.text("tag") or "").removeprefix("#"),
        text=call.text("text") or "",
        since=earlier(since, asker.now) if since else "",
        newest_first=Box.ACTIVE not in boxes,
    )


def project_meant(call: Call, asker: Asker) -> str | None:
    """The project that a call is about: this one, unless another is named; None for all of them."""
    named = call.text("project")
    return asker.project if named is None else None if named == ANYWHERE else named


def meant_by(statuses: Sequence[str]) -> tuple[frozenset[Box], tuple[Status, ...]]:
    """The boxes and statuses that some words mean; by themselves what can be worked on."""
    if not statuses:
        return frozenset({Box.ACTIVE}), ()
    if EVERY in statuses:
        return frozenset(Box) - {Box.TRASH}, ()
    boxes: set[Box] = set()
    meant: set[Status] = set()
    for each in statuses:
        if each == ARCHIVED:
            boxes.add(Box.ARCHIVE)
            meant |= {Status.DONE, Status.CANCELLED}
        elif each == Status.PARKED:
            boxes.add(Box.PARKED)
            # One that wakes by itself is open.
            meant |= {Status.PARKED, Status.OPEN}
        else:
            status = Status(each)
            boxes.add(Box.CLOSED if status.is_closed else Box.ACTIVE)
            meant.add(status)
    return frozenset(boxes), tuple(sorted(meant))


def ready(store: Store, call: Call, asker: Asker) -> Reply:
    """What a claim would give out."""
    return listed(store, call, asker, ready=True)


def got(store: Store, call: Call, asker: Asker) -> Reply:
    """Some items, whole."""
    found = store.get(call.texts("id") or ())
    said = [line for item in found.items for line in whole(item, asker.now, asker.me.name)]
    refused = [words.refused(each) for each in found.refusals]
    details: dict[str, Json] = {"items": items_json(found.items), "refused": refusals_json(found.refusals)}
    return Reply((*refused, *said), details, is_error=not found.items)


def whole(item: Item, now: datetime, me: str) -> list[str]:
    """All that is known of an item, the notes last."""
    said = [words.line(item, now, me, project=True)]
    facts = {
        "text": item.text if words.plain(item.text, words.LIST_COLUMNS // 2) != item.text else "",
        "made by": item.source,
        "made": item.created_at,
        "touched": item.updated_at,
        "held by": f"{item.owner} until {item.lease_until or 'it is released'}" if item.owner else "",
        "closed": item.closed_at,
        "archived": item.archived_at,
        "from": item.origin,
    }
    said += [f"  {name}: {words.plain(fact)}" for name, fact in facts.items() if fact]
    notes = item.notes.split("\n") if item.notes else []
    said += [f"  | {words.plain(line)}" for line in notes[:NOTES_LINES]]
    return said + ([f"  | … and {len(notes) - NOTES_LINES} lines more"] if len(notes) > NOTES_LINES else [])


def health(store: Store, _call: Call, asker: Asker) -> Reply:
    """What a person may want to look at."""
    flags = store.health(lambda owner: owner == asker.me.name)
    details = dict[str, Json](flags=[flag_json(flag) for flag in flags])
    return Reply(tuple(map(flag_line, flags)) or ("Healthy: nothing is up.",), details)
