"""The tree of a session as a person looks at it: what was said, and how the plan changed.

Pure. Every entry of these kinds is in it once, whatever its parents are: one whose parent is not there is a root,
and a ring begins at the entry of it that was stored first.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from todo_context.pi import Entry
from todo_context.plan.model import Json
from todo_context.plan.sources import Source, source_of
from todo_repl.messages import text_of

Kind = Literal["person", "model", "plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeNode:
    """One row. `text` is what was said, or the action of a change, as stored: clean it for a screen.

    `depth` grows by one where the conversation goes on in more than one way, and only there. `parent_id` is where to
    move to say a thing of the person's anew. One node `is_here`: the last one on the branch, if there is any.
    """

    id: str
    parent_id: str | None
    kind: Kind
    text: str
    timestamp: str
    label: str
    depth: int
    is_on_branch: bool
    is_here: bool


def tree_of(entries: Sequence[Entry], branch: Sequence[Entry]) -> Sequence[TreeNode]:
    """The rows from top to bottom: each under what it follows, what was stored first above."""
    rows, labels = list(_in_order(entries)), labels_of(entries)
    shown = {row.id: words for row in rows if (words := _words(row.entry)) is not None}
    above: dict[str, str | None] = {}
    for row in rows:
        above[row.id] = row.parent if row.parent is None or row.parent in shown else above[row.parent]
    ways_on = Counter(above[entry_id] for entry_id in shown)
    on_branch = [str(entry["id"]) for entry in branch]
    here = next((entry_id for entry_id in reversed(on_branch) if entry_id in shown), None)
    depths: dict[str | None, int] = {None: 0}
    nodes: list[TreeNode] = []
    on_it = frozenset(on_branch)
    for row in rows:
        if row.id in shown:
            over = above[row.id]
            depths[row.id] = depths[over] + (over is not None and ways_on[over] > 1)
            kind, text = shown[row.id]
            nodes.append(
                TreeNode(
                    id=row.id,
                    parent_id=row.parent,
                    kind=kind,
                    text=text,
                    timestamp=_text(row.entry.get("timestamp")),
                    label=labels.get(row.id, ""),
                    depth=depths[row.id],
                    is_on_branch=row.id in on_it,
                    is_here=row.id == here,
                )
            )
    return nodes


def labels_of(entries: Sequence[Entry]) -> Mapping[str, str]:
    """The marks that a person put on entries, by the ids of these. Source: pi, appendLabelChange."""
    found: dict[str, str] = {}
    for entry in entries:
        if entry.get("type") == "label":
            found[_text(entry.get("targetId"))] = _text(entry.get("label"))
    return {target: label for target, label in found.items() if label}


def children_of(entries: Sequence[Entry], entry_id: str | None) -> Sequence[Entry]:
    """The entries that follow one directly, in the order stored; None: the roots."""
    by_id = _last_of_each(entries)
    return [entry for entry in by_id.values() if _parent(entry, by_id) == entry_id]


@dataclass(frozen=True, slots=True)
class _Row:
    """An entry in the order of the tree, and the id of the one before it there."""

    id: str
    entry: Entry
    parent: str | None


def _in_order(entries: Sequence[Entry]) -> Iterator[_Row]:
    """Every entry after its parent, and together with all that follow from it."""
    by_id = _last_of_each(entries)
    following: dict[str | None, list[str]] = {}
    for entry_id, entry in by_id.items():
        following.setdefault(_parent(entry, by_id), []).append(entry_id)
    passed: set[str] = set()
    # The roots, and then whatever no root leads to: rings.
    for start in (*following.get(None, ()), *by_id):
        waiting: list[tuple[str, str | None]] = [(start, None)]
        while waiting:
            entry_id, parent = waiting.pop()
            if entry_id not in passed:
                passed.add(entry_id)
                yield _Row(entry_id, by_id[entry_id], parent)
                waiting.extend((child, entry_id) for child in reversed(following.get(entry_id, ())))


def _last_of_each(entries: Sequence[Entry]) -> dict[str, Entry]:
    """Of the entries with one id the last, where that stands."""
    backwards: dict[str, Entry] = {}
    for entry in reversed(entries):
        backwards.setdefault(str(entry["id"]), entry)
    return dict(reversed(backwards.items()))


def _parent(entry: Entry, by_id: Mapping[str, Entry]) -> str | None:
    parent = entry.get("parentId")
    return parent if isinstance(parent, str) and parent in by_id and parent != entry["id"] else None


def _words(entry: Entry) -> tuple[Kind, str] | None:
    """The kind of a row and its text; None for an entry that is none."""
    match entry:
        case {"type": "message", "message": {"role": "user", "content": content}}:
            return "person", text_of(content)
        case {"type": "message", "message": {"role": "assistant", "content": content}}:
            text = text_of(content)
            # What did nothing but call a tool shows in what the tool did.
            return ("model", text) if text.strip() else None
        case {"type": "custom"}:
            source = source_of(entry)
            return ("plan", source.action) if isinstance(source, Source) else None
        case _:
            return None


def _text(raw: Json) -> str:
    return raw if isinstance(raw, str) else ""
