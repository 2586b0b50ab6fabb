"""What the tool `todo` does: one function for each action, from a call to words and details.

Each answer says what changed, or that nothing did. It runs beside the event loop, over a store that is there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from todo_context.backlog import looking, words
from todo_context.backlog.calls import Call
from todo_context.backlog.item import Item, Priority, Status
from todo_context.backlog.looking import ANYWHERE, project_meant, whole
from todo_context.backlog.outcomes import HARD_DAYS, Asker, Reply, changed, details_of, hard, together
from todo_context.backlog.refusal import Refusal
from todo_context.backlog.shapes import Draft, Edit, Outcome, Prune, Query
from todo_context.backlog.store import Store
from todo_context.backlog.when import later


def act(store: Store, call: Call, asker: Asker) -> Reply:
    """Do what a call asks.

    Raises:
        StoreError: the store could not be used, and is as it was.
    """
    return _ACTS[call.action](store, call, asker)


def nothing(call: Call) -> Reply:
    """The answer where there is no store yet, and the call would not begin one."""
    if call.action in {"list", "ready", "health", "clear", "prune"}:
        return Reply(("The backlog is empty.",), {"items": []})
    return Reply(("The backlog is empty, so there is no such item. add puts one in.",), {"items": []}, is_error=True)


def _add(store: Store, call: Call, asker: Asker) -> Reply:
    until = call.text("until")
    draft = Draft(
        text=call.text("text") or "",
        notes=call.text("notes") or "",
        project=_named(call, asker),
        tags=call.texts("tags") or (),
        priority=Priority(call.text("priority") or Priority.MED),
        source=asker.me.name,
        blocked_by=call.texts("blockedBy") or (),
        parked_until=later(until, asker.now) if until else "",
    )
    return changed(store.add([draft], asker.me, force=call.flag("force")), asker)


def _named(call: Call, asker: Asker) -> str:
    named = call.text("project")
    return asker.project if named is None or named == ANYWHERE else named


def _update(store: Store, call: Call, asker: Asker) -> Reply:
    outcomes: list[Outcome] = []
    priority = call.text("priority")
    edit = Edit(
        text=call.text("text"),
        notes=call.text("notes"),
        project=call.text("project"),
        tags=call.texts("tags"),
        priority=Priority(priority) if priority else None,
    )
    references = call.texts("id") or ()
    for reference in references:
        if edit != Edit():
            outcomes.append(store.update(reference, edit, asker.me))
        if (wanted := call.texts("blockedBy")) is not None:
            outcomes += _edges(store, reference, wanted, asker)
        if (statuses := call.texts("status")) is not None:
            outcomes.append(_to_status(store, reference, statuses[0], call, asker))
    if not outcomes:
        return Reply(("No change: update names nothing to change.",), {"changed": []})
    return changed(together(outcomes), asker)


def _edges(store: Store, reference: str, wanted: Sequence[str], asker: Asker) -> list[Outcome]:
    item = store.resolve(reference)
    if isinstance(item, Refusal):
        return [Outcome(refusals=(item,))]
    found = store.get(wanted)
    ids = {each.id for each in found.items}
    gone = [(item.id, id_) for id_ in item.blocked_by if id_ not in ids]
    return [
        *([store.unblock(gone, asker.me)] if gone else []),
        *([store.block([(item.id, each) for each in wanted], asker.me)] if wanted else []),
    ]


def _to_status(  # noqa: PLR0911 - one return per status is the table
    store: Store, reference: str, status: str, call: Call, asker: Asker
) -> Outcome:
    """What a status as a wish comes to: each has its own verb."""
    match status:
        case "in_progress":
            return store.claim(reference, asker.me, lease=asker.lease)
        case "done":
            return store.complete([reference], asker.me)
        case "cancelled":
            return store.cancel([reference], asker.me)
        case "parked":
            return store.park([reference], asker.me, _until(call, asker))
        case "open":
            item = store.resolve(reference)
            if isinstance(item, Item) and item.status is Status.IN_PROGRESS:
                return store.release([reference], asker.me)
            if isinstance(item, Item) and item.status.is_closed:
                return store.reopen([reference], asker.me)
            return store.unpark([reference], asker.me)
        case _:
            fact, step = f"{status} is no status of one item", "Use open, in_progress, done, cancelled or parked"
            return Outcome(refusals=(Refusal(code="state", fact=fact, step=step),))


def _complete(store: Store, call: Call, asker: Asker) -> Reply:
    return changed(store.complete(call.texts("id") or (), asker.me), asker)


def _delete(store: Store, call: Call, asker: Asker) -> Reply:
    return changed(store.cancel(call.texts("id") or (), asker.me), asker)


def _park(store: Store, call: Call, asker: Asker) -> Reply:
    return changed(store.park(call.texts("id") or (), asker.me, _until(call, asker)), asker)


def _until(call: Call, asker: Asker) -> str:
    until = call.text("until")
    return later(until, asker.now) if until else ""


def _restore(store: Store, call: Call, asker: Asker) -> Reply:
    reopen = "open" in (call.texts("status") or ())
    return changed(store.restore(call.texts("id") or (), asker.me, reopen=reopen), asker)


def _release(store: Store, call: Call, asker: Asker) -> Reply:
    return changed(store.release(call.texts("id") or (), asker.me), asker)


def _claim(store: Store, call: Call, asker: Asker) -> Reply:
    references = call.texts("id") or (None,)
    query = Query(project=project_meant(call, asker), tag=call.text("tag") or "")
    outcomes = [store.claim(each, asker.me, lease=asker.lease, query=query) for each in references]
    reply = changed(together(outcomes), asker)
    held = [item for outcome in outcomes for item in outcome.items]
    until = [
        f"Yours until {item.lease_until[:16]}, and longer while you work." for item in held[:1] if item.lease_until
    ]
    notes = [line for item in held if item.notes for line in whole(item, asker.now, asker.me.name)[1:]]
    return replace(reply, lines=(*reply.lines, *until, *notes))


def _clear(store: Store, call: Call, asker: Asker) -> Reply:
    return _pruned(store, _which(call, asker, None), asker)


def _prune(store: Store, call: Call, asker: Asker) -> Reply:
    days = None if call.flag("all") else timedelta(days=call.number("days", asker.days))
    prune = _which(call, asker, days)
    if not call.flag("hard"):
        return _pruned(store, prune, asker)
    if not asker.may_delete:
        step = "Ask the user: /todo backlog prune --hard"
        return Reply(
            (f"prune with hard deletes for good, which the user has not allowed to tools. {step}.",), is_error=True
        )
    if not call.flag("all") and "days" not in call.given:
        prune = replace(prune, older_than=timedelta(days=HARD_DAYS))
    return hard(store, prune, asker.me, token=call.text("token") or "")


def _which(call: Call, asker: Asker, older_than: timedelta | None) -> Prune:
    statuses = tuple(Status(each) for each in call.texts("status") or () if each in set(Status))
    return Prune(
        older_than=older_than, statuses=statuses, project=project_meant(call, asker), tag=call.text("tag") or ""
    )


def _pruned(store: Store, prune: Prune, asker: Asker) -> Reply:
    outcome = store.prune(prune, asker.me)
    if not outcome.changes:
        return Reply(
            ("No change: nothing closed is that old." if prune.older_than else "No change: nothing is closed.",)
        )
    said = f"Archived {words.count(len(outcome.changes))}: {words.ids(outcome.items)}. restore brings one back."
    return Reply((said,), details_of(outcome))


_ACTS: Mapping[str, Callable[[Store, Call, Asker], Reply]] = {
    "list": looking.listed,
    "get": looking.got,
    "add": _add,
    "update": _update,
    "complete": _complete,
    "delete": _delete,
    "clear": _clear,
    "park": _park,
    "prune": _prune,
    "restore": _restore,
    "health": looking.health,
    "claim": _claim,
    "release": _release,
    "ready": looking.ready,
}
