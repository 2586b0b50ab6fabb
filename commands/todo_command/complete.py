"""Completions: verbs first, then what a verb may be said about.

Quick enough for every key: one pass over the plan, or over the names in a folder. A completion's value
replaces the whole text after /todo, and typed as it stands it means just that task, phase or file.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from todo_command import grammar, manual
from todo_command.complete_paths import paths
from todo_command.match import actionable, blocked, key
from todo_context.pi import Completion
from todo_context.plan.model import Plan, Status, Task
from todo_context.plan.names import quoted
from todo_context.plan.text import for_screen

LIMIT = 50
"""How many are offered; more than a menu can show is better narrowed by typing."""

_VERB_AND_ONE_WORD = 2


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
    "note": _Offer(lambda _: True),
    "block": _Offer(actionable),
    "unblock": _Offer(blocked),
}

_FILES = frozenset({"export", "import"})
"""The verbs that take a path."""


def completions(plan: Plan, prefix: str) -> list[Completion]:
    """Ways to go on after `prefix`, the text after /todo so far; at most `LIMIT`."""
    call = grammar.verb_call(prefix)
    if not grammar.is_verb_complete(prefix):
        return list(_verbs(call.verb))
    wanted = key(grammar.spoken(call.rest))
    offered: Iterable[Completion] = ()
    if call.verb == "append" and _is_first_word(prefix):
        offered = _phases(plan, "append", wanted)
    elif call.verb in _FILES:
        offered = _files(call.verb, call.rest)
    elif offer := _OFFERS.get(call.verb):
        phases = _phases(plan, call.verb, wanted, taken=_task_names(plan)) if offer.phases else ()
        offered = chain(_tasks(plan, call.verb, wanted, offer), phases)
    # A name that begins with what was typed is meant more often than one that only holds it.
    ranked = sorted(offered, key=lambda found: not key(found.label).startswith(wanted))
    return ranked[:LIMIT]


def _verbs(typed: str) -> Iterator[Completion]:
    for verb in manual.VERBS:
        if verb.name.startswith(typed):
            yield Completion(value=verb.name, label=verb.usage, description=verb.about)


def _tasks(plan: Plan, verb: str, wanted: str, offer: _Offer) -> Iterator[Completion]:
    # Of names that look alike the first is meant; one that does not show cannot be typed.
    seen = {""}
    for phase in plan.phases:
        for task in phase.tasks:
            name = key(task.content)
            if name not in seen and wanted in name and offer.task(task):
                yield _completion(verb, task.content, f"{task.status.replace('_', ' ')}, {phase.name}")
            seen.add(name)


def _phases(plan: Plan, verb: str, wanted: str, taken: Iterable[str] = ()) -> Iterator[Completion]:
    """The phases whose name is none of `taken`."""
    seen = {"", *taken}
    for phase in plan.phases:
        name = key(phase.name)
        if name not in seen and wanted in name:
            yield _completion(verb, phase.name, "phase")
        seen.add(name)


def _files(verb: str, typed: str) -> Iterator[Completion]:
    for path in paths(typed):
        description = "folder" if path.is_folder else "file"
        yield Completion(value=f"{verb} {path.path}", label=quoted(path.name)[1:-1], description=description)


def _task_names(plan: Plan) -> Iterator[str]:
    return (key(task.content) for task in plan.tasks())


def _completion(verb: str, name: str, description: str) -> Completion:
    shown = for_screen(name)
    return Completion(
        value=f"{verb} {grammar.quoted_word(shown)}", label=quoted(shown)[1:-1], description=for_screen(description)
    )


def _is_first_word(prefix: str) -> bool:
    """Whether the first word after the verb is still typed."""
    # The full stop joins a word that goes on, and is one of its own after white space.
    return len(grammar.words(f"{prefix}.")) == _VERB_AND_ONE_WORD
