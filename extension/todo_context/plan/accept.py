"""Read a call of the tool as the model sent it: operations, or problems it can act on.

Anything may come in; nothing raises. A problem names the operation by its place in the sender's list, the
key, and a call that works. What an operation means for the plan is for `apply` to say.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from todo_context.plan.decode import EXAMPLE, UnreadableError, decoded, in_words
from todo_context.plan.model import Json, Plan
from todo_context.plan.ops import SHAPES, Op, Replace
from todo_context.plan.problem import Problem
from todo_context.plan.read_op import read_operation
from todo_context.plan.whole_list import KEY as WHOLE_LIST
from todo_context.plan.whole_list import read_whole_list

_OP_KEYS = frozenset({"op", "content"} | {key for shape in SHAPES.values() for key in shape.keys})


_TARGETS = ("task", "tasks", "phase", "phases", "content")
_TARGET_WORDS = frozenset(
    {
        *("active", "content", "description", "entry", "id", "ids", "index", "item", "items", "key", "label", "list"),
        *("name", "names", "number", "phase", "phases", "step", "subject", "target", "task", "tasks", "text", "title"),
        *("todo", "todos", "which", "work"),
    }
)
"""Words in keys that models use for a task. Taken for nothing, `done` and `rm` would mean everything."""

_HARNESS_WORDS = frozenset(
    {"agent", "call", "message", "model", "request", "run", "session", "thread", "tool", "trace", "turn", "user"}
)
"""Words in keys that a harness adds to a call: what such a key names is not in the plan."""

_WORD = re.compile("[A-Z]?[a-z0-9]+|[A-Z]+")
"""A word of a key, in camelCase or with underscores."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The operations that can be tried, in order, and what could not be read as one.

    `fell_out` are the contents of unfinished tasks that a whole list leaves out.
    """

    ops: tuple[Op, ...]
    problems: tuple[Problem, ...] = ()
    fell_out: tuple[str, ...] = ()


def accept(raw: object, plan: Plan) -> Accepted:
    """Read the arguments of one call; `plan` decides what items without a phase or an operation mean."""
    try:
        arguments = _arguments(decoded(raw))
        if arguments.get("ops") is None and WHOLE_LIST in arguments and not _has_operation(arguments):
            return _whole_list(arguments[WHOLE_LIST], plan)
        return _with_ignored_list(_accept_each(_operations(arguments), plan), arguments)
    except UnreadableError as problem:
        return Accepted((), (Problem(problem.code, problem.message),))


def _arguments(raw: Json) -> Mapping[str, Json]:
    """The object of arguments; a bare list is that of the operations, or of tasks."""
    if isinstance(raw, dict):
        return raw
    if isinstance(raw, list) and raw:
        first = decoded(raw[0])
        is_tasks = isinstance(first, dict) and "content" in first and "op" not in first
        return {WHOLE_LIST: raw} if is_tasks else {"ops": raw}
    raise UnreadableError("shape", f"the arguments are {in_words(raw)}. Send an object such as {EXAMPLE}.")


def _has_operation(arguments: Mapping[str, Json]) -> bool:
    """Whether an operation stands at the top beside a list that is null, which is the same as none."""
    return arguments[WHOLE_LIST] is None and arguments.get("op") is not None


def _may_be_target(key: str) -> bool:
    """Whether a key looks like a name for what to work on: then it does not come from a harness."""
    words = {word.casefold() for word in _WORD.findall(key)}
    if words & _HARNESS_WORDS:
        return False
    return bool(words & _TARGET_WORDS or difflib.get_close_matches(key.casefold(), _TARGETS, cutoff=0.7))


def _operations(arguments: Mapping[str, Json]) -> Sequence[Json]:
    """The list of operations in a call, whichever way it is wrapped."""
    if arguments.get("ops") is None:
        # Of a single operation at the top only its own keys count, also misspelled ones: a harness adds others.
        operation: dict[str, Json] = {
            key: value
            for key, value in arguments.items()
            if key != WHOLE_LIST and (key in _OP_KEYS or _may_be_target(str(key)))
        }
        if operation:
            return [operation]
        raise UnreadableError("shape", f'the key "ops" is missing. Send a list of operations, such as {EXAMPLE}.')
    ops = decoded(arguments["ops"])
    if isinstance(ops, dict):
        return [ops]
    if not isinstance(ops, list):
        raise UnreadableError("shape", f'"ops" is {in_words(ops)}. Send a list of operations, such as {EXAMPLE}.')
    return ops


def _accept_each(operations: Sequence[Json], plan: Plan) -> Accepted:
    ops: list[Op] = []
    problems: list[Problem] = []
    for index, sent in enumerate(operations):
        try:
            ops.append(read_operation(decoded(sent), index, plan))
        except UnreadableError as problem:
            name = sent.get("op") if isinstance(sent, dict) else None
            problems.append(Problem(problem.code, problem.message, index, name if isinstance(name, str) else None))
    return Accepted(tuple(ops), tuple(problems))


def _with_ignored_list(accepted: Accepted, arguments: Mapping[str, Json]) -> Accepted:
    if arguments.get(WHOLE_LIST) is None:
        return accepted
    ignored = Problem("ignored", f'"{WHOLE_LIST}" was passed over: a call has either "ops" or "{WHOLE_LIST}".')
    return replace(accepted, problems=(*accepted.problems, ignored))


def _whole_list(todos: Json, plan: Plan) -> Accepted:
    found = read_whole_list(todos, plan)
    if found.plan is None:
        return Accepted((), found.problems)
    return Accepted((Replace(found.plan),), found.problems, found.fell_out)
