"""From flags, settings and the environment to the session and the model of this start.

Flags win over settings. Nothing is asked of a provider here, and nothing is written.
"""

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

from todo_context.errors import TodoContextError
from todo_context.paths import data_dir
from todo_context.settings import ReplSettings
from todo_repl.connect import OnlineModel, online_model
from todo_repl.models import PROVIDERS, Model, ModelError, ModelSpec, ProviderName
from todo_repl.session import Session, newest_session
from todo_repl.session_error import SessionError
from todo_repl.session_lock import is_locked
from todo_repl.session_pick import opened
from todo_repl.session_place import Place

NAME = "todo-context"

MODEL_EXAMPLES = "openai:gpt-5 or anthropic:claude-sonnet-5"


class UsageError(TodoContextError):
    """Flags that cannot be meant: exit code 2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The flags, as given. None and "" mean: not given."""

    prompt: str | None = None
    as_json: bool = False
    model: str = ""
    base_url: str = ""
    session_file: str = ""
    goes_on: bool = False
    resumes: bool = False
    no_session: bool = False
    session_dir: str = ""
    no_todo: bool = False
    no_tools: bool = False
    extensions: Sequence[str] = ()
    no_extensions: bool = False

    def with_prompt(self, text: str) -> "Options":
        """The same, with the prompt as text."""
        return replace(self, prompt=text)

    def with_session(self, path: Path) -> "Options":
        """The same, with the session that the person chose."""
        return replace(self, session_file=str(path))


@dataclass(frozen=True, slots=True)
class Opened:
    """A session, how it begins, and the command that comes back to it ("" when it is not kept)."""

    session: Session
    reason: Literal["startup", "resume"]
    way_back: str


def sessions_root(session_dir: str, settings: ReplSettings) -> Path:
    """The folder above the folders of sessions.

    Raises:
        TodoContextError: there is no home folder, and no other was named.
    """
    named = session_dir or settings.session_dir
    return _place(named) if named else data_dir() / "sessions"


def _place(named: str) -> Path:
    """An absolute path; a "~" that stands for nobody's home is a name like any other."""
    return Path(os.path.abspath(os.path.expanduser(named)))  # noqa: PTH100, PTH111 (no error without a home)


def newest_here(cwd: str, root: Path) -> Path:
    """The session of this folder that was written last.

    Raises:
        TodoContextError: there is none.
    """
    newest = newest_session(cwd, root=root)
    if newest is None:
        message = f"{cwd}: no session was kept for this folder under {root}. Start one: todo-context"
        raise TodoContextError(message)
    return newest


def place_of_sessions(options: Options, settings: ReplSettings) -> Place:
    """Where new sessions begin, and earlier ones are looked for."""
    if options.no_session:
        return Place()
    return Place(lambda: sessions_root(options.session_dir, settings))


def way_back_to(path: Path) -> str:
    """The command that comes back to a session, wherever it is."""
    return f"{program()} --session {shlex.quote(str(path))}"


def open_session(options: Options, settings: ReplSettings) -> Opened:
    """Open the session that the flags name, or begin one.

    Raises:
        TodoContextError: it is missing, foreign or damaged, or there is no place for a new one.
    """
    cwd = working_folder()
    if options.no_session:
        return Opened(Session.memory(cwd), "startup", "")
    if options.session_file:
        path = _place(options.session_file)
        return _at(path, cwd, way_back_to(Path(options.session_file)))
    root = sessions_root(options.session_dir, settings)
    where = f"--session-dir {shlex.quote(options.session_dir)} " if options.session_dir else ""
    path = newest_here(cwd, root) if options.goes_on else place_of_sessions(options, settings).new_path(cwd)
    if options.goes_on and is_locked(path):
        fact = "the newest session of this folder is open in another terminal."
        raise SessionError(path, fact, "--resume lets you choose another one, and without -c a new one begins.")
    return _at(path, cwd, f"{program()} {where}-c")


def _at(path: Path, cwd: str, way_back: str) -> Opened:
    if not os.path.lexists(path):
        return Opened(Session.create(path, cwd), "startup", way_back)
    session = opened(path, cwd=cwd)
    return Opened(session, "startup" if session.leaf_id is None else "resume", way_back)


def working_folder() -> str:
    """The folder the program was started in.

    Raises:
        TodoContextError: it is gone.
    """
    try:
        return str(Path.cwd())
    except OSError as error:
        message = f".: the current folder cannot be used: {error.strerror}. Go to another one."
        raise TodoContextError(message) from error


def model_spec(options: Options, settings: ReplSettings) -> ModelSpec | None:
    """Which online model to talk to; None for the offline planner.

    Raises:
        UsageError: the name has no provider, or one that is not known.
        TodoContextError: likewise, and the name stands in the settings.
    """
    named, base_url = options.model or settings.model, options.base_url or settings.base_url
    # A person who gave no flag must look elsewhere.
    origin, error = ("--model", UsageError) if options.model else ("settings: [repl] model", TodoContextError)
    if not named:
        if options.base_url:
            message = f"--base-url {options.base_url}: which model is there? Add --model openai:NAME."
            raise UsageError(message)
        return None
    provider, colon, name = named.partition(":")
    if not colon or not provider or not name:
        raise error(f"{origin} {named}: it is PROVIDER:NAME, such as {MODEL_EXAMPLES}.")
    if provider not in PROVIDERS:
        raise error(f"{origin} {named}: no provider {provider}. There are {' and '.join(PROVIDERS)}: {MODEL_EXAMPLES}.")
    if base_url and not base_url.startswith(("http://", "https://")):
        wanted = f"{base_url}: it begins with http:// or https://, such as http://127.0.0.1:8080/v1."
        if options.base_url:
            raise UsageError(f"--base-url {wanted}")
        raise TodoContextError(f"settings: [repl] base_url {wanted}")
    return ModelSpec(provider=cast("ProviderName", provider), name=name, base_url=base_url or None)


def choose_model(spec: ModelSpec | None) -> Model:
    """The online model, or the planner that needs none. One that cannot be asked says so when it is asked."""
    if spec is not None:
        try:
            return online_model(spec)
        except ModelError as error:
            return OnlineModel(spec, error)
    from todo_repl.offline import OfflinePlanner  # noqa: PLC0415 (not needed beside a model)

    return OfflinePlanner()


def program() -> str:
    """How this program is started again from here: its name, or its path where that is not on PATH."""
    if shutil.which(NAME) is None and Path(sys.argv[0]).name == NAME:
        return shlex.quote(os.path.relpath(sys.argv[0]))
    return NAME
