"""Names as people type them -> one task, one phase, or the candidates.

Pure. Case-folded, and compared as the screen shows them, for a person types what they see. The order is
the law: exact task, exact phase; a task by the only part, or among several by those that may be meant;
a phase by the only prefix, by the only part. Where several match, the search ends and the person chooses.
"""

from collections.abc import Callable
from dataclasses import dataclass

from todo_command import grammar
from todo_context.plan.model import Plan, Status, Task
from todo_context.plan.names import CLOSEST, closest
from todo_context.plan.ops import Target
from todo_context.plan.text import for_screen, one_line

Prefer = Callable[[Task], bool]
"""Which of several tasks may be meant: those that pass are, if any does."""


@dataclass(frozen=True, slots=True)
class Several:
    """Two or more that match alike, all tasks or all phases, in plan order."""

    candidates: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Nothing:
    """Nothing of this name; and the names most like it, the closest first."""

    name: str
    closest: tuple[str, ...]


Found = Target | Several | Nothing
"""What a name means: one task or phase, or several, or nothing."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A text cut in two: what its leading words name, and the rest of it."""

    found: Found
    rest: str


def actionable(task: Task) -> bool:
    """Pending or in progress."""
    return task.status.is_actionable


def blocked(task: Task) -> bool:
    """Blocked."""
    return task.status is Status.BLOCKED


def find_task(plan: Plan, typed: str, prefer: Prefer = actionable) -> Found:
    """The task that `typed` means, quoted or not."""
    tasks = _Tasks(plan)
    found = _first(typed, tasks.exact, lambda name: tasks.containing(name, prefer))
    return found or _nothing(plan, grammar.spoken(typed) or typed, with_phases=False)


def find_target(plan: Plan, typed: str, prefer: Prefer = actionable) -> Found:
    """The task or phase that `typed` means, quoted or not."""
    tasks = _Tasks(plan)
    found = _first(
        typed,
        lambda name: tasks.exact(name) or _exact_phase(plan, name),
        lambda name: tasks.containing(name, prefer) or _partial_phase(plan, name),
    )
    return found or _nothing(plan, grammar.spoken(typed) or typed, with_phases=True)


def find_phase(plan: Plan, name: str) -> str | None:
    """The phase that `name` means: exact, the only prefix, or the only part; None if there is no one such."""
    found = _exact_phase(plan, name) or _partial_phase(plan, name)
    return found.phase if isinstance(found, Target) else None


def cut_task(plan: Plan, text: str, prefer: Prefer = actionable) -> Cut:
    """The task named by the quoted first word, or by the longest run of leading words that names exactly one.

    Where no run names exactly one, the longest that names several is given back, to choose from.
    """
    tasks = _Tasks(plan)
    quoted = grammar.leading_quoted(text)
    named = tasks.named(quoted.name, prefer) if quoted else None
    if quoted and named:
        return Cut(named, quoted.rest)
    several: Cut | None = None
    for run in grammar.leading_runs(text, tasks.most_words()):
        found = tasks.named(run.name, prefer)
        if isinstance(found, Target):
            return Cut(found, run.rest)
        if found and not several:
            several = Cut(found, run.rest)
    # The first word is sure to belong to the name; of the others nobody knows.
    return several or Cut(_nothing(plan, grammar.first_word(text) or text, with_phases=False), text)


def key(text: str) -> str:
    """What names are compared by: one line, as the screen shows it, case-folded."""
    return one_line(for_screen(text)).casefold()


class _Tasks:
    """The tasks of a plan, with their keys."""

    def __init__(self, plan: Plan) -> None:
        self._keyed = [(key(task.content), task) for task in plan.tasks()]

    def named(self, name: str, prefer: Prefer) -> Target | Several | None:
        return self.exact(name) or self.containing(name, prefer)

    def exact(self, name: str) -> Target | None:
        # The first, where contents differ only in case, or a foreign session holds the same one twice.
        wanted = key(name)
        return next((Target(task=task.content) for folded, task in self._keyed if folded == wanted), None)

    def containing(self, name: str, prefer: Prefer) -> Target | Several | None:
        wanted = key(name)
        tasks = [task for folded, task in self._keyed if wanted and wanted in folded]
        preferred = [task for task in tasks if prefer(task)]
        if len(tasks) > 1 and len(preferred) != 1:
            return Several(tuple(Target(task=task.content) for task in preferred or tasks))
        return next((Target(task=task.content) for task in (preferred or tasks)), None)

    def most_words(self) -> int:
        # No run of more words than the longest content can be found in one.
        return max((folded.count(" ") + 1 for folded, _ in self._keyed), default=0)


def _exact_phase(plan: Plan, name: str) -> Target | None:
    wanted = key(name)
    return next((Target(phase=phase.name) for phase in plan.phases if key(phase.name) == wanted), None)


def _partial_phase(plan: Plan, name: str) -> Target | Several | None:
    wanted = key(name)
    containing = [(key(phase.name), phase.name) for phase in plan.phases if wanted and wanted in key(phase.name)]
    prefixed = [(folded, name) for folded, name in containing if folded.startswith(wanted)]
    if len(containing) > 1 and len(prefixed) != 1:
        return Several(tuple(Target(phase=name) for _, name in containing))
    return next((Target(phase=name) for _, name in (prefixed or containing)), None)


def _first(typed: str, *searches: Callable[[str], Target | Several | None]) -> Target | Several | None:
    """The first hit, each search with quotes read and with the text as typed, for a name may hold quotes."""
    names = dict.fromkeys((grammar.spoken(typed), typed))
    return next((found for search in searches for name in names if (found := search(name))), None)


def _nothing(plan: Plan, name: str, *, with_phases: bool) -> Nothing:
    names = [task.content for task in plan.tasks()]
    if with_phases:
        names += [phase.name for phase in plan.phases if phase.tasks]
    elif inside := [task.content for phase in plan.phases if key(phase.name) == key(name) for task in phase.tasks]:
        # The name of a phase where a task is needed: its tasks are what was meant, however unlike.
        return Nothing(name, tuple(inside[:CLOSEST]))
    return Nothing(name, tuple(closest(name, names)))
