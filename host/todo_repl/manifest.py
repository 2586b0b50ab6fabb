"""A manifest: what an extension says of itself and what it may register.

It is read strictly where the host relies on it; keys for other readers are passed over.
"""

import json
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from todo_context.errors import TodoContextError
from todo_context.plan.text import for_screen

OWN_PACKAGE = "todo-context"
"""The distribution whose extension is built in."""

OWN_MANIFEST = "extra_metadata/manifest.json"
"""Where it lies in that distribution's metadata, from a wheel and from an editable install alike."""


class ExtensionError(TodoContextError):
    """An extension that cannot be loaded. `extension` is its name as far as it is known."""

    def __init__(self, extension: str, fact: str, step: str) -> None:
        super().__init__(for_screen(f"{extension}: {fact} {step}"))
        self.extension = extension


class Named(BaseModel):
    """A tool or a command that a manifest declares."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str = Field(min_length=1)
    description: str = ""


@dataclass(frozen=True, slots=True)
class Undeclared:
    """In place of a manifest, for an extension that has none: it may register anything."""

    name: str


class Manifest(BaseModel):
    """What an extension says of itself. Keys that only its readers need are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str = Field(min_length=1)
    version: str
    entrypoint: str = Field(pattern=r"^[\w.]+:\w+$")
    description: str = ""
    commands: tuple[Named, ...] = ()
    tools: tuple[Named, ...] = ()
    hooks: tuple[str, ...] = ()


def parse_manifest(text: str, source: str = "manifest.json") -> Manifest:
    """Read a manifest; `source` is its place for messages.

    Raises:
        ExtensionError: it is no JSON, or a key is missing or not what it must be.
    """
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ExtensionError(source, "not JSON.", "Compare it with that of todo-context.") from error
    try:
        return Manifest.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        if not place:
            raise ExtensionError(source, "not an object.", 'It begins with {"name": …}.') from error
        fact = f"{place} is missing." if first["type"] == "missing" else f"{place} is {_shown(first['input'])}."
        raise ExtensionError(source, fact, f"Give it {_wanted(place)}.") from error


def own_manifest() -> Manifest:
    """The manifest of the extension that is built in.

    Raises:
        ExtensionError: this package is not installed, only on the path.
    """
    try:
        text = distribution(OWN_PACKAGE).read_text(OWN_MANIFEST)
    except PackageNotFoundError:
        text = None
    if text is None:
        raise ExtensionError(OWN_PACKAGE, "not installed.", 'Run "make run", or: pip install todo-context')
    return parse_manifest(text)


def _wanted(place: str) -> str:
    kinds = {"entrypoint": 'a text such as "package.module:function"', "hooks": "a list of event names"}
    return kinds.get(place.partition(".")[0], "a text" if "." in place or place in {"name", "version"} else "a list")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"  # noqa: PLR2004 (one line of a terminal)
