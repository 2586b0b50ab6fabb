"""What the tool `todo` does: one function for each action, from a call to words and details.

Each answer says what changed, or that nothing did. It runs beside the event loop, over a store that is there.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from todo_context.backlog import looking, words
from todo_context.backlog.calls import Call
from todo_context.backlog.copies import newest_aside
from todo_context.backlog.item import Priority, Status
from todo_context.backlog.looking import ANYWHERE, project_meant, whole
from todo_context.backlog.moment import moment
from todo_context.backlog.outcomes import HARD_DAYS, MOST_SHOWN, Asker, Reply, changed, few_details, hard, together
from todo_context.backlog.secrets import masked
from todo_context.backlog.shapes import Draft, Prune, Query
from todo_context.backlog.store import Store
from todo_context.backlog.updating import update
from todo_context.backlog.when import earlier, later, minute
from todo_context.plan.names import quoted


def act(store: Store, call: Call, asker: Asker) -> Reply:
    """Do what a call asks.

    Raises:
        StoreError: the store could not be used, and is as it was.
    """
    return _ACTS[call.action](store, call, asker)


def nothing(call: Call, place: str) -> Reply:
    """The answer where there is no store at its place yet, and the call would not begin one."""
    fact = emptiness(place)
    if call.action in {"list", "ready", "health", "clear", "prune"}:
        return Reply((f"{fact}.",), {"items": []})
    return Reply((f"{fact}, so there is no such item. add puts one in.",), {"items": []}, is_error=True)


def emptiness(place: str) -> str:
    """That the backlog is empty, where no store is; and where its store lies, if there was one and it broke."""
    path = Path(place.removeprefix("json:")).expanduser()
    aside = newest_aside(path)
    why = f": its store could not be read and was set aside as {aside}" if aside else ""
    return f"The backlog is empty{why}"


def _list(store: Store, call: Call, asker: Asker) -> Reply:
    since = call.text("since")
    if since and moment(earlier(since, asker.now)) is None:
        fact = f"{call.action}: since is {quoted(masked(since))}, and must be a day or how long ago"
        return Reply((f'{fact}. One that works: {{"action":"{call.action}","since":"7d"}}',), is_error=True)
    return looking.listed(store, call, asker, ready=call.action == "ready")


def _get(store: Store, call: Call, asker: Asker) -> Reply:
    ids = tuple(dict.fromkeys(call.texts("id") or ()))
    reply = looking.got(store, replace(call, given={**call.given, "id": ids[:MOST_SHOWN]}), asker)
    head = (f"The first {MOST_SHOWN} of {len(ids)}; get the others with another call.",)
    return replace(reply, lines=(*(head if len(ids) > MOST_SHOWN else ()), *reply.lines))


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
        f"Yours until {minute(item.lease_until)}, and longer while you work." for item in held[:1] if item.lease_until
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
    return Reply((said,), few_details(outcome))


_ACTS: Mapping[str, Callable[[Store, Call, Asker], Reply]] = {
    "list": _list,
    "get": _get,
    "add": _add,
    "update": update,
    "complete": _complete,
    "delete": _delete,
    "clear": _clear,
    "park": _park,
    "prune": _prune,
    "restore": _restore,
    "health": looking.health,
    "claim": _claim,
    "release": _release,
    "ready": _list,
}
