"""Load an extension, by its manifest where it has one.

What an extension registers beyond its manifest is refused before any of it takes effect: the whole
extension stays out, and the error names what to add to the manifest.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import cast

from todo_context.pi import CommandHandler, Completer, Handler, Pi, Preview, Tool
from todo_repl.manifest import ExtensionError, Manifest, Undeclared

Activate = Callable[[Pi], object]


@dataclass(frozen=True, slots=True)
class Loadable:
    """An extension that was read. `place` is where, for messages."""

    manifest: Manifest | Undeclared
    activate: Activate
    place: str


Source = Callable[[], Loadable]
"""Reads an extension, each time anew. It raises ExtensionError where that cannot be done."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command that an extension registered."""

    description: str
    handler: CommandHandler
    get_argument_completions: Completer | None = None
    preview: Preview | None = None


@dataclass(slots=True)
class Registered:
    """What one extension offers."""

    tools: dict[str, Tool] = field(default_factory=dict)
    commands: dict[str, Command] = field(default_factory=dict)
    handlers: dict[str, list[Handler]] = field(default_factory=dict)


def activate_function(name: str, entrypoint: str) -> Activate:
    """Import the entrypoint "package.module:function" of the extension of that name.

    Raises:
        ExtensionError: there is no such function. What its module raises on import comes through.
    """
    module_name, _, function_name = entrypoint.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        fact = f"the entrypoint {entrypoint} cannot be imported: {error}."
        raise ExtensionError(name, fact, "Install it again.") from error
    return function_in(module, function_name, name)


def function_in(module: ModuleType, function_name: str, name: str) -> Activate:
    """The function that activates the extension of that name.

    Raises:
        ExtensionError: the module has none.
    """
    function = getattr(module, function_name, None)
    if not callable(function):
        raise ExtensionError(name, f"there is no function {function_name} in it.", f"Add: def {function_name}(pi): …")
    return cast("Activate", function)


def refuse_undeclared(manifest: Manifest | Undeclared, registered: Registered) -> None:
    """Hold what was registered against what is declared, where anything is.

    Raises:
        ExtensionError: the first tool, command or hook that the manifest does not name.
    """
    if isinstance(manifest, Undeclared):
        return
    for kind, names, declared in (
        ("tool", registered.tools, {tool.name for tool in manifest.tools}),
        ("command", registered.commands, {command.name for command in manifest.commands}),
        ("hook", registered.handlers, set(manifest.hooks)),
    ):
        for name in names:
            if name not in declared:
                raise ExtensionError(
                    manifest.name,
                    f'registers the {kind} "{name}", which its manifest does not declare.',
                    f'Add it to the manifest, under "{kind}s".',
                )
