"""Our own REPL as a process, for the script that every host plays."""

import subprocess
import sys
from itertools import count
from pathlib import Path

from tests.scripted_llm import ScriptedLlm
from tests.todo_repl.process import environment


class OursDriver:
    """Implements `same_script.Driver`: `todo-context` on pipes, line by line."""

    def __init__(self, server: ScriptedLlm, folder: Path) -> None:
        self._server = server
        self._folder = folder
        self._marks = count()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        arguments = ["--session", str(self.session_file()), "--model", "openai:scripted"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "todo_repl", *arguments, "--base-url", self._server.base_url],
            cwd=self._folder,
            env=environment(OPENAI_API_KEY="unused"),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def say(self, text: str) -> None:
        self.type(text)

    def type(self, line: str) -> None:
        """Lines are done one after the other, so the answer to a second one tells that the first is done."""
        process = self._running
        mark = f"mark-{next(self._marks)}"
        assert process.stdin
        assert process.stderr
        process.stdin.write(f"{line}\n/todo {mark}\n".encode())
        process.stdin.flush()
        while mark not in (seen := process.stderr.readline().decode()):
            assert seen, "the program ended"

    def kill(self) -> None:
        process = self._running
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stderr):
            assert stream
            stream.close()
        self._process = None

    def resume(self) -> None:
        self.start()

    def session_file(self) -> Path:
        return self._folder / "session.jsonl"

    def close(self) -> None:
        if self._process is not None:
            self.kill()

    @property
    def _running(self) -> "subprocess.Popen[bytes]":
        assert self._process is not None
        return self._process
