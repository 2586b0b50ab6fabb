"""What a model knows of the backlog: read off the branch, for nothing of it is kept anywhere else.

Pure. A message of ours says as of which change it was made, and so do results of the tool; so fork, resume and rewind
need nothing. After a handoff there is neither, and after a compaction none that the model still sees: then it is told
anew.
"""

import re
from collections.abc import Sequence

from todo_context.attention.fence import OPEN, SENDER
from todo_context.attention.records import Ours, as_entry, record_of
from todo_context.plan.model import Json
from todo_context.plan.sources import Entry

CUSTOM_TYPE = "todo_backlog"
"""Of our messages, where a host keeps a type."""

TOOL = "todo"
"""The tool's name. Armory's word; without it a model is told nothing."""

BEGINS = f"{SENDER}: the backlog as of change "
"""How each message begins, before the number of the change. By it a stored one is known again."""

_BEGINNING = re.compile(re.escape(f"{OPEN}\n{BEGINS}") + "([0-9]{1,18})([.:])")

ALL = "."
"""What follows the number where all that is open is told, and not what changed."""


def told(branch: Sequence[Entry]) -> int | None:
    """Up to which change the model knows what concerns it; None where it has nothing of the backlog in sight.

    The newest message of ours says it, as long as the one that told all is in sight too; else, where nothing was
    summed up, the first result of the tool, for the later ones may be about other things. The root of the branch stands
    first.
    """
    first_kept: object = None
    is_compacted = False
    newest: int | None = None
    by_result: int | None = None
    for record in reversed(branch):
        entry = as_entry(record)
        if entry.get("type") == "compaction" and not is_compacted:
            is_compacted, first_kept = True, entry.get("firstKeptEntryId")
            if not isinstance(first_kept, str):
                break
        elif (found := _in_message(entry)) is not None:
            newest = int(found[1]) if newest is None else newest
            if found[2] == ALL:
                return newest
        elif (seq := _in_result(entry.get("message"))) is not None:
            by_result = seq
        if is_compacted and entry.get("id") == first_kept:
            break
    return None if is_compacted else newest if newest is not None else by_result


def _in_message(entry: Entry) -> re.Match[str] | None:
    message = entry.get("message")
    is_ours = entry.get("type") == "custom_message" or (isinstance(message, dict) and message.get("role") == "user")
    # The role first: to read all of a long branch would take its time.
    ours = record_of(entry) if is_ours else None
    return _BEGINNING.match(ours.text.strip()) if isinstance(ours, Ours) else None


def _in_result(message: Json) -> int | None:
    match message:
        case {"role": "toolResult", "toolName": "todo", "details": {"action": str(), "seq": int(seq)}}:
            return seq
        case _:
            return None
