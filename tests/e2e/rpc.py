"""What pi and Aelix have in common for a program that drives them: a line of JSON for each thing that is said."""

import json
import subprocess
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

WAIT_S = 30.0
"""For what must come; a loaded machine is slow, not broken."""


class Rpc(ABC):
    """One of them in its mode for programs. Everything it says is in `said`."""

    def __init__(self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> None:
        self.said: list[dict[str, Any]] = []
        self.errors = b""
        self._news = threading.Condition()
        self._count = 0
        self.process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._threads = [threading.Thread(target=read, daemon=True) for read in (self._listen, self._keep_errors)]
        for thread in self._threads:
            thread.start()

    @abstractmethod
    def say(self, text: str) -> None:
        """Send a message to the agent, and wait for the end of its run."""

    @abstractmethod
    def type(self, line: str) -> str:
        """Type a line that begins with /todo; what it answers."""

    def send(self, kind: str, **fields: Any) -> str:
        """Send a command; its id."""
        self._count += 1
        number = str(self._count)
        self.write({"id": number, "type": kind, **fields})
        return number

    def call(self, kind: str, **fields: Any) -> Any:
        """Send a command, and wait for its answer."""
        number = self.send(kind, **fields)
        answer = self.wait(lambda said: said.get("type") == "response" and said.get("id") == number)
        assert answer["success"], answer
        return answer.get("data")

    def wait(self, condition: Callable[[dict[str, Any]], bool], start: int = 0) -> dict[str, Any]:
        """The first thing said, from `start` on, for which the condition holds."""
        with self._news:
            found = self._news.wait_for(lambda: next(filter(condition, self.said[start:]), None), WAIT_S)
        assert found, f"never said; {self.errors.decode()} {self.said[-5:]}"
        return found

    def write(self, message: dict[str, Any]) -> None:
        """Send a line."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        """End it with SIGKILL."""
        self.process.kill()
        self._end()

    def close(self) -> None:
        """Close its input, which ends it."""
        assert self.process.stdin
        if not self.process.stdin.closed:
            self.process.stdin.close()
            self._end()

    def _end(self) -> None:
        try:
            self.process.wait(WAIT_S)
        finally:
            self.process.kill()
        for thread in self._threads:
            thread.join(WAIT_S)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream
            stream.close()

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            with self._news:
                self.said.append(json.loads(line))
                self._news.notify_all()

    def _keep_errors(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.errors += line


class RpcDriver(ABC):
    """Implements `same_script.Driver`, but for how a session is begun, taken up again and found."""

    running: Rpc

    @abstractmethod
    def start(self) -> None: ...

    @abstractmethod
    def resume(self) -> None: ...

    @abstractmethod
    def session_file(self) -> Path: ...

    def say(self, text: str) -> None:
        self.running.say(text)

    def type(self, line: str) -> None:
        self.running.type(line)

    def kill(self) -> None:
        self.running.kill()

    def close(self) -> None:
        self.running.close()


def provider(base_url: str) -> dict[str, Any]:
    """The scripted server, as both have it in their models.json."""
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    model = {"id": "scripted-model", "name": "Scripted", "reasoning": False, "input": ["text"], "cost": cost}
    models = [{**model, "contextWindow": 128000, "maxTokens": 2048}]
    return {"baseUrl": base_url, "apiKey": "unused", "api": "openai-completions", "models": models}
