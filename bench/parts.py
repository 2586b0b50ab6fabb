"""The body of a request, as the parts that a model reads of it, the same in either protocol.

Pure. What stands around the parts (names of fields, ids of calls) is left out: it is there in every way to tell a plan.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from todo_context.attention import is_ours
from todo_context.plan.model import Json

MARK = "cache_control"
ORDER = ("tool", "system")
"""What a cache knows before the messages, in this order. Source: Anthropic, prompt caching."""

Kind = Literal["tool", "system", "said", "answer", "call", "result"]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a request. The text of a call is the name of the tool, a space, and the arguments as compact JSON."""

    kind: Kind
    text: str
    is_marked: bool = False

    @property
    def is_reminder(self) -> bool:
        """Whether it is a text of ours in the user's place."""
        return self.kind == "said" and is_ours(self.text)


Request = Sequence[Part]
Talk = Sequence[Request]


def parts_of(body: Mapping[str, Json]) -> Request:
    """The parts of a body in either protocol, in the order in which a cache knows them."""
    tools = (Part("tool", _compact(_bare(tool)), _is_marked(tool)) for tool in _objects(body["tools"]))
    system = (_part("system", block) for block in _objects(body.get("system", [])))
    messages = (part for message in _objects(body["messages"]) for part in _message(message))
    return sorted(
        [*tools, *system, *messages], key=lambda part: ORDER.index(part.kind) if part.kind in ORDER else len(ORDER)
    )


def _message(message: Mapping[str, Json]) -> Iterator[Part]:
    kinds: Mapping[str, Kind] = {"system": "system", "user": "said", "assistant": "answer", "tool": "result"}
    kind, content = kinds[str(message["role"])], message.get("content")
    if isinstance(content, str):
        yield Part(kind, content)
    else:
        yield from (_part(kind, block) for block in _objects(content or []))
    for call in _objects(message.get("tool_calls", [])):
        function = cast("Mapping[str, str]", call["function"])
        yield Part("call", f"{function['name']} {function['arguments']}")


def _part(kind: Kind, block: Mapping[str, Json]) -> Part:
    match block["type"]:
        case "tool_use":
            return Part("call", f"{block['name']} {_compact(block['input'])}", _is_marked(block))
        case "tool_result":
            texts = (str(each["text"]) for each in _objects(block["content"]))
            return Part("result", "".join(texts), _is_marked(block))
        case _:
            return Part(kind, str(block["text"]), _is_marked(block))


def _objects(value: Json) -> list[dict[str, Json]]:
    return cast("list[dict[str, Json]]", value)


def _is_marked(block: Mapping[str, Json]) -> bool:
    return MARK in block


def _bare(block: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in block.items() if key != MARK}


def _compact(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
