"""Completions behind `backlog` and `pull`: verbs, options, and the items that are open here.

Where there is no store there are verbs alone, and nothing is looked at.
"""

from collections.abc import Iterator, Sequence

from todo_command import grammar
from todo_context.backlog.here import Here
from todo_context.pi import Completion

ITEMS = 50
"""Items that are offered; more is better narrowed by typing."""

_OF_ITEMS = frozenset({"show", "update", "done", "rm", "claim", "release", "park", "block", "unblock", "forget"})
"""Verbs that are about what is open."""


async def completions_of_items(prefix: str, here: Here) -> Sequence[Completion] | None:
    """Ways to go on after `prefix`, the text after /todo; None where it is not about the backlog."""
    call = grammar.verb_call(prefix)
    if not grammar.is_verb_complete(prefix) or call.verb not in {"backlog", "pull"}:
        return None
    if call.verb == "pull":
        return await _items("pull ", call.rest, here)
    inner = grammar.verb_call(call.rest)
    if not grammar.is_verb_complete(f"{call.rest} " if prefix[-1:].isspace() and call.rest else call.rest):
        return list(_verbs(inner.verb))
    if inner.verb in _OF_ITEMS:
        return await _items(f"backlog {inner.verb} ", inner.rest, here)
    return []


def _verbs(typed: str) -> Iterator[Completion]:
    from todo_command.verbs.backlog_table import VERBS  # noqa: PLC0415 (a session that does not use it needs none of it)

    for verb in VERBS:
        if verb.name.startswith(typed):
            takes_more = bool(verb.arguments or verb.options)
            value = f"backlog {verb.name}" + " " * takes_more
            yield Completion(value=value, label=f"{verb.name} {verb.arguments}".rstrip(), description=verb.about)


async def _items(before: str, typed: str, here: Here) -> Sequence[Completion]:
    if not here.is_there:
        return []
    from todo_context.backlog.shapes import Query  # noqa: PLC0415 (where there is a store)
    from todo_context.backlog.words import plain, short  # noqa: PLC0415 (likewise)
    from todo_context.errors import TodoContextError  # noqa: PLC0415 (likewise)

    try:
        query = Query(project=here.known_project, limit=None)
        page = await here.ask(lambda store: store.list(query), hurried=True)
    except TodoContextError:
        return []  # whoever sends the line is told
    wanted = typed.casefold()
    fitting = (
        item for item in page.items if short(item.id).startswith(short(wanted)) or wanted in item.text.casefold()
    )
    found = [
        Completion(value=f"{before}{short(item.id)}", label=short(item.id), description=plain(item.text, 60))
        for item in fitting
    ]
    return found[:ITEMS]
