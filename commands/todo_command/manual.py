"""What the verbs of /todo are: one table, from which help, completion and usage lines come."""

import textwrap
from dataclasses import dataclass

from todo_context.plan.markdown import MARKS
from todo_context.plan.names import WORD_LIKENESS, closest, quoted
from todo_context.plan.text import for_screen
from todo_context.switches import HEAD, switch_lines

EXAMPLE = '/todo append Build "Wire config"'
"""The one example of the help; a task of two words shows what quotes are for."""

_GAP = 2
"""Cells between the columns of the help. With these texts, no line is wider than `_WIDTH`."""

_WIDTH = 40
"""Cells of a narrow terminal; nothing here is broken by it in the wrong place."""


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb: what may follow it, what it does, and a call that works after `EXAMPLE`."""

    name: str
    arguments: str
    about: str
    example: str

    @property
    def usage(self) -> str:
        """The verb with what may follow it."""
        return f"{self.name} {self.arguments}".rstrip()


VERBS = (
    Verb("append", "[<phase>] <task…>", "add a task", "append Build Test"),
    Verb("start", "<task>", "work on it now", "start config"),
    Verb("done", "[<task|phase>]", "complete", "done config"),
    Verb("drop", "[<task|phase>]", "abandon", "drop config"),
    Verb("rm", "[<task|phase>]", "remove", "rm config"),
    Verb("note", "<task> <text…>", "add a note", "note config see the log"),
    Verb("block", "<task> [<reason…>]", "set aside", "block config no key yet"),
    Verb("unblock", "<task>", "make pending", "unblock config"),
    Verb("edit", "", "in your editor", "edit"),
    Verb("copy", "", "to clipboard", "copy"),
    Verb("export", "[<path>]", "write TODO.md", "export plan.md"),
    Verb("import", "[<path>]", "read TODO.md", "import plan.md"),
    Verb("undo", "", "take it back", "undo"),
    Verb("redo", "", "do it again", "redo"),
    Verb("log", "", "what happened", "log"),
    Verb("expand", "", "a full panel", "expand"),
    Verb("collapse", "", "a small panel", "collapse"),
    Verb("park", "<task>", "into backlog", "park config"),
    Verb("pull", "<id>", "out of it", "pull 4k2m"),
    Verb("backlog", "[<verb> …]", "for later", "backlog add Ship it"),
    Verb("help", "", "this text", "help"),
)
"""In the order of the help. Without a verb, /todo shows the plan."""

_INTRODUCTION = """\
/todo shows the plan, /todo <verb> …
changes it."""

_RULES = """\
With two words or more, the first word
after append is the phase. Quotes keep
words together. Any part of a name will
do. Without a name, done and drop mean
all that is open, and rm everything."""


def verb(name: str) -> Verb:
    """The verb of this name.

    Raises:
        KeyError: there is none.
    """
    return {verb.name: verb for verb in VERBS}[name]


def help_text() -> str:
    """The help: a table of the verbs, the rules in words, an example, the marks, and what can be turned off."""
    width = max(len(verb.usage) for verb in VERBS) + _GAP
    table = "\n".join(f"{verb.usage.ljust(width)}{verb.about}" for verb in VERBS)
    marks = "\n".join(f"[{mark}] {status.replace('_', ' ')}" for status, mark in MARKS.items())
    # Here too, for in other hosts this is the only help of ours.
    switches = "\n".join(textwrap.fill(line, _WIDTH, subsequent_indent="  ") for line in (HEAD, *switch_lines()))
    return "\n\n".join([_INTRODUCTION, table, _RULES, f"Example:\n{EXAMPLE}", marks, switches])


def usage_line(name: str) -> str:
    """How a verb is used, with an example: the second half of an error."""
    entry = verb(name)
    return f"Usage: /todo {entry.usage}, for instance /todo {entry.example}"


def unknown_verb(name: str) -> str:
    """What to say to a verb that does not exist."""
    names = [verb.name for verb in VERBS]
    close = closest(name, names, likeness=WORD_LIKENESS)
    nearest = f" Closest: {close[0]}." if close else ""
    return f"There is no verb {quoted(for_screen(name))}.{nearest} Verbs: {', '.join(names)}."
