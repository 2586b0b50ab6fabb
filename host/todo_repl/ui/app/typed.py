"""The line that is typed: its buffer with history, completions, folded pastes and what a command will do.

Of several lines, if the person wants: Enter sends them all. Only a line that begins with "/" is completed.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable

from prompt_toolkit.application.current import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.layout import BufferControl
from prompt_toolkit.layout.menus import CompletionsMenuControl

from todo_context.cells import safe_text
from todo_repl.runtime import Runtime
from todo_repl.ui.builtin_editor import ShowHidden
from todo_repl.ui.history import line_history
from todo_repl.ui.paste import Pastes, ShowPastes
from todo_repl.ui.search import Search

PROMPT, CONTINUED = "> ", "  "


class Typed:
    """What is typed, and the windows that show it. Their heights are the screen's to say."""

    def __init__(self, runtime: Runtime, *, keeps_history: bool) -> None:
        self._runtime = runtime
        self.pastes = Pastes()
        history = line_history(is_kept=keeps_history, whole=self.pastes.expand)
        is_command = Condition(lambda: self.buffer.text.startswith("/"))
        self.buffer = Buffer(
            history=history, completer=_Completer(runtime), complete_while_typing=is_command, multiline=True
        )
        self.search = Search(self.buffer, history.newest_first, self.pastes.expand)
        self.control = BufferControl(
            self.buffer, input_processors=[ShowPastes(self.pastes), ShowHidden()], focusable=True
        )
        self.menu = CompletionsMenuControl()
        self.note = ""
        """What the line will do, if it is a command that says so."""
        self._foretelling: asyncio.Task[None] | None = None
        self.buffer.on_text_changed += self._changed

    @property
    def is_empty(self) -> bool:
        """Whether nothing is typed."""
        return not self.buffer.text

    @property
    def completions(self) -> int:
        """How many ways to go on there are."""
        state = self.buffer.complete_state
        return len(state.completions) if state else 0

    def prefix(self, line: int, wrapped: int) -> StyleAndTextTuples:
        """What stands before each row."""
        return [("", PROMPT if line == 0 and wrapped == 0 else CONTINUED)]

    def take(self) -> tuple[str, str]:
        """Take the line away: what it says, and how it is shown. It is in the history from now on."""
        text = self.buffer.text
        if text.strip():
            self.buffer.append_to_history()
        self.clear()
        return self.pastes.expand(text), self.pastes.shown(text)

    @property
    def text(self) -> str:
        """The line, with all that was pasted into it."""
        return self.pastes.expand(self.buffer.text)

    def set(self, text: str) -> None:
        """Have another line in its place."""
        self.buffer.text = text
        self.buffer.cursor_position = len(text)

    def clear(self) -> None:
        """Begin anew."""
        self.buffer.reset()
        self._changed(self.buffer)

    def put_back(self, draft: str) -> None:
        """Begin the line with a draft; what was typed meanwhile stands behind it."""
        self.set("\n\n".join(filter(None, [self.pastes.refold(draft), self.buffer.text])))

    def _changed(self, _buffer: Buffer) -> None:
        if self._foretelling is not None:
            self._foretelling.cancel()
        self._foretelling = None
        if self.buffer.text.startswith("/"):
            self._foretelling = asyncio.get_running_loop().create_task(self._foretell(self.buffer.text))
        else:
            self.note = ""

    async def _foretell(self, text: str) -> None:
        self.note = safe_text(await self._runtime.preview(self.pastes.expand(text)) or "")
        get_app().invalidate()


class _Completer(Completer):
    """Commands, and the arguments they offer."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Nothing: the screen asks the other one."""
        del document, complete_event
        return ()

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        """What the text before the cursor can become; nothing for a message."""
        del complete_event
        text = document.text_before_cursor
        for found in await self._runtime.completions(text):
            label, description = safe_text(found.label), safe_text(found.description)
            yield Completion(found.value, -len(text), display=label, display_meta=description)
