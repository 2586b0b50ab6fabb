"""A line that begins with "/" while it is typed: how it can go on, and what it will do."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from todo_context.awaiting import awaited
from todo_context.pi import Completion
from todo_context.plan.text import for_screen
from todo_repl.extensions import Extensions
from todo_repl.host_commands import HostCommand

CALL = re.compile(r"/([a-z][a-z0-9_-]*)(?:\s+|\Z)", re.IGNORECASE)
"""How a line begins that calls a command. Else it is text: a path, a regular expression, a closing tag."""


async def completions(
    text: str, commands: Mapping[str, str], extensions: Extensions, host_commands: Mapping[str, HostCommand]
) -> Sequence[Completion]:
    """Complete a line; `commands` are all names with their descriptions. Each value is the whole line."""
    match = CALL.match(text)
    if match is None or match.end() == len(match[1]) + 1:
        names = [name for name in commands if text.startswith("/") and name.startswith(text[1:].casefold())]
        return [_name(name, commands[name], extensions, host_commands) for name in names]
    name, args = match[1].casefold(), text[match.end() :]
    extension = extensions.owner(name)
    if extension is None:
        complete_here = host_commands[name].completions if name in host_commands else None
        found = complete_here(args) if complete_here else []
    else:
        complete = extension.offered.commands[name].get_argument_completions
        try:
            found = await awaited(complete(args)) if complete else []
        except Exception as error:  # noqa: BLE001 (an extension's own; the prompt must go on)
            extensions.report(extension, f"completions of /{name}", error)
            return []
    return [replace(completion, value=f"/{name} {completion.value}") for completion in found]


async def preview(text: str, extensions: Extensions) -> str | None:
    """What a line would do, where its command says so: one line, safe for the screen. None for a message."""
    match = CALL.match(text)
    extension = extensions.owner(match[1].casefold()) if match else None
    if match is None or extension is None:
        return None
    foretell = extension.offered.commands[match[1].casefold()].preview
    try:
        said = await awaited(foretell(text[match.end() :])) if foretell else None
    except Exception as error:  # noqa: BLE001 (an extension's own; the prompt must go on)
        extensions.report(extension, f"preview of /{match[1].casefold()}", error)
        return None
    return None if said is None else for_screen(said)


def _name(name: str, description: str, extensions: Extensions, host_commands: Mapping[str, HostCommand]) -> Completion:
    """A name, with a blank behind it where arguments can be completed."""
    extension = extensions.owner(name)
    if extension is None:
        takes_more = name in host_commands and host_commands[name].completions is not None
    else:
        takes_more = extension.offered.commands[name].get_argument_completions is not None
    return Completion(value=f"/{name} " if takes_more else f"/{name}", label=f"/{name}", description=description)
