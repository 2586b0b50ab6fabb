"""Aelix with our extension in it: printing, over RPC, or in a terminal. Where `make e2e-fetch` brought it.

The extension is installed from a wheel of this checkout, into an environment on top of Aelix's own, which stays
as it is.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import pexpect
import pyte

from tests.scripted_llm import ScriptedLlm
from tests.todo_repl import terminal
from tests.todo_repl.process import environment

# Read on import: inside a test the variables of whoever runs it are gone.
CACHE = Path(os.environ.get("TODO_CONTEXT_E2E_CACHE") or Path(__file__).parents[2] / ".cache" / "e2e")
AELIX = CACHE / "aelix" / "bin" / "aelix"
ROOT = Path(__file__).parents[2]

WAIT_S = 30.0
"""For what must come; a loaded machine is slow, not broken."""

START = "import sys; from aelix_coding_agent.cli.entry import main_sync; sys.argv[0] = 'aelix'; sys.exit(main_sync())"

PROMPT = "❯"  # noqa: RUF001 - what Aelix draws
EMPTY_PROMPT = f"{PROMPT} Type your message"


def run(*command: str | Path, **variables: str) -> str:
    """Run a program to its end; what it printed."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def install(folder: Path) -> Path:
    """The Python of a new environment in which Aelix and the wheel of this checkout are installed."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    run(AELIX.with_name("python"), "-m", "venv", "--without-pip", folder / "env")
    python = folder / "env" / "bin" / "python"
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    (Path(run(python, "-c", where)) / "aelix.pth").write_text(run(AELIX.with_name("python"), "-c", where))
    wheels = folder.glob("*.whl")
    # Even where an older one of ours is installed beside Aelix.
    pip = ("-m", "pip", "--python", python, "install", "-q", "--no-index", "--no-deps", "--ignore-installed")
    run(sys.executable, *pip, *wheels)
    return python


class Home:
    """An Aelix of one person, whose one model is the scripted server."""

    def __init__(self, python: Path, folder: Path, server: ScriptedLlm | None = None) -> None:
        self.python = python
        self.project = folder / "project"
        self.agent = folder / "agent"
        self.sessions = folder / "sessions"
        self.project.mkdir(parents=True)
        self.agent.mkdir()
        base_url = server.base_url if server else "http://127.0.0.1:9/v1"
        (self.agent / "models.json").write_text(json.dumps({"providers": {"scripted": _provider(base_url)}}))

    @property
    def session(self) -> Path:
        """The session file that began last."""
        return max(self.sessions.rglob("*.jsonl"), key=lambda path: path.name)

    @property
    def entries(self) -> list[dict[str, Any]]:
        """What stands in it, the header first."""
        return [json.loads(line) for line in self.session.read_text("utf-8").split("\n") if line]

    @property
    def changes(self) -> list[dict[str, Any]]:
        """The changes of the plan in it."""
        return [entry["data"] for entry in self.entries if entry.get("customType") == "todo_write"]

    @cached_property
    def env(self) -> dict[str, str]:
        found = environment(AELIX_CODING_AGENT_DIR=str(self.agent), PYTHONUNBUFFERED="1")
        # What is on the path there would be found instead of what is installed.
        del found["PYTHONPATH"]
        return found

    def command(self, *arguments: str) -> list[str]:
        model = ["--provider", "scripted", "--model", "scripted-model", "--session-dir", str(self.sessions)]
        return [*self.program(), "--offline", *model, *arguments]

    def program(self, *arguments: str) -> list[str]:
        return [str(self.python), "-P", "-c", START, *arguments]

    def extension(self, name: str, text: str) -> str:
        """The path of one more extension."""
        path = self.agent.parent / name
        path.write_text(text)
        return str(path)

    def print(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run Aelix to its end, with a model."""
        return self.run(self.command(*arguments))

    def run(self, command: list[str]) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command,
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            encoding="utf-8",
            timeout=WAIT_S,
        )

    @contextmanager
    def rpc(self, *arguments: str) -> "Iterator[Rpc]":
        """Run Aelix for a program."""
        rpc = Rpc(self, *arguments)
        try:
            yield rpc
        finally:
            rpc.close()


class Rpc:
    """Aelix in its mode for programs. Everything it says is in `said`."""

    def __init__(self, home: Home, *arguments: str) -> None:
        self.said: list[dict[str, Any]] = []
        self.errors = b""
        self._news = threading.Condition()
        self._count = 0
        self.process = subprocess.Popen(
            home.command("--mode", "rpc", *arguments),
            cwd=home.project,
            env=home.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._threads = [threading.Thread(target=read, daemon=True) for read in (self._listen, self._keep_errors)]
        for thread in self._threads:
            thread.start()

    def call(self, kind: str, **fields: Any) -> Any:
        """Send a command, and wait for its answer."""
        self._count += 1
        number = str(self._count)
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"id": number, "type": kind, **fields}).encode() + b"\n")
        self.process.stdin.flush()
        answer = self.wait(lambda said: said.get("type") == "response" and said.get("id") == number)
        assert answer["success"], answer
        return answer.get("data")

    def say(self, text: str) -> None:
        """Send a message to the agent, and wait for the end of its run."""
        start = len(self.said)
        self.call("prompt", message=text)
        self.wait(lambda said: said.get("type") == "agent_end", start)
        # Aelix says so a little before it takes the next one.
        while self.call("get_state")["isStreaming"]:
            pass

    def type(self, line: str) -> str:
        """Type a line that begins with /todo; what it answers."""
        start = len(self.said)
        self.call("prompt", message=line)
        return str(self.wait(lambda said: said.get("type") == "extension_ui_request", start)["message"])

    def wait(self, condition: Callable[[dict[str, Any]], bool], start: int = 0) -> dict[str, Any]:
        """The first thing said, from `start` on, for which the condition holds."""
        with self._news:
            found = self._news.wait_for(lambda: next(filter(condition, self.said[start:]), None), WAIT_S)
        assert found, f"never said; {self.errors.decode()} {self.said[-5:]}"
        return found

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


class AelixTerminal(terminal.Terminal):
    """Aelix at a person's screen."""

    def __init__(self, home: Home, *arguments: str, size: tuple[int, int] = (110, 50)) -> None:
        columns, rows = size
        self.raw = b""
        self.screen = terminal._Screen(columns, rows, self.type)
        self._stream = pyte.ByteStream(self.screen)
        program, *rest = home.command(*arguments)
        self.child = pexpect.spawn(program, rest, cwd=str(home.project), dimensions=(rows, columns), env=home.env)
        self.child.delaybeforesend = None

    @property
    def is_working(self) -> bool:
        """Whether the agent works: then what is entered goes to it, commands too."""
        return any("Working…" in row for row in self.rows)

    @property
    def bottom(self) -> list[str]:
        """The rows around the prompt: the last ones with something on them."""
        return [row for row in self.rows if row][-10:]

    def enter(self, line: str) -> None:
        """Type a line at the prompt and press Enter, once the line stands there. While the agent works, it waits."""
        self.wait(lambda: any(row.startswith(EMPTY_PROMPT) for row in self.rows) and not self.is_working)
        self.type(line)
        self.wait(lambda: any(row.startswith(f"{PROMPT} {line}") for row in self.rows))
        self.type("\r")

    def quit(self) -> int:
        """Leave as a person does; the exit code."""
        self.enter("/quit")
        return self.wait_for_end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # An Aelix inside a dialog does not heed a hang-up.
        self.child.close(force=True)


class AelixDriver:
    """Implements `same_script.Driver` over RPC."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self._rpc: Rpc | None = None

    def start(self) -> None:
        self._rpc = Rpc(self.home)

    def say(self, text: str) -> None:
        self._running.say(text)

    def type(self, line: str) -> None:
        self._running.type(line)

    def kill(self) -> None:
        self._running.kill()

    def resume(self) -> None:
        self._rpc = Rpc(self.home, "--continue")

    def session_file(self) -> Path:
        return self.home.session

    def close(self) -> None:
        self._running.close()

    @property
    def _running(self) -> Rpc:
        assert self._rpc is not None
        return self._rpc


def _provider(base_url: str) -> dict[str, Any]:
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    model = {"id": "scripted-model", "name": "Scripted", "reasoning": False, "input": ["text"], "cost": cost}
    models = [{**model, "contextWindow": 128000, "maxTokens": 2048}]
    return {"baseUrl": base_url, "apiKey": "unused", "api": "openai-completions", "models": models}
