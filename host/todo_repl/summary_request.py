"""What a model is asked when it is to write a summary: a request without tools, all of it one message.

Pure. What was said goes out as text in a fence, so that nobody takes it for a conversation to go on with; so do
the plan and an earlier summary, which nothing in them can leave.
"""

import json
import re
from collections.abc import Iterator

from todo_context.pi import Entry
from todo_context.plan.markdown import to_markdown
from todo_context.plan.model import Plan
from todo_repl.compaction_cut import CHARACTERS_PER_TOKEN, Cut
from todo_repl.context import message_of, read
from todo_repl.messages import AssistantMessage, ToolResultMessage, UserMessage
from todo_repl.models import Material, Request

RESULT_CHARACTERS = 2_000
"""Of one result of a tool, or of the arguments of one call: a summary needs the gist. Source: pi."""

EARLIER = "The earlier summary:"
PLAN = "The plan of the session, kept beside the summary; it is not yours to edit:"
SAID = "The conversation:"
UNFINISHED = "It breaks off in the middle of a turn. The rest of that turn stays as it was, after your summary."
WISH = "The user wants this summary to keep, above all: {wish}"
LEFT_OUT = "(What came before this does not fit here. Say in the summary that it is missing.)"
CUT = "… ({count} more characters)"


def summary_request(cut: Cut, plan: Plan, *, system: str, wish: str, room_tokens: int | None) -> Request:
    """Ask for a summary of what a cut takes away.

    `wish` is what the person wants kept above all. Of what was said, the newest part that fits into `room_tokens` goes
    out; None: all of it.
    """
    said = "\n\n".join(line for entry in cut.older for line in _told(entry))
    if room_tokens is not None and len(said) > (most := room_tokens * CHARACTERS_PER_TOKEN):
        said = f"{LEFT_OUT}\n\n{said[-most:]}"
    sections = [
        f"{EARLIER}\n{fenced(cut.earlier)}" if cut.earlier else "",
        f"{PLAN}\n{fenced(to_markdown(plan), 'markdown')}" if plan.phases else "",
        f"{SAID}\n{fenced(said)}",
        UNFINISHED if cut.turn else "",
        WISH.replace("{wish}", wish) if wish else "",
        "Write the summary.",
    ]
    asked = UserMessage("\n\n".join(filter(None, sections)), 0)
    material = Material(messages=tuple(read(cut.older)), earlier=cut.earlier)
    return Request(system=system, messages=(asked,), tools=(), material=material)


def fenced(text: str, kind: str = "text") -> str:
    """Text as data in a Markdown fence that is longer than any in it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n{text.rstrip()}\n{fence}"


def _told(entry: Entry) -> Iterator[str]:
    match message_of(entry):
        case UserMessage(text):
            # The program speaks in the user's place only to a model.
            yield f"[{'user' if entry.get('type') == 'message' else 'program'}] {text}"
        case AssistantMessage() as answer:
            if answer.text.strip():
                yield f"[assistant] {answer.text}"
            for call in answer.calls:
                yield f"[call of {call.name}] {_gist(json.dumps(call.sent, ensure_ascii=False))}"
        case ToolResultMessage() as result:
            yield f"[{'error' if result.is_error else 'result'} of {result.tool_name}] {_gist(result.text)}"
        case _:
            pass


def _gist(text: str) -> str:
    more = len(text) - RESULT_CHARACTERS
    return text if more <= 0 else text[:RESULT_CHARACTERS] + CUT.format(count=more)
