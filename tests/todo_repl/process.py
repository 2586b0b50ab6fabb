"""`todo-context` as a process of its own, without a terminal."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

TIMEOUT_S = 60.0
"""For an end that must come; a loaded machine is slow, not broken."""


def environment(**more: str) -> dict[str, str]:
    """The variables of this test, and where the sources are."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **more}


class Process:
    """A running one. Its three streams are pipes of bytes."""

    def __init__(self, popen: "subprocess.Popen[bytes]") -> None:
        self.popen = popen
        assert popen.stdin
        assert popen.stdout
        assert popen.stderr
        self.stdin: IO[bytes] = popen.stdin
        self.stdout: IO[bytes] = popen.stdout
        self.stderr: IO[bytes] = popen.stderr

    def type(self, line: str) -> None:
        """Send a line, and leave the pipe open."""
        self.stdin.write(f"{line}\n".encode())
        self.stdin.flush()

    def line(self) -> str:
        """The next line it prints."""
        line = self.stdout.readline().decode()
        assert line, self.stderr.read().decode()
        return line

    def end(self) -> tuple[int, str, str]:
        """Wait for its end, with the input open until then: the exit code and what else it printed."""
        code = self.popen.wait(TIMEOUT_S)
        return code, self.stdout.read().decode(), self.stderr.read().decode()


@contextmanager
def start(*arguments: str, cwd: Path, **variables: str) -> Iterator[Process]:
    """Start one; what still runs at the end of the block is killed."""
    with subprocess.Popen(
        [sys.executable, "-m", "todo_repl", *arguments],
        cwd=cwd,
        env=environment(**variables),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as popen:
        try:
            yield Process(popen)
        finally:
            popen.kill()


def run(*arguments: str, cwd: Path, lines: str | bytes = "", **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run one to its end on these lines."""
    done = subprocess.run(
        [sys.executable, "-m", "todo_repl", *arguments],
        cwd=cwd,
        env=environment(**variables),
        input=lines.encode() if isinstance(lines, str) else lines,
        capture_output=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    return subprocess.CompletedProcess(arguments, done.returncode, done.stdout.decode(), done.stderr.decode())
