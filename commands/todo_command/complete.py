"""Completions: verbs first, then what a verb may be said about.

Quick enough for every key: one pass over the plan, or over the names in a folder. A completion's value
replaces the whole text after /todo, and typed as it stands it means just that task, phase or file. A name that
begins with what was typed comes before one that only holds it; then what is in progress, open, closed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice

from todo_command import grammar, manual
from todo_command.answers import status_word
from todo_command.complete_paths import paths
from todo_command.match import actionable, blocked, key
from todo_context.pi import Completion
from todo_context.plan.model import Plan, Status, Task
from todo_context.plan.names import quoted
from todo_context.plan.select import counts
from todo_context.plan.text import for_screen

LIMIT = 50
"""How many are offered; more than a menu can show is better narrowed by typing."""

_VERB_AND_ONE_WORD = 2

_ACTIVE, _OPEN, _CLOSED = range(3)


@dataclass(frozen=True, slots=True)
class _Found:
    """A name to offer, with its description, and what decides on its place."""

    begins: bool
    rank: int
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class _Offer:
    """What a verb is offered: the tasks that pass, and phases if it takes them."""

    task: Callable[[Task], bool]
    phases: bool = False


_OFFERS: Mapping[str, _Offer] = {
    "start": _Offer(lambda task: task.status is not Status.IN_PROGRESS),
    "done": _Offer(lambda task: task.status.is_open, phases=True),
    "drop": _Offer(lambda task: task.status.is_open, phases=True),
    "rm": _Offer(lambda _: True, phases=True),
    "park": _Offer(lambda task: task.status.is_open),
    "note": _Offer(lambda _: True),
    "block": _Offer(actionable),
    "unblock": _Offer(blocked),
}

_MORE_FOLLOWS = frozenset({"append", "note", "block"})
"""The verbs whose first name is not the end: a blank behind it lets one type on."""

_FILES = frozenset({"export", "import"})
"""The verbs that take a path."""


def completions(plan: Plan, prefix: str) -> list[Completion]:
    """Ways to go on after `prefix`, the text after /todo so far; at most `LIMIT`."""
    call = grammar.verb_call(prefix)
    if not grammar.is_verb_complete(prefix):
        return list(_verbs(call.verb))
    wanted = key(grammar.spoken(call.rest))
    offered: Iterable[_Found] = ()
    if call.verb == "append" and _is_first_word(prefix):
        offered = _phases(plan, wanted)
    elif call.verb in _FILES:
        return list(islice(_files(call.verb, call.rest), LIMIT))
    elif offer := _OFFERS.get(call.verb):
        phases = _phases(plan, wanted, taken=_task_names(plan)) if offer.phases else ()
        offered = chain(_tasks(plan, wanted, offer), phases)
    ranked = sorted(offered, key=lambda found: (not found.begins, found.rank))
    return [_completion(call.verb, found) for found in ranked[:LIMIT]]


def _verbs(typed: str) -> Iterator[Completion]:
    for verb in manual.VERBS:
        if verb.name.startswith(typed):
            # With a blank where something may follow, so that it can be typed, or completed, at once.
            value = f"{verb.name} " if verb.arguments else verb.name
            yield Completion(value=value, label=verb.usage, description=verb.about)


def _tasks(plan: Plan, wanted: str, offer: _Offer) -> Iterator[_Found]:
    # Of names that look alike the first is meant; one that does not show cannot be typed.
    seen = {""}
    for phase in plan.phases:
        for task in phase.tasks:
            name = key(task.content)
            if name not in seen and wanted in name and offer.task(task):
                told = f"{status_word(task.status)}, {phase.name}"
                yield _Found(name.startswith(wanted), _rank(task.status), task.content, told)
            seen.add(name)


def _phases(plan: Plan, wanted: str, taken: Iterable[str] = ()) -> Iterator[_Found]:
    """The phases whose name is none of `taken`."""
    seen = {"", *taken}
    for phase in plan.phases:
        name = key(phase.name)
        if name not in seen and wanted in name:
            found = counts(Plan((phase,)))
            told = f"phase, {found.closed} of {found.total} closed" if found.total else "phase, empty"
            # Behind the tasks that can still be worked on: more is done at once.
            rank = _OPEN if found.open else _CLOSED
            yield _Found(name.startswith(wanted), rank, phase.name, told)
        seen.add(name)


def _files(verb: str, typed: str) -> Iterator[Completion]:
    for path in paths(typed):
        description = "folder" if path.is_folder else "file"
        yield Completion(value=f"{verb} {path.path}", label=quoted(path.name)[1:-1], description=description)


def _task_names(plan: Plan) -> Iterator[str]:
    return (key(task.content) for task in plan.tasks())


def _rank(status: Status) -> int:
    if status is Status.IN_PROGRESS:
        return _ACTIVE
    return _OPEN if status.is_open else _CLOSED


def _completion(verb: str, found: _Found) -> Completion:
    shown = for_screen(found.name)
    value = f"{verb} {grammar.quoted_word(shown)}" + (" " if verb in _MORE_FOLLOWS else "")
    return Completion(value=value, label=quoted(shown)[1:-1], description=for_screen(found.description))


def _is_first_word(prefix: str) -> bool:
    """Whether the first word after the verb is still typed."""
    # The full stop joins a word that goes on, and is one of its own after white space.
    return len(grammar.words(f"{prefix}.")) == _VERB_AND_ONE_WORD
