"""Undo, redo and log: what happened to the plan on this branch, and back.

Whoever made a change, the person may undo it. Undoing is a change like others, so it can be seen in the log.
"""

from collections.abc import Mapping

from todo_command import answers, manual
from todo_command.difference import Difference
from todo_command.verbs.asked import Asked
from todo_context.cells import cut
from todo_context.lane import Recorded
from todo_context.pi import Answer
from todo_context.plan.replay import Change
from todo_context.plan.sources import By
from todo_context.plan.text import for_screen, one_line

LOGGED = 20
"""How many changes the log lists; with what is typed they fit a small screen of 24 lines."""

NAMES, NAME_CELLS = 2, 20
"""Tasks that a line of the log names, and how much of each: with the rest they fit on a screen of 80."""

ACTION_CHARACTERS = 24
"""Characters of an action that are shown. A call may hold all ten operations, and a foreign file any text."""

_AUTHORS: Mapping[By, str] = {"user": "you", "model": "the agent", "extension": "an extension"}
_SHORT_AUTHORS: Mapping[By, str] = {"user": "you", "model": "agent", "extension": "extension"}
_AUTHOR_WIDTH = max(map(len, _SHORT_AUTHORS.values()))

_NO_NUMBER = "-"
"""What stands for the number of a change that another program wrote."""


async def undo(asked: Asked) -> Answer:
    """Bring back the plan before the newest change."""
    if asked.rest:
        return _takes_nothing("undo")
    recorded = await asked.lane.undo()
    if recorded.retraced is None:
        return Answer(text="No change: there is nothing to undo.")
    counts = _difference(recorded).counted("back", "gone again", "as before")
    return answers.changed(f"Undone: {_what(recorded.retraced)} ({counts})", recorded)


async def redo(asked: Asked) -> Answer:
    """Do again what was undone last."""
    if asked.rest:
        return _takes_nothing("redo")
    recorded = await asked.lane.redo()
    if recorded.retraced is None:
        return Answer(text="No change: there is nothing to redo.")
    return answers.changed(f"Redone: {_what(recorded.retraced)} ({_difference(recorded).counted()})", recorded)


async def log(asked: Asked) -> Answer:
    """The last changes, the newest first: number, who, action, and how much of the plan it changed."""
    past = await asked.lane.history()
    if not past.changes:
        return Answer(text="Nothing has changed the plan yet.")
    undone = set(map(id, past.undone))
    shown = past.changes[: -LOGGED - 1 : -1]
    width = max(len(_number(change)) for change in shown)
    rows = [_row(change, width, is_undone=id(change) in undone) for change in shown]
    earlier = len(past.changes) - len(shown)
    return Answer(text="\n".join([*rows, f"… and {earlier} before"] if earlier else rows))


def _row(change: Change, width: int, *, is_undone: bool) -> str:
    difference = Difference.between(change.before, change.after)
    who = _SHORT_AUTHORS[change.by].ljust(_AUTHOR_WIDTH)
    mark = " (undone)" if is_undone else ""
    return f"{_number(change).rjust(width)} {who} {_action(change)}: {difference.counted()}{_names(difference)}{mark}"


def _names(difference: Difference) -> str:
    contents = (*difference.added, *difference.removed, *difference.renamed, *difference.changed)
    names = [f'"{cut(for_screen(one_line(content)), NAME_CELLS)}"' for content in contents[:NAMES]]
    return f" ({', '.join(names)}{', …' if len(contents) > NAMES else ''})" if names else ""


def _number(change: Change) -> str:
    return _NO_NUMBER if change.seq is None else f"#{change.seq}"


def _what(change: Change) -> str:
    return f"{_action(change)} by {_AUTHORS[change.by]}"


def _action(change: Change) -> str:
    action = one_line(for_screen(change.action)) or "?"
    return action if len(action) <= ACTION_CHARACTERS else f"{action[: ACTION_CHARACTERS - 1]}…"


def _difference(recorded: Recorded) -> Difference:
    return Difference.between(recorded.before, recorded.outcome.plan)


def _takes_nothing(verb: str) -> Answer:
    return answers.error(f"{verb} takes no name: it goes back or forth by one change.", manual.usage_line(verb))
