"""The keys at the prompt: which action is on which, as the settings say, and how to call them.

What actions there are, with their default keys and their words, is declared once, as `KeySettings`. Names of keys
are prompt_toolkit's; they are checked here and not where settings are read, for it takes long to import.
"""

import difflib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from todo_context.errors import TodoContextError
from todo_context.plan.text import for_screen
from todo_context.settings import KeySettings, declared

if TYPE_CHECKING:
    from prompt_toolkit.filters import FilterOrBool
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

Way = tuple[str, ...]
"""Keys that are pressed one after the other."""

_NEEDED = "submit"
"""The one action that nothing can be done without."""

_SPELLINGS = {
    "ctrl": "c",
    "control": "c",
    "shift": "s",
    "esc": "escape",
    "alt": "escape",
    "meta": "escape",
    "m": "escape",
    "option": "escape",
    "return": "enter",
}
"""How people call keys that prompt_toolkit calls otherwise: for the closest name."""

_SPOKEN = {
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "c-m": "Enter",
    "c-i": "Tab",
    "c-h": "Backspace",
    "c-@": "Ctrl-Space",
}


@dataclass(frozen=True, slots=True)
class Action:
    """Something that keys do: its name in the settings, and what it does in words."""

    name: str
    words: str


@dataclass(frozen=True, slots=True)
class Handler:
    """What an action does, where `when` holds."""

    run: "Callable[[KeyPressEvent], None]"
    when: "FilterOrBool" = True


ACTIONS = tuple(Action(setting.key, setting.reason) for setting in declared() if setting.table == "keys")
"""All of them, in the order of the help."""


def sequences(keys: KeySettings) -> Mapping[str, tuple[Way, ...]]:
    """The keys of each action, checked, in the names that prompt_toolkit gives to what a terminal sends.

    Raises:
        TodoContextError: a key that there is not, or that is a letter; one that is taken; or none to submit with.
    """
    taken: dict[Way, str] = {}
    found: dict[str, tuple[Way, ...]] = {}
    for action in ACTIONS:
        place = f"settings: [keys] {action.name}"
        found[action.name] = tuple(dict.fromkeys(_checked(typed, place) for typed in _typed(keys, action.name)))
        for way in found[action.name]:
            other = taken.setdefault(way, action.name)
            if other != action.name:
                fact = f"{spoken(way)} is for {other} already"
                raise TodoContextError(f'{place}: {fact}. Give one of the two another key, or "" for none.')
    if not found[_NEEDED]:
        raise TodoContextError(f'settings: [keys] {_NEEDED}: it has no key. Give it one, such as "enter".')
    return found


def bindings(keys: KeySettings, handlers: Mapping[str, Handler]) -> "KeyBindings":
    """Bind each action to what it does here. Raises as `sequences`; a KeyError is an action without a handler."""
    from prompt_toolkit.key_binding import KeyBindings  # noqa: PLC0415 (only a terminal needs it)

    bound = KeyBindings()
    for name, ways in sequences(keys).items():
        handler = handlers[name]
        for way in ways:
            bound.add(*way, filter=handler.when)(handler.run)
    return bound


def rows(keys: KeySettings) -> Iterator[tuple[str, str]]:
    """The keys of each action as people call them, and what it does. Actions without a key are left out."""
    for action in ACTIONS:
        ways = [spoken(way) for way in _typed(keys, action.name)]
        if ways:
            yield for_screen(", ".join(ways)), action.words


def spoken(way: Way) -> str:
    """Keys as people call them: "Ctrl-X Ctrl-E", "Alt-Enter"."""
    if len(way) > 1 and way[0] == "escape":
        # A terminal sends Alt with a key as Esc before it.
        return f"Alt-{spoken(way[1:])}"
    return " ".join(_spoken_key(key) for key in way)


def _spoken_key(key: str) -> str:
    if key in _SPOKEN:
        return _SPOKEN[key]
    *modifiers, last = key.rsplit("-", key.count("-")) if len(key) > 1 else [key]
    words = [{"c": "Ctrl", "s": "Shift"}.get(modifier, modifier) for modifier in modifiers]
    return "-".join([*words, last.capitalize()])


def _typed(keys: KeySettings, action: str) -> list[Way]:
    """What the settings say, as it was written: a way for each part between commas."""
    setting: str = getattr(keys, action)
    return [tuple(way.split()) for way in setting.split(",") if way.strip()]


def _checked(way: Way, place: str) -> Way:
    from prompt_toolkit.keys import ALL_KEYS, KEY_ALIASES  # noqa: PLC0415 (only a terminal needs it)

    known = [name for name in (*KEY_ALIASES, *ALL_KEYS) if not name.startswith("<")]
    for key in way:
        if len(key) > 1 and key not in known:
            raise TodoContextError(f'{place}: there is no key "{_shown(key)}". Closest: "{_closest(key, known)}".')
    if len(way[0]) == 1:
        fact = f'"{_shown(way[0])}" alone could not be typed any more'
        raise TodoContextError(f'{place}: {fact}. Begin with a key such as "c-t", "f2" or "escape".')
    return tuple(KEY_ALIASES.get(key, key) for key in way)


def _closest(key: str, known: Collection[str]) -> str:
    first, *rest = (_SPELLINGS.get(part, part) for part in re.split("[-+]", key.casefold()))
    if rest and first == "escape":
        return f"escape {rest[-1] if len(rest[-1]) == 1 else _closest('-'.join(rest), known)}"
    wanted = "-".join([first, *rest])
    return difflib.get_close_matches(wanted, known, n=1, cutoff=0.0)[0]


def _shown(key: str) -> str:
    most = 20
    text = for_screen(key)
    return text if len(text) <= most else f"{text[: most - 1]}…"
