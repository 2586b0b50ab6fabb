"""What can go wrong with a session file, for the operator and for whoever can ask a person what to do."""

from pathlib import Path

from todo_context.errors import TodoContextError
from todo_context.plan.text import for_screen


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
    """The disk does not take what is to be stored: it is full, read-only, broken, or the folder is gone."""

    def __init__(self, path: Path, reason: str, *, what_fails: str = "cannot be written") -> None:
        fact = f"{what_fails} ({reason}); nothing was stored."
        super().__init__(path, fact, "Make room or check the rights of its folder, then try again.")
        self.what_fails = what_fails
        self.reason = reason


class SessionMovedError(SessionError):
    """Another program went on with a session that is open here: `their_leaf` is where it stands now.

    Nothing was written. The person is to be asked: go on there (`Session.go_on_there`), or fork (`Session.fork`).
    """

    def __init__(self, path: Path, their_leaf: str | None) -> None:
        fact = f"another program went on with this session, up to entry {their_leaf}."
        super().__init__(path, fact, "Go on from there, or fork what is here into a session of its own.")
        self.their_leaf = their_leaf
