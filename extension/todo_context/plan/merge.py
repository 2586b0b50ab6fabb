"""Three-way merge of a plan that a person edited with one that moved on meanwhile. Pure.

`base` is what was opened, `mine` what the person saved, `theirs` what the plan is now. A side that did not
change a thing yields; where both did, the person's word stands, notes unite, and a remark names what the
other side had. A task goes only if one side removed it and the other left it alone.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from todo_context.plan.model import Phase, Plan, Status, Task
from todo_context.plan.names import quoted

_T = TypeVar("_T")

RENAME_SIMILARITY = 0.6
"""difflib's ratio from which a task that is gone and one that is new are the same one, renamed."""

RENAMES_WORK = 4_000_000
"""Characters times characters that are compared at most, about a fifth of a second: the merge stands in the way of
all other changes. Beyond, each task is compared with those near its place, by its beginning."""

NEAR = 2
"""How far from its place a task is looked for then, among those that are gone and new."""

BEGINNING_CHARACTERS = 100
"""How much of a text is compared then."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The plan of both, and a sentence for each thing on which they disagreed."""

    plan: Plan
    remarks: tuple[str, ...] = ()


def merge(base: Plan, mine: Plan, theirs: Plan) -> Merged:
    """Merge. Contents must be unique in each plan; of repetitions only the first is seen."""
    if mine in (base, theirs):
        return Merged(theirs)
    if theirs == base:
        return Merged(mine)
    return _Merge(base, mine, theirs).merged()


def renames(base: Plan, mine: Plan) -> dict[str, str]:
    """Contents new in `mine` -> the contents gone from `base` that they were, by likeness."""
    return _renames(base, mine, base)


def without_pointer(plan: Plan) -> Plan:
    """The plan with nothing in progress: which task is, moves by itself, and is no edit."""
    return Plan(
        tuple(
            replace(phase, tasks=tuple(replace(task, status=_settled(task.status)) for task in phase.tasks))
            for phase in plan.phases
        )
    )


@dataclass(frozen=True, slots=True)
class _Stood:
    """A task on one side, and the phase it stood in."""

    task: Task
    phase: str


class _Merge:
    """One merge. A task's key is its content in `base`, or its own if it is new; phases likewise by name."""

    def __init__(self, base: Plan, mine: Plan, theirs: Plan) -> None:
        renamed = _renames(base, mine, theirs)
        self._base, self._theirs = _Side(base, {}, {}), _Side(theirs, {}, {})
        self._mine = _Side(mine, renamed, _phase_renames(base, mine, theirs, renamed))
        self._remarks: list[str] = []

    def merged(self) -> Merged:
        keys = dict.fromkeys([*self._mine.tasks, *self._theirs.tasks])
        tasks = {key: stood for key in keys if (stood := self._task(key)) is not None}
        tasks = self._with_one_pointer(tasks)
        phases = tuple(self._phase(name, tasks) for name in self._phase_order(tasks))
        return Merged(Plan(phases), tuple(self._remarks))

    # --- one task ---------------------------------------------------------------------------------

    def _task(self, key: str) -> _Stood | None:
        base, mine, theirs = (side.tasks.get(key) for side in (self._base, self._mine, self._theirs))
        if mine is not None and theirs is not None:
            return self._both(base, mine, theirs)
        left = mine or theirs
        if left is None or base is None:
            return left  # new on one side
        if not _is_changed(base, left):
            return None
        whose, who = ("you", "the agent") if left is mine else ("the agent", "you")
        self._remarks.append(f"{quoted(left.task.content)} stays: {who} removed it, but {whose} had changed it")
        return left

    def _both(self, base: _Stood | None, mine: _Stood, theirs: _Stood) -> _Stood:
        was = base.task if base else None
        status_from = self._status_side(was, mine.task, theirs.task)
        task = replace(
            theirs.task,
            content=mine.task.content,
            status=status_from.status,
            blocker=_either(was.blocker if was else None, mine.task.blocker, theirs.task.blocker)
            if mine.task.status is theirs.task.status
            else status_from.blocker,
            notes=_notes(was.notes if was else (), mine.task.notes, theirs.task.notes),
        )
        return _Stood(task, _either(base.phase if base else None, mine.phase, theirs.phase))

    def _status_side(self, was: Task | None, mine: Task, theirs: Task) -> Task:
        """The side whose status stands. Pending and in progress are one: a moved pointer yields."""
        before = _settled(was.status) if was else None
        if _settled(mine.status) is _settled(theirs.status):
            return theirs if was and mine.status is was.status else mine
        if _settled(mine.status) is before:
            return theirs
        if _settled(theirs.status) is not before:
            self._remarks.append(
                f"{quoted(mine.content)} is {_words(mine.status)}, as you say; the agent had it {_words(theirs.status)}"
            )
        return mine

    def _with_one_pointer(self, tasks: dict[str, _Stood]) -> dict[str, _Stood]:
        """Where the person moved the pointer, it stays there."""
        moved = [
            key
            for key, stood in self._mine.tasks.items()
            if stood.task.status is Status.IN_PROGRESS
            and not (key in self._base.tasks and self._base.tasks[key].task.status is Status.IN_PROGRESS)
            and key in tasks
            and tasks[key].task.status is Status.IN_PROGRESS
        ]
        if not moved:
            return tasks
        return {
            key: stood
            if key == moved[0] or stood.task.status is not Status.IN_PROGRESS
            else replace(stood, task=replace(stood.task, status=Status.PENDING))
            for key, stood in tasks.items()
        }

    # --- order ------------------------------------------------------------------------------------

    def _phase_order(self, tasks: Mapping[str, _Stood]) -> Sequence[str]:
        """Phases that somebody has: the order of the side that changed it, the person's if both did."""
        used = {stood.phase for stood in tasks.values()}
        names = [
            name
            for name in dict.fromkeys([*self._mine.order, *self._theirs.order])
            if name in used or not self._is_phase_removed(name)
        ]
        return _ordered(names, list(self._base.order), list(self._mine.order), list(self._theirs.order))

    def _is_phase_removed(self, name: str) -> bool:
        """Whether a phase without tasks goes: one side removed it, or all that was new in it went elsewhere."""
        if name in self._base.order:
            return not (name in self._mine.order and name in self._theirs.order)
        return any(side.order.get(name) for side in (self._mine, self._theirs))

    def _phase(self, name: str, tasks: Mapping[str, _Stood]) -> Phase:
        keys = [key for key, stood in tasks.items() if stood.phase == name]
        sides = (self._base, self._mine, self._theirs)
        base, mine, theirs = (list(side.order.get(name, ())) for side in sides)
        ordered = tuple(tasks[key].task for key in _ordered(keys, base, mine, theirs))
        whole = self._theirs.phases.get(name) or self._mine.phases[name]
        return replace(whole, name=self._mine.shown(name), tasks=ordered)


class _Side:
    """One of the three plans, by keys."""

    def __init__(self, plan: Plan, renamed: Mapping[str, str], phases_renamed: Mapping[str, str]) -> None:
        self._shown = {key: name for name, key in phases_renamed.items()}
        self.tasks: dict[str, _Stood] = {}
        self.order: dict[str, list[str]] = {}
        self.phases: dict[str, Phase] = {}
        for phase in plan.phases:
            name = phases_renamed.get(phase.name, phase.name)
            keys = self.order.setdefault(name, [])
            self.phases.setdefault(name, phase)
            for task in phase.tasks:
                key = renamed.get(task.content, task.content)
                if key not in self.tasks:
                    self.tasks[key] = _Stood(task, name)
                    keys.append(key)

    def shown(self, name: str) -> str:
        """What the phase of this key is called on this side."""
        return self._shown.get(name, name)


def _renames(base: Plan, mine: Plan, theirs: Plan) -> dict[str, str]:
    """Contents new in `mine` -> the contents gone from `base` that they were. Best pair first.

    What `theirs` has as well was added by both, and is no rename.
    """
    gone = [(place, t.content) for place, t in enumerate(base.tasks()) if mine.find(t.content) is None]
    new = [
        (place, t.content)
        for place, t in enumerate(mine.tasks())
        if base.find(t.content) is None and theirs.find(t.content) is None
    ]
    is_too_much = sum(len(was) for _, was in gone) * sum(len(now) for _, now in new) > RENAMES_WORK
    compared = BEGINNING_CHARACTERS if is_too_much else None
    pairs = sorted(
        (-ratio, abs(was_at - is_at), was_at, is_at, was, now)
        for i, (was_at, was) in enumerate(gone)
        for is_at, now in (new[max(0, i - NEAR) : i + NEAR + 1] if is_too_much else new)
        if (ratio := _similarity(was[:compared], now[:compared])) >= RENAME_SIMILARITY
    )
    renamed: dict[str, str] = {}
    for *_, was, now in pairs:
        if now not in renamed and was not in renamed.values():
            renamed[now] = was
    return renamed


def _similarity(one: str, other: str) -> float:
    matcher = difflib.SequenceMatcher(None, one.casefold(), other.casefold(), autojunk=False)
    # Two upper bounds first, for they cost little and most pairs are unlike.
    if matcher.real_quick_ratio() < RENAME_SIMILARITY or matcher.quick_ratio() < RENAME_SIMILARITY:
        return 0.0
    return matcher.ratio()


def _phase_renames(base: Plan, mine: Plan, theirs: Plan, renamed: Mapping[str, str]) -> dict[str, str]:
    """Phase names new in `mine` -> the phase of `base` whose tasks, all that are left, now stand there."""
    new = {phase.name for phase in mine.phases}
    old = {phase.name for phase in (*base.phases, *theirs.phases)}
    now_in = {renamed.get(task.content, task.content): phase.name for phase in mine.phases for task in phase.tasks}
    found: dict[str, str] = {}
    for phase in base.phases:
        homes = {now_in[task.content] for task in phase.tasks if task.content in now_in}
        # One that is gone from `theirs` too was renamed or emptied by both: then the person's word stands.
        if phase.name not in new and len(homes) == 1 and theirs.find_phase(phase.name) is not None:
            home = homes.pop()
            if home not in old:
                found.setdefault(home, phase.name)
    return found


def _is_changed(base: _Stood, now: _Stood) -> bool:
    was, task = base.task, now.task
    same_text = (was.content, was.notes, was.blocker, base.phase) == (task.content, task.notes, task.blocker, now.phase)
    return not same_text or _settled(was.status) is not _settled(task.status)


def _settled(status: Status) -> Status:
    return Status.PENDING if status is Status.IN_PROGRESS else status


def _words(status: Status) -> str:
    return status.value.replace("_", " ")


def _either(was: _T | None, mine: _T, theirs: _T) -> _T:
    return theirs if mine == was else mine


def _notes(was: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> tuple[str, ...]:
    if tuple(theirs) == tuple(was):
        return tuple(mine)
    if tuple(mine) == tuple(was):
        return tuple(theirs)
    return (*mine, *(note for note in theirs if note not in was and note not in mine))


def _ordered(keys: Sequence[str], base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """`keys` in the order of the side that changed it; what only the other has comes behind what it follows there."""
    wanted = set(keys)
    common = set(base) & set(mine)
    is_mine = [key for key in mine if key in common] != [key for key in base if key in common]
    first, second = (mine, theirs) if is_mine else (theirs, mine)
    ordered = [key for key in first if key in wanted]
    placed, behind = set(ordered), 0
    for key in second:
        if key in placed:
            behind = ordered.index(key) + 1
        elif key in wanted:
            ordered.insert(behind, key)
            placed.add(key)
            behind += 1
    return ordered + [key for key in keys if key not in placed]
