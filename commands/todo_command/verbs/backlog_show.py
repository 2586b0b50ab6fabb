"""What the backlog holds, what happened to it, and how it is. Nothing here changes anything but `health --fix`."""

from dataclasses import replace

from todo_command.verbs.backlog_call import (
    DONE,
    FAILED,
    FLAGS_UP,
    Said,
    UsageError,
    Wish,
    listed,
    meant,
    not_found,
    outcome_said,
)
from todo_context.backlog import words
from todo_context.backlog.calls import STATUSES
from todo_context.backlog.changes import Change
from todo_context.backlog.item import Box
from todo_context.backlog.looking import meant_by, whole
from todo_context.backlog.moment import moment
from todo_context.backlog.outcomes import flag_json, flag_line
from todo_context.backlog.record import to_json
from todo_context.backlog.shapes import Query
from todo_context.backlog.when import earlier, minute
from todo_context.plan.model import Json

PAGE = 50
"""Items on one page. A person scrolls."""

LOGGED = 20
"""Changes that the log lists; they fit a small screen of 24 lines."""


async def list_(wish: Wish) -> Said:
    """The open items of this project, or what the words and options narrow down to; then what else there is."""
    return await _listed(wish, wish.project)


async def ready(wish: Wish) -> Said:
    """What a claim would give out, the next one first."""
    return await _listed(wish, wish.project, ready=True)


async def list_all(wish: Wish) -> Said:
    """The open items of all projects, by project."""
    return await _listed(wish, wish.option("project") or None)


async def _listed(wish: Wish, project: str | None, *, ready: bool = False) -> Said:
    page = _number(wish, "page", 1)
    statuses = tuple(wish.option("status").split(",")) if wish.option("status") else ()
    unknown = next((each for each in statuses if each not in STATUSES), None)
    if unknown is not None:
        raise UsageError(f"--status {words.typed(unknown, 20)}: it is one of {', '.join(STATUSES)}.")
    boxes, of_status = meant_by(statuses)
    given = wish.option("since")
    since = earlier(given, wish.now) if given else ""
    if since and moment(since) is None:
        raise UsageError(f"--since {words.typed(given, 20)}: it is a day, as 2026-12-01, or a time gone by, as 7d.")
    query = Query(
        boxes=boxes,
        statuses=of_status,
        project=project,
        tag=wish.option("tag").removeprefix("#"),
        text=wish.text,
        since=since,
        ready=ready,
        newest_first=Box.ACTIVE not in boxes,
        limit=PAGE,
        offset=(page - 1) * PAGE,
    )
    found = await wish.here.ask(lambda store: store.list(query))
    counted = await wish.here.ask(lambda store: store.counts(frozenset({Box.ACTIVE, Box.PARKED})))
    where = "All projects" if project is None else f"Project {words.name(project)}"
    what = "ready" if ready else ", ".join(statuses) or "open"
    if not found.items and page > 1:
        pages = -(-await wish.here.ask(lambda store: store.count(query)) // PAGE)
        there = f"there is {'one' if pages == 1 else pages}" if pages else f"nothing is {what}"
        return Said(f"{where}: no page {page}; {there}.", {**listed(()), "hasMore": False}, FAILED)
    lines = [f"{where}: " + (f"{what}{f', page {page}' * (page > 1)}" if found.items else f"nothing {what}")]
    if project is None:
        for name in sorted({item.project for item in found.items}):
            lines += [words.name(name)]
            mine = [item for item in found.items if item.project == name]
            lines += [f"  {line}" for line in words.lines(mine, wish.now, wish.me)]
    else:
        lines += words.lines(found.items, wish.now, wish.me)
    lines += [f"More: --page {page + 1}"] if found.has_more else []
    others = sum(each.get(Box.ACTIVE, 0) for name, each in counted.items() if name != project)
    parked = sum(each.get(Box.PARKED, 0) for name, each in counted.items() if project in {None, name})
    rest = [f"{parked} parked (--status parked)"] if parked and not statuses else []
    rest += [f"{others} open in other projects (backlog all)"] if others and project is not None else []
    lines += [f"Also {', '.join(rest)}."] if rest else []
    return Said("\n".join(lines), {**listed(found.items), "hasMore": found.has_more})


async def get(wish: Wish) -> Said:
    """All that is known of items."""
    named = await meant(wish, wish.words)
    if isinstance(named, Said):
        return named
    found = await wish.here.ask(lambda store: store.get(named))
    lines = [line for item in found.items for line in whole(item, wish.now, wish.me)]
    return Said("\n".join(lines), listed(found.items))


async def log(wish: Wish) -> Said:
    """The last changes, the newest first: when, who, what; of all, or of one item."""
    limit = _number(wish, "limit", LOGGED)
    reference = wish.words[0] if wish.words else ""
    changes = await wish.here.ask(lambda store: store.log(limit, reference))
    # One that is gone for good has a history still; what has none may be no item at all.
    if reference and not changes:
        found = await wish.here.ask(lambda store: store.get([reference]))
        if found.refusals:
            missing = not_found(found.refusals)
            return replace(missing, data={"changes": [], **missing.data})
    lines = [_log_line(change, wish) for change in changes]
    data: list[Json] = [_change_json(change) for change in changes]
    return Said("\n".join(lines) or "Nothing has happened yet.", {"changes": data})


def _log_line(change: Change, wish: Wish) -> str:
    item = change.after or change.before
    # A title is told as it was then; what was forgotten is forgotten there too.
    what = f"{words.did(change)} {change.item}" + (f" {words.plain(item.text, 60)}" if item else "")
    return f"#{change.batch} {minute(change.at)} {wish.who(change.by)} {what}"


def _change_json(change: Change) -> Json:
    return {
        "seq": change.seq,
        "batch": change.batch,
        "at": change.at,
        "by": change.by,
        "verb": change.verb,
        "item": change.item,
        "fields": list(change.fields),
        "before": None if change.before is None else to_json(change.before),
        "after": None if change.after is None else to_json(change.after),
    }


async def health(wish: Wish) -> Said:
    """What a person may want to look at; with --fix, what is safe of it is done, as one change that undo takes back."""
    me = wish.me
    if wish.has("fix"):
        who = wish.here.person(wish.ctx)
        outcome = await wish.here.ask(lambda store: store.fix(who, lambda owner: owner == me))
        fixed = [outcome_said(wish, outcome).text] if outcome.changes else ["No change: nothing could be mended."]
    else:
        fixed = []
    flags = await wish.here.ask(lambda store: store.health(lambda owner: owner == me))
    lines = [*fixed, *(flag_line(flag) for flag in flags)]
    if not flags:
        lines.append("Healthy: nothing is up.")
    elif any(flag.is_fixable for flag in flags):
        lines.append("health --fix mends what is safe of it.")
    data: list[Json] = [flag_json(flag) for flag in flags]
    return Said("\n".join(lines), {"flags": data}, FLAGS_UP if flags else DONE)


def _number(wish: Wish, name: str, otherwise: int) -> int:
    given = wish.option(name)
    if not given:
        return otherwise
    if not given.isascii() or not given.isdigit() or not 0 < int(given[:9]) < 10**6:
        raise UsageError(f"--{name} {words.typed(given, 20)}: it is a whole number, 1 or more.")
    return int(given)
