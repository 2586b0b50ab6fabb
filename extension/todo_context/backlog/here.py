"""The backlog as one session has it: where it lies, which project is here, who asks, and the way to the store.

What holds a store is imported with the first question to one that is there, or with the first item. Where there is
none, there is nothing to read, and nobody makes one to find that out.
"""

import asyncio
import os
from datetime import timedelta
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from todo_context.errors import TodoContextError
from todo_context.paths import data_dir
from todo_context.pi import Context
from todo_context.settings import BacklogSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from todo_context.backlog.moves import Who
    from todo_context.backlog.store import Store

T = TypeVar("T")

FILE_NAME = "backlog.db"
"""As in `places`, which imports more than a session without a backlog is to wait for."""

HURRY_S = 1.0
"""Seconds that a message of the person may be held up by a store that others hold."""

PERSON = " (person)"
"""What follows the name of a session in the history, where its person did it and not the agent."""


class Here:
    """One session's way to the backlog. Made with the settings of the moment; nothing is touched before it is asked."""

    def __init__(self, settings: BacklogSettings, *, is_shell: bool = False) -> None:
        """Take the settings. In a shell there is a person and no agent, and nothing that shows a sign of life."""
        self.settings = settings
        self._is_shell = is_shell
        self._store: Store | None = None
        self._hurried: Store | None = None
        self._projects: dict[str, str] = {}

    @property
    def place(self) -> str:
        """Where the store is or would be, as `open_store` takes it.

        Raises:
            TodoContextError: nobody says where, and this user has no home folder.
        """
        return self.settings.store or str(data_dir() / FILE_NAME)

    @property
    def is_there(self) -> bool:
        """Whether there is a store; also where it is gone, but backups of it say that there was one."""
        try:
            path = Path(self.place.removeprefix("json:")).expanduser()
            return path.is_absolute() and (path.exists() or any(path.parent.glob(f"{escape(path.name)}.backup-*")))
        except (TodoContextError, OSError, RuntimeError):
            return False

    def refuse_unfit(self) -> None:
        """Say no to a place where no store may be, also where there is none yet: else it looks like an empty one.

        Raises:
            StoreError: why, and what works.
            TodoContextError: nobody knows where it is.
        """
        from todo_context.backlog.places import path_of, refuse_unfit  # noqa: PLC0415 (who asks waits for the answer)

        refuse_unfit(path_of(self.place))

    @property
    def lease(self) -> timedelta | None:
        """For how long a session has what it claims; in a shell until it is released."""
        return None if self._is_shell else timedelta(minutes=self.settings.lease_minutes)

    def project(self, ctx: Context) -> str:
        """The project of the folder that the session works in; what the settings name is used as it stands."""
        if self.settings.project:
            return self.settings.project
        if ctx.cwd not in self._projects:
            from todo_context.backlog.places import project_of  # noqa: PLC0415 (a session without a backlog needs none)

            self._projects[ctx.cwd] = project_of(Path(ctx.cwd))
        return self._projects[ctx.cwd]

    @property
    def known_project(self) -> str | None:
        """The project that was asked for last, for what is asked without a moment; None before the first time."""
        return self.settings.project or next(reversed(self._projects.values()), None)

    def name(self, ctx: Context) -> str:
        """The name of the session: that of its claims, the source of its items, and in the history."""
        return ctx.session or f"process:{os.getpid()}"

    def agent(self, ctx: Context) -> "Who":
        """The agent of the session, who acts."""
        from todo_context.backlog.moves import Who  # noqa: PLC0415 (likewise)

        return Who(self.name(ctx))

    def person(self, ctx: Context, *, claims: bool = False) -> "Who":
        """The person of the session. What they claim is the session's, which works on it."""
        from todo_context.backlog.moves import Who  # noqa: PLC0415 (likewise)

        return Who(self.name(ctx) + ("" if claims or self._is_shell else PERSON), is_person=True)

    async def ask(self, question: "Callable[[Store], T]", *, hurried: bool = False) -> T:
        """Have the store answer, or change; beside the event loop, for it may wait for others.

        `hurried`: the person waits for something else, so it waits for others no longer than `HURRY_S`.

        Raises:
            StoreError: it cannot be used.
            TodoContextError: nobody knows where it is.
        """
        return await asyncio.to_thread(lambda: question(self._hurried_store() if hurried else self.store()))

    def store(self) -> "Store":
        """The store, opened; it comes to be with the first write.

        Raises:
            StoreError, TodoContextError: as `ask`.
        """
        if self._store is None:
            from todo_context.backlog.opening import open_store  # noqa: PLC0415 (likewise, and sqlite3 with it)

            self._store = open_store(self.place)
        return self._store

    def _hurried_store(self) -> "Store":
        # Another one: else it would wait behind an answer that is itself waiting.
        if self._hurried is None:
            from todo_context.backlog.opening import open_store  # noqa: PLC0415 (likewise)

            self._hurried = open_store(self.place, wait_s=HURRY_S)
        return self._hurried

    def close(self) -> None:
        """Let go of the file."""
        for store in (self._store, self._hurried):
            if store is not None:
                store.close()
