"""The tool `todo`: a model's call in, words and details out, over the store that all sessions share.

It opens that store and nothing else. What does it is imported with the first call.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from todo_context.backlog.here import Here
from todo_context.backlog.told import TOOL
from todo_context.errors import TodoContextError
from todo_context.pi import Context, Tool, ToolResult
from todo_context.plan.model import Json
from todo_context.plan.text import for_screen, lines_for_screen
from todo_context.prompt import prompt

if TYPE_CHECKING:
    from rich.console import RenderableType

CARD_CHARACTERS = 60
"""Characters of the longest text on the card of a call; the card is one line of a narrow terminal."""

MOST_CHARACTERS = 20_000
"""Of one answer: some 5,000 tokens. A page of a hundred items fits; of notes that are longer it is the beginning."""

_TEXT: dict[str, Json] = {"type": "string"}
_TEXTS: dict[str, Json] = {"type": "array", "items": _TEXT}


def schema(*, may_delete: bool = False) -> dict[str, Json]:
    """What a call may hold. With `may_delete` also what deletes for good."""
    properties: dict[str, Json] = {
        "action": {
            "enum": [
                "list", "get", "add", "update", "complete", "delete", "clear", "park", "prune", "restore", "health",
                "claim", "release", "ready",
            ]
        },
        "id": _TEXT,
        "text": _TEXT,
        "notes": _TEXT,
        "project": _TEXT,
        "tags": _TEXTS,
        "tag": _TEXT,
        "priority": {"enum": ["low", "med", "high", "critical"]},
        "status": _TEXT,
        "blockedBy": _TEXTS,
        "until": _TEXT,
        "since": _TEXT,
        "page": {"type": "integer"},
        "days": {"type": "integer"},
        "force": {"type": "boolean"},
    }  # fmt: skip
    if may_delete:
        properties |= {"hard": {"type": "boolean"}, "token": _TEXT}
    return {"type": "object", "properties": properties, "required": ["action"]}


def lenient(strict: Mapping[str, Json]) -> dict[str, Json]:
    """The same for a host that holds a call against it first: it lets pass whatever can be read."""
    properties = strict["properties"]
    named = properties if isinstance(properties, dict) else {}
    return {
        "type": "object",
        "properties": {key: {} if value == _TEXT else {"anyOf": [value, {}]} for key, value in named.items()},
    }


def todo(here: Here, *, prompts_dir: str = "", is_validated_before: bool = False) -> Tool:
    """The tool over one session's way to the backlog.

    Raises:
        TodoContextError: its description in `prompts_dir` cannot be used.
    """

    async def execute(_call_id: str, arguments: Json, ctx: Context) -> ToolResult:
        from todo_context.backlog.acts import act, nothing  # noqa: PLC0415 (with the first call)
        from todo_context.backlog.calls import ignored, read  # noqa: PLC0415 (likewise)
        from todo_context.backlog.outcomes import Asker  # noqa: PLC0415 (likewise)

        call = read(arguments)
        if isinstance(call, str):
            return ToolResult(text=call, is_error=True)
        asker = Asker(
            me=here.agent(ctx),
            project=here.project(ctx),
            now=datetime.now(UTC),
            lease=here.lease,
            days=here.settings.prune_days,
            may_delete=here.settings.agent_may_delete,
        )
        seq = 0
        try:
            if call.action == "add" or here.is_there:
                # Before: what others change meanwhile is told later, rather than never.
                seq, reply = await here.ask(lambda store: (store.seq(), act(store, call, asker)))
            else:
                here.refuse_unfit()
                reply = nothing(call, here.place)
        except TodoContextError as error:
            return ToolResult(text=f"Nothing was changed. {for_screen(str(error))}", is_error=True)
        text = _bounded("\n".join(filter(None, (ignored(call), *reply.lines))))
        return ToolResult(
            text=text, details={"action": call.action, "seq": seq, **reply.details}, is_error=reply.is_error
        )

    strict = schema(may_delete=here.settings.agent_may_delete)
    return Tool(
        name=TOOL,
        label="Backlog",
        description=prompt(TOOL, prompts_dir),
        parameters=lenient(strict) if is_validated_before else strict,
        execute=execute,
        render_call=call_card,
        render_result=_shown,
    )


def call_card(arguments: Json) -> str:
    """One line that says what a call is about. Bears any arguments; safe for the screen."""
    given = arguments if isinstance(arguments, dict) else {}
    said = [value for key in ("action", "id", "text") if isinstance(value := given.get(key), str)]
    line = for_screen(" ".join(said))
    return "backlog" + (f": {line[:CARD_CHARACTERS]}" + "…" * (len(line) > CARD_CHARACTERS) if line else "")


def _bounded(text: str) -> str:
    more = len(text) - MOST_CHARACTERS
    return text if more <= 0 else f"{text[:MOST_CHARACTERS]}…\n{more} characters more are not shown."


def _shown(result: ToolResult) -> "RenderableType | None":
    """What the model reads, under the card; problems stand in the text of an error anyway."""
    from rich.text import Text  # noqa: PLC0415 - rich comes late

    return None if result.is_error else Text(lines_for_screen(result.text), style="dim")
