"""The offline planner: a model that is a table of rules.

It is spoken to as any model: it sees the messages and the tools of a request, and answers with text or one
call of `todo_write`. It keeps nothing between requests. The person may have changed the plan since, so it
looks at the plan before it acts, and tells what the tool answered.
"""

import asyncio
import re
import secrets
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from todo_context.attention import is_ours
from todo_context.plan.model import Json
from todo_repl.messages import (
    AssistantMessage,
    Message,
    Part,
    TextPart,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    now_ms,
)
from todo_repl.models import OFFLINE, Delta, Finished, Request, TextDelta
from todo_repl.offline_facts import Facts, facts_of
from todo_repl.offline_rules import Act, Intent, NewList, NewPhase, Other, intent_of
from todo_repl.offline_summary import offline_summary

TOOL = "todo_write"

HELP = """\
I am the offline planner: rules, no language model. I understand a pasted list, "first …, then …", \
"plan: a, b, c", "new plan: …", and then: next, start <task>, done, done with <task>, skip, blocked <reason>, \
what is left.
To talk to a model, start todo-context with --model openai:NAME [--base-url URL] and OPENAI_API_KEY set, or \
with --model anthropic:NAME and ANTHROPIC_API_KEY set; or write model = "openai:NAME" under [repl] in settings.toml."""
TOOL_OFF = "The tool todo_write is off in this session, so there is no plan that I could work on."
NO_LIST = 'Paste the new list, with the words "new plan" before it: it then takes the place of the plan.'
EMPTY = "The plan is empty. Paste a list, or write: plan: a, b, c"

_WORD = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True, slots=True)
class _Say:
    """Answer with text; the run ends."""

    text: str


@dataclass(frozen=True, slots=True)
class _Do:
    """Call the tool with these operations."""

    ops: tuple[dict[str, Json], ...]


@dataclass(frozen=True, slots=True)
class OfflinePlanner:
    """A `Model` without a network."""

    name: str = "planner"
    provider: str = OFFLINE
    api: str = "offline"

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Answer at once, word by word. See `models.Model.stream`."""
        answer = _answer(request) if request.material is None else _Say(offline_summary(request.material))
        part: Part
        match answer:
            case _Say(text):
                part = TextPart(text)
                for word in _WORD.findall(text):
                    yield TextDelta(word)
                    # As with any model, the screen gets its turn between two deltas, and an abort too.
                    await asyncio.sleep(0)
            case _Do(ops):
                part = ToolCall(f"call_{secrets.token_hex(6)}", TOOL, {"ops": list(ops)})
        yield Finished(
            AssistantMessage(
                parts=(part,),
                provider=self.provider,
                model=self.name,
                api=self.api,
                stop_reason="stop" if isinstance(part, TextPart) else "toolUse",
                timestamp_ms=now_ms(),
            )
        )


def _answer(request: Request) -> _Say | _Do:
    said, results = _turn(request.messages)
    intent = intent_of(said)
    if isinstance(intent, Other):
        return _Say(HELP)
    if all(tool.name != TOOL for tool in request.tools):
        return _Say(TOOL_OFF)
    if not results:
        return _first(intent)
    last = results[-1]
    facts = facts_of(last.result.details)
    if facts is None:
        return _Say(last.result.text.partition("\n")[0])
    if last.op == "view":
        return _acted(intent, facts)
    return _Say(_told(last.op, last.target, facts, facts_of(results[0].result.details)))


@dataclass(frozen=True, slots=True)
class _Step:
    """A call of the tool and its result: the first operation in it, and the task or phase that names."""

    op: str
    target: str
    result: ToolResultMessage


def _turn(messages: Sequence[Message]) -> tuple[str, list[_Step]]:
    """The person's last words, and what was done since."""
    said = ""
    calls: dict[str, ToolCall] = {}
    steps: list[_Step] = []
    for message in messages:
        match message:
            case UserMessage(text) if not is_ours(text):
                said, steps = text, []
            case AssistantMessage():
                calls = {call.id: call for call in message.calls}
            case ToolResultMessage() if message.call_id in calls:
                steps.append(_Step(*_first_op(calls[message.call_id]), message))
            case _:
                pass
    return said, steps


def _first_op(call: ToolCall) -> tuple[str, str]:
    ops = call.arguments.get("ops")
    first = ops[0] if isinstance(ops, list) and ops else None
    if not isinstance(first, dict):
        return "", ""
    return str(first.get("op")), str(first.get("task") or first.get("phase") or "")


def _first(intent: Intent) -> _Say | _Do:
    match intent:
        case NewList(phases, is_fresh=True):
            return _Do(_init(phases)) if phases else _Say(NO_LIST)
        case _:
            return _Do(({"op": "view"},))


def _acted(intent: Intent, facts: Facts) -> _Say | _Do:
    match intent:
        case NewList(phases):
            # What is finished is no part of what comes now; /todo undo has it still.
            return _Do(_append(phases, facts) if facts.open else _init(phases))
        case Act():
            return _act(intent, facts)
        case _:
            return _Say(_left(facts))


def _init(phases: Sequence[NewPhase]) -> tuple[dict[str, Json], ...]:
    listed: list[Json] = [{"phase": phase.name, "items": list(phase.items)} for phase in phases]
    return ({"op": "init", "list": listed}, *_closed(phases))


def _append(phases: Sequence[NewPhase], facts: Facts) -> tuple[dict[str, Json], ...]:
    # A list without headings is a matter of its own; one with headings says itself where it belongs.
    ops: list[dict[str, Json]] = []
    for phase in phases:
        name = _new_name(phase.name, facts) if len(phases) == 1 else phase.name
        ops.append({"op": "append", "phase": name, "items": list(phase.items)})
    return (*ops, *_closed(phases))


def _new_name(name: str, facts: Facts) -> str:
    number, new = 1, name
    while new in facts.phases:
        number += 1
        new = f"{name} {number}"
    return new


def _closed(phases: Sequence[NewPhase]) -> tuple[dict[str, Json], ...]:
    return tuple({"op": "done", "task": item} for phase in phases for item in phase.closed)


def _act(act: Act, facts: Facts) -> _Say | _Do:
    if not facts.tasks:
        return _Say(EMPTY)
    if act.task is not None:
        found = facts.named(act.task)
    else:
        target = _at_hand(act, facts)
        found = (target,) if target is not None else ()
    if len(found) != 1:
        return _Say(_unclear(act, found, facts))
    op: dict[str, Json] = {"op": "start" if act.verb == "next" else act.verb, "task": found[0]}
    return _Do(({**op, "reason": act.reason or "no reason given"},) if act.verb == "block" else (op,))


def _at_hand(act: Act, facts: Facts) -> str | None:
    if act.verb == "next" or (act.verb == "start" and facts.active is None):
        return facts.after_active
    return facts.active


def _unclear(act: Act, found: Sequence[str], facts: Facts) -> str:
    if found:
        return f'"{act.task}" may be: {_quoted(found)}. Say more of the name.'
    if act.task is not None:
        return f'No task is called "{act.task}". {_left(facts)}'
    return f"{'Nothing is pending' if act.verb in {'next', 'start'} else 'No task is in progress'}. {_left(facts)}"


_TOLD = {
    "init": "That is the plan now",
    "append": 'Added to "{}"',
    "start": 'Started "{}"',
    "done": 'Done: "{}"',
    "drop": 'Dropped "{}"',
    "block": 'Blocked "{}"',
}


def _told(op: str, target: str, facts: Facts, before: Facts | None) -> str:
    if facts.errors:
        return f"Not all of it was applied: {facts.errors[0]} {_progress(facts)}"
    if op == "start" and before is not None and before.active not in {None, target}:
        return f'Started "{target}"; "{before.active}" waits again. {_progress(facts)}'
    return f"{_TOLD.get(op, 'Done').format(target)}. {_progress(facts)}"


def _progress(facts: Facts) -> str:
    closed, total = len(facts.tasks) - len(facts.open), len(facts.tasks)
    if closed == total:
        return f"All {total} tasks are closed."
    now = f'In progress: "{facts.active}".' if facts.active else "No task is in progress."
    return f"{closed} of {total} closed. {now}"


def _left(facts: Facts) -> str:
    if not facts.tasks:
        return EMPTY
    if not facts.open:
        return _progress(facts)
    lines = [f"- {task.content} ({task.status.replace('_', ' ')}, {task.phase})" for task in facts.open]
    return "\n".join([f"{len(lines)} of {len(facts.tasks)} {'is' if len(lines) == 1 else 'are'} left:", *lines])


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
