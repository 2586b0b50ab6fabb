"""A talk of forty requests that our own host has with a scripted model: what is sent is recorded.

The model does a piece of work as coding agents do: it plans, searches, reads, edits and runs tests, calls `todo_write`
when a task is done, and asks the person twice. All of it is made up from tables, so each run sends the same; the tools
answer with lines that look like code, as many as the call asks for. Only the model is not real: session, request,
protocol and HTTP are those of the program.
"""

import asyncio
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from io import StringIO
from pathlib import Path
from typing import cast

from tests.scripted_llm import ScriptedLlm, Step
from todo_context import activate
from todo_context.pi import Context, Pi, Tool, ToolResult
from todo_context.plan.model import Json
from todo_context.prompt import prompt
from todo_context.settings import AttentionSettings, BacklogSettings, Settings
from todo_repl.connect import online_model
from todo_repl.manifest import Manifest, Named, own_manifest
from todo_repl.models import ModelSpec, ProviderName
from todo_repl.runtime import Runtime, Submitted
from todo_repl.session import Session
from todo_repl.ui.lines import LinesFront
from todo_repl.ui.output import Output

Body = dict[str, Json]

SAID = (
    "Uploads die on the first timeout. Give the uploader retries with a backoff, settings and tests. Plan it first.",
    "Yes, keep the old setting working. And log each retry.",
    "Good. Go on.",
)
"""What the person says, each after the run before has ended."""

RUNS = ("psRetdsretdretdw", "srreettdsretdw", "retdsretdw")
"""What the model does in each run, a letter an answer.

p: plans; d: done, one task; s, r, e, t: searches, reads, edits, runs tests; R: reads twice at once; w: words alone.
"""

PHASES: Mapping[str, Sequence[str]] = {
    "Settings": ("Add retry settings to the config", "Read the old timeout setting too", "Describe both in the manual"),
    "Uploader": ("Retry uploads with a backoff", "Log each retry with its delay", "Give up with the last error"),
    "Check": ("Test the backoff without waiting", "Run the whole test suite", "Try it against a slow server"),
}
TASKS = tuple(task for tasks in PHASES.values() for task in tasks)

LINES: Mapping[str, Sequence[int]] = {
    "search": (18, 32, 10, 24),
    "read": (150, 80, 200, 110, 90),
    "edit": (8, 16, 5, 24),
    "run": (24, 60, 16),
}
"""Lines that the calls of a tool ask for, in turn; an edit sends them.

With them a request is some 600 tokens longer than the one before. What public runs of a small coding agent cost
(mini-swe-agent with Sonnet 4.5 on SWE-bench Verified: 47 requests, $0.56 a task) speaks for 580 to 760; larger agents
send more.
"""

TOOLS = {
    "search": ("Find lines by a pattern in the files below a folder.", ("pattern", "folder"), "limit"),
    "read": ("Read a file, or `limit` lines of it from `offset` on.", ("path",), "limit"),
    "edit": ("Replace a text that stands once in a file by another.", ("path", "old", "new"), None),
    "run": ("Run a command in a shell and get the last lines it prints.", ("command",), "tail"),
}
"""Description, texts and number among the arguments of each."""

_LETTERS = {"s": "search", "r": "read", "R": "read", "e": "edit", "t": "run"}
_VERBS = ("load", "send", "retry", "close", "check", "parse", "store", "merge", "split", "queue", "fetch")
_NOUNS = (
    "upload",
    "session",
    "delay",
    "config",
    "chunk",
    "header",
    "error",
    "client",
    "token",
    "limit",
    "path",
    "reply",
)
_SAYS = (
    "I look at how the uploader sends a chunk first, and at who catches the error it raises.",
    "The delay comes from the config, so the new setting belongs there, beside the timeout that is read today.",
    "Now the change itself: the loop stays where it is, only what it does after an error is new.",
    "That should do. Before I call it done, let me see whether the old behaviour still holds.",
)


@cache
def recorded(provider: ProviderName, attention: AttentionSettings) -> tuple[Body, ...]:
    """The bodies of the requests of the talk, with these settings."""
    steps = [*_steps()]
    with ScriptedLlm(steps) as server, tempfile.TemporaryDirectory() as folder:
        asyncio.run(_talk(Path(folder), server, provider, attention))
        bodies = tuple(cast("Body", body) for body in server.bodies)
    if len(bodies) != len(steps):
        raise RuntimeError(f"the talk made {len(bodies)} requests, not {len(steps)}: an answer set off one more.")
    return bodies


async def _talk(folder: Path, server: ScriptedLlm, provider: ProviderName, attention: AttentionSettings) -> None:
    nowhere = Output(StringIO())
    spec = ModelSpec(provider=provider, name="scripted", base_url=server.base_url, api_key="none")
    runtime = Runtime(
        session=Session.create(folder / "talk.jsonl", str(folder)),
        model=online_model(spec),
        front=LinesFront(nowhere, nowhere),
        system_prompt=prompt("system", "", package="todo_repl"),
        max_rounds=len(RUNS[0]),
    )
    chosen = Settings(attention=attention, backlog=BacklogSettings(tool=False))
    await runtime.load(own_manifest(), lambda pi: activate(pi, chosen=chosen))
    names = tuple(Named(name=name) for name in TOOLS)
    await runtime.load(Manifest(name="work", version="1", entrypoint="bench.talk:work", tools=names), _work)
    await runtime.start("startup")
    try:
        for text in SAID:
            ended = await runtime.submit(text)
            if ended is not Submitted.DONE:
                raise RuntimeError(f"{text!r} ended as {ended.name}.")
    finally:
        await runtime.close()


# --- the script ---------------------------------------------------------------------------------------


def _steps() -> Iterator[Step]:
    calls: dict[str, Iterator[int]] = {name: _in_turn(lines) for name, lines in LINES.items()}
    tasks, says = iter(TASKS), _in_turn(range(len(_SAYS)))
    for number, letter in enumerate("".join(RUNS)):
        match letter:
            case "p":
                plan: list[Json] = [{"phase": name, "items": list[Json](items)} for name, items in PHASES.items()]
                yield _calling({"op": "init", "list": plan})
            case "d":
                yield _calling({"op": "done", "task": next(tasks)})
            case "w":
                yield {"text": "The first part of it is in, and its tests pass. Shall I go on with the rest?"}
            case _:
                name = _LETTERS[letter]
                lines = [next(calls[name]) for _ in range(1 + (letter == "R"))]
                step: Step = {
                    "text": _SAYS[next(says)],
                    "tool_calls": [
                        {"name": name, "arguments": _arguments(name, number + at, count)}
                        for at, count in enumerate(lines)
                    ],
                }
                yield step


def _calling(operation: dict[str, Json]) -> Step:
    return {"tool_calls": [{"name": "todo_write", "arguments": {"ops": [operation]}}]}


def _in_turn(values: Sequence[int]) -> Iterator[int]:
    while True:
        yield from values


def _arguments(name: str, number: int, lines: int) -> dict[str, Json]:
    path = f"src/{_NOUNS[number % 5]}/{_VERBS[number % 7]}_{_NOUNS[number % 11]}.py"
    match name:
        case "search":
            return {"pattern": f"{_VERBS[number % 11]}_{_NOUNS[number % 12]}", "folder": "src", "limit": lines}
        case "read":
            return {"path": path, "offset": 10 * number, "limit": lines}
        case "edit":
            return {"path": path, "old": _code(number, 3), "new": _code(number + 3, lines)}
        case _:
            return {"command": f"python -m pytest -q tests/{_NOUNS[number % 5]}", "tail": lines}


# --- the tools ----------------------------------------------------------------------------------------


def _work(pi: Pi) -> None:
    for name in TOOLS:
        pi.register_tool(_tool(name))


def _tool(name: str) -> Tool:
    description, texts, number = TOOLS[name]
    properties: dict[str, Json] = {text: {"type": "string"} for text in texts}
    if name == "read":
        properties["offset"] = {"type": "integer"}
    if number is not None:
        properties[number] = {"type": "integer"}

    async def execute(_call_id: str, arguments: Json, _ctx: Context) -> ToolResult:
        given = cast("dict[str, int]", arguments)
        if number is None:
            return ToolResult(text="Replaced 1 text.")
        return ToolResult(text=_code(len(str(given)) + given.get("offset", 0), given[number]))

    schema: dict[str, Json] = {"type": "object", "properties": properties, "required": [*properties]}
    return Tool(name=name, label=name.title(), description=description, parameters=schema, execute=execute)


def _code(start: int, lines: int) -> str:
    """Lines that look like code, about 45 characters each; the same from the same start."""
    return "\n".join(map(_line, range(start, start + lines)))


def _line(number: int) -> str:
    verb, noun, other = _VERBS[number * 7 % 11], _NOUNS[number * 5 % 12], _NOUNS[number * 7 % 12]
    match number % 6:
        case 0:
            return f"    def {verb}_{noun}(self, {other}: str, attempt: int = {number % 9}) -> bool:"
        case 1:
            return f'        """{verb.title()} the {noun} unless the {other} says otherwise."""'
        case 2:
            return f"        if self._{noun}.{other} is None and attempt > {number % 13}:"
        case 3:
            return f"            raise {noun.title()}Error({other}, attempt)"
        case 4:
            return f"        {noun} = self._{verb}({other}, timeout_s={number % 60})"
        case _:
            return f"        return {noun}.{verb}({other}) == {number}\n"
