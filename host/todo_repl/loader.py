"""Load an extension by its manifest.

What an extension registers beyond its manifest is refused before any of it takes effect: the whole
extension stays out, and the error names what to add to the manifest.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from todo_context.pi import CommandHandler, Completer, Handler, Pi, Tool
from todo_repl.manifest import ExtensionError, Manifest

Activate = Callable[[Pi], object]


@dataclass(frozen=True, slots=True)
class Command:
    """A command that an extension registered."""

    description: str
    handler: CommandHandler
    get_argument_completions: Completer | None


@dataclass(slots=True)
class Registered:
    """What one extension offers."""

    tools: dict[str, Tool] = field(default_factory=dict)
    commands: dict[str, Command] = field(default_factory=dict)
    handlers: dict[str, list[Handler]] = field(default_factory=dict)


def activate_function(manifest: Manifest) -> Activate:
    """Import the entrypoint of an extension.

    Raises:
        ExtensionError: there is no such function. What its module raises on import comes through as the cause.
    """
    module_name, _, function_name = manifest.entrypoint.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise ExtensionError(
            manifest.name, f"the entrypoint {manifest.entrypoint} cannot be imported: {error}.", "Install it again."
        ) from error
    function = getattr(module, function_name, None)
    if not callable(function):
        raise ExtensionError(
            manifest.name, f"{module_name} has no function {function_name}.", "Correct the entrypoint."
        )
    return cast("Activate", function)


def refuse_undeclared(manifest: Manifest, registered: Registered) -> None:
    """Hold what was registered against what is declared.

    Raises:
        ExtensionError: the first tool, command or hook that the manifest does not name.
    """
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
