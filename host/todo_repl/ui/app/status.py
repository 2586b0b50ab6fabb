"""The status line: which model, which session, how full its context is, what it cost, how deep its branch is.

What is not known is left out. It is looked up when something was said or done, not at each redraw.
"""

import contextlib
from dataclasses import dataclass, field

from todo_context.cells import cut, safe_text
from todo_context.errors import TodoContextError
from todo_repl.agent_events import AgentEvent, MessageEnded
from todo_repl.compaction_cut import length_of
from todo_repl.context import span_of
from todo_repl.messages import AssistantMessage
from todo_repl.models import OFFLINE, KnowsWindow
from todo_repl.runtime import Runtime

NAME_CELLS = 30
"""How much of a session's name is shown; the rest of the line matters too."""

TREE_BYTES = 1_000_000
"""The longest session of which the branches are counted: for that all of it is read."""


@dataclass
class Status:
    """The line of one runtime. `parts` are the most important first."""

    runtime: Runtime
    parts: list[str] = field(default_factory=list[str])
    _window: int | None = None
    """How many tokens the model takes; 0: nobody knows."""
    _cost: float = 0
    _seen: tuple[str, str | None, str, int | None] | None = None

    def take(self, event: AgentEvent) -> None:
        """Count what an answer cost."""
        if isinstance(event, MessageEnded) and isinstance(event.message, AssistantMessage):
            self._cost += event.message.usage.cost.total

    async def find_window(self) -> None:
        """Ask how much the model takes, once; that may load its library, which takes long."""
        if self._window is not None:
            return
        model = self.runtime.model
        self._window = self.runtime.compacting.window_tokens
        if not self._window and isinstance(model, KnowsWindow):
            with contextlib.suppress(TodoContextError):
                self._window = await model.context_window() or 0
        self.refresh()

    def refresh(self) -> None:
        """Look again."""
        with contextlib.suppress(OSError, TodoContextError):  # whoever stores something is told what is wrong
            self._look()

    def _look(self) -> None:
        session = self.runtime.session
        seen = session.id, session.leaf_id, session.name_so_far, self._window
        if seen != self._seen:
            self._seen = seen
            model = self.runtime.model
            name = "offline planner" if model.provider == OFFLINE else f"{model.provider}:{model.name}"
            parts = [name, cut(session.name_so_far, NAME_CELLS), self._context(), self._price(), self._depth()]
            self.parts = [safe_text(part) for part in parts if part]

    def _context(self) -> str:
        if not self._window:
            return ""
        tokens = length_of(span_of(self.runtime.session.branch())).tokens
        return f"context {tokens * 100 // self._window}%"

    def _price(self) -> str:
        return f"${self._cost:.2f}" if self._cost else ""

    def _depth(self) -> str:
        session = self.runtime.session
        if session.path is not None and session.path.exists() and session.path.stat().st_size > TREE_BYTES:
            return ""
        depth = next((node.depth for node in session.tree() if node.is_here), 0)
        return f"branch {depth}" if depth else ""
