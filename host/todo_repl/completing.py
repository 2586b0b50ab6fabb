"""How a line that begins with "/" can go on: names of commands, and what these offer as arguments."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from todo_context.awaiting import awaited
from todo_context.pi import Completion
from todo_repl.extensions import Extensions
from todo_repl.host_commands import HostCommand


async def completions(
    text: str, commands: Mapping[str, str], extensions: Extensions, host_commands: Mapping[str, HostCommand]
) -> Sequence[Completion]:
    """Complete a line; `commands` are all names with their descriptions. Each value is the whole line."""
    match = re.match(r"/([a-z][a-z0-9_-]*)\s", text)
    if match is None:
        names = [name for name in commands if text.startswith("/") and name.startswith(text[1:])]
        return [Completion(value=f"/{name}", label=f"/{name}", description=commands[name]) for name in names]
    name, args = match[1], text[match.end() :]
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
