"""Whose session a file is: marks that each program leaves in what it writes, and the rules that know them.

Pure. A mark is where something stands and what stands there. The first rule with a mark that the file bears
decides, so a file has one format, also when two programs wrote in it.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from todo_context.pi import Entry
from todo_context.plan.model import Json
from todo_repl.session_format import OURS

Mark = tuple[str, str]
"""Where: title, header, entry, custom, key (of a message or a part of it), api; and the word there."""

PI = "pi"
"""Whose format it is where nothing says otherwise: the others write pi's, with something of their own."""

RULES: tuple[tuple[str, frozenset[Mark]], ...] = (
    ("todo-context", frozenset({("header", OURS)})),
    # Source: OMP 18.2.3, session-entries; 13 to 15 had the title in the header.
    (
        "OMP",
        frozenset(
            {
                ("title", "title"),
                *(
                    ("header", key)
                    for key in ("title", "titleSource", "additionalDirectories", "providerPromptCacheKey")
                ),
                *(("entry", kind) for kind in ("title_change", "ttsr_injection", "session_init", "mode_change")),
                *(
                    ("entry", kind)
                    for kind in ("service_tier_change", "credential_pin", "reset_boundary", "model_usage")
                ),
                *(("custom", kind) for kind in ("user_todo_edit", "tool_execution_start", "session_exit")),
                ("model_change", "model"),
            }
        ),
    ),
    # Source: aelix_ai 0.1.0b2, messages: each of its messages has one of these.
    (
        "Aelix",
        frozenset(("key", key) for key in ("tool_call_id", "is_error", "stop_reason", "text_signature")),
    ),
    # Source: pi-agent-core-lc 0.6.0, AssistantMessage.
    ("pi-python", frozenset({("api", "langchain")})),
)


def format_of(header: Mapping[str, Json], entries: Iterable[Entry], *, has_title: bool) -> str:
    """The name of the format. `has_title`: whether a title line stands before the header."""
    marks = {("header", key) for key in header}
    if has_title:
        marks.add(("title", "title"))
    marks.update(chain.from_iterable(map(_marks, entries)))
    return next((name for name, known in RULES if not known.isdisjoint(marks)), PI)


def _marks(entry: Entry) -> Iterator[Mark]:
    match entry:
        case {"type": "message", "message": dict(message)}:
            yield from _message_marks(message)
        case {"type": "custom", "customType": str(kind)}:
            yield "custom", kind
        case {"type": "model_change", "model": str()}:
            yield "model_change", "model"
        case {"type": str(kind)}:
            yield "entry", kind
        case _:
            pass


def _message_marks(message: Mapping[str, Json]) -> Iterator[Mark]:
    yield from (("key", key) for key in message)
    if isinstance(api := message.get("api"), str):
        yield "api", api
    content = message.get("content")
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict):
            yield from (("key", key) for key in part)
