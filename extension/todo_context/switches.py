"""Which settings turn something off, as a help says it.

Read off the declarations, so that no name and no value goes stale.
"""

from todo_context.settings import Declared, declared

TABLE = "attention"
"""What a person wants to turn off: what is said to the model without them. The rest of the settings tunes."""

HEAD = f"To turn off what a model is told, set in settings.toml, [{TABLE}]:"


def off_value(setting: Declared) -> str | None:
    """The value that turns it off, as it is written; None for a setting that only tunes."""
    if "off" in setting.among:
        return '"off"'
    if setting.default is True:
        return "false"
    return "0" if setting.least == 0 and setting.default else None


def switch_lines() -> list[str]:
    """A line for each such value, with the keys that take it, in the order of the declarations."""
    keys: dict[str, list[str]] = {}
    for setting in declared():
        value = off_value(setting) if setting.table == TABLE else None
        if value is not None:
            keys.setdefault(value, []).append(setting.key)
    return [f"to {value}: {', '.join(each)}" for value, each in keys.items()]
