"""What the runtime needs of whatever faces the person: a prompt, a pipe, one `-p`.

Showing never raises: the agent and the extensions go on whatever becomes of the screen.
"""

from typing import Protocol

from todo_context.pi import Answer, Ui
from todo_repl.agent_events import AgentEvent


class Front(Protocol):
    """The side of the person."""

    @property
    def has_ui(self) -> bool:
        """Whether a person can be asked."""
        ...

    @property
    def draws_widgets(self) -> bool:
        """Whether there is a screen that stays, where a widget may draw."""
        ...

    @property
    def ui(self) -> Ui:
        """The person. Without a UI only `notify` and `set_widget` may be called."""
        ...

    def recall(self, said: str, answer: str) -> None:
        """Show a person where they are: what was said last, by them and by the model."""
        ...

    def answer(self, answer: Answer) -> None:
        """Show what a command said."""
        ...

    def show(self, event: AgentEvent) -> None:
        """Show what the agent does."""
        ...
