"""The points of a session that a person can go to, one line each, and where the leaf is then.

Pure. To go to what the person said is to stand before it, with its text as a draft, as in pi; to go to anything else
is to stand after it, and after the results of the calls in it, which nobody chooses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from todo_context.attention.fence import is_ours
from todo_context.pi import Entry
from todo_context.plan.model import Plan
from todo_context.plan.replay import latest
from todo_context.plan.select import counts, progress
from todo_context.plan.sources import Source, source_of
from todo_context.plan.text import for_screen
from todo_repl.messages import text_of
from todo_repl.session import Session
from todo_repl.session_tree import TreeNode

SHOWN_CELLS = 36
"""How much of what was said a line shows: with the plan's progress beside it, it fits on 80 columns."""

LOOKED_AT = 500
"""Characters of what was said of which the beginning of a line is made: a tree may have 100,000 of them."""

INDENT_AT_MOST = 6
"""Of the branches one below the other; deeper ones stand side by side, or nothing would be left of the line."""

WHO = {"person": "you", "model": "agent", "plan": "plan"}


@dataclass(frozen=True, slots=True)
class Point:
    """One line of the tree; `leads_to` is the entry that the leaf then follows, None: the very beginning."""

    node: TreeNode
    progress: str
    leads_to: str | None
    draft: str

    @property
    def line(self) -> str:
        """What a person chooses by: a star for the branch that they are on."""
        node = self.node
        indent = "  " * min(node.depth, INDENT_AT_MOST)
        label = f"[{for_screen(node.label)}] " if node.label else ""
        here = " <- here" if node.is_here else ""
        told = f" · {self.progress.rstrip('.')}" if self.progress else ""
        return f"{'*' if node.is_on_branch else ' '} {indent}{WHO[node.kind]}: {label}{clipped(node.text)}{told}{here}"


def points(session: Session) -> Sequence[Point]:
    """All points, the newest first."""
    entries, nodes = session.entries(), session.tree()
    told, ends = _told(entries), _ends(entries, frozenset(node.id for node in nodes))
    found: list[Point] = []
    for node in nodes:
        is_said = node.kind == "person"
        leads_to = node.parent_id if is_said else ends.get(node.id, node.id)
        at = leads_to if is_said else node.id
        found.append(Point(node, told.get(at or "", ""), leads_to, node.text if is_said else ""))
    return found[::-1]


def said_last(branch: Sequence[Entry], count: int) -> Sequence[Entry]:
    """The newest messages of the person on a branch, the newest first, `count` at most. Reads no further than that."""
    found: list[Entry] = []
    for entry in reversed(branch):
        if len(found) == count:
            break
        match entry:
            case {"type": "message", "message": {"role": "user"}}:
                found.append(entry)
            case _:
                pass
    return found


def last_exchange(branch: Sequence[Entry]) -> tuple[str, str]:
    """What the person said last, and what the model said last after it. Reads no further back than that."""
    answer = ""
    for entry in reversed(branch):
        match entry:
            case {"type": "message", "message": {"role": "user"}} if not is_ours(words_of(entry)):
                return words_of(entry), answer
            case {"type": "message", "message": {"role": "assistant"}}:
                answer = answer or words_of(entry)
            case _:
                pass
    return "", answer


def words_of(entry: Entry) -> str:
    """What was said in a message."""
    match entry:
        case {"message": {"content": content}}:
            return text_of(content)
        case _:
            return ""


def progress_here(branch: Sequence[Entry]) -> str:
    """How far the plan of a branch is; empty where there is none."""
    return _progress(latest(branch).plan)


def _progress(plan: Plan) -> str:
    return progress(plan) if counts(plan).total else ""


def clipped(text: str, cells: int = SHOWN_CELLS) -> str:
    """The beginning of a text, as one line of a screen."""
    from rich.cells import cell_len, set_cell_size  # noqa: PLC0415 (only these lists need it)

    line = " ".join(for_screen(text[:LOOKED_AT]).split())
    return line if cell_len(line) <= cells else f"{set_cell_size(line, cells - 1).rstrip()}…"


def distinct(lines: Sequence[str]) -> list[str]:
    """The same lines, those that were there before with a number."""
    seen: dict[str, int] = {}
    found: list[str] = []
    for line in lines:
        seen[line] = seen.get(line, 0) + 1
        found.append(line if seen[line] == 1 else f"{line} ({seen[line]})")
    return found


def _told(entries: Sequence[Entry]) -> Mapping[str, str]:
    """How far the plan is at each entry: as at its parent, if it says nothing of the plan, or nothing that counts."""
    told: dict[str, tuple[int, str]] = {}
    for entry in entries:
        highest, words = told.get(str(entry.get("parentId")), (0, ""))
        source = source_of(entry)
        if isinstance(source, Source) and source.counts_above(highest):
            highest, words = highest if source.seq is None else source.seq, _progress(source.load().plan)
        told[str(entry["id"])] = highest, words
    return {entry_id: words for entry_id, (_, words) in told.items()}


def _ends(entries: Sequence[Entry], shown: frozenset[str]) -> Mapping[str, str]:
    """Where each shown entry ends: at the results that follow it, or where all goes on to the tip, at the tip."""
    children: dict[str, list[Entry]] = {}
    for entry in entries:
        children.setdefault(str(entry.get("parentId")), []).append(entry)
    ends: dict[str, str] = {}
    for start in shown:
        at, end, passed = start, start, {start}
        while len(following := children.get(at, [])) == 1:
            at = str(following[0]["id"])
            if at in shown or at in passed:
                break
            passed.add(at)
            if _is_result(following[0]):
                end = at
        ends[start] = end if following else at
    return ends


def _is_result(entry: Entry) -> bool:
    match entry:
        case {"type": "message", "message": {"role": "toolResult"}}:
            return True
        case _:
            return False
