"""What can be read off a branch that decides what to say to the model, and whether.

Pure: the same branch gives the same facts, whoever asks and how often. Nothing is counted anywhere else, so
resume, fork, rewind and crash need nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from todo_context.attention.edits import Edits, edits_between
from todo_context.attention.fence import OPEN, SENDER
from todo_context.attention.plans import Change, Plans
from todo_context.attention.reading import Read, read_back
from todo_context.attention.records import Answer, Ours, Person, Record, Result, as_entry, is_edit
from todo_context.attention.watchers import Carrier, Rounds
from todo_context.plan.model import EMPTY, Plan
from todo_context.plan.replay import Snapshot, latest
from todo_context.plan.select import counts
from todo_context.plan.sources import Entry

STOP_BEGINS = f"{OPEN}\n{SENDER}: the turn ended"
"""How a stop reminder begins; by it the stored ones are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """The end of a turn. `is_now`: the branch ends in an answer after which the agent does no more by itself.

    `reminders` were given since the person spoke, or since a stop with fewer open tasks, but some, than every stop
    before it.
    """

    is_now: bool = False
    reminders: int = 0
    last_words: str = ""
    person_said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What there is to say, and what it is said after.

    `edits`: what the person changed and the model is due to hear in this request; None if nothing is.
    `rounds`: answers of the model since its last call of todo_write, or since the newest compaction, or since
    tasks became open. `all_closed_in_this_run`: nothing is open, and the last task was closed in this run;
    `closed_by_our_result`: by the call whose result ends the request.
    `carried_by`: how the plan came here, unless it was touched since. `is_interrupted`: an earlier run broke
    off, and the plan was not touched since. `ends_in_our_result`: the model reads the plan in our own reply.
    """

    plan: Plan = EMPTY
    edits: Edits | None = None
    rounds: int = 0
    all_closed_in_this_run: bool = False
    closed_by_our_result: bool = False
    carried_by: Carrier | None = None
    is_interrupted: bool = False
    ends_in_our_result: bool = False
    stop: Stop = Stop()


NOTHING = Facts()
"""The facts of a branch on which there never was a plan."""


def facts_of(records: Sequence[Entry]) -> Facts:
    """The facts of a branch, or of the messages of a request where a host has no branch; the oldest first.

    Entries and messages are JSON objects in pi's shapes.
    """
    are_entries = not records or "type" in records[-1]
    entries = records if are_entries else [as_entry(record) for record in records]
    snapshot = latest(entries)
    if snapshot.plan == EMPTY and not snapshot.seq:
        return NOTHING
    read = read_back(entries)
    plans = Plans(entries, read.sources)
    closing = _closing(read, plans, snapshot.plan)
    return Facts(
        plan=snapshot.plan,
        edits=_edits(read, plans, snapshot.plan),
        rounds=_rounds(read.rounds, plans),
        all_closed_in_this_run=closing is not None,
        closed_by_our_result=closing is not None and _call_of(closing) in _our_calls(read.tail),
        carried_by=read.carried_by,
        is_interrupted=read.is_interrupted,
        ends_in_our_result=_ends_in_our_result(read.tail, plans, snapshot),
        stop=_stop(read, plans),
    )


def _edits(read: Read, plans: Plans, now: Plan) -> Edits | None:
    due = [
        number
        for number, change in enumerate(plans.changes)
        if change.place > read.told and change.source is not None and is_edit(change.source)
    ]
    if not due:
        return None
    newest = plans.changes[due[-1]].place
    steps = ((plans.before(number), plans.after(number)) for number in due)
    return edits_between(steps, now, is_told_in_this_run=newest <= read.told_now)


def _rounds(rounds: Rounds, plans: Plans) -> int:
    return next((count for place, count in rounds.at_changes.items() if _opens(plans, place)), rounds.count)


def _opens(plans: Plans, place: int) -> bool:
    number = plans.number_at(place)
    return number is not None and not counts(plans.before(number)).open and counts(plans.after(number)).open > 0


def _is_settled(plan: Plan) -> bool:
    found = counts(plan)
    return found.total > 0 and not found.open


def _closing(read: Read, plans: Plans, now: Plan) -> Change | None:
    """The change of this run since which nothing is open."""
    in_this_run = [number for number, change in enumerate(plans.changes) if change.place > read.run]
    if not _is_settled(now):
        return None
    return next((plans.changes[n] for n in reversed(in_this_run) if not _is_settled(plans.before(n))), None)


def _call_of(change: Change) -> str | None:
    return None if change.source is None else change.source.call


def _our_calls(tail: Sequence[Record]) -> Sequence[str]:
    return tail[0].our_calls if tail and isinstance(tail[0], Answer) else []


def _ends_in_our_result(tail: Sequence[Record], plans: Plans, snapshot: Snapshot) -> bool:
    calls = _our_calls(tail)
    results = (record for record in tail if isinstance(record, Result))
    return any(result.call in calls and _is_fresh(result, plans, snapshot) for result in results)


def _is_fresh(result: Result, plans: Plans, snapshot: Snapshot) -> bool:
    """Whether the plan of now stands in the words of this result."""
    if result.is_error and not result.has_plan:
        return False  # the host's own words
    if result.seq is not None:
        return result.seq == snapshot.seq
    return plans.newest is None or plans.newest.by == "model"


def _stop(read: Read, plans: Plans) -> Stop:
    reminders, fewest = 0, None
    said, was_aborted = "", False
    for spoken in read.spoken:
        match spoken.record:
            case Person() as person:
                said = person.text
            case Ours(text):
                reminders += text.lstrip().startswith(STOP_BEGINS)
            case Answer() as answer if answer.is_stop:
                left = counts(plans.at(spoken.place)).open
                # With none left the work is done; what is appended after that is other work, nobody's wish yet.
                reminders = 0 if fewest is not None and 0 < left < fewest else reminders
                fewest = left if fewest is None else min(left, fewest)
            case Answer() as answer:
                was_aborted = was_aborted or answer.ended == "aborted"
    last = read.tail[-1] if read.tail else None
    if isinstance(last, Answer) and last.is_stop and not was_aborted:
        return Stop(is_now=True, reminders=reminders, last_words=last.text, person_said=said)
    return Stop(reminders=reminders, person_said=said)
