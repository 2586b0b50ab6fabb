"""What one plan has that another has not, task by task, and how to say it."""

from collections.abc import Mapping
from dataclasses import dataclass

from todo_command import answers
from todo_context.plan.merge import renames, without_pointer
from todo_context.plan.model import Plan, Task


@dataclass(frozen=True, slots=True)
class Difference:
    """Contents that came, went, were put into other words, and stand for a task that is not as it was."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    renamed: tuple[str, ...]
    changed: tuple[str, ...]

    @classmethod
    def between(cls, before: Plan, after: Plan) -> "Difference":
        """Everything that differs: also the phase of a task, and which task is in progress."""
        return cls._of(_by_content(before), _by_content(after), renames(before, after))

    @classmethod
    def of_the_agent(cls, before: Plan, after: Plan) -> "Difference":
        """As `between`, but which task is in progress moves by itself and is no change."""
        return cls._of(_by_content(without_pointer(before)), _by_content(without_pointer(after)), {})

    @classmethod
    def _of(cls, old: Mapping[str, object], new: Mapping[str, object], renamed: Mapping[str, str]) -> "Difference":
        return cls(
            added=tuple(content for content in new if content not in old and content not in renamed),
            removed=tuple(content for content in old if content not in new and content not in renamed.values()),
            renamed=tuple(renamed),
            changed=tuple(content for content in new if content in old and new[content] != old[content]),
        )

    def counted(self, added: str = "added", removed: str = "removed", changed: str = "changed") -> str:
        """How many of each: "2 added, 1 changed". Other words may say it from another side."""
        kinds = ((self.added, added), (self.removed, removed), (self.renamed, "renamed"), (self.changed, changed))
        parts = [f"{len(contents)} {word}" for contents, word in kinds if contents]
        return ", ".join(parts) or f"phases or order {changed}"

    def in_words(self) -> str:
        """Which ones, by name; a long list is cut."""
        parts = [
            f"{word} {answers.listed(contents)}"
            for contents, word in ((self.added, "added"), (self.removed, "removed"), (self.changed, "changed"))
            if contents
        ]
        return ", ".join(parts) or "phases or order changed"


def _by_content(plan: Plan) -> dict[str, tuple[str, Task]]:
    """The phase and task of each content; the first of duplicates."""
    found: dict[str, tuple[str, Task]] = {}
    for phase in plan.phases:
        for task in phase.tasks:
            found.setdefault(task.content, (phase.name, task))
    return found
