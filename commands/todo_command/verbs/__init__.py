"""The verbs of /todo, one file per family, and the table that finds them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from todo_command import grammar, manual
from todo_command.verbs import append, backlog, blocking, copy, edit, files, history, notes, panel, show, target
from todo_command.verbs.asked import Asked
from todo_context.pi import Answer

VERBS: Mapping[str, Callable[[Asked], Awaitable[Answer]]] = {
    "": show.show,
    "append": append.append,
    "start": target.start,
    "done": target.done,
    "drop": target.drop,
    "rm": target.rm,
    "note": notes.note,
    "block": blocking.block,
    "unblock": blocking.unblock,
    "edit": edit.edit,
    "copy": copy.copy,
    "export": files.export,
    "import": files.import_,
    "undo": history.undo,
    "redo": history.redo,
    "log": history.log,
    "expand": panel.expand,
    "collapse": panel.collapse,
    "panel": panel.panel,
    "backlog": backlog.backlog,
    "park": backlog.park,
    "pull": backlog.pull,
    "help": show.show_help,
    "?": show.show_help,
}
"""What each verb does. What they say of themselves stands in `manual.VERBS`.

`panel` is for keys, and stands in no help.
"""


async def run(args: str, asked: Asked) -> Answer:
    """Do what stands after /todo. `asked` is where and when; the rest of it comes from `args`.

    Raises:
        OSError: the change could not be stored; the plan is as it was.
    """
    call = grammar.verb_call(args)
    verb = VERBS.get(call.verb)
    if verb is None:
        return Answer(text=manual.unknown_verb(call.verb), is_error=True)
    return await verb(replace(asked, rest=call.rest))
