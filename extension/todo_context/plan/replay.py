"""The plan of a branch, from its entries.

Pure. The plan is the newest of what the branch holds: entries of ours, OMP's `user_todo_edit`, results of
the tool that carry their phases. Newest is by `seq` among ours, for hosts write tool results late, and by
position among the rest. A snapshot that cannot be read is passed over for the one before it, with a warning.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from todo_context.plan.accept import accept
from todo_context.plan.apply import apply
from todo_context.plan.load import Loaded, plan_from_flat, plan_from_json
from todo_context.plan.model import EMPTY, Json, Plan

OURS = "todo_write"
"""The custom type of our entries, and the name of the tool. OMP 14's word."""

OMP_EDIT = "user_todo_edit"
"""The custom type of an edit by OMP's /todo."""

TOOLS = frozenset({"todo_write", "todo"})
"""Tools whose results and calls carry a plan: ours and OMP 14's, and OMP 18's."""

Entry = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A plan, the highest `seq` seen on the branch (0: none yet), and what had to be mended or passed over."""

    plan: Plan
    seq: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Source:
    """One record that carries a plan. `seq` is None where a foreign program wrote it."""

    loaded: Loaded
    seq: int | None
    is_entry: bool


def plan_of(entries: Iterable[Entry]) -> Plan:
    """The plan of a branch: its entries as JSON objects, the root first."""
    return latest(list(entries)).plan


def latest(entries: Sequence[Entry]) -> Snapshot:
    """The newest plan on a branch, the root first. Reads back only as far as the newest entry of ours."""
    sources: list[_Source] = []
    warnings: list[str] = []
    for entry in reversed(entries):
        source = _source(entry)
        if isinstance(source, str):
            warnings.append(source)
        elif source is not None:
            sources.append(source)
            if source.is_entry and source.seq is not None:
                break  # it has the highest seq so far, for the lane gave it under its lock
    if not sources:
        plan = _folded_calls(entries)
        return Snapshot(plan, 0, tuple(warnings))
    return _newest(reversed(sources), warnings)


def _newest(sources: Iterable[_Source], warnings: Sequence[str]) -> Snapshot:
    """Fold the sources forward; one of ours that is not above what was seen is stale."""
    plan, highest, mended = EMPTY, 0, tuple[str, ...]()
    for source in sources:
        if source.seq is not None:
            if source.seq <= highest:
                continue
            highest = source.seq
        plan, mended = source.loaded.plan, source.loaded.warnings
    return Snapshot(plan, highest, (*warnings, *mended))


def _source(entry: Entry) -> _Source | str | None:
    """What an entry says of the plan: a source, a warning why it cannot be one, or nothing."""
    match entry:
        case {"type": "custom", "customType": kind, "data": data} if kind in {OURS, OMP_EDIT}:
            return _snapshot(entry, data, is_entry=kind == OURS)
        case {"type": "message", "message": {"role": "toolResult"}}:
            return _result(entry, entry["message"])
        case _:
            return None


def _result(entry: Entry, message: Json) -> _Source | str | None:
    details = message.get("details") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(details, dict) or not _has_phases(details):
        return None
    if message.get("toolName") not in TOOLS or message.get("isError") or details.get("op") == "view":
        return None
    return _snapshot(entry, details, is_entry=False)


def _snapshot(entry: Entry, data: Json, *, is_entry: bool) -> _Source | str:
    where = f"entry {entry.get('id', '?')}"
    if not isinstance(data, dict):
        return f"{where} holds no plan; the one before it counts"
    seq = data.get("seq")
    if _has_phases(data):
        loaded = plan_from_json(data["phases"])
    elif isinstance(data.get("todos"), list):
        loaded = plan_from_flat(data["todos"])
    else:
        return f"{where} holds no plan; the one before it counts"
    return _Source(loaded, seq if isinstance(seq, int) and not isinstance(seq, bool) else None, is_entry)


def _has_phases(data: Json) -> bool:
    """Whether it holds phases that can be read: each with a name and a list of tasks with a content."""
    phases = data.get("phases") if isinstance(data, dict) else None
    return isinstance(phases, list) and all(map(_is_phase, phases))


def _is_phase(phase: Json) -> bool:
    match phase:
        case {"name": str(), "tasks": list(tasks)}:
            return all(isinstance(task, dict) and isinstance(task.get("content"), str) for task in tasks)
        case _:
            return False


# --- a branch without any snapshot: what its calls came to ------------------------------------------


def _folded_calls(entries: Sequence[Entry]) -> Plan:
    plan = EMPTY
    results = dict(_results(entries))
    for call in _calls(entries):
        if results.get(str(call.get("id"))) is not False:
            continue  # no result, or an error
        accepted = accept(call.get("arguments"), plan)
        if not accepted.problems:
            plan = apply(plan, accepted.ops).plan
    return plan


def _results(entries: Iterable[Entry]) -> Iterator[tuple[str, bool]]:
    for entry in entries:
        match entry:
            case {"type": "message", "message": {"role": "toolResult", "toolCallId": str(call), **message}}:
                yield call, bool(message.get("isError"))
            case _:
                pass


def _calls(entries: Iterable[Entry]) -> Iterator[Mapping[str, Json]]:
    for entry in entries:
        match entry:
            case {"type": "message", "message": {"role": "assistant", "content": list(parts)}}:
                yield from (part for part in parts if isinstance(part, dict) and _is_call(part))
            case _:
                pass


def _is_call(part: Mapping[str, Json]) -> bool:
    if part.get("type") != "toolCall" or part.get("name") not in TOOLS:
        return False
    arguments = part.get("arguments")
    if part["name"] == OURS or not isinstance(arguments, dict):
        return part["name"] == OURS
    return "action" not in arguments and any(key in arguments for key in ("op", "ops", "list", "items"))
