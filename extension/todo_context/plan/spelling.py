"""Other spellings of operations and statuses that models use. Two tables, and how a word is compared."""

from collections.abc import Mapping

from todo_context.plan.model import Status

STATUSES: Mapping[str, Status] = {status.value: status for status in Status}

_OTHER_STATUSES: Mapping[str, Status] = {
    "todo": Status.PENDING,
    "open": Status.PENDING,
    "not_started": Status.PENDING,
    "planned": Status.PENDING,
    "inprogress": Status.IN_PROGRESS,
    "active": Status.IN_PROGRESS,
    "doing": Status.IN_PROGRESS,
    "started": Status.IN_PROGRESS,
    "running": Status.IN_PROGRESS,
    "done": Status.COMPLETED,
    "complete": Status.COMPLETED,
    "finished": Status.COMPLETED,
    "cancelled": Status.ABANDONED,
    "canceled": Status.ABANDONED,
    "dropped": Status.ABANDONED,
    "skipped": Status.ABANDONED,
    "wont_do": Status.ABANDONED,
    "on_hold": Status.BLOCKED,
    "waiting": Status.BLOCKED,
}

_OTHER_OPS: Mapping[str, str] = {
    "create": "init",
    "write": "init",
    "add": "append",
    "begin": "start",
    "in_progress": "start",
    "complete": "done",
    "completed": "done",
    "finish": "done",
    "finished": "done",
    "cancel": "drop",
    "cancelled": "drop",
    "canceled": "drop",
    "abandon": "drop",
    "abandoned": "drop",
    "skip": "drop",
    "remove": "rm",
    "delete": "rm",
    "add_note": "note",
    "blocked": "block",
    "list": "view",
    "show": "view",
}


def status_of(word: str) -> Status | None:
    """The status a word means, or None."""
    folded = _folded(word)
    return STATUSES.get(folded) or _OTHER_STATUSES.get(folded)


def op_of(word: str) -> str:
    """The operation a word means; a word that means none comes back folded."""
    folded = _folded(word)
    return _OTHER_OPS.get(folded, folded)


def _folded(word: str) -> str:
    return "_".join(word.casefold().replace("-", " ").replace("_", " ").replace("'", "").split())
