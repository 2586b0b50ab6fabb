"""A call of the tool `todo` as models really send it -> what is wanted, or why it cannot be meant.

Pure. One table says which keys an action takes and needs; reading, errors and examples come from it. Spelling is
forgiven where one reading is left; a key that an action does not take is passed over, and named.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from todo_context.backlog.item import Priority, Status
from todo_context.backlog.secrets import masked
from todo_context.plan.model import Json
from todo_context.plan.names import closest, quoted
from todo_context.plan.text import one_line

_FILTERS = ("project", "status", "tag", "text", "since", "page", "limit")
_FIELDS = ("text", "notes", "project", "tags", "priority", "blockedBy")


@dataclass(frozen=True, slots=True)
class Action:
    """What an action takes and needs, and a call that works."""

    keys: tuple[str, ...]
    needs: tuple[str, ...] = ()
    example: str = ""


ACTIONS: Mapping[str, Action] = {
    "list": Action(_FILTERS),
    "get": Action(("id",), ("id",), '"id":"4k2m"'),
    "add": Action((*_FIELDS, "until", "force"), ("text",), '"text":"Port logger","priority":"high"'),
    "update": Action(("id", *_FIELDS, "status", "until"), ("id",), '"id":"4k2m","priority":"high"'),
    "complete": Action(("id",), ("id",), '"id":"4k2m"'),
    "delete": Action(("id",), ("id",), '"id":"4k2m"'),
    "clear": Action(("status", "project", "tag")),
    "park": Action(("id", "until"), ("id",), '"id":"4k2m","until":"2026-12-24"'),
    "prune": Action(("status", "project", "tag", "days", "all", "hard", "token")),
    "restore": Action(("id", "status"), ("id",), '"id":"4k2m"'),
    "health": Action(()),
    "claim": Action(("id", "project", "tag")),
    "release": Action(("id",), ("id",), '"id":"4k2m"'),
    "ready": Action(_FILTERS),
}
"""The actions of armory's tool, and what it lacks: get, claim, release, ready."""

_ACTION_ALIASES = {
    "done": "complete", "finish": "complete", "close": "complete", "create": "add", "new": "add", "remove": "delete",
    "rm": "delete", "cancel": "delete", "show": "get", "view": "list", "start": "claim", "take": "claim",
    "edit": "update", "unclaim": "release", "archive": "prune", "next": "ready",
}  # fmt: skip
_KEY_ALIASES = {
    "ids": "id", "title": "text", "content": "text", "note": "notes", "description": "notes", "tag_": "tag",
    "blocked_by": "blockedBy", "blockedby": "blockedBy", "statuses": "status", "agedays": "days", "age_days": "days",
    "ageDays": "days", "olderThan": "days", "confirm": "token", "parkedUntil": "until", "parked_until": "until",
    "query": "text", "search": "text",
}  # fmt: skip
_PRIORITIES = {
    "medium": Priority.MED, "normal": Priority.MED, "default": Priority.MED, "urgent": Priority.CRITICAL,
    "highest": Priority.CRITICAL, "lowest": Priority.LOW, "crit": Priority.CRITICAL, "minor": Priority.LOW,
}  # fmt: skip
_STATUSES = {
    "todo": "open", "pending": "open", "active": "open", "in-progress": "in_progress", "inprogress": "in_progress",
    "doing": "in_progress", "completed": "done", "complete": "done", "closed": "done", "canceled": "cancelled",
    "deleted": "cancelled", "abandoned": "cancelled", "archive": "archived", "deferred": "parked",
}  # fmt: skip

ARCHIVED, EVERY = "archived", "all"
STATUSES = (*(status.value for status in Status), ARCHIVED, EVERY)
"""What `status` may be: that of an item, or archived, or all."""

Value = str | int | bool | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """What is wanted. `given` holds the keys that the action takes, `ignored` those it does not."""

    action: str
    given: Mapping[str, Value] = field(default_factory=dict[str, Value])
    ignored: tuple[str, ...] = ()

    def text(self, key: str) -> str | None:
        """A text, None where it is not given."""
        value = self.given.get(key)
        return value if isinstance(value, str) else None

    def texts(self, key: str) -> tuple[str, ...] | None:
        """Several, None where they are not given."""
        value = self.given.get(key)
        return value if isinstance(value, tuple) else None

    def number(self, key: str, otherwise: int) -> int:
        """A number."""
        value = self.given.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else otherwise

    def flag(self, key: str) -> bool:
        """Whether it is set."""
        return self.given.get(key) is True


def read(raw: Json) -> Call | str:
    """What a model sent, as a call; or why it is none, with one that works."""
    arguments = _object(raw)
    if arguments is None:
        return f"Not an object. {_works('list')}"
    renamed: dict[str, Json] = {}
    for key, value in arguments.items():
        if value is not None:
            renamed.setdefault(_KEY_ALIASES.get(key, key), value)
    action = _action(renamed.pop("action", None))
    if action is None:
        return _unknown_action(arguments.get("action"))
    takes = ACTIONS[action]
    given: dict[str, Value] = {}
    for key in takes.keys:
        if key in renamed:
            meant = _value(key, renamed[key])
            if isinstance(meant, _Wrong):
                return f"{action}: {key} is {_shown(renamed[key])}, and must be {meant.wanted}. {_works(action)}"
            given[key] = meant
    if action == "list" and "tags" in renamed and "tag" not in given:
        tags = _texts(renamed.pop("tags"))
        given |= {"tag": tags[0]} if tags else {}
    missing = [key for key in takes.needs if not given.get(key)]
    if missing:
        return f"{action} needs {' and '.join(missing)}. {_works(action)}"
    return Call(
        action, given, tuple(key for key in renamed if key not in takes.keys and key != "tags" * ("tag" in given))
    )


def ignored(call: Call) -> str:
    """A line about keys that the action does not take; empty if there are none."""
    if not call.ignored:
        return ""
    keys = ", ".join(quoted(masked(key)) for key in call.ignored[:5])
    takes = ", ".join(ACTIONS[call.action].keys) or "none"
    return f"Passed over: {keys}. Keys of {call.action}: {takes}."


def _works(action: str) -> str:
    example = ACTIONS[action].example
    return f'One that works: {{"action":"{action}"{"," + example if example else ""}}}'


def _object(raw: Json) -> dict[str, Json] | None:
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except (ValueError, RecursionError):
            return None
    return raw if isinstance(raw, dict) else None


def _action(raw: Json) -> str | None:
    if not isinstance(raw, str):
        return None
    named = one_line(raw).casefold()
    named = _ACTION_ALIASES.get(named, named)
    return named if named in ACTIONS else None


def _unknown_action(raw: Json) -> str:
    if not isinstance(raw, str):
        return f"No action is named. There is {', '.join(ACTIONS)}. {_works('list')}"
    close = closest(raw, ACTIONS)
    return f"No action {quoted(masked(raw))}. {f'Closest: {close[0]}. ' if close else ''}There is {', '.join(ACTIONS)}."


@dataclass(frozen=True, slots=True)
class _Wrong:
    wanted: str


def _value(key: str, raw: Json) -> Value | _Wrong:
    match key:
        case "id" | "tags" | "blockedBy":
            return _texts(raw) if isinstance(raw, str | int | list) else _Wrong("a text or a list of them")
        case "priority":
            text = one_line(str(raw)).casefold()
            found = _PRIORITIES.get(text) or next((each for each in Priority if each == text), None)
            return found.value if found else _Wrong(f"one of {', '.join(Priority)}")
        case "status":
            texts = [one_line(text).casefold() for text in _texts(raw)]
            named = tuple(_STATUSES.get(text, text) for text in texts)
            return named if named and set(named) <= set(STATUSES) else _Wrong(f"one of {', '.join(STATUSES)}")
        case "page" | "limit" | "days":
            return _number(raw)
        case "force" | "all" | "hard":
            text = str(raw).casefold()
            return text == "true" if text in {"true", "false"} else _Wrong("true or false")
        case _:
            return str(raw) if isinstance(raw, str | int | float) else _Wrong("a text")


def _number(raw: Json) -> int | _Wrong:
    try:
        number = int(raw) if isinstance(raw, str | int | float) else -1
    except (ValueError, OverflowError):
        number = -1
    return number if 0 <= number < 10**6 else _Wrong("a whole number, 0 or more")


def _texts(raw: Json) -> tuple[str, ...]:
    if isinstance(raw, str) and raw.lstrip().startswith("["):
        try:
            read: Json = json.loads(raw)
        except (ValueError, RecursionError):
            read = raw
        raw = read
    each = raw if isinstance(raw, list) else str(raw).split(",")
    return tuple(text for one in each if isinstance(one, str | int) and (text := one_line(str(one))))


def _shown(raw: Json) -> str:
    return quoted(masked(raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)))
