"""Messages on their way into the conversation: those of extensions, and what the person says meanwhile.

They wait here while a run is on, and go in before its next request. One that cannot be stored stays. What the person
said and no request took is given back: it is in the session once, or not at all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from todo_context.plan.model import Json
from todo_repl.messages import UserMessage, now_ms
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the person says while a run is on. `is_shown`: they see it among what was said already."""

    text: str
    is_shown: bool = False


class Steering:
    """Those that wait for the next request of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._waiting: list[CustomMessage | Said] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    @property
    def wants_turn(self) -> bool:
        """Whether one of them has the agent go on."""
        return any(isinstance(message, Said) or message.trigger_turn for message in self._waiting)

    @property
    def said(self) -> Sequence[str]:
        """What the person said and no request has taken yet."""
        return [message.text for message in self._waiting if isinstance(message, Said)]

    def add(self, message: CustomMessage | Said) -> None:
        """Let it wait."""
        self._waiting.append(message)

    def take_back(self) -> Sequence[str]:
        """What the person said; it waits no more."""
        said = self.said
        self._waiting = [message for message in self._waiting if isinstance(message, CustomMessage)]
        return said

    def stored(self) -> Iterator[tuple[CustomMessage | Said, dict[str, Json]]]:
        """Store one after the other, and give each when it is stored, with its shape in pi.

        Raises:
            SessionError: it could not be stored.
        """
        while self._waiting:
            message = self._waiting[0]
            if isinstance(message, CustomMessage):
                self.store(message)
                shape = message.to_json()
            else:
                shape = UserMessage(message.text, now_ms()).to_json()
                self._session.append_message(shape)
            del self._waiting[0]
            yield message, shape

    def store(self, message: CustomMessage) -> None:
        """Store a message at once.

        Raises:
            SessionError: it could not be stored.
        """
        self._session.append_custom_message(message.custom_type, message.text, display=message.display)
