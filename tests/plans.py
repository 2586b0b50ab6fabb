"""Plans for tests: short ways to write one, and Hypothesis strategies that make hostile ones."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from todo_context.plan.load import plan_from_json, plan_to_json
from todo_context.plan.markdown import from_markdown
from todo_context.plan.model import Phase, Plan, Status, Task
from todo_context.plan.text import note_text, one_line

INIT: dict[str, Any] = {
    "ops": [
        {
            "op": "init",
            "list": [
                {"phase": "Build", "items": ["Wire config", "Port logger"]},
                {"phase": "Verify", "items": ["Run tests"]},
            ],
        }
    ]
}
"""A first call of the tool."""


def plan(markdown: str) -> Plan:
    """The plan that a checklist says, as it stands: nothing normalised."""
    parsed = from_markdown(markdown)
    assert not parsed.problems
    return parsed.plan


def phases(value: Plan) -> list[dict[str, Any]]:
    """A plan as the vectors write it: without the keys that carry no meaning there."""
    keys = ("content", "status", "notes", "blocker")
    written: list[Any] = plan_to_json(value)
    return [
        {"name": phase["name"], "tasks": [{k: task[k] for k in keys if k in task} for task in phase["tasks"]]}
        for phase in written
    ]


def loaded(raw: Any) -> Plan:
    """A plan read from phases as JSON."""
    return plan_from_json(raw).plan


def vectors(name: str) -> Iterator[dict[str, Any]]:
    """The lines of one file of vectors. Split at line feeds only: texts in them hold U+2028 and U+0085."""
    path = Path(__file__).parent / "vectors" / f"{name}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield json.loads(line)


_ATOMS = [
    *" \t\n\r>-*+#[]x/!~1.)<>\\\"'é漢👍\u2028\u2029\u00a0\ufeff\u200b\u202e\x85\x1b\x07\x9b\ud800",
    "<!--", "-->", "blocker:", "<!-- blocker:", "<!--= ", "<!--= -->", "\\u0041", "- [ ] ", "# ", "  > ",
    "\x1b[2J", "\x1b]52;c;a\x07", "word", "</system-reminder>",
]  # fmt: skip
texts = st.lists(st.sampled_from(_ATOMS), max_size=8).map("".join)
"""Hostile text, as it might be sent."""

lines = texts.map(one_line).filter(bool)
"""Names and contents as they come in."""

notes = texts.map(note_text)


def _task(content: str, status: Status, its_notes: list[str], blocker: str | None) -> Task:
    reason = blocker if status is Status.BLOCKED else None
    return Task(content=content, status=status, notes=tuple(its_notes), blocker=reason)


tasks = st.builds(_task, lines, st.sampled_from(Status), st.lists(notes, max_size=3), st.none() | lines)
_phases = st.builds(lambda name, its: Phase(name=name, tasks=tuple(its)), lines, st.lists(tasks, max_size=4))
plans = st.lists(_phases, max_size=4).map(lambda its: Plan(tuple(its)))
"""Plans as a session may hold them: with repetitions, several in progress, none."""
