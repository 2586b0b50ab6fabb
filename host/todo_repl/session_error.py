"""What can go wrong with a session file, for the operator and for whoever can ask a person what to do."""

from pathlib import Path

from todo_context.errors import TodoContextError
from todo_context.plan.text import for_screen

OURS_OR_THEIRS = "/fork takes what is here into a session of its own; started again, the program goes on there."
"""What a person can do where another program did something to a session that is open."""


class SessionError(TodoContextError, OSError):
    """A session cannot be read, held or written: `path`, `fact` and `step`; the file is as it was.

    An OSError too, which the port promises for an entry that cannot be stored.
    """

    def __init__(self, path: Path, fact: str, step: str) -> None:
        super().__init__(for_screen(f"{path}: {fact} {step}"))
        self.path = path
        self.fact = fact
        self.step = step


class NotWrittenError(SessionError):
    """The disk does not take what is to be stored: it is full, read-only, broken, or the file or its folder is gone.

    `remedy` is what the person can do, as an order without an end.
    """

    def __init__(
        self,
        path: Path,
        reason: str,
        *,
        what_fails: str = "cannot be written",
        remedy: str = "Make room or check the rights of its folder",
    ) -> None:
        fact = f"{what_fails} ({reason}); nothing was stored."
        super().__init__(path, fact, f"{remedy}, then try again.")
        self.what_fails = what_fails
        self.reason = reason
        self.remedy = remedy


class GoneError(NotWrittenError):
    """The file of a session that is open was removed. It is not begun again, for that would be without its past."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason, what_fails="is gone", remedy="Put it back, or /fork takes all into a new file")


class SessionMovedError(SessionError):
    """Another program went on with a session that is open here: `their_leaf` is where it stands now.

    Nothing was written. The person is to be asked: go on there (`Session.go_on_there`), or fork (`Session.fork`).
    """

    def __init__(self, path: Path, their_leaf: str | None) -> None:
        fact = f"another program went on with this session, up to entry {their_leaf}."
        super().__init__(path, fact, OURS_OR_THEIRS)
        self.their_leaf = their_leaf
