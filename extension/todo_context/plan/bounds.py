"""How much of a plan a reply shows. Stored text is never cut; each cut has a visible mark."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The limits of one reply. The first three are settings."""

    open_tasks: int = 40
    """Open tasks in one reply. A plan that is longer costs more to repeat than it helps; `view` shows all."""

    line_characters: int = 200
    """Characters of one line in a reply. A task that is longer is told by its beginning."""

    view_characters: int = 40_000
    """Characters of the plan in a reply, `view` or not. About 10,000 tokens: what a model's window bears."""

    problems: int = 10
    """Problems in one reply; a call with more of them went wrong in one way, not in many."""

    problem_characters: int = 600
    """Characters of one problem: names in it are bounded already, keys of a strange call are not."""

    fallen: int = 8
    """Tasks that are named when a new list left them out; the rest are counted."""


DEFAULT = Bounds()
