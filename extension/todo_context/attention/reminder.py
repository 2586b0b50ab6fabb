"""The reminder: what a request says of the plan, or nothing.

Pure. First the open plan as a checklist, then a line for each thing that is due. All of it is bounded: where there
is no room for both, the plan keeps a third of it, and what is left out leaves a mark.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from todo_context.attention import wording
from todo_context.attention.edits import Edit, Edits
from todo_context.attention.facts import Facts
from todo_context.attention.fence import SENDER, fenced, harmless, quoted
from todo_context.attention.judges import is_verification
from todo_context.plan.markdown import task_line
from todo_context.plan.model import Plan
from todo_context.plan.select import Counts, FoldedPhase, counts, folded, progress
from todo_context.settings import AttentionSettings

NAME_CHARACTERS = 80
"""Of a name in a sentence; its beginning tells it apart."""

NAMES = 8
"""Names in a sentence; the rest are counted."""


def reminder(facts: Facts, settings: AttentionSettings) -> str | None:
    """The text for a request with these facts, one fence of ours; None if there is nothing to say."""
    if not settings.reminder:
        return None
    edits = facts.edits if settings.tell_edits else None
    # The result says how the plan is, and not what it lacks. Mostly it is the last of the run.
    if facts.ends_in_our_result and edits is None and not facts.closed_by_our_result:
        return None
    due = list(_due(facts, edits, settings))
    is_open = counts(facts.plan).open > 0 and settings.plan_tasks > 0
    if not due and not is_open:
        return None
    head = (wording.HEAD if is_open else wording.HEAD_WITHOUT_PLAN).format(sender=SENDER)
    room = settings.reminder_characters - len(fenced([head, ""]))
    said = _within("\n".join(due), room * 2 // 3 if is_open else room)
    checklist = _checklist(facts.plan, settings, room - len(said) - 1) if is_open else ""
    return fenced([head, *filter(None, (checklist, said))])


def _due(facts: Facts, edits: Edits | None, settings: AttentionSettings) -> Iterator[str]:
    """The lines that are due, each one line."""
    is_open = counts(facts.plan).open > 0
    if edits is not None:
        yield _edited(edits)
    if is_open and facts.carried_by and settings.tell_carried_over:
        yield wording.HANDED_OVER if facts.carried_by == "handoff" else wording.COMPACTED
    if is_open and facts.is_interrupted and settings.tell_interrupted:
        yield wording.INTERRUPTED
    if is_open and facts.rounds in settings.quiet_crossings:
        yield wording.QUIET.format(rounds=facts.rounds)
    if facts.all_closed_in_this_run and _is_unverified(facts.plan, settings.verify_from_tasks):
        yield wording.UNVERIFIED.format(total=counts(facts.plan).total)


def _is_unverified(plan: Plan, least: int) -> bool:
    if not least or counts(plan).total < least:
        return False
    names = (name for phase in plan.phases if phase.tasks for name in (phase.name, *(t.content for t in phase.tasks)))
    return not any(map(is_verification, names))


# --- what the person changed --------------------------------------------------------------------------


def _edited(edits: Edits) -> str:
    if edits.cleared:
        removed = [edit for edit in edits.each if edit.what == "removed"]
        return wording.CLEARED.format(names=f"; it held {_names(removed)}" if removed else "")
    if not edits.each and not edits.undone and edits.stands:
        return wording.EDITED_SOMEHOW
    said = wording.EDITED.format(edits=_in_words(edits.each)) if edits.each else wording.EDITED_BEFORE
    undone = wording.UNDONE.format(edits=_in_words(edits.undone)) if edits.undone else ""
    is_removed = any(edit.what == "removed" for edit in (*edits.each, *edits.undone))
    return said + undone + wording.REMOVED_STAYS_REMOVED * is_removed


def _in_words(edits: Sequence[Edit]) -> str:
    parts = (
        f"{words} {_names(each)}"
        for what, words in wording.WHAT.items()
        if (each := [edit for edit in edits if edit.what == what])
    )
    return "; ".join(parts)


def _names(edits: Sequence[Edit]) -> str:
    """The newest names; those are what is on the person's mind."""
    shown = [_name(edit) for edit in edits[-NAMES:]]
    more = len(edits) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _name(edit: Edit) -> str:
    now = quoted(edit.content, NAME_CHARACTERS)
    return f"{quoted(edit.was, NAME_CHARACTERS)} to {now}" if edit.was else now


# --- the plan -----------------------------------------------------------------------------------------


def _checklist(plan: Plan, settings: AttentionSettings, room: int) -> str:
    """As much of the open plan as the bounds and the room allow; the active task is always in sight."""
    line_characters = min(settings.line_characters, settings.reminder_characters)
    most = min(settings.plan_tasks, counts(plan).open)

    def text(tasks: int, *, notes: bool = False) -> str:
        return "\n".join(_plan_lines(plan, _Shown(tasks, line_characters, settings.plan_notes, notes)))

    whole = text(most, notes=True)
    if len(whole) <= room:
        return whole
    if len(without_notes := text(most)) <= room:
        return without_notes
    fitting = bisect_right(range(1, most + 1), room, key=lambda tasks: len(text(tasks)))
    return _within(text(fitting), room)


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is shown of a plan: how many open tasks, how much of a line, and whether with notes."""

    tasks: int
    line_characters: int
    wants_notes: bool
    has_notes: bool


def _plan_lines(plan: Plan, shown: _Shown) -> Iterator[str]:
    view = folded(plan, shown.tasks)
    yield progress(plan)
    yield from _finished(view.phases)
    for phase in view.phases:
        if phase.shown:
            yield from _phase_lines(phase, shown)
    if view.hidden:
        yield wording.MORE_OPEN.format(count=view.hidden)
    elif shown.wants_notes and not shown.has_notes and any(task.notes for task in plan.tasks() if task.status.is_open):
        yield wording.NOTES_LEFT_OUT.format()


def _finished(phases: Sequence[FoldedPhase]) -> Iterator[str]:
    finished = [phase for phase in phases if not phase.counts.open]
    if not finished:
        return
    closed = Counts(
        completed=sum(phase.counts.completed for phase in finished),
        abandoned=sum(phase.counts.abandoned for phase in finished),
    )
    word = "1 phase" if len(finished) == 1 else f"{len(finished)} phases"
    yield wording.PHASES_FOLDED.format(phases=word, closed=closed.closed_words)


def _phase_lines(phase: FoldedPhase, shown: _Shown) -> Iterator[str]:
    yield harmless(f"# {phase.phase.name}", shown.line_characters)
    if phase.counts.closed:
        yield f"({phase.counts.closed_words})"
    for task in phase.shown:
        yield harmless(task_line(task), shown.line_characters)
        if shown.wants_notes and shown.has_notes:
            yield from (harmless(f"  > {note}", shown.line_characters) for note in task.notes)


def _within(text: str, room: int) -> str:
    """Text that fits, cut with a mark if it must be."""
    return text if len(text) <= room else text[: max(0, room - len(wording.CUT))] + wording.CUT
