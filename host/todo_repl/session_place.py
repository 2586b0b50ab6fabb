"""Where the sessions of this program are: a new one begins there, and earlier ones are looked for there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from todo_context.errors import TodoContextError
from todo_repl.session import Session, new_session_path, session_folder
from todo_repl.session_list import Listed, sessions_here
from todo_repl.session_sweep import sweep


@dataclass(frozen=True, slots=True)
class Place:
    """`root` gives the folder above the folders of sessions, and may raise a TodoContextError; None: none is kept."""

    root: Callable[[], Path] | None = None

    def new(self, cwd: str) -> Session:
        """Begin a session of a folder.

        Raises:
            TodoContextError: there is no place for it.
        """
        return Session.memory(cwd) if self.root is None else Session.create(self.new_path(cwd), cwd)

    def new_path(self, cwd: str) -> Path:
        """The file of a session that begins now; what was left over by one that was killed is gone from its folder.

        Raises:
            TodoContextError: none is kept, or there is no place for it.
        """
        path = new_session_path(cwd, root=self._checked_root())
        sweep(path.parent)
        return path

    def check(self) -> None:
        """See whether sessions are kept.

        Raises:
            TodoContextError: they are not, or there is no place for them.
        """
        self._checked_root()

    def _checked_root(self) -> Path:
        if self.root is None:
            raise TodoContextError("Sessions are kept nowhere now. Start without --no-session.")
        return self.root()

    def listed(self, cwd: str) -> Sequence[Listed]:
        """The sessions of a folder, the one written last first.

        Raises:
            TodoContextError: there is no place for them.
        """
        return [] if self.root is None else sessions_here(session_folder(cwd, root=self.root()))
