"""What a model or a person asked of the backlog and could not have: a value, never an exception.

It names the item, the fact with the value seen, and one step that works.
"""

from dataclasses import dataclass, replace
from typing import Literal

from todo_context.backlog.item import ID_PREFIX

Code = Literal[
    "unknown",  # no item has this id
    "ambiguous",  # several have it as their beginning
    "deleted",  # the item is in the trash, or was in it
    "blank",  # a text is missing
    "exists",  # an open item says the same
    "secret",  # a text holds one
    "state",  # not from the box it lies in
    "held",  # another works on it
    "blocked",  # it waits for others
    "self",  # it would wait for itself
    "cycle",  # it would wait for itself, over others
    "closed",  # what it would wait for is closed already
    "date",  # a time cannot be read, or is past
    "token",  # the set to delete is not the one that was shown
    "nothing",  # there is nothing to do it to
    "changed",  # another changed it meanwhile, and that stays
    "moved",  # what is to be undone is not as it was left
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One wish that was not granted. `index` counts from 0 in the sender's list; `id` is empty where none is meant.

    `step` is for a person; `tool_step` for who has the tool alone, where that is another. `others` are the ids of other
    items that the fact is about.
    """

    code: Code
    fact: str
    step: str
    id: str = ""
    index: int = 0
    others: tuple[str, ...] = ()
    tool_step: str = ""

    @property
    def for_tool(self) -> "Refusal":
        """The same with the step that the tool can take."""
        return replace(self, step=self.tool_step or self.step)

    def __str__(self) -> str:
        place = f"{self.id}: " if self.id else ""
        said = f"{self.fact}. {self.step}."
        # An id stays as it is written.
        return f"{place}{said}" if place or said.startswith(ID_PREFIX) else said[:1].upper() + said[1:]
