"""The lane: the one way by which the plan of a session changes and is stored.

Every change reads the newest plan from the branch, applies, appends one entry and only then tells the
listeners. Changes take turns, so none is lost whatever order they come in. Nothing is kept in memory.
"""

import asyncio
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from todo_context.pi import By, Pi
from todo_context.plan.accept import Accepted
from todo_context.plan.apply import Outcome, apply
from todo_context.plan.load import plan_to_json
from todo_context.plan.model import Json, Plan
from todo_context.plan.ops import Op
from todo_context.plan.replay import OURS, Snapshot, latest

ENTRY_VERSION = 1
"""The `v` of an entry's data. A reader that knows less must not guess."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One turn of the lane.

    `seq` is that of the new entry, or the highest on the branch if nothing was stored; `entry_id` is None
    then. `accepted` is what the turn tried, with the problems of reading it.
    """

    before: Plan
    accepted: Accepted
    outcome: Outcome
    seq: int
    entry_id: str | None
    by: By
    action: str


Listener = Callable[[Recorded], None]


class Lane:
    """The plan of one session, through its host."""

    def __init__(self, pi: Pi, *, auto_start: bool = True) -> None:
        self._pi = pi
        self._auto_start = auto_start
        self._turn = asyncio.Lock()
        self._listeners: list[Listener] = []

    @property
    def storage(self) -> Json:
        """Where entries go: "session" or "memory"."""
        return self._pi.storage

    def read(self) -> Snapshot:
        """The plan as the branch has it now, with what had to be mended to read it."""
        return latest(self._pi.branch())

    def plan(self) -> Plan:
        """The plan as the branch has it now. Reading never changes anything."""
        return self.read().plan

    def listen(self, listener: Listener) -> None:
        """Call `listener` after each change is stored."""
        self._listeners.append(listener)

    async def apply(self, ops: Sequence[Op], *, by: By = "user", action: str) -> Recorded:
        """Apply operations that are known already."""
        return await self.run(lambda _: Accepted(tuple(ops)), by=by, action=action)

    async def run(
        self,
        make: Callable[[Plan], Accepted],
        *,
        by: By,
        action: str | None = None,
        call: str | None = None,
    ) -> Recorded:
        """Let `make` say, in its turn, what to do with the plan as it is then; apply and store that.

        `action` is a word for the log; without one it is named after the operations. `call` is the id of
        the tool call.

        Raises:
            OSError, TodoContextError: the entry could not be stored. The plan is as it was.
        """
        async with self._turn:
            snapshot = self.read()
            accepted = make(snapshot.plan)
            outcome = apply(snapshot.plan, accepted.ops, auto_start=self._auto_start)
            action = action or _action(outcome.accepted)
            seq, entry_id = snapshot.seq, None
            if outcome.changed:
                seq += 1
                entry_id = await self._append(outcome.plan, seq, by, action, call)
        recorded = Recorded(snapshot.plan, accepted, outcome, seq, entry_id, by, action)
        if outcome.changed:
            for listener in self._listeners:
                listener(recorded)
        return recorded

    async def _append(self, plan: Plan, seq: int, by: By, action: str, call: str | None) -> str:
        entry: dict[str, Json] = {
            "v": ENTRY_VERSION,
            "seq": seq,
            "phases": plan_to_json(plan),
            "by": by,
            "action": action,
        }
        if call is not None:
            entry["call"] = call
        stored = self._pi.append_entry(OURS, entry)
        return await stored if inspect.isawaitable(stored) else stored


def _action(ops: Sequence[Op]) -> str:
    return ", ".join(dict.fromkeys(type(op).__name__.lower() for op in ops))
