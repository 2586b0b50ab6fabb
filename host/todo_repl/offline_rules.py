"""What a person means, by rule: their words to an intent.

Pure, and no language model: a table of patterns, English only. A list is looked for first, then the rules
of the table in their order, each against the whole text; what fits none is `Other`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

DEFAULT_PHASE = "Tasks"
"""Where tasks go that stand under no heading."""

HEADING_WORDS = 3
"""Words a line with a colon may have to be a heading. "Please do this today:" is a sentence."""

LIST_LINES = 2
"""Lines that make a list; one dash alone may be anything."""

RULE_CHARS = 200
"""Length of a text, or of a heading, that the patterns look at, in characters; who asks for one thing is brief."""

Verb = Literal["next", "start", "done", "drop", "block"]


@dataclass(frozen=True, slots=True)
class NewPhase:
    """A phase that the person wants: tasks in order, and which of them were ticked off already."""

    name: str
    items: tuple[str, ...]
    closed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewList:
    """Tasks to plan. `is_fresh`: instead of the plan there is, not besides it. No phases: none were given yet."""

    phases: tuple[NewPhase, ...]
    is_fresh: bool = False


@dataclass(frozen=True, slots=True)
class Act:
    """Do this to a task: the one named, else the one in progress; "next" and "start" mean one that waits."""

    verb: Verb
    task: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """Tell what is left."""


@dataclass(frozen=True, slots=True)
class Other:
    """Nothing the rules know."""


Intent = NewList | Act | Status | Other

_TASK = "(?P<task>.+)"
_ME = "(?:i am |i'm |i have |i've |it is |it's )?"
_CLOSED = "(?:done|finished|complete|completed)"
RULES: Sequence[tuple[str, Verb | None]] = (
    (r"next(?: one| task| step)?", "next"),
    (rf"(?:start|begin)(?: with| on)?(?: {_TASK})?", "start"),
    (rf"{_ME}{_CLOSED}(?: with)?(?: {_TASK})?", "done"),
    (rf"{_TASK} (?:is|are) {_CLOSED}", "done"),
    (rf"(?:skip|drop|cancel|abandon)(?: {_TASK})?", "drop"),
    (rf"{_ME}block(?:ed)?(?: by| on|:)?(?: (?P<reason>.+))?", "block"),
    (r"(?:what(?:'s| is| are)|whats) (?:left|next|open|missing|the plan|the status|still open|to do)(?: to do)?", None),
    (r"(?:show|list)(?: me)?(?: the| my)?(?: plan| list| tasks?| todos?)?|status|progress|plan|todos?", None),
)
"""Patterns for the whole text, case aside; None stands for `Status`."""

_RULES: Sequence[tuple[re.Pattern[str], Verb | None]] = tuple(
    (re.compile(pattern, re.IGNORECASE), verb) for pattern, verb in RULES
)
_AROUND = re.compile(r"^(?:please|ok(?:ay)?|and|now)[ ,]+|[ ,]+please$|[\s.!?]+$", re.IGNORECASE)
_THE_ONE_AT_HAND = re.compile(r"(?:it|this|that|(?:this|that|the current|the) (?:one|task|step))", re.IGNORECASE)

_FRESH = re.compile(r"(?:new (?:plan|list)|start over|from scratch)\b[\s:,.!]*", re.IGNORECASE)
_LABEL = re.compile(r"(?:(?:my|the|our) )?(?:plan|to-?dos?|to-?do list|tasks?|list|steps)\s*:\s*", re.IGNORECASE)
_BEFORE_FIRST = r"(?:^|[.,:;!?]\s*|\b(?:please|to|you|i|we|let's)\s+)"
_FIRST = re.compile(rf"{_BEFORE_FIRST}first(?:ly)?\b,?\s+(.+)", re.IGNORECASE)
_THEN = re.compile(r"[\s,;.]*(?:\band\s+)?\b(?:then|next|after that|afterwards|finally|lastly)\b[\s,:]*", re.IGNORECASE)
_DASHES = "-*+\u2022\u2013"
_QUOTES = "\"'`\u201c\u201d\u2018\u2019 "
_BULLET = re.compile(
    rf"\s*(?:[{re.escape(_DASHES)}]\s+(?:\[(?P<mark>.?)\]\s*)?|\d{{1,3}}[.)]\s+|\[(?P<box>.?)\]\s*)(?P<text>\S.*)"
)
_HEADING = re.compile(r"\s*(?:#{1,6}\s+(?P<title>\S.*?)[\s:#]*|(?P<label>\w[^:]*):\s*)")


def intent_of(text: str) -> Intent:
    """Read what the person wrote."""
    text = text.strip()
    fresh = _FRESH.match(text)
    rest = text[fresh.end() :] if fresh else text
    phases = _bullets(rest) or _sequence(rest) or _enumeration(rest, is_list=fresh is not None)
    if phases or fresh:
        return NewList(phases, is_fresh=fresh is not None)
    return _by_rule(text)


def _by_rule(text: str) -> Intent:
    if len(text) > RULE_CHARS:
        return Other()
    text = " ".join(_AROUND.sub("", _AROUND.sub("", text)).split())
    for pattern, verb in _RULES:
        if found := pattern.fullmatch(text):
            if verb is None:
                return Status()
            named = found.groupdict()
            return Act(verb, _name(named.get("task")), named.get("reason") or "")
    return Other()


def _name(text: str | None) -> str | None:
    if text is None or _THE_ONE_AT_HAND.fullmatch(text):
        return None
    return text.strip(_QUOTES)


def _bullets(text: str) -> tuple[NewPhase, ...]:
    """Read lines with bullets, numbers or boxes, under headings or none."""
    found: dict[str, list[tuple[str, bool]]] = {}
    phase = DEFAULT_PHASE
    for line in text.split("\n"):
        if bullet := _BULLET.fullmatch(line):
            mark = bullet["mark"] or bullet["box"] or ""
            found.setdefault(phase, []).append((bullet["text"].strip(), mark in {"x", "X"}))
        elif (name := _heading(line)) is not None:
            phase = name
    if sum(map(len, found.values())) < LIST_LINES:
        return ()
    return tuple(
        NewPhase(name, tuple(item for item, _ in items), tuple(item for item, is_closed in items if is_closed))
        for name, items in found.items()
    )


def _heading(line: str) -> str | None:
    heading = _HEADING.fullmatch(line) if len(line) <= RULE_CHARS else None
    if heading is None:
        return None
    label = heading["label"]
    if label is not None and len(label.split()) > HEADING_WORDS:
        return None
    return (label or heading["title"]).strip()


def _sequence(text: str) -> tuple[NewPhase, ...]:
    """Read "first …, then …, finally …"."""
    first = _FIRST.search(" ".join(text.split()))
    items = _items(_THEN.split(first[1])) if first else ()
    return _phase(items) if len(items) >= LIST_LINES else ()


def _enumeration(text: str, *, is_list: bool) -> tuple[NewPhase, ...]:
    """Read "plan: a, b, c" or "plan: a; b; c" on one line."""
    label = _LABEL.match(text)
    if "\n" in text or not (label or is_list):
        return ()
    rest = text[label.end() :] if label else text
    return _phase(_items(re.split(r";" if ";" in rest else r",(?:\s*and\b)?", rest)))


def _phase(items: tuple[str, ...]) -> tuple[NewPhase, ...]:
    return (NewPhase(DEFAULT_PHASE, items),) if items else ()


def _items(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(_trimmed(texts))


def _trimmed(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        if item := " ".join(text.split()).strip(" ,;."):
            yield item
