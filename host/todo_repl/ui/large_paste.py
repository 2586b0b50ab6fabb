"""Read a pasted text of any size in a time that grows with it.

prompt_toolkit looks through all that has arrived, with each kilobyte that arrives: 30 seconds for five megabytes.
"""

from prompt_toolkit.input import Input
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.input.vt100_parser import Vt100Parser

_END = "\x1b[201~"
"""What a terminal sends behind a pasted text. Source: xterm, bracketed paste."""


def read_large_pastes(source: Input) -> None:
    """Have an input of a terminal read pasted text so; others are left as they are."""
    if isinstance(source, Vt100Input):
        source.vt100_parser = _Parser(source.vt100_parser.feed_key_callback)


class _Parser(Vt100Parser):
    """Holds what arrives of a paste until its end does, and gives it on as one."""

    def reset(self, request: bool = False) -> None:  # noqa: FBT001, FBT002 (as in the base)
        super().reset(request)
        self._held: list[str] = []
        self._seam = ""

    def feed(self, data: str) -> None:
        if self._in_bracketed_paste:
            self._held.append(data)
            # The end may arrive in two pieces.
            arrived = self._seam + data
            if _END not in arrived:
                self._seam = arrived[1 - len(_END) :]
                return
            data, self._held, self._seam = "".join(self._held), [], ""
        super().feed(data)
