"""What a model or a person sent that could not be used: values, never exceptions.

A problem names the place in the sender's own coordinates, the value seen, and one step that works.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One operation, or a part of it, that was not applied.

    `index` counts from 0 in the sender's list, which stood under `key`; None when the whole call is meant.
    `code` is stable and for programs: "shape" (cannot be read), "unknown_op", "unknown_status", "missing" (an
    operation lacks a text or list that it needs), "no_target" (nothing is named, and everything is not meant),
    "ignored" (something stood beside what was read), "blank", "not_found", "exists".
    """

    code: str
    message: str
    index: int | None = None
    op: str | None = None
    key: str = "ops"

    @property
    def place(self) -> str:
        """Where it is, as the sender counts: `ops[2]`; empty for the whole call."""
        return "" if self.index is None else f"{self.key}[{self.index}]"


@dataclass(frozen=True, slots=True)
class LineProblem:
    """One line of a checklist that could not be read. `line` counts from 1; `text` is that line."""

    line: int
    text: str
    message: str
