"""Branches for the tests of attention, as pi stores them: what the person and the model say, and what becomes of the plan."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.plans import plan
from todo_context.attention import Facts, facts_of, reminder
from todo_context.plan.load import plan_to_json
from todo_context.settings import AttentionSettings

if TYPE_CHECKING:
    from todo_context.pi import Entry

GOLDEN = Path(__file__).parents[2] / "golden"
DEFAULT = AttentionSettings()

THREE = "# Build\n- [/] Wire config\n- [ ] Port logger\n\n# Verify\n- [ ] Run tests\n"


def golden(name: str) -> str:
    return (GOLDEN / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")


class Branch:
    """One branch, the root first. Each method appends, and gives the branch back."""

    def __init__(self, *, stores_leaf: bool = False) -> None:
        """With `stores_leaf`, answers name the leaf their request was built from: the one at `ask`, or the last."""
        self.entries: list[Entry] = []
        self._stores_leaf = stores_leaf
        self._asked_at: str | None = None
        self._seq = 0
        self._call = 0

    @property
    def leaf(self) -> str:
        return str(self.entries[-1]["id"])

    def add(self, kind: str, **fields: Any) -> "Branch":
        parent = self.leaf if self.entries else None
        self.entries.append({"type": kind, "id": f"{len(self.entries) + 1:08x}", "parentId": parent, **fields})
        return self

    def person(self, text: str = "Go on.") -> "Branch":
        return self.message({"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1})

    def message(self, message: Mapping[str, Any]) -> "Branch":
        return self.add("message", message=dict(message))

    def ask(self) -> "Branch":
        """The request of the next answer is built now; what is appended until then comes while it is under way."""
        self._asked_at = self.leaf
        return self

    def answer(self, text: str = "Done.", *, calls: Mapping[str, str] | None = None, ended: str = "") -> "Branch":
        """An answer with these words, or none of them; `calls` are ids and names of tools."""
        said: list[Any] = [{"type": "text", "text": text}] if text else []
        called = [{"type": "toolCall", "id": i, "name": name, "arguments": {}} for i, name in (calls or {}).items()]
        message = {
            "role": "assistant",
            "content": said + called,
            "stopReason": ended or ("toolUse" if called else "stop"),
        }
        leaf = {"todoLeaf": self._asked_at or self.leaf} if self._stores_leaf else {}
        self._asked_at = None
        return self.message({**message, **leaf})

    def result(self, call: str, name: str, **fields: Any) -> "Branch":
        text = [{"type": "text", "text": "ok"}]
        return self.message(
            {"role": "toolResult", "toolCallId": call, "toolName": name, "content": text, "isError": False, **fields}
        )

    def change(self, markdown: str, *, by: str = "user", action: str = "edit", **data: Any) -> "Branch":
        """The plan is this from now on."""
        self._seq += 1
        phases = plan_to_json(plan(markdown))
        entry = {"v": 1, "seq": self._seq, "phases": phases, "by": by, "action": action, **data}
        return self.add("custom", customType="todo_write", data=entry)

    def writes(self, markdown: str, *others: str) -> "Branch":
        """The model calls todo_write, after which the plan is this, and these other tools beside it."""
        ids = self._ids("todo_write", *others)
        self.answer("", calls=ids)
        ours, *rest = ids
        self.change(markdown, by="model", action="init", call=ours)
        details = {"phases": plan_to_json(plan(markdown)), "seq": self._seq}
        self.result(ours, "todo_write", details=details)
        for call in rest:
            self.result(call, ids[call])
        return self

    def works(self, *tools: str) -> "Branch":
        """The model calls these tools in one answer, and they answer."""
        ids = self._ids(*(tools or ("read",)))
        self.answer("", calls=ids)
        for call, name in ids.items():
            self.result(call, name)
        return self

    def compacted(self) -> "Branch":
        return self.add("compaction", summary="It was long.", firstKeptEntryId=self.leaf, tokensBefore=1000)

    def ours(self, text: str | None, *, as_user: bool = False) -> "Branch":
        """A message of ours, as a host stores it: one of its own kind, or the user's."""
        assert text is not None
        if as_user:
            return self.person(text)
        return self.add("custom_message", customType="todo_stop", content=text, display=True)

    @property
    def messages(self) -> list[Any]:
        return [entry["message"] for entry in self.entries if entry["type"] == "message"]

    @property
    def facts(self) -> Facts:
        return facts_of(self.entries)

    def reminder(self, **changed: Any) -> str:
        """What the next request says; empty if nothing."""
        return reminder(self.facts, AttentionSettings(**changed)) or ""

    def _ids(self, *names: str) -> dict[str, str]:
        ids = {f"call_{self._call + number}": name for number, name in enumerate(names)}
        self._call += len(names)
        return ids


def begun() -> Branch:
    """The person asked, and the model made a plan of three tasks."""
    return Branch().person("Port the logger.").writes(THREE)
