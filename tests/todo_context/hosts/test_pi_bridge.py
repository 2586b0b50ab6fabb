"""The process beside pi, spoken to as shim.ts does: what it asks, what it answers, and how it ends."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.todo_context.attention.branches import golden
from tests.todo_repl.process import TIMEOUT_S, environment
from todo_context.hosts.pi.person import with_tabs

OTHER = """
import asyncio
import subprocess
import sys
import time

from todo_context.pi import Answer, Completion, Tool, ToolResult


async def activate(pi):
    print("printed")
    late = []

    async def show(args, ctx):
        print("printed", flush=True)
        subprocess.run([sys.executable, "-c", "print('by a child'); input()"], check=False)
        return Answer(text=args, is_error=args == "wrong")

    async def ask(args, ctx):
        chosen = await ctx.ui.select("Which?", ["a", "b"])
        sure = await ctx.ui.confirm("Sure?", "Really")
        ctx.ui.set_widget("key", None)
        return Answer(text=f"{chosen} {sure} {ctx.ui.copy(args)} {ctx.cwd} {pi.storage}")

    async def keep(args, ctx):
        late.append(asyncio.ensure_future(too_late(ctx)))

    async def too_late(ctx):
        await asyncio.sleep(0.05)
        try:
            await pi.append_entry("late", {})
        except OSError as error:
            print(error, file=sys.stderr)

    async def say(args, ctx):
        pi.send_message("go on", custom_type="ours", trigger_turn=True)
        pi.send_message("by the way", custom_type="ours", display=False)

    def hang(args, ctx):
        print("hangs", file=sys.stderr)
        while True:
            time.sleep(0.1)

    def items(prefix):
        return [Completion(value="one", label="One", description="first"), Completion(value="two", label="Two")]

    for name, handler in {"show": show, "ask": ask, "keep": keep, "say": say, "hang": hang}.items():
        pi.register_command(name, description=name, handler=handler, get_argument_completions=items)
    pi.on("context", lambda event, ctx: {"messages": event["messages"][:1]})
    pi.on("context", lambda event, ctx: 1 / 0)


async def too_early(pi):
    await pi.append_entry("early", {})
"""


class Pi:
    """What shim.ts and pi are to the bridge."""

    def __init__(self, folder: Path, *names: str) -> None:
        (folder / "other.py").write_text(OTHER)
        variables = environment()
        variables["PYTHONPATH"] += os.pathsep + str(folder)
        self.branch: list[dict[str, Any]] = []
        self.asked: list[tuple[Any, ...]] = []
        self.answers: dict[str, Any] = {}
        self.ctx = {"hasUI": True, "cwd": "/somewhere", "session": "s1", "file": "/s1.jsonl", "modes": ["tui", None]}
        self.count = 0
        self.process = subprocess.Popen(
            [sys.executable, "-m", "todo_context.hosts.pi_bridge", *names],
            cwd=folder,
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def write(self, **message: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, ask: str, **body: Any) -> dict[str, Any]:
        """Ask the bridge, and serve it until it answers."""
        self.count += 1
        self.write(id=self.count, ask=ask, **body)
        assert self.process.stdout
        for line in self.process.stdout:
            message: dict[str, Any] = json.loads(line)
            if message.get("re") == self.count:
                return message
            assert message["for"] == self.count
            self.asked.append((message["ask"], *message["args"]))
            answer = self.serve(message["ask"], *message["args"])
            if "id" in message:
                self.write(re=message["id"], **answer)
        raise AssertionError(self.end())

    def ok(self, ask: str, **body: Any) -> Any:
        answer = self.request(ask, **body)
        assert "ok" in answer, answer
        return answer["ok"]

    def command(self, name: str, args: str = "") -> Any:
        return self.ok("command", name=name, args=args, ctx=self.ctx)

    def serve(self, ask: str, *args: Any) -> dict[str, Any]:
        if ask == "branch":
            ids = [entry["id"] for entry in self.branch]
            if args[0] in ids:
                return {"ok": {"known": args[0], "entries": self.branch[ids.index(args[0]) + 1 :]}}
            return {"ok": {"entries": self.branch}}
        if ask == "append" and "append" not in self.answers:
            self.append(type="custom", customType=args[0], data=args[1])
            return {"ok": self.branch[-1]}
        given = self.answers.get(args[0] if ask == "ui" else ask)
        return {"error": str(given)} if isinstance(given, Exception) else {"ok": given}

    def append(self, **entry: Any) -> None:
        parent = self.branch[-1]["id"] if self.branch else None
        self.branch.append({"id": f"{len(self.branch) + 1:08x}", "parentId": parent, **entry})

    def wait_for_words(self, words: bytes) -> None:
        """Read what stands on stderr as far as these."""
        assert self.process.stderr
        late = threading.Timer(TIMEOUT_S, self.process.kill)
        late.start()
        try:
            assert any(words in line for line in self.process.stderr), words
        finally:
            late.cancel()

    def end(self) -> tuple[int, str]:
        """Close the pipe: the exit code, and what stands on stderr."""
        assert self.process.stdin
        assert self.process.stderr
        self.process.stdin.close()
        code = self.process.wait(TIMEOUT_S)
        return code, self.process.stderr.read().decode()

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stderr, self.process.stdout):
            assert stream
            stream.close()
            # Not killed, so that what it ran through is counted.
            self.process.wait(TIMEOUT_S)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Pi]]:
    started: list[Pi] = []

    def start(*names: str) -> Pi:
        started.append(Pi(tmp_path, *names))
        return started[-1]

    yield start
    for pi in started:
        pi.close()


@pytest.fixture
def ours(start: Callable[..., Pi]) -> Pi:
    return start()


@pytest.fixture
def other(start: Callable[..., Pi]) -> Pi:
    return start("other:activate")


def plan(pi: Pi, *ops: dict[str, Any], call: str = "call_1") -> Any:
    return pi.ok("tool", name="todo_write", call=call, args={"ops": list(ops)}, ctx=pi.ctx)


INIT = {"op": "init", "list": [{"phase": "Work", "items": ["First", "Second"]}]}


def test_it_says_what_it_offers(ours: Pi) -> None:
    hello = ours.ok("hello")

    tool, other = hello["tools"]
    assert (other["name"], other["label"], other["promptGuidelines"]) == ("todo", "Backlog", [])
    assert (tool["name"], tool["label"]) == ("todo_write", "Plan")
    assert tool["promptGuidelines"] == [golden("eager_soft")]
    # pi holds a call against it before we see it.
    assert "required" not in tool["parameters"]
    assert hello["commands"] == [
        {"name": "todo", "description": "Show and change the plan"},
        {"name": "backlog", "description": "Show and change what outlives sessions"},
    ]
    assert hello["hooks"] == [
        *("session_start", "context", "before_provider_request", "turn_end"),
        *("session_start", "session_tree"),
        *("session_start", "session_tree", "input", "turn_end", "agent_end", "session_shutdown"),
    ]


def test_a_call_changes_the_plan_and_the_widget(ours: Pi) -> None:
    result = plan(ours, INIT)

    assert result["isError"] is False
    assert result["content"] == [{"type": "text", "text": "0 of 2 done, 2 open.\n# Work\n- [/] First\n- [ ] Second"}]
    assert result["details"]["storage"] == "session"
    assert ours.branch[0]["data"]["call"] == "call_1"
    assert ours.asked[-1] == ("ui", "setWidget", "todo", ["0 of 2 done, 2 open.", "- [/] First", "- [ ] Second"])


def test_a_call_that_is_refused_says_so(ours: Pi) -> None:
    ours.ctx["file"] = None
    result = plan(ours, {"op": "done", "task": "Nope"})

    assert result["isError"] is True
    assert result["details"]["storage"] == "memory"


def test_only_what_came_since_is_asked_for_and_all_of_another_branch(ours: Pi) -> None:
    plan(ours, INIT)
    ours.append(type="message", message={"role": "user"})
    ours.asked.clear()
    ours.command("todo")
    ours.branch = [{"id": "other", "parentId": None, "type": "message"}]
    ours.command("todo")

    known = [asked[1] for asked in ours.asked if asked[0] == "branch"]
    assert known[0] == "00000001"
    assert ours.asked[-1][2].startswith("The plan is empty")
    assert known[-1] == "other"


def test_completions_are_of_the_plan_known_last_and_leave_out_what_stands_there(ours: Pi) -> None:
    plan(ours, INIT)
    ours.asked.clear()

    found = ours.ok("complete", name="todo", prefix="done f")
    assert found == [{"value": "done First", "label": "First", "description": "in progress, Work"}]
    assert ours.ok("complete", name="todo", prefix="done First") == []
    # pi tells no session with them.
    assert ours.asked == []


def test_what_pi_cannot_store_is_an_error(ours: Pi) -> None:
    ours.answers["append"] = OSError("disk full")
    answer = ours.request("tool", name="todo_write", call="c", args={"ops": [INIT]}, ctx=ours.ctx)
    assert answer["error"] == "disk full"

    ours.answers["append"] = None
    answer = ours.request("command", name="todo", args="append x", ctx=ours.ctx)
    assert answer["error"] == "pi stored no entry todo_write, but answered None"


def test_an_edit_goes_through_pis_editor(ours: Pi) -> None:
    plan(ours, INIT)
    ours.answers["editor"] = "# Work\n- [x] First\n- [ ] Second"
    ours.command("todo", "edit")

    assert ours.asked[-1][:2] == ("ui", "notify")
    assert ours.branch[-1]["data"]["by"] == "user"
    ours.answers["editor"] = None
    ours.command("todo", "edit")
    assert ours.asked[-1][2] == "Edit cancelled; the plan is unchanged."


def test_a_text_that_was_kept_is_offered(ours: Pi) -> None:
    shown: list[str] = []

    def serve(ask: str, *args: Any) -> dict[str, Any]:
        if args[:1] == ("editor",):
            shown.append(args[2])
            return {"ok": "- [?] First" if len(shown) == 1 else None}
        return Pi.serve(ours, ask, *args)

    ours.serve = serve  # type: ignore[method-assign]
    ours.command("todo", "edit")
    assert any(asked[1] == "notify" and "Your text is kept in" in asked[2] for asked in ours.asked)
    ours.answers["confirm"] = True
    ours.command("todo", "edit")

    assert "[?]" in shown[-1]


@pytest.mark.parametrize(
    ("has_ui", "modes", "said", "shown"),
    [
        pytest.param(True, ["tui", None], "right", ("ui", "notify", "right", "info"), id="at the screen"),
        pytest.param(True, ["rpc", "rpc"], "wrong", ("ui", "notify", "wrong", "error"), id="a program shows it"),
        pytest.param(False, ["print", None], "right", ("print", "stdout", "right\n"), id="printed"),
        pytest.param(False, ["print", None], "wrong", ("print", "stderr", "wrong\n"), id="an error is no output"),
        pytest.param(False, ["json", "json"], "right", ("print", "stderr", "right\n"), id="a stream of events"),
        pytest.param(False, [None, "json"], "right", ("print", "stderr", "right\n"), id="the same in an older pi"),
        pytest.param(False, [None, "/bin/node"], "right", ("print", "stdout", "right\n"), id="printed there"),
    ],
)
def test_where_an_answer_is_shown(
    other: Pi, has_ui: bool, modes: list[str | None], said: str, shown: tuple[Any, ...]
) -> None:
    other.ctx.update(hasUI=has_ui, modes=modes)
    other.command("show", said)

    assert other.asked == [shown]
    # What else is printed, here and by children, is none of pi's.
    code, stderr = other.end()
    assert code == 0
    assert stderr.startswith("printed\nprinted\nby a child\n")
    assert "EOFError" in stderr


@pytest.mark.parametrize(
    ("mode", "clipboard", "answer"),
    [
        pytest.param("tui", None, "b True True /somewhere session", id="taken"),
        pytest.param("tui", OSError("no"), "b True False /somewhere session", id="not taken"),
        pytest.param("rpc", None, "b True False /somewhere session", id="the person is elsewhere"),
    ],
)
def test_the_person_is_asked(other: Pi, mode: str, clipboard: object, answer: str) -> None:
    other.ctx["modes"] = [mode, None]
    other.answers = {"select": "b", "confirm": True, "copy": clipboard}
    other.command("ask", "text")

    assert other.asked[-1] == ("ui", "notify", answer, "info")
    assert ("ui", "setWidget", "key", None) in other.asked


def test_messages_of_an_extension(other: Pi) -> None:
    other.command("say")

    ours = {"customType": "ours", "content": "go on", "display": True}
    assert other.asked == [
        ("send", ours, {"triggerTurn": True, "deliverAs": "followUp"}),
        ("send", {**ours, "content": "by the way", "display": False}, {}),
    ]
    # An older pi that prints is gone before that turn.
    other.asked.clear()
    other.ctx.update(hasUI=False, modes=[None, None])
    other.command("say")
    assert [asked[1]["content"] for asked in other.asked] == ["by the way"]


def test_each_handler_of_an_event_is_called_by_itself(other: Pi) -> None:
    assert other.ok("hello")["hooks"] == ["context", "context"]
    event = {"type": "context", "messages": [1, 2]}

    assert other.ok("event", hook=0, event=event, ctx=other.ctx) == {"messages": [1]}
    assert other.request("event", hook=1, event=event, ctx=other.ctx)["error"] == "ZeroDivisionError: division by zero"
    assert other.ok("complete", name="show", prefix="one") == [{"value": "two", "label": "Two", "description": ""}]
    assert "Run: todo-context install pi" in other.request("dance")["error"]


def test_pi_is_not_asked_when_nothing_of_it_is_served(other: Pi) -> None:
    assert other.command("keep") is None

    other.wait_for_words(b"pi is there only while a handler runs.")


def test_it_ends_with_pi_even_when_it_hangs(other: Pi) -> None:
    other.write(id=1, ask="command", name="hang", args="", ctx=other.ctx)
    other.wait_for_words(b"hangs")

    assert other.end()[0] == 1


@pytest.mark.parametrize(
    ("name", "last"),
    [
        pytest.param("other:too_early", "pi is there only while a handler runs.", id="asks at once"),
        pytest.param("nowhere:activate", "ModuleNotFoundError: No module named 'nowhere'", id="no such module"),
    ],
)
def test_what_cannot_be_activated_is_said_last(start: Callable[..., Pi], name: str, last: str) -> None:
    code, stderr = start(name).end()

    assert code == 1
    assert stderr.splitlines()[-1].startswith(last)


def test_a_signal_ends_it(ours: Pi) -> None:
    ours.ok("hello")
    ours.process.send_signal(signal.SIGTERM)

    assert ours.process.wait(TIMEOUT_S) == -signal.SIGTERM


def test_tabs_come_back_where_the_line_is_as_it_was_shown() -> None:
    assert with_tabs("a    b\nnew    line\nc    d!", "a\tb\nc\td") == "a\tb\nnew    line\nc    d!"
