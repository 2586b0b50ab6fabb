"""What this implementation makes of recorded inputs: `python -m todo_context.conform <vectors.jsonl`.

Reads one JSON object a line from standard input, `{"id": …, "kind": …, "input": {…}}`, and writes one for each:
`{"id": …, "actual": {…}}`, or `{"id": …, "error": "…"}` where a line cannot be used. Answers by `kind` and `input`
alone, with the default settings; so any implementation can be held against any other.
"""

import asyncio
import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, NoReturn, TypeVar, cast

from todo_context.activate import activate
from todo_context.errors import TodoContextError
from todo_context.hosts.memory import MemoryPi
from todo_context.plan.accept import accept
from todo_context.plan.apply import apply
from todo_context.plan.load import plan_from_json, plan_to_json
from todo_context.plan.markdown import from_markdown, to_markdown
from todo_context.plan.model import EMPTY, Json, Phase, Plan, Status, Task
from todo_context.plan.ops import Replace
from todo_context.plan.replay import plan_of
from todo_context.plan.sources import OMP_EDIT, OURS
from todo_context.settings import Settings

Input = Mapping[str, Json]
Actual = dict[str, Json]

COMPARED = ("content", "status", "notes", "blocker")
"""The keys of a task that every implementation has."""

_OUTSIDE = re.compile(r"""\s*(?:export|import)\s+(?:["'\\]*[/~]|.*\.\.)""", re.IGNORECASE)
"""A /todo that would leave the folder it is answered in."""

_T = TypeVar("_T", bound=Json)


class LineError(Exception):
    """A line that cannot be used; the message says why."""


def main(arguments: list[str]) -> int:
    """Answer every line of standard input; 0, or 1 if there was a line that could not be used."""
    if arguments:
        sys.stderr.write("usage: python -m todo_context.conform <vectors.jsonl\n")
        return 2
    streams = {"input": sys.stdin, "output": sys.stdout}
    if closed := [name for name, stream in streams.items() if stream is None]:
        # Python says so to a program that was started with one closed.
        sys.stderr.write(f"conform: standard {closed[0]} is closed. Give it lines to read, and a place to write.\n")
        return 2
    try:
        return answer_all(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        # Who reads has seen enough. Else Python complains when it closes the stream at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        sys.stderr.write(f"conform: standard output: {error.strerror}. Give it a place to write.\n")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except KeyboardInterrupt:
        return 130


def answer_all(lines: BinaryIO, out: BinaryIO) -> int:
    """Answer `lines` of UTF-8, each as soon as it is read; 1 if one could not be used, else 0."""
    code = 0
    for line in lines:  # ends at "\n" only: texts hold U+2028 and U+0085
        if not line.strip():
            continue
        answer = answered(line)
        code = code or int("error" in answer)
        # ASCII, for a text may hold half of a surrogate pair.
        out.write(json.dumps(answer).encode("ascii") + b"\n")
        out.flush()
    return code


def answered(line: bytes) -> Actual:
    """The answer to one line."""
    name: Json = None
    try:
        vector = _object(line)
        name = vector.get("id")
        return {"id": name, "actual": _kind(vector)(_wanted(vector, "input", dict))}
    except LineError as error:
        return {"id": name, "error": str(error)}
    except RecursionError:
        return {"id": name, "error": "nested too deeply"}


def _object(line: bytes) -> Mapping[str, Json]:
    try:
        read = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise LineError(f"no JSON: {error}") from error
    if not isinstance(read, dict):
        raise LineError(f"no JSON object but {type(read).__name__}")
    return cast("Mapping[str, Json]", read)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is none of its numbers")


def _kind(vector: Mapping[str, Json]) -> Callable[[Input], Actual]:
    kind = _wanted(vector, "kind", str)
    if kind not in KINDS:
        raise LineError(f"kind is {kind!r}. There is: {', '.join(KINDS)}.")
    return KINDS[kind]


def _wanted(given: Mapping[str, Json], key: str, wanted: type[_T]) -> _T:
    value = given.get(key)
    if isinstance(value, wanted):
        return value
    raise LineError(f"{key} is {'missing' if key not in given else type(value).__name__}, not {wanted.__name__}")


# --- by kind ----------------------------------------------------------------------------------------


def _ops(given: Input) -> Actual:
    """`ops` of one call and a count; or `calls`, each with the arguments as sent, and a count for each."""
    plan = plan_from_json(given.get("phases")).plan
    if "calls" not in given:
        plan, count = _called({"ops": given.get("ops")}, plan)
        return {"phases": _phases(plan), "problems": count}
    counts: list[Json] = []
    for arguments in _wanted(given, "calls", list):
        plan, count = _called(arguments, plan)
        counts.append(count)
    return {"phases": _phases(plan), "problems": counts}


def _called(arguments: Json, plan: Plan) -> tuple[Plan, int]:
    accepted = accept(arguments, plan)
    outcome = apply(plan, accepted.ops)
    return outcome.plan, len(accepted.problems) + len(outcome.problems)


def _markdown_parse(given: Input) -> Actual:
    """The plan as a commit would have it, and the lines that could not be read."""
    parsed = from_markdown(_wanted(given, "markdown", str))
    committed = apply(EMPTY, [Replace(parsed.plan)]).plan
    lines: list[Json] = [problem.line for problem in parsed.problems]
    return {"phases": _phases(committed), "problems": len(lines), "lines": lines}


def _markdown_render(given: Input) -> Actual:
    """The text of a plan as it stands where that text says the plan, else of the plan as it is when it comes in."""
    folded = plan_from_json(given.get("phases")).plan
    markdown = to_markdown(_as_it_stands(_wanted(given, "phases", list)))
    return {"markdown": markdown if from_markdown(markdown).plan == folded else to_markdown(folded)}


def _replay(given: Input) -> Actual:
    entries = _wanted(given, "entries", list)
    return {"phases": _phases(plan_of(entry for entry in entries if isinstance(entry, dict)))}


def _command(given: Input) -> Actual:
    """/todo as typed into a host without a person to ask, in a folder that holds `files` and nothing else."""
    args = _wanted(given, "args", str)
    with TemporaryDirectory() as folder:
        if _OUTSIDE.match(args):
            raise LineError(f"args is {args!r}, a path outside of its folder. Give one below it.")
        _put(_wanted(given, "files", dict) if "files" in given else {}, Path(folder))
        pi = MemoryPi(cwd=folder)
        activate(pi, chosen=Settings())
        pi.append_entry(OMP_EDIT, {"phases": given.get("phases")})
        # What a host would tell the person; the plan is as it was.
        with suppress(OSError, TodoContextError):
            asyncio.run(pi.run_command("todo", args))
    committed = any(entry.get("customType") == OURS for entry in pi.stored)
    return {"phases": _phases(plan_of(pi.branch())), "committed": committed}


def _validate(given: Input) -> Actual:
    """Whether the arguments have a shape that can be read. What an operation lacks or means is not asked here."""
    problems = accept(given.get("args"), EMPTY).problems
    return {"ok": all(problem.code in {"missing", "ignored"} for problem in problems)}


KINDS: Mapping[str, Callable[[Input], Actual]] = {
    "ops": _ops,
    "markdown_parse": _markdown_parse,
    "markdown_render": _markdown_render,
    "replay": _replay,
    "command": _command,
    "validate": _validate,
}


# --- their parts ------------------------------------------------------------------------------------


def _phases(plan: Plan) -> list[Json]:
    """A plan with the keys that are compared; notes and blocker only where there are some."""
    phases = cast("list[dict[str, list[dict[str, Json]]]]", plan_to_json(plan))
    return [
        {"name": cast("Json", phase["name"]), "tasks": [_compared(task) for task in phase["tasks"]]} for phase in phases
    ]


def _compared(task: Mapping[str, Json]) -> Json:
    return {key: task[key] for key in COMPARED if key in task}


def _as_it_stands(phases: list[Json]) -> Plan:
    """A plan from JSON with every text as it is written there; what has no text is left out."""
    return Plan(
        tuple(
            Phase(name=name, tasks=tuple(_task(task) for task in tasks if isinstance(task, dict)))
            for phase in phases
            if isinstance(phase, dict)
            and isinstance(name := phase.get("name"), str)
            and isinstance(tasks := phase.get("tasks"), list)
        )
    )


def _task(task: Mapping[str, Json]) -> Task:
    content, status, notes, blocker = (task.get(key) for key in COMPARED)
    return Task(
        content=content if isinstance(content, str) else "",
        status=next((known for known in Status if known == status), Status.PENDING),
        notes=tuple(note for note in notes if isinstance(note, str)) if isinstance(notes, list) else (),
        blocker=blocker if isinstance(blocker, str) else None,
    )


def _put(files: Mapping[str, Json], folder: Path) -> None:
    for name, text in files.items():
        path = folder / name
        if not isinstance(text, str) or ".." in path.parts or not path.is_relative_to(folder):
            raise LineError(f"files holds {name!r}. Give texts by their names below one folder.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
        except (OSError, ValueError) as error:
            raise LineError(f"files holds {name!r}, which cannot be written: {error}") from error


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
