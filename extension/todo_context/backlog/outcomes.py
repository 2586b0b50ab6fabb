"""What came of a call, in words and for programs: what changed, what was so already, and what was refused."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from todo_context.backlog import words
from todo_context.backlog.changes import Change
from todo_context.backlog.item import Item, is_held
from todo_context.backlog.moves import Who
from todo_context.backlog.record import to_json
from todo_context.backlog.refusal import Refusal
from todo_context.backlog.secrets import masked
from todo_context.backlog.shapes import Flag, Outcome, Prune
from todo_context.backlog.store import Store
from todo_context.backlog.when import minute
from todo_context.plan.model import Json

MOST_SHOWN, MOST_REFUSED = 20, 10
"""Items and refusals that an answer of the tool names, however many a call is about; the rest is counted."""

MOST_TOLD = 50
"""The same for programs: what they read is stored with the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who calls, from where: `me` acts, in this project, now. `lease` is that of a claim, `days` the age of a prune."""

    me: Who
    project: str
    now: datetime
    lease: timedelta | None
    days: int
    may_delete: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """Words for the model, and what a program reads. An error is a call of which nothing was granted."""

    lines: tuple[str, ...]
    details: Mapping[str, Json] = field(default_factory=dict[str, Json])
    is_error: bool = False


def changed(outcome: Outcome, asker: Asker) -> Reply:
    """The answer to a change: refusals first, then what changed and what was so already."""
    outcome = replace(outcome, refusals=tuple(each.for_tool for each in outcome.refusals))
    refused = first([words.refused(each) for each in outcome.refusals], MOST_REFUSED, "refused")
    done = first(told(outcome, asker.now, asker.me.name), MOST_SHOWN)
    is_error = bool(outcome.refusals) and not outcome.changes and not outcome.same
    return Reply((*refused, *done), few_details(outcome), is_error=is_error)


def first(lines: Sequence[str], most: int, what: str = "") -> list[str]:
    """The first of them, and a line that counts the rest."""
    more = [f"… and {len(lines) - most} more{what and f' {what}'}."] if len(lines) > most else []
    return [*lines[:most], *more]


def told(outcome: Outcome, now: datetime, me: str) -> list[str]:
    """What changed, one line an item; and what was so already."""
    done = [_change_line(change, now, me) for change in outcome.changes]
    return done + [f"No change: {words.line(item, now, me)}" for item in outcome.same]


def _change_line(change: Change, now: datetime, me: str) -> str:
    what = words.did(change)
    item = change.after or change.before
    if item is None:
        return what
    return f"{what[:1].upper()}{what[1:]}: {words.line(item, now, me)}{_whose_it_was(change, now, me)}"


def _whose_it_was(change: Change, now: datetime, me: str) -> str:
    """From whom it was taken, or who worked on it when it was."""
    before, after = change.before, change.after
    if before is None or not before.owner:
        return ""
    owner = words.plain(before.owner, words.NAME_COLUMNS)
    if after is not None and change.verb == "claim" and before.owner != after.owner:
        return f", taken over from {owner}, whose lease ended {minute(before.lease_until)}"
    is_let_go = is_held(before, now) and not (after is not None and is_held(after, now))
    return f", while {owner} was on it" if is_let_go and before.owner != me else ""


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """Several outcomes as one: an item that one of them changed is not the same."""
    each = list(outcomes)
    changes = [change for outcome in each for change in outcome.changes]
    changed = {change.item for change in changes}
    same = {item.id: item for outcome in each for item in outcome.same if item.id not in changed}
    refusals = tuple(refusal for outcome in each for refusal in outcome.refusals)
    return Outcome(changes=tuple(changes), same=tuple(same.values()), refusals=refusals)


def details_of(outcome: Outcome) -> dict[str, Json]:
    """What a program reads of it."""
    return {
        "items": items_json(outcome.items),
        "changed": [change.item for change in outcome.changes],
        "batch": outcome.batch,
        "refused": refusals_json(outcome.refusals),
    }


def few_details(outcome: Outcome) -> dict[str, Json]:
    """The first of it, for what is stored with a session."""
    return {key: each[:MOST_TOLD] if isinstance(each, list) else each for key, each in details_of(outcome).items()}


def refusals_json(refusals: Iterable[Refusal]) -> list[Json]:
    """Refusals for a program."""
    return [{"code": each.code, "id": each.id, "index": each.index, "message": masked(str(each))} for each in refusals]


def items_json(items: Iterable[Item]) -> list[Json]:
    """Items for a program."""
    return [to_json(item) for item in items]


def flag_line(flag: Flag) -> str:
    """A flag, with the items it is about."""
    about = f" ({words.ids(flag.ids)})" if flag.ids else ""
    return words.plain(f"{flag.code}: {flag.fact}{about}. {flag.step}.")


def flag_json(flag: Flag) -> Json:
    """The same for a program."""
    return {
        "code": flag.code,
        "fact": flag.fact,
        "step": flag.step,
        "ids": list(flag.ids),
        "isFixable": flag.is_fixable,
    }


HARD_DAYS = 180
"""How old an archived item is before a hard prune takes it. Source: armory-todo 0.2."""


def hard(store: Store, prune: Prune, me: Who, *, token: str, from_closed: bool = False) -> Reply:
    """Show what would be deleted, or delete it by the token that stands for it."""
    doomed = store.hard_prune(prune, me, token=token, from_closed=from_closed)
    details: dict[str, Json] = {"ids": list(doomed.ids), "token": doomed.token, "batch": doomed.outcome.batch}
    if doomed.outcome.refusals:
        return Reply(tuple(map(words.refused, doomed.outcome.refusals)), details, is_error=True)
    if not doomed.ids:
        return Reply(("No change: nothing that old is archived.",), details)
    if token:
        them = "it" if len(doomed.ids) == 1 else "them"
        back = f"untrash {doomed.outcome.batch} brings {them} back, for 30 days."
        said = f"Deleted {words.count(len(doomed.ids))}. {back}"
        return Reply((said,), details)
    waiting = [f"Open items that wait for one of them: {words.ids(doomed.waiting)}."] if doomed.waiting else []
    begin, end = (minute(each)[:10] for each in (doomed.first, doomed.last))
    head = f"Would delete {words.count(len(doomed.ids))}, closed from {begin} to {end}:"
    titles = [f"- {words.plain(title, words.COLUMNS)}" for title in doomed.titles]
    more = [f"… and {len(doomed.ids) - len(titles)} more"] if len(doomed.ids) > len(titles) else []
    last = f"Nothing is deleted yet. To delete just these, say the same with their token: {doomed.token}"
    return Reply((head, *titles, *more, *waiting, last), details)
