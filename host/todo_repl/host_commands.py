"""The commands of the host itself, by name: which there are, what each does, and when.

One that changes the session, or what is loaded, waits until the agent has answered.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from todo_context.pi import Answer, Completion
from todo_context.plan.text import for_screen
from todo_repl.help_text import from_home, help_text, model_words, settings_place
from todo_repl.session_commands import SessionCommands
from todo_repl.session_moved import may_go_on
from todo_repl.ui.keys import rows

if TYPE_CHECKING:
    from todo_repl.runtime import Runtime


@dataclass(frozen=True, slots=True)
class HostCommand:
    """A command of the host. `handler(args)` may raise a TodoContextError or an OSError for the person.

    `when`: always; while the agent does not work; or only then and where something can be stored in the session, which
    another program may have gone on with.
    """

    description: str
    handler: Callable[[str], Awaitable[Answer | None]]
    when: Literal["always", "idle", "stored"] = "stored"
    completions: Callable[[str], Sequence[Completion]] | None = None


def host_commands(runtime: "Runtime") -> Mapping[str, HostCommand]:
    """All of them, over one runtime."""
    own, of_session = _Own(runtime), SessionCommands(runtime)
    return {
        "help": HostCommand("Show the commands and keys", own.help, when="always"),
        "session": HostCommand("Show what this session is", of_session.session, when="always"),
        "name": HostCommand("Show or set the session's name", of_session.name, completions=of_session.complete_name),
        "new": HostCommand("Begin a new session; this one is kept", of_session.new, when="idle"),
        "resume": HostCommand("Go on with an earlier session of this folder", of_session.resume, when="idle"),
        "fork": HostCommand("Go on in a copy of this branch, or of a file's", of_session.fork, when="idle"),
        "tree": HostCommand("Go to another point of this session", of_session.tree),
        "rewind": HostCommand(
            "Go back before your last message, or the n-th last",
            of_session.rewind,
            completions=of_session.complete_rewind,
        ),
        "compact": HostCommand("Sum up older messages; say what to keep above all", of_session.compact),
        "handoff": HostCommand(
            "Begin a new session with the plan alone; say its goal", of_session.handoff, when="idle"
        ),
        "reload": HostCommand("Read the extensions anew", own.reload, when="idle"),
        "quit": HostCommand("Leave; the session is kept", own.quit, when="always"),
        "exit": HostCommand("The same as /quit", own.quit, when="always"),
    }


def at_work(name: str) -> Answer:
    """Say that a command must wait."""
    line = f"The agent is at work. /{name} when it has answered, or stop it with Esc."
    return Answer(text=line, is_error=True)


class _Own:
    """What has to do with no session."""

    def __init__(self, runtime: "Runtime") -> None:
        self._runtime = runtime

    async def help(self, _args: str) -> Answer:
        runtime = self._runtime
        facts = {
            "Model": model_words(runtime.model),
            "Session": from_home(runtime.session.path) if runtime.session.path else "kept nowhere",
            "Settings": settings_place(),
            "Extensions": self._extension_words(),
        }
        keys = tuple(rows(runtime.keys)) if runtime.front.has_ui else ()
        return Answer(text=help_text(runtime.commands(), facts, keys))

    async def reload(self, _args: str) -> Answer:
        await self._runtime.begin_anew(self._runtime.session, "reload")
        return Answer(text=for_screen(f"Loaded: {self._extension_words()}."))

    async def quit(self, _args: str) -> Answer | None:
        runtime = self._runtime
        if runtime.front.has_ui and not runtime.is_working:
            # Something may be saved yet, and who leaves by habit would not have asked for that.
            await may_go_on(runtime)
            is_lost = f"{runtime.session.path}: {runtime.unsaved}. /fork would take all of it into a new file."
            if runtime.unsaved and not await runtime.front.ui.confirm("Leave, and lose it?", for_screen(is_lost)):
                return Answer(text="You are still here. /fork saves all of it.")
        runtime.is_over = True
        return None

    def _extension_words(self) -> str:
        return ", ".join(self._runtime.extensions.names) or "none"
