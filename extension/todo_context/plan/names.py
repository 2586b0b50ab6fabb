"""Names in messages: quoted, bounded, and the closest ones that exist."""

import difflib
import re
from collections.abc import Iterable

from todo_context.plan.text import one_line

QUOTED_CHARACTERS = 80
"""How much of a name a message shows. A longer one is cut with a mark; its beginning tells it apart."""

CLOSEST = 3
"""How many candidates a message offers."""

CLOSEST_AMONG = 2_000
"""How many names are compared; difflib takes about 10 µs a pair, and a message must not take a second."""

WORD_LIKENESS = 0.6
"""How like a word of a fixed set must be: more than a name, for among short words half of the letters say little."""

_LIKENESS = 0.5
_OLD_ID = re.compile(r"task-\d+\Z")


def quoted(name: str) -> str:
    """A name in quotes, folded to one line and bounded."""
    name = one_line(name)
    return f'"{name}"' if len(name) <= QUOTED_CHARACTERS else f'"{name[: QUOTED_CHARACTERS - 1]}…"'


def closest(name: str, among: Iterable[str], *, likeness: float = _LIKENESS) -> list[str]:
    """The names most like `name`, the closest first, at most `CLOSEST`; or `name` is a part of them.

    `likeness` is the least ratio of difflib, from 0 to 1.
    """
    wanted = one_line(name).casefold()
    folded: dict[str, str] = {}
    for candidate in list(among)[:CLOSEST_AMONG]:
        folded.setdefault(candidate.casefold(), candidate)
    containing = [shown for key, shown in folded.items() if wanted and wanted in key]
    similar = [folded[key] for key in difflib.get_close_matches(wanted, folded, n=CLOSEST, cutoff=likeness)]
    return list(dict.fromkeys([*similar, *containing]))[:CLOSEST]


def no_such(kind: str, name: str, among: Iterable[str]) -> str:
    """Why a task or phase was not found, and what to do: for the model.

    `kind` is "task" or "phase"; `among` are the names that exist, in plan order.
    """
    names = list(among)
    if kind == "task" and _OLD_ID.match(one_line(name)):
        return f"{quoted(name)} is no task. Tasks have no ids: use the text of the task as it stands."
    fact = f"no {kind} {quoted(name)}."
    if not names:
        return f"{fact} The plan is empty: begin with init or append."
    close = closest(name, names)
    if close:
        return f"{fact} Closest: {', '.join(map(quoted, close))}. Use the text of a {kind} as it stands."
    shown = ", ".join(map(quoted, names[:CLOSEST]))
    more = f" and {len(names) - CLOSEST} more" if len(names) > CLOSEST else ""
    return f"{fact} There is {shown}{more}. Use the text of a {kind} as it stands."
