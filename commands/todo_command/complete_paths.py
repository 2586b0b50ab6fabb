"""Completions of a path: the files and folders below what is typed so far.

Read from the disk at each key, so bounded: of a folder with very many names the first ones are looked at.
A name is offered only if, typed as it stands, it means that file.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from todo_context.plan.text import for_screen, trim

LOOKED_AT = 2_000
"""How many names of a folder are looked at: a few milliseconds."""

_BEGINNINGS = ('"', "'")


@dataclass(frozen=True, slots=True)
class Named:
    """A way to go on: the whole path as it would be typed, and its last name."""

    path: str
    name: str
    is_folder: bool


def paths(typed: str) -> list[Named]:
    """What a path that begins like this can become, in the order of the names. Folders end in a slash.

    Hidden names are left out until a dot is typed. Relative to the folder the program works in.
    """
    if typed.startswith(_BEGINNINGS):
        typed = typed[1:]
    # Not pathlib, which would clean up what the person has typed.
    folder, beginning = os.path.split(typed)
    wanted = beginning.casefold()
    found = [
        Named(os.path.join(folder, name) + ("/" if is_folder else ""), name, is_folder)  # noqa: PTH118
        for name, is_folder in _listed(folder)
        if name.casefold().startswith(wanted) and name.startswith(".") == beginning.startswith(".")
    ]
    return sorted((named for named in found if _means_itself(named.path)), key=lambda named: named.path)


def _listed(folder: str) -> Iterator[tuple[str, bool]]:
    """The names in a folder, and whether each is a folder; of what is neither that nor a file, nothing."""
    try:
        with os.scandir(os.path.expanduser(folder) or ".") as entries:  # noqa: PTH111 (no error without a home)
            for entry in islice(entries, LOOKED_AT):
                is_folder = entry.is_dir()
                if is_folder or entry.is_file():
                    yield entry.name, is_folder
    except (OSError, ValueError):
        return


def _means_itself(path: str) -> bool:
    is_plain = path == trim(path) == for_screen(path) and not path.startswith(_BEGINNINGS)
    return is_plain and (not path.startswith("~") or path.startswith(("~/", f"~{os.sep}")))
