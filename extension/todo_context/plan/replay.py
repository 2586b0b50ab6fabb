"""The plan of a branch, from its entries; and its history, with what undo and redo would restore.

Pure. The plan is that of the newest source that counts (`sources.py`); only on a branch without any, it is
what the calls came to. `latest` reads back as far as it must, `history` everything, and both find the same plan.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from todo_context.plan.calls import Step, steps
from todo_context.plan.model import EMPTY, Plan
from todo_context.plan.sources import By, Entry, Source, fresh, source_of

HANDOFF = "handoff"
"""The action of an entry that carries a plan into a new session. Nothing before it can be undone."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A plan, the highest `seq` seen on the branch (0: none yet), and what had to be mended or passed over."""

    plan: Plan
    seq: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One change of the plan on a branch.

    `id` is that of the entry, or of the call where no entry carries the plan; it may be empty in a foreign
    file. `seq` is None, and `timestamp` empty, where the record has none. `action` is any text.
    """

    id: str
    by: By
    action: str
    before: Plan
    after: Plan
    seq: int | None = None
    timestamp: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """All of a branch. `plan` and `seq` are those of `latest`.

    `changes` are all changes, the oldest first, undoing among them. `done` are those that can be undone, and
    `undone` those that can be done again, the next one last; they are objects of `changes`. While there is
    one, `done[-1].after` and `undone[-1].before` are the plan.
    """

    plan: Plan
    seq: int
    changes: tuple[Change, ...]
    done: tuple[Change, ...]
    undone: tuple[Change, ...]
    warnings: tuple[str, ...]


def plan_of(entries: Iterable[Entry]) -> Plan:
    """The plan of a branch: its entries as JSON objects, the root first."""
    return latest(list(entries)).plan


def latest(entries: Sequence[Entry]) -> Snapshot:
    """The newest plan on a branch, the root first. Reads back only as far as the newest entry of ours."""
    sources: list[Source] = []
    warnings: list[str] = []
    for entry in reversed(entries):
        source = source_of(entry)
        if isinstance(source, str):
            warnings.append(source)
        elif source is not None:
            sources.append(source)
            if source.is_numbered_entry:
                break
    counted = list(fresh(reversed(sources)))
    if not counted:
        folded = list(steps(entries))
        return Snapshot(folded[-1].plan if folded else EMPTY, 0, tuple(warnings))
    loaded = counted[-1].load()
    return Snapshot(loaded.plan, _highest(counted), (*warnings, *loaded.warnings))


def history(entries: Sequence[Entry]) -> History:
    """Every change on a branch, the root first, and the two stacks of undo and redo.

    A change goes on `done` and empties `undone`. An entry that undoes the top of `done`, and has its
    `before`, moves it to `undone`; one that redoes moves it back. Any other is a change like others. A
    handoff empties both. What came before the first source are the calls, as far as they go.
    """
    read = [source_of(entry) for entry in entries]
    counted = list(fresh(source for source in read if isinstance(source, Source)))
    first = counted[0].entry if counted else None
    fold, mended = _Fold(), tuple[str, ...]()
    for step in steps(list(takewhile(lambda entry: entry is not first, entries))):
        fold.push(_called(step, fold.plan))
    for source in counted:
        loaded = source.load()
        fold.take(source, loaded.plan)
        mended = loaded.warnings
    passed_over = (warning for warning in read if isinstance(warning, str))
    return History(
        plan=fold.plan,
        seq=_highest(counted),
        changes=tuple(fold.changes),
        done=tuple(fold.done),
        undone=tuple(fold.undone),
        warnings=(*passed_over, *mended),
    )


@dataclass(slots=True)
class _Fold:
    """The plan so far, and how it came to be."""

    plan: Plan = EMPTY
    changes: list[Change] = field(default_factory=list[Change])
    done: list[Change] = field(default_factory=list[Change])
    undone: list[Change] = field(default_factory=list[Change])

    def take(self, source: Source, plan: Plan) -> None:
        """Let a source say the plan."""
        change = _recorded(source, self.plan, plan)
        if source.kind == "entry" and source.action == HANDOFF:
            self._note(change)
            self.done.clear()
            self.undone.clear()
        elif _is_top(self.done, source.retraces("undoes")) and self.done[-1].before == plan:
            self._note(change)
            self.undone.append(self.done.pop())
        elif _is_top(self.undone, source.retraces("redoes")) and self.undone[-1].after == plan:
            self._note(change)
            self.done.append(self.undone.pop())
        else:
            self.push(change)

    def push(self, change: Change) -> None:
        """Go on with a change like others; nothing if it changes nothing."""
        if self._note(change):
            self.done.append(change)
            self.undone.clear()

    def _note(self, change: Change) -> bool:
        if change.after == self.plan:
            return False
        self.plan = change.after
        self.changes.append(change)
        return True


def _is_top(stack: Sequence[Change], wanted: str | None) -> bool:
    return bool(stack) and stack[-1].id == wanted


def _recorded(source: Source, before: Plan, after: Plan) -> Change:
    when = _timestamp(source.entry)
    return Change(source.id, source.by, source.action, before, after, source.seq, when)


def _called(step: Step, before: Plan) -> Change:
    return Change(step.call, "model", step.action, before, step.plan, timestamp=_timestamp(step.entry))


def _timestamp(entry: Entry) -> str:
    timestamp = entry.get("timestamp")
    return timestamp if isinstance(timestamp, str) else ""


def _highest(counted: Sequence[Source]) -> int:
    return next((source.seq for source in reversed(counted) if source.seq is not None), 0)
