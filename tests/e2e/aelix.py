"""Aelix with our extension in it: printing, over RPC, or in a terminal. Where `make e2e-fetch` brought it.

The extension is installed from a wheel of this checkout, into an environment on top of Aelix's own, which stays
as it is.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from tests.e2e import rpc
from tests.e2e.rpc import WAIT_S
from tests.scripted_llm import ScriptedLlm
from tests.todo_repl.process import environment
from tests.todo_repl.terminal import Window

# Read on import: inside a test the variables of whoever runs it are gone.
CACHE = Path(os.environ.get("TODO_CONTEXT_E2E_CACHE") or Path(__file__).parents[2] / ".cache" / "e2e")
AELIX = CACHE / "aelix" / "bin" / "aelix"
ROOT = Path(__file__).parents[2]

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
        (self.agent / "models.json").write_text(json.dumps({"providers": {"scripted": rpc.provider(base_url)}}))

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
    def rpc(self, *arguments: str) -> Iterator["Rpc"]:
        """Run Aelix for a program."""
        running = Rpc(self, *arguments)
        try:
            yield running
        finally:
            running.close()


class Rpc(rpc.Rpc):
    """Aelix in its mode for programs."""

    def __init__(self, home: Home, *arguments: str) -> None:
        super().__init__(home.command("--mode", "rpc", *arguments), cwd=home.project, env=home.env)

    def say(self, text: str) -> None:
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


class AelixTerminal(Window):
    """Aelix at a person's screen."""

    def __init__(self, home: Home, *arguments: str, size: tuple[int, int] = (110, 50)) -> None:
        super().__init__(*home.command(*arguments), cwd=home.project, env=home.env, size=size)

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


class AelixDriver(rpc.RpcDriver):
    """Aelix over RPC."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def start(self) -> None:
        self.running = Rpc(self.home)

    def resume(self) -> None:
        self.running = Rpc(self.home, "--continue")

    def session_file(self) -> Path:
        return self.home.session
