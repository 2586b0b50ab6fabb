"""The verbs of the backlog: one table, from which running, help, completion and usage lines come."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from todo_command.verbs import backlog_change as change
from todo_command.verbs import backlog_edit as edit
from todo_command.verbs import backlog_keep as keep
from todo_command.verbs import backlog_show as show
from todo_command.verbs.backlog_call import (
    DONE,
    FAILED,
    USAGE,
    Said,
    UsageError,
    Wish,
    read_options,
    refused_whole,
    typed_words,
)
from todo_context.backlog import words
from todo_context.backlog.acts import emptiness
from todo_context.backlog.here import Here
from todo_context.backlog.secrets import masked
from todo_context.errors import TodoContextError
from todo_context.pi import Context
from todo_context.plan.names import WORD_LIKENESS, closest
from todo_context.plan.text import for_screen

_WHERE = {"project": True}
_FIELDS = {"priority": True, "project": True, "tag": True, "notes": True, "allow-secret": False}
_FILTERS = {"project": True, "status": True, "tag": True, "since": True, "page": True}
_TEXTS = frozenset({"notes", "project", "tag"})
_CLOSED = {"days": True, "all": False, "status": True, "project": True, "tag": True}


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb: what may follow it, what it does. `begins`: it may be the first thing a backlog sees.

    `details` is for who asks for the help of this verb alone.
    """

    name: str
    arguments: str
    about: str
    run: Callable[[Wish], Awaitable[Said]]
    options: Mapping[str, bool]
    begins: bool = False
    details: str = ""

    @property
    def usage(self) -> str:
        """The verb with what may follow it, options too."""
        options = [f"[--{name}{' …' * takes}]" for name, takes in self.options.items()]
        return " ".join(filter(None, [self.name, self.arguments, *options]))

    @property
    def help(self) -> str:
        """All that is said of it."""
        return "\n".join(filter(None, [f"backlog {self.usage}", self.about, self.details]))


async def _help(wish: Wish) -> Said:
    verb = verb_of(wish.words[0]) if wish.words else None
    if verb is None:
        return Said(help_text() if not wish.words else _unknown(wish.words[0]), code=USAGE if wish.words else DONE)
    return Said(verb.help)


_PRUNE = """\
It archives what was closed that many days ago (--all: any that is closed). restore brings it back.
--hard deletes what was archived and was closed 180 days ago, or --days; --all: of any age, and what is only closed too.
It shows what would go, and then asks; where nobody can be asked, say the same with the --token it shows. untrash brings
that back for 30 days."""

VERBS = (
    Verb("list", "[<text…>]", "what is open here", show.list_, _FILTERS),
    Verb("all", "[<text…>]", "what is open, by project", show.list_all, _FILTERS),
    Verb("ready", "[<text…>]", "what can be claimed", show.ready, {"project": True, "tag": True, "page": True}),
    Verb("show", "<id>…", "all of an item", show.get, {}),
    Verb("add", "<text…>", "a new item", change.add, {**_FIELDS, "until": True, "after": True, "force": False}, True),  # noqa: FBT003 (a table)
    Verb("update", "<id> [<text…>]", "other words or fields", change.update, _FIELDS),
    Verb("edit", "", "in your editor", edit.edit, {"project": True, "all": False}, True),  # noqa: FBT003 (likewise)
    Verb("done", "<id>…", "complete", change.done, _WHERE),
    Verb("rm", "<id>…", "cancel", change.rm, _WHERE),
    Verb("claim", "[<id>…]", "take, or the next one", change.claim, _WHERE),
    Verb("release", "<id>…", "give back", change.release, _WHERE),
    Verb("park", "<id>… [until <day>]", "put aside", change.park, {**_WHERE, "until": True}),
    Verb("unpark", "<id>…", "open again", change.unpark, _WHERE),
    Verb("reopen", "<id>…", "closed, open again", change.reopen, _WHERE),
    Verb("block", "<id> <id>…", "it waits for those", change.block, {}),
    Verb("unblock", "<id> [<id>…]", "it waits no longer", change.unblock, {}),
    Verb("prune", "", "archive what is closed", keep.prune, {**_CLOSED, "hard": False, "token": True}, details=_PRUNE),
    Verb("clean", "", "archive all closed here", keep.clean, {"project": True, "status": True, "tag": True}),
    Verb("restore", "<id>…", "out of the archive", change.restore, {"open": False}),
    Verb("untrash", "<number>", "undo a hard prune", keep.untrash, {}),
    Verb("forget", "<id>", "overwrite a secret", keep.forget, {"yes": False}),
    Verb("rename", "<old> <new>", "a project", change.rename, {"allow-secret": False}),
    Verb("undo", "[<n>]", "take changes back", change.undo, {}),
    Verb("redo", "[<n>]", "do them again", change.redo, {}),
    Verb("log", "[<id>]", "who did what, when", show.log, {"limit": True}),
    Verb("health", "", "what is up", show.health, {"fix": False}),
    Verb("export", "[<path>]", "write todo.json", keep.export, {}),
    Verb("import", "<path>", "read such a file", keep.import_, {"dry-run": False, "allow-secret": False}, True),  # noqa: FBT003 (likewise)
    Verb("recover", "", "from a backup", keep.recover, {"new": False, "yes": False}, True),  # noqa: FBT003 (likewise)
    Verb("help", "[<verb>]", "this, or its options", _help, {}, True),  # noqa: FBT003 (likewise)
)
"""In the order of the help. Without a verb, it is `list`."""

_BY_NAME = {verb.name: verb for verb in VERBS}
_VALUED = sorted({name for verb in VERBS for name, takes_value in verb.options.items() if takes_value})
_ALIASES = {
    "": "list", "ls": "list", "get": "show", "complete": "done", "delete": "rm", "cancel": "rm", "start": "claim",
    "project": "rename", "clear": "clean", "?": "help", "set": "update",
}  # fmt: skip


def verb_of(name: str) -> Verb | None:
    """The verb of this name, or of one that means the same."""
    folded = name.casefold()
    return _BY_NAME.get(_ALIASES.get(folded, folded))


async def run(given: Sequence[str] | str, here: Here, ctx: Context) -> Said:
    """Do what stands behind `backlog`: the words of a shell, or a line as it was typed in a session.

    Where nothing was ever put in, only what may begin a backlog makes one. `refused` is in all that is answered; and an
    error says nothing again that the door refuses.
    """
    try:
        said = await _answered(typed_words(given, _VALUED) if isinstance(given, str) else given, here, ctx)
    except UsageError as error:
        said = Said(f"backlog: {error}", code=USAGE)
    except TodoContextError as error:
        recover = " backlog recover does that." if getattr(error, "backup", None) is not None else ""
        code = getattr(error, "trouble", "nothing")
        said = Said(f"{for_screen(str(error))}{recover}", refused_whole(code, str(error)), FAILED)
    if said.code not in {FAILED, USAGE}:
        return replace(said, data={"refused": [], **said.data})
    whole = refused_whole("usage" if said.code == USAGE else "nothing", said.text)
    return replace(said, text=masked(said.text), data={**whole, **said.data})


async def _answered(given: Sequence[str], here: Here, ctx: Context) -> Said:
    name, rest = (given[0], given[1:]) if given and given[0][:2] not in {"--", "-h"} else ("", given)
    verb = verb_of(name)
    if verb is None:
        return Said(_unknown(name), code=USAGE)
    if _asks_for_help(rest):
        return Said(verb.help if name else help_text())
    try:
        found_words, options = read_options(rest, verb.options)
        # What is no text of an item passes no door, and may be said again when it cannot be read.
        options = {name: given if name in _TEXTS else list(map(masked, given)) for name, given in options.items()}
        if verb.begins or here.is_there:
            return await verb.run(Wish(words=found_words, options=options, here=here, ctx=ctx))
    except UsageError as error:
        return Said(f"backlog {verb.name}: {error} Usage: backlog {verb.usage}", code=USAGE)
    here.refuse_unfit()
    empty = f"{emptiness(here.place)}; backlog add <text> begins it."
    if verb.name == "list":
        empty = f"Project {words.name(here.project(ctx))}: nothing open. {empty}"
    is_read = verb.name in {"list", "all", "log", "health", "prune", "clean"}
    return Said(empty, {"items": []}, DONE if is_read else FAILED)


def _asks_for_help(rest: Sequence[str]) -> bool:
    """Whether these words are a program's `--help`. Among other words `-h` is one of a text."""
    end = rest.index("--") if "--" in rest else len(rest)
    return "--help" in rest[:end] or list(rest) == ["-h"]


def help_text() -> str:
    """The verbs in a table, and how items are named."""
    width = max(len(f"{verb.name} {verb.arguments}") for verb in VERBS) + 2
    rows = [f"{f'{verb.name} {verb.arguments}'.ljust(width)}{verb.about}" for verb in VERBS]
    return "\n".join([_HEAD, "", *rows, "", _RULES])


_HEAD = "/todo backlog shows what is open in this project, /todo backlog <verb> … changes it."
_RULES = """\
An item is named by its id, 4k2m or a beginning of it, or by a part of its text.
add and update take --priority low|med|high|critical, --tag, --project and --notes.
/todo park <task> moves a task of the plan here, /todo pull <id> an item into the plan.
Titles are told to models, so to whoever runs them: no secrets."""


def _unknown(name: str) -> str:
    shown = words.name(name)
    close = closest(name, _BY_NAME, likeness=WORD_LIKENESS)
    nearest = f" Closest: {close[0]}." if close else ""
    return f"There is no verb {shown}.{nearest} Verbs: {', '.join(_BY_NAME)}."
