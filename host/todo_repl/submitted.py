"""How a line of the person ended: what the exit code of the program follows."""

from enum import IntEnum

from todo_repl.agent_events import RunEnd


class Submitted(IntEnum):
    """How a line ended; of several, the highest counts."""

    DONE = 0
    FAILED = 1
    BUG = 2
    ABORTED = 3


def submitted(end: RunEnd) -> Submitted:
    """How a line ended whose run ended so."""
    match end.reason:
        case "stop":
            return Submitted.DONE
        case "aborted":
            return Submitted.ABORTED
        case "error" | "limit":
            return Submitted.FAILED
