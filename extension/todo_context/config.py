"""The settings: settings.toml in the config folder, and the environment above it.

What can be set stands in `settings.py`. What is not set has its default; a name nobody knows is a warning, a value
that cannot be meant is an error.
Reading changes nothing and keeps nothing: call it again and it looks again.
"""

import difflib
import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from todo_context.errors import TodoContextError
from todo_context.paths import CONFIG_DIR_VARIABLE, DATA_DIR_VARIABLE, config_dir
from todo_context.plan.text import for_screen
from todo_context.settings import (
    TABLES,
    AttentionSettings,
    BacklogSettings,
    Declared,
    KeySettings,
    PanelSettings,
    PlanSettings,
    ReplSettings,
    Settings,
    Value,
    declared,
)

FILE_NAME = "settings.toml"
PREFIX = "TODO_CONTEXT_"
"""`TODO_CONTEXT_<TABLE>_<KEY>` in the environment wins over the file."""

_NOT_SETTINGS = frozenset({DATA_DIR_VARIABLE, CONFIG_DIR_VARIABLE})

MOST = 999_999_999
"""The highest number that a setting may be, wherever it stands; none is meant to be near it."""

_SHOWN_CHARACTERS = 60
"""How much of a wrong value a message shows."""


def settings() -> Settings:
    """Read the settings of this moment.

    Raises:
        TodoContextError: settings.toml cannot be read, or a value cannot be what its key is for.
    """
    by_place = {(setting.table, setting.key): setting for setting in declared()}
    found: dict[str, dict[str, Value]] = {table: {} for table in TABLES}
    warnings: list[str] = []
    for source in (*_in_file(), *_in_environment()):
        setting = by_place.get((source.table, source.key))
        if setting is None:
            warnings.append(_unknown(source))
        else:
            found[source.table][source.key] = _checked(source, setting)
    # The keys and types are those of the declarations, so the type checker need not see them again.
    plan = PlanSettings(**cast("dict[str, str]", found["plan"]))  # type: ignore[arg-type]
    attention = AttentionSettings(**cast("dict[str, str]", found["attention"]))  # type: ignore[arg-type]
    repl = ReplSettings(**cast("dict[str, str]", found["repl"]))  # type: ignore[arg-type]
    panel = PanelSettings(**cast("dict[str, str]", found["panel"]))  # type: ignore[arg-type]
    keys = KeySettings(**cast("dict[str, str]", found["keys"]))
    backlog = BacklogSettings(**cast("dict[str, str]", found["backlog"]))  # type: ignore[arg-type]
    return Settings(
        plan=plan,
        attention=attention,
        backlog=backlog,
        repl=repl,
        panel=panel,
        keys=keys,
        warnings=tuple(warnings),
    )


@dataclass(frozen=True, slots=True)
class _Source:
    """One value as somebody wrote it. `place` names it for a message."""

    place: str
    table: str
    key: str
    value: object
    is_text: bool = False


def _in_file() -> Iterator[_Source]:
    try:
        path = config_dir() / FILE_NAME
    except TodoContextError:
        return  # Without a home there is no file, and nothing that needs one.
    for table, content in _read(path).items():
        if isinstance(content, dict):
            for key, value in content.items():
                yield _Source(f"{path}: [{table}] {key}", table, key, value)
        elif table in TABLES:
            message = f"{path}: {table} is {_shown(content)}. It must be a table: a line [{table}], its keys below."
            raise TodoContextError(message)
        else:
            yield _Source(f"{path}: {table}", "", table, content)


def _read(path: Path) -> dict[str, object]:
    if path.exists() and not (path.is_file() or path.is_dir()):
        # To read a pipe may never end.
        raise TodoContextError(f"{path}: it is no regular file. Put the settings into one, or remove it.")
    try:
        text = path.read_bytes().decode("utf-8-sig")
        return tomllib.loads(text)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        message = f"{path}: cannot be read: {error.strerror}. Change its permissions, or set {CONFIG_DIR_VARIABLE}."
        raise TodoContextError(message) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        message = f"{path}: line {line} is not UTF-8. Save the file as UTF-8."
        raise TodoContextError(message) from error
    except RecursionError as error:
        message = f"{path}: nested too deeply. A setting is written: [plan], and below it: auto_start = false"
        raise TodoContextError(message) from error
    except ValueError as error:
        # TOMLDecodeError is one; so is a number of thousands of digits.
        message = f"{path}: not TOML: {error}. A setting is written: [plan], and below it: auto_start = false"
        raise TodoContextError(message) from error


def _in_environment() -> Iterator[_Source]:
    for variable, value in sorted(os.environ.items()):
        if variable.startswith(PREFIX) and variable not in _NOT_SETTINGS:
            table, _, key = variable.removeprefix(PREFIX).lower().partition("_")
            yield _Source(variable, table, key, value, is_text=True)


_TRUE, _FALSE = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})


def _checked(source: _Source, setting: Declared) -> Value:
    value = _from_text(source.value, setting) if source.is_text else source.value
    # Not isinstance: True would pass as a number.
    fits = type(value) is type(setting.default)
    if fits and setting.least is not None and isinstance(value, int):
        fits = setting.least <= value <= MOST
    if fits and setting.among:
        fits = value in setting.among
    if not fits:
        most = f", and {MOST} at most" if type(value) is int and value > MOST else ""
        message = f"{source.place} is {_shown(source.value)}. It must be {setting.unit}{most}."
        raise TodoContextError(message)
    return cast("Value", value)


def _from_text(value: object, setting: Declared) -> object:
    text = str(value).strip()
    if isinstance(setting.default, bool):
        return True if text.casefold() in _TRUE else False if text.casefold() in _FALSE else value
    if isinstance(setting.default, int):
        return int(text) if re.fullmatch("[+-]?[0-9]{1,1000}", text) else value
    return text


def _shown(value: object) -> str:
    """A value in a message: one line, short."""
    if isinstance(value, int) and value.bit_length() > 64:  # noqa: PLR2004 - Python refuses to write thousands of digits
        return "a very large number"
    text = for_screen(repr(value))
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"


def _unknown(source: _Source) -> str:
    # Both tables of spelling start from the same names, so the answer is in the form that was asked in.
    written = f"{source.table}_{source.key}" if source.table else source.key
    names = {f"{setting.table}_{setting.key}": setting for setting in declared()}
    names |= {setting.key: setting for setting in declared()} if not source.table else {}
    close = difflib.get_close_matches(written, names, n=1, cutoff=0.5)
    if not close:
        tables = ", ".join(f"[{table}]" for table in TABLES)
        return f"{source.place}: no such setting, ignored. The tables are {tables}."
    setting = names[close[0]]
    name = PREFIX + f"{setting.table}_{setting.key}".upper() if source.is_text else f"[{setting.table}] {setting.key}"
    return f"{source.place}: no such setting, ignored. Closest: {name}."
