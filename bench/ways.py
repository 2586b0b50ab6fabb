"""A recorded talk, told the plan in another way: the parts of its requests, moved about.

Pure. All ways come from one recording, with the reminder at the tail, so they differ in nothing but the plan. Where a
way could be built in several, it is built as its friends would: what changes stands as late as it can, marks where
they help most.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from bench.parts import ORDER, Part, Request
from todo_context.plan.accept import accept
from todo_context.plan.apply import apply
from todo_context.plan.markdown import to_markdown
from todo_context.plan.model import EMPTY, Plan

Talk = Sequence[Request]

OURS = "todo_write "
"""How a call of our tool begins."""


def without(talk: Talk) -> list[Request]:
    """No reminder: what the others are measured by."""
    return [[part for part in request if not part.is_reminder] for request in talk]


def at_the_tail(talk: Talk) -> list[Request]:
    """Ours, as it was recorded."""
    return [*talk]


def in_the_last_user_message(talk: Talk) -> list[Request]:
    """Ours with `placement = "last_user"`: behind the person's newest words, wherever they stand."""
    moved: list[Request] = []
    for request, bare in zip(talk, without(talk), strict=True):
        place = max(at for at, part in enumerate(bare, start=1) if part.kind == "said")
        moved.append([*bare[:place], *_reminders(request), *bare[place:]])
    return moved


def marked_on_the_reminder(talk: Talk) -> list[Request]:
    """Ours as a host would mark it that marks the last part of a request, whatever that is."""
    return [_marked_at_the_end(request) for request in talk]


def in_the_system_prompt(talk: Talk) -> list[Request]:
    """The whole list, finished tasks too, as the last part of the system prompt, made anew for each request."""
    told: list[Request] = []
    for bare in without(talk):
        place = max(at for at, part in enumerate(bare, start=1) if part.kind == "system")
        checklist = to_markdown(_plan(bare))
        told.append([*bare[:place], *([Part("system", checklist)] if checklist else []), *bare[place:]])
    return told


def stored_each_round(talk: Talk) -> list[Request]:
    """Ours word for word, but as a message that stays in the conversation; the mark may stand on it then."""
    stored: dict[int, list[Part]] = {}
    told: list[Request] = []
    for request, bare in zip(talk, without(talk), strict=True):
        stored[len(bare)] = _reminders(request)
        parts = (each for place, part in enumerate(bare, start=1) for each in (part, *stored.get(place, ())))
        told.append(_marked_at_the_end([*parts]))
    return told


WAYS: Mapping[str, Callable[[Talk], list[Request]]] = {
    "no reminder": without,
    "ours": at_the_tail,
    "ours, with `last_user`": in_the_last_user_message,
    "whole list in the system prompt": in_the_system_prompt,
    "our text, stored each time": stored_each_round,
    "ours, with the cache mark on it": marked_on_the_reminder,
}
"""By the name it has in the table."""


def shortened(talk: Talk, by: int) -> list[Request]:
    """The talk with that part of what other tools are sent and answer: the less else there is, the more is a plan."""
    return [[*_shortened(request, by)] for request in talk]


def _shortened(request: Request, by: int) -> Iterator[Part]:
    waiting: list[bool] = []
    for part in request:
        is_work = False
        if part.kind == "call":
            is_work = not part.text.startswith(OURS)
            waiting.append(is_work)
        elif part.kind == "result":
            is_work = waiting.pop(0)
        yield replace(part, text=part.text[: len(part.text) // by]) if is_work else part


def _reminders(request: Request) -> list[Part]:
    return [replace(part, is_marked=False) for part in request if part.is_reminder]


def _marked_at_the_end(request: Request) -> list[Part]:
    """The marks of the messages taken off, and one on the last part."""
    bare = [part if part.kind in ORDER else replace(part, is_marked=False) for part in request]
    return [*bare[:-1], replace(bare[-1], is_marked=True)]


def _plan(request: Request) -> Plan:
    """The plan after all calls of our tool in a request."""
    plan = EMPTY
    for part in request:
        if part.kind == "call" and part.text.startswith(OURS):
            plan = apply(plan, accept(part.text.removeprefix(OURS), plan).ops).plan
    return plan
