"""Messages of extensions on their way into the conversation.

They wait here while a run is on, and go in before its next request. One that cannot be stored stays.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from todo_context.plan.model import Json
from todo_repl.request_messages import CUSTOM
from todo_repl.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomMessage:
    """A message of an extension: the model reads it, and the person if `display`.

    With `trigger_turn` the agent answers it even where it would have stopped.
    """

    custom_type: str
    text: str
    display: bool = True
    trigger_turn: bool = False

    def to_json(self) -> dict[str, Json]:
        """Give pi's shape."""
        return {"role": CUSTOM, "customType": self.custom_type, "content": self.text, "display": self.display}


class Steering:
    """Those that wait for the next request of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._waiting: list[CustomMessage] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    @property
    def wants_turn(self) -> bool:
        """Whether one of them has the agent go on."""
        return any(message.trigger_turn for message in self._waiting)

    def add(self, message: CustomMessage) -> None:
        """Let it wait."""
        self._waiting.append(message)

    def stored(self) -> Iterator[CustomMessage]:
        """Store one after the other, and give each when it is stored.

        Raises:
            SessionError: it could not be stored.
        """
        while self._waiting:
            self.store(self._waiting[0])
            yield self._waiting.pop(0)

    def store(self, message: CustomMessage) -> None:
        """Store a message at once.

        Raises:
            SessionError: it could not be stored.
        """
        self._session.append_custom_message(message.custom_type, message.text, display=message.display)
