"""Put away, delete and bring back; take in and give out. What deletes for good takes two steps, and asks.

The first step says what would go, and gives a token for just that; the second does it, by the token. Where somebody
can be asked, their yes is the second step.
"""

import asyncio
from datetime import timedelta

from todo_command import disk
from todo_command.verbs.backlog_call import DONE, FAILED, Said, UsageError, Wish, changed, meant, outcome_said
from todo_context.backlog import words
from todo_context.backlog.armory import OtherVersionError, UnreadableError, exported, imported
from todo_context.backlog.item import Box, Status
from todo_context.backlog.outcomes import HARD_DAYS, hard
from todo_context.backlog.shapes import Outcome, Prune, Query
from todo_context.backlog.store import CAN_BE_RECOVERED, StoreError
from todo_context.backlog.when import span

EXPORT = "todo.json"
"""The file that is meant when none is named. Armory's word."""


async def prune(wish: Wish) -> Said:
    """Archive what was closed long enough ago; with --hard, delete what was archived long ago."""
    if wish.has("hard"):
        return await _prune_hard(wish)
    days = timedelta(days=wish.here.settings.prune_days)
    return await _archive(wish, _which(wish, _age(wish, days)))


async def clean(wish: Wish) -> Said:
    """Archive all that is closed here."""
    return await _archive(wish, _which(wish, None))


async def _archive(wish: Wish, which: Prune) -> Said:
    who = wish.here.person(wish.ctx)
    outcome = await wish.here.ask(lambda store: store.prune(which, who))
    said = outcome_said(wish, outcome)
    if not outcome.changes:
        return Said("No change: nothing closed is that old.", said.data)
    line = f"Archived {words.count(len(outcome.changes))}: {words.ids(outcome.items)}. restore brings one back."
    return Said(line, said.data)


def _age(wish: Wish, otherwise: timedelta) -> timedelta | None:
    if wish.has("all"):
        return None
    given = wish.option("days")
    age = span(given) if given else otherwise
    if age is None:
        raise UsageError(f"--days {words.typed(given, 20)}: it is how many days, or 2w.")
    return age


def _which(wish: Wish, older_than: timedelta | None) -> Prune:
    statuses = tuple(wish.option("status").split(",")) if wish.option("status") else ()
    closed = {Status.DONE.value: Status.DONE, Status.CANCELLED.value: Status.CANCELLED}
    if not set(statuses) <= closed.keys():
        raise UsageError("--status: it is done or cancelled.")
    named = wish.option("project")
    return Prune(
        older_than=older_than,
        statuses=tuple(closed[each] for each in statuses),
        project=None if named == "*" else wish.project,
        tag=wish.option("tag").removeprefix("#"),
    )


async def _prune_hard(wish: Wish) -> Said:
    who, from_closed, token = wish.here.person(wish.ctx), wish.has("all"), wish.option("token")
    which = _which(wish, _age(wish, timedelta(days=HARD_DAYS)))
    reply = await wish.here.ask(lambda store: hard(store, which, who, token=token, from_closed=from_closed))
    if not token and reply.details["ids"] and wish.ctx.has_ui:
        token = str(reply.details["token"])
        if not await wish.ctx.ui.confirm("Delete them?", "\n".join(reply.lines[:-1])):
            return Said("Nothing was deleted.", reply.details)
        reply = await wish.here.ask(lambda store: hard(store, which, who, token=token, from_closed=from_closed))
    return Said("\n".join(reply.lines), reply.details, FAILED if reply.is_error else DONE)


async def untrash(wish: Wish) -> Said:
    """Bring back what a hard prune deleted, by the number it answered."""
    number = wish.words[0] if wish.words else ""
    if not number.isascii() or not number.isdigit():
        raise UsageError("untrash needs the number that prune --hard answered; the log has it too.")
    who = wish.here.person(wish.ctx)
    return await changed(wish, lambda store: store.untrash(int(number[:9]), who))


async def forget(wish: Wish) -> Said:
    """Overwrite what an item says, wherever we keep it. Nothing brings it back."""
    named = await meant(wish, wish.words[:1])
    if isinstance(named, Said):
        return named
    item = (await wish.here.ask(lambda store: store.get(named))).items[0]
    question = f"Text and notes of {item.id} are overwritten in the item, the history and the backups, for good."
    if wish.ctx.has_ui:
        if not await wish.ctx.ui.confirm(f"Forget {item.id}?", question):
            return Said("Nothing was forgotten.")
    elif not wish.has("yes"):
        return Said(f"Not done: {question} If you mean it: forget {item.id} --yes", code=FAILED)
    who = wish.here.person(wish.ctx)
    outcome = await wish.here.ask(lambda store: store.forget(item.id, who))
    if outcome.refusals:
        return outcome_said(wish, outcome)
    said = (
        f"Forgotten: {item.id}. What a model was told of it is with its provider; change the secret where it is used."
    )
    return Said(said, outcome_said(wish, outcome).data)


async def export(wish: Wish) -> Said:
    """Write all items into a new file, in armory's form."""
    items = await wish.here.ask(lambda store: list(store.export()))
    try:
        path = disk.place(wish.text or EXPORT, wish.ctx.cwd)
        if await asyncio.to_thread(disk.find, path) is not None:
            return Said(f"{disk.shown(path)}: not overwritten. Name a new file.", code=FAILED)
        await asyncio.to_thread(disk.write_text, path, exported(items, wish.now), over=None)
    except disk.FileError as error:
        return Said(str(error), code=FAILED)
    return Said(f"Exported {words.count(len(items))} to {disk.shown(path)}.", {"path": str(path), "count": len(items)})


async def import_(wish: Wish) -> Said:
    """Take in the items of a file in armory's form, all or nothing; a second time only what is newer."""
    if not wish.text:
        raise UsageError("import needs a file, such as ~/.pi/agent/todo.json.")
    try:
        path = disk.place(wish.text, wish.ctx.cwd)
        text = await asyncio.to_thread(disk.read_text, path)
    except disk.FileError as error:
        return Said(str(error), code=FAILED)
    try:
        items, odd = imported(text)
    except (UnreadableError, OtherVersionError) as error:
        return Said(f"{disk.shown(path)}: no file of armory's, version 1: {words.plain(str(error), 80)}", code=FAILED)
    who, is_dry, secret = wish.here.person(wish.ctx), wish.has("dry-run"), wish.has("allow-secret")
    outcome = await wish.here.ask(lambda store: store.take_in(items, who, dry_run=is_dry, allow_secret=secret))
    return _taken_in(wish, outcome, odd, is_dry=is_dry)


def _taken_in(wish: Wish, outcome: Outcome, odd: int, *, is_dry: bool) -> Said:
    said = outcome_said(wish, outcome)
    if outcome.refusals:
        lines = [words.refused(each) for each in outcome.refusals[:10]]
        return Said("\n".join(["Nothing was taken in.", *lines]), said.data, FAILED)
    new = sum(change.before is None for change in outcome.changes)
    counts = f"{new} new, {len(outcome.changes) - new} changed, {len(outcome.same)} same"
    if odd:
        counts += f", {odd} left out that can be read as no item"
    return Said(f"{'Would take in' if is_dry else 'Imported'}: {counts}.", said.data)


async def recover(wish: Wish) -> Said:
    """Have the store be what its newest good backup holds; with --new, empty. What is there is set aside."""
    backups = await wish.here.ask(lambda store: list(store.backups()))
    if not backups and not wish.has("new"):
        return Said("There is no backup that can be read. recover --new begins an empty store.", code=FAILED)
    backup = None if wish.has("new") else backups[0]
    held = "" if backup is None else words.count(backup.items)
    what = "an empty store" if backup is None else f"the backup of {backup.at:%Y-%m-%d %H:%M}, {held}"
    lost = await _what_would_go(wish)
    question = f"{lost}The backlog is then {what}."
    if wish.ctx.has_ui:
        if not await wish.ctx.ui.confirm("Recover?", question):
            return Said("Nothing was recovered.")
    elif lost and not wish.has("yes"):
        return Said(f"Not done: {question} If you mean it, say --yes too.", code=FAILED)
    items = await wish.here.ask(lambda store: store.recover(backup))
    return Said(f"Recovered: {words.count(items)}. What was there is set aside beside it.", {"items": items})


async def _what_would_go(wish: Wish) -> str:
    """That the store can be read, and so needs no recovery; empty where it does. Undo does not go over it."""
    try:
        held = await wish.here.ask(lambda store: store.count(Query(boxes=frozenset(Box) - {Box.TRASH})))
    except StoreError as error:
        if error.trouble not in CAN_BE_RECOVERED:
            raise
        return ""
    return f"The backlog can be read and has {words.count(held)}; they are set aside, and undo brings none back. "
