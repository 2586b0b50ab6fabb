"""The lane: the one way by which the plan of a session changes and is stored.

Every change reads the newest plan from the branch, applies, appends one entry and only then tells the
listeners; undo and redo are changes like others. Changes take turns, so none is lost whatever order they come
in. Nothing is kept in memory.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from todo_context.awaiting import awaited
from todo_context.pi import Pi
from todo_context.plan.accept import Accepted
from todo_context.plan.apply import Outcome, apply
from todo_context.plan.load import plan_to_json
from todo_context.plan.model import Json, Plan
from todo_context.plan.ops import Op, Replace, op_names
from todo_context.plan.replay import Change, History, Snapshot, history, latest
from todo_context.plan.sources import OURS, By

ENTRY_VERSION = 1
"""The `v` of an entry's data. A reader that knows less must not guess."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One turn of the lane.

    `seq` is that of the new entry, or the highest on the branch if nothing was stored; `entry_id` is None
    then. `accepted` is what the turn tried, with the problems of reading it. `retraced` is the change that
    was undone or done again, None if the turn was no such step or there was none to take.
    """

    before: Plan
    accepted: Accepted
    outcome: Outcome
    seq: int
    entry_id: str | None
    by: By
    action: str
    retraced: Change | None = None


Listener = Callable[[Recorded], None]


@dataclass(frozen=True, slots=True)
class _Wish:
    """What a turn is to do with the plan as it is then. `extra` are further keys of the entry."""

    snapshot: Snapshot | History
    accepted: Accepted
    action: str | None = None
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])
    retraced: Change | None = None


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

    async def read(self) -> Snapshot:
        """The plan as the branch has it now, with what had to be mended to read it."""
        return latest(await awaited(self._pi.branch()))

    async def plan(self) -> Plan:
        """The plan as the branch has it now. Reading never changes anything."""
        return (await self.read()).plan

    async def history(self) -> History:
        """Every change on the branch, and which of them can be undone and done again. Reads all of it."""
        return history(await awaited(self._pi.branch()))

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

        async def wish() -> _Wish:
            snapshot = await self.read()
            return _Wish(snapshot, make(snapshot.plan), action, {} if call is None else {"call": call})

        return await self._take_turn(wish, by)

    async def undo(self) -> Recorded:
        """Bring back, for the person, the plan before the newest change that stands, whoever made it.

        Raises:
            OSError, TodoContextError: as `run`.
        """
        return await self._retrace("undo")

    async def redo(self) -> Recorded:
        """Do again, for the person, the change that was undone last, unless another came after that.

        Raises:
            OSError, TodoContextError: as `run`.
        """
        return await self._retrace("redo")

    async def _retrace(self, action: Literal["undo", "redo"]) -> Recorded:
        async def wish() -> _Wish:
            return _step_over(await self.history(), action)

        return await self._take_turn(wish, "user")

    async def _take_turn(self, make: Callable[[], Awaitable[_Wish]], by: By) -> Recorded:
        async with self._turn:
            wish = await make()
            before, seq, entry_id = wish.snapshot.plan, wish.snapshot.seq, None
            outcome = apply(before, wish.accepted.ops, auto_start=self._auto_start)
            action = wish.action or op_names(outcome.accepted)
            if outcome.changed:
                seq += 1
                entry_id = await self._append(outcome.plan, seq, by, action, wish.extra)
        recorded = Recorded(before, wish.accepted, outcome, seq, entry_id, by, action, wish.retraced)
        if outcome.changed:
            for listener in self._listeners:
                listener(recorded)
        return recorded

    async def _append(self, plan: Plan, seq: int, by: By, action: str, extra: Mapping[str, Json]) -> str:
        entry: dict[str, Json] = {
            "v": ENTRY_VERSION,
            "seq": seq,
            "phases": plan_to_json(plan),
            "by": by,
            "action": action,
            **extra,
        }
        return await awaited(self._pi.append_entry(OURS, entry))


def _step_over(past: History, action: Literal["undo", "redo"]) -> _Wish:
    """Go back over the change on top, or forth; exactly, for normalising would make a change of its own."""
    stack = past.done if action == "undo" else past.undone
    if not stack:
        return _Wish(past, Accepted(()), action)
    change = stack[-1]
    plan, key = (change.before, "undoes") if action == "undo" else (change.after, "redoes")
    exactly = Replace(plan, normalise=False, unique=False)
    return _Wish(past, Accepted((exactly,)), action, {key: change.id}, change)
