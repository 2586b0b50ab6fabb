"""A real pty with a screen: what a person sees, and the bytes that were sent to it."""

import copy
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pexpect
import pyte

from tests.scripted_llm import ScriptedLlm
from tests.todo_repl.process import environment
from tests.todo_repl.reflow import ReflowScreen

TIMEOUT_S = 30.0
"""For a condition that must come true; a loaded machine is slow, not broken."""


ALTERNATE_SCREEN = 1049
"""The private mode that a full-screen program sets, and that pyte does not know. Source: xterm."""


class _Screen(ReflowScreen):
    """A screen that answers questions such as "where is the cursor", as keys, and knows the alternate one."""

    def __init__(self, columns: int, rows: int, answer: Callable[[str], object]) -> None:
        self._answer = answer
        self._covered: tuple[Any, Any] | None = None
        super().__init__(columns, rows, history=2000, ratio=0.5)

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        super().set_mode(*modes, **kwargs)
        if ALTERNATE_SCREEN in modes and kwargs.get("private"):
            self._covered = copy.deepcopy(self.buffer), copy.copy(self.cursor)
            self.erase_in_display(2)

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        super().reset_mode(*modes, **kwargs)
        if ALTERNATE_SCREEN in modes and kwargs.get("private") and self._covered:
            self.buffer, self.cursor = self._covered
            self._covered = None

    def write_process_input(self, data: str) -> None:
        self._answer(data)


class Window:
    """A program in a terminal of `size` (columns, rows)."""

    def __init__(
        self, program: str, *arguments: str, cwd: Path, env: Mapping[str, str], size: tuple[int, int] = (80, 24)
    ) -> None:
        columns, rows = size
        self.raw = b""
        self.screen = _Screen(columns, rows, self.type)
        self._stream = pyte.ByteStream(self.screen)
        self.child: pexpect.spawn[bytes] = pexpect.spawn(
            program, list(arguments), cwd=str(cwd), dimensions=(rows, columns), env=dict(env)
        )
        self.child.delaybeforesend = None

    @property
    def rows(self) -> list[str]:
        """The screen, a row a string without trailing blanks."""
        return [row.rstrip() for row in self.screen.display]

    @property
    def last_row(self) -> str:
        """The last row with something on it."""
        return next((row for row in reversed(self.rows) if row), "")

    @property
    def lines(self) -> list[str]:
        """What scrolled away, and the screen."""
        gone = ["".join(row[x].data for x in range(self.screen.columns)).rstrip() for row in self.screen.history.top]
        return gone + self.rows

    @property
    def text(self) -> str:
        """All lines as one text."""
        return "\n".join(self.lines)

    @property
    def flowing(self) -> str:
        """All lines joined as if the screen had no edge; long words, such as paths, are joined without a blank."""
        joined = ""
        for line in self.lines:
            joined += line if len(line) >= self.screen.columns - 1 else f"{line} "
        return joined

    def wait(self, condition: Callable[[], bool]) -> None:
        """Read until the condition holds."""
        end = time.monotonic() + TIMEOUT_S
        while not condition():
            assert time.monotonic() < end, "timeout; screen:\n" + "\n".join(self.rows)
            self._read()

    def wait_for(self, text: str) -> None:
        """Read until the text is on the screen or scrolled away, on one line or wrapped."""
        # Where a line broke between words, nothing tells whether there was a blank.
        packed = "".join(text.split())
        self.wait(lambda: text in self.text or packed in "".join(self.text.split()))

    def settle(self, quiet_s: float = 0.3) -> None:
        """Read what is there, until nothing has come for a while."""
        before, end = -1, time.monotonic() + TIMEOUT_S
        while before != len(self.raw):
            assert time.monotonic() < end, f"it never rests: {self.raw[before:]!r}"
            before = len(self.raw)
            self.pause(quiet_s)

    def pause(self, seconds: float) -> None:
        """Read for so long."""
        end = time.monotonic() + seconds
        while self._read() is not None and time.monotonic() < end:
            pass

    def type(self, keys: str) -> None:
        """Press keys."""
        self.child.send(keys)

    def paste(self, text: str) -> None:
        """Paste, as a terminal does that was told to mark pasted text."""
        self.child.send(f"\x1b[200~{text}\x1b[201~")

    def resize(self, columns: int, rows: int) -> None:
        """Make the window another size; what is on it is wrapped anew first, as in a terminal.

        What was written by then is for the size before, and a terminal that reads all the time has it on its screen.
        So the program stands still for that moment.
        """
        assert self.child.pid
        os.kill(self.child.pid, signal.SIGSTOP)
        os.waitpid(self.child.pid, os.WUNTRACED)
        while self._read(0):
            pass
        self.screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)
        os.kill(self.child.pid, signal.SIGCONT)

    def wait_for_end(self) -> int:
        """Read to the end; the exit code, or the signal's number below zero."""
        end = time.monotonic() + TIMEOUT_S
        while self._read() is not None:
            assert time.monotonic() < end, "timeout; screen:\n" + "\n".join(self.rows)
        self.child.close()
        return self.child.exitstatus if self.child.exitstatus is not None else -int(self.child.signalstatus or 0)

    def hang_up(self) -> int:
        """Take the terminal away and wait for the end; the exit code, or the signal's number below zero."""
        # pexpect's own close() sends signals too. Its stubs lack the object that owns the descriptor.
        owner: Any = vars(self.child)["ptyproc"]
        owner.fileobj.close()
        owner.closed = self.child.closed = True
        assert self.child.pid
        return os.waitstatus_to_exitcode(os.waitpid(self.child.pid, 0)[1])

    def _read(self, timeout_s: float = 0.05) -> bool | None:
        """Whether something was there; None at the end."""
        try:
            piece = self.child.read_nonblocking(65536, timeout=timeout_s)
        except pexpect.TIMEOUT:
            return False
        except pexpect.EOF:
            return None
        self.raw += piece
        self._stream.feed(piece)
        return True


class Terminal(Window):
    """`todo-context` in one."""

    def __init__(
        self,
        *arguments: str,
        cwd: Path,
        size: tuple[int, int] = (80, 24),
        env: Mapping[str, str] | None = None,
        through: Sequence[str] = (),
    ) -> None:
        """Start it; `through` is a program in Python that starts what stands behind it."""
        ours = (*through, "-m", "todo_repl", *arguments)
        super().__init__(sys.executable, *ours, cwd=cwd, env=environment(**(env or {})), size=size)

    @property
    def is_busy(self) -> bool:
        """Whether the status line says that there is something to stop."""
        return any(row.startswith("Esc stops") for row in self.rows)

    def wait_for_prompt(self) -> None:
        """Read until the last row with something on it is an empty prompt, and nothing is under way."""
        self.wait(lambda: self.last_row == ">" and not self.is_busy)

    def leave(self) -> None:
        """Leave at the next prompt, as one does when all is well."""
        self.wait_for_prompt()
        self.type("/quit\r")
        assert self.wait_for_end() == 0


def online(
    server: ScriptedLlm, *flags: str, cwd: Path, size: tuple[int, int] = (80, 24), env: Mapping[str, str] | None = None
) -> Terminal:
    """One whose model is the server, at its first prompt."""
    terminal = Terminal("--model", "openai:m", "--base-url", server.base_url, *flags, cwd=cwd, size=size, env=env)
    terminal.wait_for_prompt()
    return terminal
