"""What is counted and looked for while a branch is read back from its leaf; each watcher sees the newest first.

Pure. A watcher takes record after record, and keeps no more than what it is asked for in the end.
"""

from dataclasses import dataclass, field
from typing import Literal

from todo_context.attention.records import Answer, Compaction, Person, Record, Result, is_edit, is_handoff
from todo_context.plan.sources import Entry, Source

Carrier = Literal["handoff", "compaction"]
"""What can bring a plan before a model that has not seen how it came to be."""


@dataclass(slots=True)
class Proof:
    """Whether the answers seen prove that what stands here, and all before it, was told.

    An answer whose leaf is stored proves it for that leaf. Another proves it for what comes before a message of the
    person, or a result, that comes before the answer: for its request was made after that.
    """

    _leaves: set[str] = field(default_factory=set[str])
    _has_answer: bool = False
    _is_cut: bool = False

    def holds_at(self, record: Record | None, entry: Entry) -> bool:
        """Whether it is proved here."""
        if self._leaves and entry.get("id") in self._leaves:
            return True
        if isinstance(record, Answer) and not record.is_blank:
            if record.leaf is not None:
                self._leaves.add(record.leaf)
            else:
                self._has_answer = not self._is_cut
        return self._has_answer and isinstance(record, Person | Result)

    def cut(self) -> None:
        """Go on before a compaction: what the model was told there it may not know any more, unless a leaf says so."""
        self._has_answer, self._is_cut = False, True


@dataclass(slots=True)
class Rounds:
    """Answers of the model since its last call of todo_write, or since the newest compaction.

    `at_changes`: how many there were since each change that another made, the newest first, by its place.
    """

    count: int = 0
    at_changes: dict[int, int] = field(default_factory=dict[int, int])
    _is_done: bool = False

    def take(self, place: int, record: Record) -> None:
        """Count one record."""
        if self._is_done:
            return
        match record:
            case Answer():
                self._is_done = record.has_our_call
                self.count += not (self._is_done or record.is_blank)
            case Compaction():
                self._is_done = True
            case Source() if record.by != "model":
                self.at_changes[place] = self.count
            case _:
                pass


@dataclass(slots=True)
class Origin:
    """How the plan came here, and whether an earlier run broke off: both only as long as it was not touched since.

    It is touched by a call of the tool, and by the person. `is_settled`: what came before does not matter.
    """

    carried_by: Carrier | None = None
    is_interrupted: bool = False
    is_settled: bool = False
    _is_judged: bool = False
    _answered: set[str] = field(default_factory=set[str])

    def take(self, record: Record, *, is_earlier: bool) -> None:
        """Look at one record; `is_earlier`: it is of a run before this one."""
        if self.is_settled:
            return
        match record:
            case Answer():
                if is_earlier and not self._is_judged:
                    self._judge(record)
                self.is_settled = record.has_our_call
            case Result() if not self._is_judged:
                self._answered.add(record.call)
            case Person():
                # A run without any answer.
                self.is_interrupted = self.is_interrupted or (is_earlier and not self._is_judged)
                self._is_judged, self._answered = False, set()
            case Compaction():
                self.carried_by = self.carried_by or "compaction"
            case Source() if is_handoff(record):
                self.carried_by, self.is_settled = self.carried_by or "handoff", True
            case Source():
                self.is_settled = is_edit(record)
            case _:
                pass

    def _judge(self, last: Answer) -> None:
        """Let the last answer of a run say how it ended. After results, the person may have thrown something in."""
        is_waiting = not self._answered.issuperset(last.calls)
        self.is_interrupted = self.is_interrupted or last.is_broken_off or is_waiting
        self._is_judged = True
