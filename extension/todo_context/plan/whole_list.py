"""The whole list, as Claude Code and OpenCode send it: `{"todos": [{content, status, …}]}`.

It replaces the plan. A task that was there, by its content or else by its id, keeps its notes, to which new ones are
added, and its phase; a new one joins the phase of the task before it. One entry that cannot be read refuses the list.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from todo_context.plan.decode import UnreadableError, decoded, in_words, is_too_long
from todo_context.plan.load import FLAT_PHASE
from todo_context.plan.model import Json, Phase, Place, Plan, Status, Task
from todo_context.plan.names import quoted
from todo_context.plan.problem import Problem
from todo_context.plan.spelling import STATUSES, status_of
from todo_context.plan.text import note_text, one_line, trim_end

KEY = "todos"

EXAMPLE = '{"todos":[{"content":"Write it","status":"pending"}]}'

_KEYS = frozenset({"content", "status", "activeForm", "id", "notes", "blocker"})
"""What an entry may say of a task. Other keys stay with it as they are."""


@dataclass(frozen=True, slots=True)
class WholeList:
    """The plan a list means, None if it is refused. `fell_out` are contents of unfinished tasks that it dropped."""

    plan: Plan | None
    problems: tuple[Problem, ...] = ()
    fell_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Item:
    """One entry of the list."""

    content: str
    status: Status | None
    id: str | None
    active_form: str | None
    notes: tuple[str, ...]
    blocker: str | None
    extra: Mapping[str, Json]


def read_whole_list(todos: Json, plan: Plan) -> WholeList:
    """Read the value of `todos` over the plan as it is."""
    try:
        entries = _entries(todos)
    except UnreadableError as problem:
        return WholeList(None, (Problem(problem.code, problem.message),))
    items: list[_Item] = []
    problems: list[Problem] = []
    for index, entry in enumerate(entries):
        try:
            items.append(_item(decoded(entry)))
        except UnreadableError as problem:
            problems.append(Problem(problem.code, problem.message, index, key=KEY))
    return WholeList(None, tuple(problems)) if problems else _Replacement(plan).of(items)


def _entries(todos: Json) -> Sequence[Json]:
    entries = decoded(todos)
    if isinstance(entries, dict):
        entries = [entries]
    if not isinstance(entries, list):
        raise UnreadableError("shape", f'"{KEY}" is {in_words(entries)}, not a list. One that works: {EXAMPLE}')
    if not entries:
        raise UnreadableError(
            "shape", f'"{KEY}" is empty. To empty the plan send {{"ops":[{{"op":"rm"}}]}}; for a new one, use init.'
        )
    return entries


def _item(entry: Json) -> _Item:
    if not isinstance(entry, dict):
        raise UnreadableError("shape", f"it is {in_words(entry)}, not an object. One that works: {EXAMPLE}")
    content = one_line(_text(entry, "content") or "")
    if not content:
        raise UnreadableError("shape", f'it has no "content". One that works: {EXAMPLE}')
    raw = entry.get("status")
    status = status_of(raw) if isinstance(raw, str) and raw else None
    if status is None and raw not in (None, ""):
        allowed = ", ".join(STATUSES)
        raise UnreadableError("unknown_status", f'"status" is {in_words(raw)}. There is: {allowed}.')
    extra = {key: value for key, value in entry.items() if key not in _KEYS}
    blocker = one_line(_text(entry, "blocker") or "") or None
    return _Item(content, status, _id(entry), _text(entry, "activeForm"), _notes(entry), blocker, extra)


def _text(entry: Mapping[str, Json], key: str) -> str | None:
    value = entry.get(key)
    if value is None or isinstance(value, str):
        return value or None
    raise UnreadableError("shape", f'"{key}" is {in_words(value)}, not text. One that works: {EXAMPLE}')


def _notes(entry: Mapping[str, Json]) -> tuple[str, ...]:
    value = entry.get("notes")
    listed = [value] if isinstance(value, str) else value
    if listed is None:
        return ()
    if not isinstance(listed, list) or not all(isinstance(note, str) for note in listed):
        raise UnreadableError("shape", f'"notes" is {in_words(value)}, not a list of texts. One that works: {EXAMPLE}')
    folded = (trim_end(note_text(note)) for note in listed if isinstance(note, str))
    return tuple(note for note in folded if note)


def _id(entry: Mapping[str, Json]) -> str | None:
    value = entry.get("id")
    if isinstance(value, int) and not isinstance(value, bool) and not is_too_long(value):
        return str(value)
    return value if isinstance(value, str) and value else None


class _Replacement:
    """The list laid over the plan that it replaces."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._phases = {phase.name: list[Task]() for phase in plan.phases}
        self._taken: set[Place] = set()

    def of(self, items: Sequence[_Item]) -> WholeList:
        unique: dict[str, _Item] = {}
        problems: list[Problem] = []
        for index, item in enumerate(items):
            if item.content in unique:
                message = f"{quoted(item.content)} is there twice; the first one stays."
                problems.append(Problem("exists", message, index, key=KEY))
            else:
                unique[item.content] = item
        # By content first for all of them: an id that also fits must not take what another names outright.
        places = {content: self._take(self._plan.find(content)) for content in unique}
        phase = FLAT_PHASE
        for item in unique.values():
            place = places[item.content] or self._take(self._by_id(item.id))
            phase = self._plan.phases[place.phase].name if place else phase
            self._phases.setdefault(phase, []).append(_task(item, self._plan.at(place) if place else None))
        return WholeList(self._replaced(), tuple(problems), self._fell_out())

    def _take(self, place: Place | None) -> Place | None:
        if place is None or place in self._taken:
            return None
        self._taken.add(place)
        return place

    def _by_id(self, wanted: str | None) -> Place | None:
        if wanted is None:
            return None
        return next((place for place, task in self._plan.placed() if task.id == wanted), None)

    def _replaced(self) -> Plan:
        known = {phase.name: phase for phase in self._plan.phases}
        return Plan(
            tuple(
                replace(known.get(name, Phase(name=name)), tasks=tuple(tasks))
                for name, tasks in self._phases.items()
                if tasks
            )
        )

    def _fell_out(self) -> tuple[str, ...]:
        return tuple(
            task.content for place, task in self._plan.placed() if place not in self._taken and task.status.is_open
        )


def _task(item: _Item, was: Task | None) -> Task:
    if was is None:
        status = item.status or Status.PENDING
        return Task(
            content=item.content,
            status=status,
            notes=item.notes,
            blocker=item.blocker if status is Status.BLOCKED else None,
            id=item.id,
            active_form=item.active_form,
            extra=item.extra,
        )
    status = item.status or was.status
    return replace(
        was,
        content=item.content,
        status=status,
        notes=(*was.notes, *(note for note in item.notes if note not in was.notes)),
        blocker=item.blocker or was.blocker if status is Status.BLOCKED else None,
        id=item.id or was.id,
        active_form=item.active_form or was.active_form,
        extra={**was.extra, **item.extra},
    )
