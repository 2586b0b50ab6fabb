"""What docs/contract.md and docs/compatibility.md show happens: their examples run, from top to bottom.

The second word after a fence says what its text is. A comment `<!-- a new session -->` begins anew.
"""

import asyncio
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from todo_context import activate
from todo_context.conform import answer_all
from todo_context.hosts.memory import MemoryPi
from todo_context.plan.accept import accept
from todo_context.plan.apply import apply
from todo_context.plan.load import plan_to_json
from todo_context.plan.markdown import Parsed, from_markdown, to_markdown
from todo_context.plan.model import EMPTY, Plan
from todo_context.plan.ops import SHAPES, Replace, json_schema, lenient_json_schema
from todo_context.plan.replay import plan_of
from todo_context.settings import declared

if TYPE_CHECKING:
    from todo_context.pi import Answer, ToolResult

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("contract.md", "compatibility.md")

_BLOCK = re.compile(r"^```(\S*) ?(.*)\n((?:.*\n)*?)^```$|^<!-- (a new session) -->$", re.MULTILINE)

NOT_RUN = frozenset({"sh", "python", "text", "ebnf", "toml"})
"""Languages of blocks without a second word, which are read by people alone."""


def session() -> MemoryPi:
    pi = MemoryPi()
    activate(pi)
    return pi


class Reader:
    """Goes through a page, and does what it says. Each kind of block is a method."""

    def __init__(self) -> None:
        self.pi = session()
        self.result: ToolResult | None = None
        self.answer: Answer | None = None
        self.parsed: Parsed | None = None
        self.conformed = ""

    @property
    def plan(self) -> Plan:
        return plan_of(self.pi.branch())

    def call(self, text: str) -> None:
        """A call of the tool."""
        self.result = asyncio.run(self.pi.call_tool("todo_write", json.loads(text)))

    def alike(self, text: str) -> None:
        """Calls, one a line, that all do the same to the plan, without a problem."""
        before = self.plan
        read = [accept(json.loads(line), before) for line in text.splitlines()]
        assert [accepted.problems for accepted in read] == [()] * len(read)
        plans = [apply(before, accepted.ops).plan for accepted in read]
        assert plans == [plans[0]] * len(plans)
        self.call(text.splitlines()[0])

    def reply(self, text: str) -> None:
        """What the model read after the last call."""
        assert self.result
        assert self.result.text + "\n" == text

    def details(self, text: str) -> None:
        """Some of the details of the last call."""
        assert self.result
        assert self.result.details
        expected = json.loads(text)
        assert {key: self.result.details[key] for key in expected} == expected

    def entry(self, text: str) -> None:
        """What was stored last, but its id and its time."""
        stored = self.pi.stored[-1]
        assert {key: stored[key] for key in ("type", "customType", "data")} == json.loads(text)

    def todo(self, text: str) -> None:
        """What is typed after /todo, a line each."""
        for line in text.splitlines():
            assert line.startswith("/todo")
            self.answer = asyncio.run(self.pi.run_command("todo", line.removeprefix("/todo").strip()))

    def answers(self, text: str) -> None:
        """What the last one answered."""
        assert self.answer
        assert self.answer.text + "\n" == text

    def shows(self, text: str) -> None:
        """The plan as it is now."""
        assert to_markdown(self.plan) == text

    def read(self, text: str) -> None:
        """A checklist that takes the place of the plan, where it can be read."""
        self.parsed = from_markdown(text)
        if not self.parsed.problems:
            read = apply(EMPTY, [Replace(self.parsed.plan)]).plan
            self.pi.append_entry("todo_write", {"phases": plan_to_json(read)})

    def problems(self, text: str) -> None:
        """The lines of the last checklist that could not be read."""
        assert self.parsed
        assert [f"line {p.line}: {p.message}" for p in self.parsed.problems] == text.splitlines()

    def branch(self, text: str) -> None:
        """Entries, one a line, of a session by themselves."""
        self.pi = session()
        for line in text.splitlines():
            entry: dict[str, Any] = json.loads(line)
            self.pi.append(entry.pop("type"), entry)

    def conform(self, text: str) -> None:
        """Lines for the standard input of `python -m todo_context.conform`."""
        out = io.BytesIO()
        answer_all(io.BytesIO(text.encode()), out)
        self.conformed = out.getvalue().decode()

    def conforms(self, text: str) -> None:
        """Its answers."""
        assert [json.loads(line) for line in text.splitlines()] == [json.loads(x) for x in self.conformed.splitlines()]

    def schema(self, text: str) -> None:
        """The strict schema."""
        assert json.loads(text) == json_schema()

    def lenient(self, text: str) -> None:
        """The lenient schema, with a mark where the strict one's operations stand."""
        strict: Any = json_schema()
        shown = json.dumps(lenient_json_schema()).replace(json.dumps(strict["properties"]["ops"]), '"…"')
        assert json.loads(text) == json.loads(shown)


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_of_a_page_are_true(name: str) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    reader, count = Reader(), 0
    for match in _BLOCK.finditer(page):
        language, kind, text, is_new = match.groups()
        where = f"{name}:{page[: match.start()].count(chr(10)) + 1}"
        if is_new:
            reader = Reader()
        elif kind:
            count += 1
            print(where, kind)
            getattr(reader, kind)(text)
        else:
            assert language in NOT_RUN, f"{where}: {language!r} is neither run nor for people alone"

    assert count > 15


@pytest.mark.parametrize("name", PAGES)
def test_every_fence_of_a_page_is_closed_and_seen(name: str) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")

    assert page.count("```") == 2 * sum(match[4] is None for match in _BLOCK.finditer(page))


@pytest.mark.parametrize("name", SHAPES)
def test_the_contract_names_each_operation_with_its_keys(name: str) -> None:
    page = (DOCS / "contract.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| `{name}` \|.*$", page, re.MULTILINE)

    assert all(f"`{key}`" in row for key in SHAPES[name].keys)


def test_the_readme_names_every_setting_with_its_default() -> None:
    readme = (DOCS.parent / "README.md").read_text("utf-8")

    for setting in declared():
        default = json.dumps(setting.default)
        assert f"| `[{setting.table}] {setting.key}` | `{default}` |" in readme
