"""Add and change items, and take it back. Each answers with what changed, one line an item."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from todo_command.verbs.backlog_call import DONE, FAILED, Said, UsageError, Wish, changed, meant, outcome_said
from todo_context.backlog import words
from todo_context.backlog.item import PRIORITIES, Priority
from todo_context.backlog.outcomes import details_of, together
from todo_context.backlog.shapes import Draft, Edit, Outcome, Query
from todo_context.backlog.store import Store
from todo_context.backlog.when import EXAMPLES, later

MOST_UNDONE = 100
"""How many changes one call takes back; who wants more looks at the log first."""


def priority_of(text: str) -> Priority:
    """A priority, by its name or the beginning of it.

    Raises:
        UsageError: there is none of that name.
    """
    found = [each for each in PRIORITIES if text and each.startswith(text.casefold())]
    if len(found) != 1:
        raise UsageError(f"--priority {words.typed(text, 20)}: it is one of {', '.join(PRIORITIES)}.")
    return found[0]


async def add(wish: Wish) -> Said:
    """Add one item: the words are its text."""
    if not wish.text:
        raise UsageError("add needs a text.")
    who, until = wish.here.person(wish.ctx), wish.option("until")
    draft = Draft(
        text=wish.text,
        notes=wish.option("notes"),
        project=wish.project,
        tags=tuple(wish.options.get("tag", ())),
        priority=priority_of(wish.option("priority")) if wish.has("priority") else Priority.MED,
        source=who.name,
        blocked_by=tuple(wish.options.get("after", ())),
        parked_until=later(until, wish.now) if until else "",
    )
    force, secret = wish.has("force"), wish.has("allow-secret")
    return await changed(wish, lambda store: store.add([draft], who, force=force, allow_secret=secret))


async def update(wish: Wish) -> Said:
    """Change the fields of an item that options name."""
    named = await meant(wish, wish.words[:1])
    if isinstance(named, Said):
        return named
    who, secret = wish.here.person(wish.ctx), wish.has("allow-secret")
    text = " ".join(wish.words[1:])
    edit = Edit(
        text=text or None,
        notes=wish.option("notes") if wish.has("notes") else None,
        project=wish.option("project") if wish.has("project") else None,
        tags=tuple(tag for tag in wish.options["tag"] if tag) if wish.has("tag") else None,
        priority=priority_of(wish.option("priority")) if wish.has("priority") else None,
    )
    if edit == Edit():
        raise UsageError("update needs something to change: a text behind the id, or an option.")
    return await changed(wish, lambda store: store.update(named[0], edit, who, allow_secret=secret))


async def _move(wish: Wish, named_by: Sequence[str], move: Callable[[Store, tuple[str, ...]], Outcome]) -> Said:
    named = await meant(wish, named_by)
    return named if isinstance(named, Said) else await changed(wish, lambda store: move(store, named))


async def done(wish: Wish) -> Said:
    """Close items as done."""
    who = wish.here.person(wish.ctx)
    return await _move(wish, wish.words, lambda store, ids: store.complete(ids, who))


async def rm(wish: Wish) -> Said:
    """Cancel items; they stay, closed."""
    who = wish.here.person(wish.ctx)
    return await _move(wish, wish.words, lambda store, ids: store.cancel(ids, who))


async def claim(wish: Wish) -> Said:
    """Take an item for this session to work on; without a name the next ready one."""
    who, lease = wish.here.person(wish.ctx, claims=True), wish.here.lease
    if wish.words:
        named = await meant(wish, wish.words)
        if isinstance(named, Said):
            return named
        return await changed(wish, lambda store: together(store.claim(id_, who, lease=lease) for id_ in named))
    query = Query(project=wish.project)
    return await changed(wish, lambda store: store.claim(None, who, lease=lease, query=query))


async def release(wish: Wish) -> Said:
    """Give items back, whoever holds them."""
    who = wish.here.person(wish.ctx, claims=True)
    return await _move(wish, wish.words, lambda store, ids: store.release(ids, who))


async def park(wish: Wish) -> Said:
    """Put items aside, until a day if one is named last."""
    who, named, until = wish.here.person(wish.ctx), list(wish.words), wish.option("until")
    if "until" in named[1:]:
        at = named.index("until", 1)
        until, named = " ".join(named[at + 1 :]), named[:at]
        if not until:
            raise UsageError(f"until when? {EXAMPLES}")
    elif len(named) > 1 and re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}.*|tomorrow|[0-9]{1,3}(d|w|h)", named[-1]):
        until = named.pop()
    when = later(until, wish.now) if until else ""
    return await _move(wish, named, lambda store, ids: store.park(ids, who, when))


async def unpark(wish: Wish) -> Said:
    """Have parked items open again."""
    who = wish.here.person(wish.ctx)
    return await _move(wish, wish.words, lambda store, ids: store.unpark(ids, who))


async def reopen(wish: Wish) -> Said:
    """Have closed or archived items open again."""
    who = wish.here.person(wish.ctx)
    return await _move(wish, wish.words, lambda store, ids: store.reopen(ids, who))


async def restore(wish: Wish) -> Said:
    """Bring items back from the archive: closed as they were, or open."""
    who, is_open = wish.here.person(wish.ctx), wish.has("open")
    return await _move(wish, wish.words, lambda store, ids: store.restore(ids, who, reopen=is_open))


async def block(wish: Wish) -> Said:
    """Let an item wait for others."""
    who = wish.here.person(wish.ctx)
    if len(wish.words) < 2:  # noqa: PLR2004 (what waits, and what for)
        raise UsageError("block needs two items: the one that waits, and the one it waits for.")
    edges = [(wish.words[0], blocker) for blocker in wish.words[1:]]
    return await changed(wish, lambda store: store.block(edges, who))


async def unblock(wish: Wish) -> Said:
    """Let an item wait no longer: for those that are named, or for any."""
    who = wish.here.person(wish.ctx)
    if not wish.words:
        raise UsageError("unblock needs an item.")
    edges = [(wish.words[0], blocker) for blocker in wish.words[1:] or ("",)]
    return await changed(wish, lambda store: store.unblock(edges, who))


async def rename(wish: Wish) -> Said:
    """Give all items of a project another."""
    named = wish.words[1:] if wish.words[:1] == ("rename",) else wish.words
    if len(named) != 2:  # noqa: PLR2004 (old and new)
        raise UsageError("rename needs two names, the old and the new one; quotes keep words together.")
    who, secret, (old, new) = wish.here.person(wish.ctx), wish.has("allow-secret"), named
    outcome = await wish.here.ask(lambda store: store.rename_project(old, new, who, allow_secret=secret))
    said = outcome_said(wish, outcome)
    if not outcome.changes:
        return said
    line = f"Moved {words.count(len(outcome.changes))} from {words.name(old)} to {words.name(new)}."
    return replace(said, text=line)


async def undo(wish: Wish) -> Said:
    """Take back the newest changes, whoever made them; the answer says who did."""
    return await _retrace(wish, "undo")


async def redo(wish: Wish) -> Said:
    """Do again what was undone last."""
    return await _retrace(wish, "redo")


async def _retrace(wish: Wish, verb: str) -> Said:
    number = wish.words[0] if wish.words else "1"
    if not number.isascii() or not number.isdigit() or not 0 < int(number[:9]) <= MOST_UNDONE:
        raise UsageError(f"{verb} takes how many changes, from 1 to {MOST_UNDONE}.")
    who = wish.here.person(wish.ctx)
    said: list[Said] = []
    outcomes: list[Outcome] = []
    for _ in range(int(number)):
        outcome = await wish.here.ask(lambda store: store.undo(who) if verb == "undo" else store.redo(who))
        outcomes.append(outcome)
        if outcome.refusals:
            said.append(outcome_said(wish, outcome))
            break
        of = outcome.changes[0].of if outcome.changes else 0
        past = await wish.here.ask(lambda store: store.log(200))
        origin = next((change for change in past if change.batch == of), None)
        what = f"{words.did_all(origin)} by {wish.who(origin.by)}" if origin else f"set {of}"
        rows = [words.line(item, wish.now, wish.me) for item in outcome.items]
        gone = [f"{change.item} is gone again" for change in outcome.changes if change.after is None]
        line = f"{'Undone' if verb == 'undo' else 'Redone'}: {what}. As it is now:"
        said.append(replace(outcome_said(wish, outcome), text="\n".join([line, *rows, *gone])))
    failed = len(said) == 1 and said[0].code == FAILED
    text = "\n".join(each.text for each in said)
    data = {**details_of(together(outcomes)), "sets": sum(bool(outcome.changes) for outcome in outcomes)}
    return Said(text, data, FAILED if failed else DONE)
