"""What a line of the person sets in motion, and what extensions may do to it."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.style import Style
from rich.text import Text

from tests.todo_repl.stage import ScriptedModel, Stage, manifest, runtime
from todo_context import activate, plan_of, to_markdown
from todo_context.errors import TodoContextError
from todo_context.pi import Answer, Completion, Context, Pi, Tool, ToolResult
from todo_context.plan.model import Json
from todo_context.switches import HEAD, switch_lines
from todo_repl.manifest import own_manifest
from todo_repl.messages import ToolCall
from todo_repl.models import Delta, Request, TextDelta
from todo_repl.runtime import Runtime, Submitted
from todo_repl.session import Session

COMMANDS = ["/todo", "/backlog", "/help", "/session", "/name", "/new", "/resume", "/fork", "/tree", "/rewind"]
COMMANDS += ["/compact", "/handoff", "/reload", "/quit", "/exit"]


async def with_todo(made: Runtime) -> Runtime:
    await made.load(own_manifest(), activate)
    return made


def call(call_id: str, name: str = "todo_write", **arguments: Any) -> ToolCall:
    return ToolCall(call_id, name, arguments)


class Gate:
    """A model that says "wait", and ends when `open` is set."""

    name = provider = api = "gate"

    def __init__(self) -> None:
        self.is_waiting, self.open = asyncio.Event(), asyncio.Event()

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        del request
        yield TextDelta("wait")
        self.is_waiting.set()
        await self.open.wait()
        async for delta in ScriptedModel([" no more"]).stream(Request(system="", messages=(), tools=())):
            yield delta


def submit(made: Runtime, *lines: str) -> list[Submitted]:
    async def all_lines() -> list[Submitted]:
        return [await made.submit(line) for line in lines]

    return asyncio.run(all_lines())


def probe(pi: Pi, log: list[str]) -> None:
    """An extension that tells what it is called with."""

    async def echo(args: str, ctx: Context) -> Answer:
        log.append(f"{args!r} in {ctx.cwd}, {'somebody' if ctx.has_ui else 'nobody'} there")
        return Answer(text=args)

    pi.register_command("echo", description="Say it again", handler=echo)


@pytest.mark.parametrize(
    ("line", "args"),
    [
        pytest.param("/echo", "", id="alone"),
        pytest.param("  /echo  two  words ", "two  words", id="blanks around"),
        pytest.param("/echo one\ntwo", "one\ntwo", id="several lines"),
        pytest.param("/echo\tx", "x", id="a tab"),
    ],
)
def test_a_line_that_begins_with_a_name_is_a_command(line: str, args: str) -> None:
    log: list[str] = []
    made = runtime(Stage())
    asyncio.run(made.load(manifest(commands=["echo"]), lambda pi: probe(pi, log)))

    assert submit(made, line) == [Submitted.DONE]
    assert log == [f"{args!r} in /work, nobody there"]
    assert made.session.entries() == ()


@pytest.mark.parametrize("line", ["/usr/bin is full", "/", "//echo", "/echo! x", "say /echo", "/éch x"])
def test_any_other_line_is_a_message(line: str) -> None:
    model = ScriptedModel(["All right."])
    front = Stage()

    assert submit(runtime(front, model=model), line) == [Submitted.DONE]
    assert len(model.requests) == 1
    assert front.shown == "All right.\n"


def test_an_unknown_command_names_the_closest_and_all() -> None:
    front = Stage()
    made = asyncio.run(with_todo(runtime(front)))

    assert submit(made, "/tood x") == [Submitted.FAILED]
    assert front.errors.startswith(
        "/tood: no such command. Closest: /todo. There are /todo, /backlog, /help, /session, "
    )


def test_help_lists_the_commands_of_host_and_extensions_and_keys_only_for_a_person() -> None:
    front, alone = Stage(has_ui=True), Stage()
    submit(asyncio.run(with_todo(runtime(front))), "/help")
    submit(asyncio.run(with_todo(runtime(alone))), "/help")

    assert [line.split()[0] for line in front.shown.splitlines()[: len(COMMANDS)]] == COMMANDS
    assert "Ctrl-C" in front.shown
    assert "Ctrl-C" not in alone.shown


def test_help_names_what_can_be_turned_off_and_where_that_is_said() -> None:
    front = Stage()
    submit(asyncio.run(with_todo(runtime(front))), "/help")

    assert "\n".join(["", HEAD, *switch_lines(), ""]) in front.shown
    assert max(map(len, switch_lines())) < 80
    assert "\nSettings: ~/config/todo-context/settings.toml\n" in front.shown


@pytest.mark.parametrize("line", ["/quit", "/exit"])
def test_quit_ends_it(line: str) -> None:
    made = runtime(Stage())

    assert submit(made, line) == [Submitted.DONE]
    assert made.is_over


def test_the_model_plans_and_the_person_edits_one_plan() -> None:
    front = Stage()
    ops = [{"op": "init", "list": [{"phase": "Build", "items": ["Wire config", "Port logger"]}]}]
    made = asyncio.run(with_todo(runtime(front, model=ScriptedModel([[call("c1", ops=ops)], "Planned."]))))

    ended = submit(made, "plan it", "/todo start port")

    assert ended == [Submitted.DONE, Submitted.DONE]
    assert to_markdown(plan_of(made.session.branch())) == "# Build\n- [ ] Wire config\n- [/] Port logger\n"
    card, *checklist, said, started = front.shown.splitlines()
    assert card == "• plan: init"
    assert checklist == ["# Build", "- [/] Wire config", "- [ ] Port logger", "0 of 2 done, 2 open."]
    assert (said, started[:7]) == ("Planned.", "Started")


def test_a_command_runs_while_the_agent_does_and_what_is_said_goes_along_with_the_next_request() -> None:
    front, model = Stage(), Gate()

    async def meanwhile() -> tuple[list[Submitted], str]:
        made = await with_todo(runtime(front, model=model))
        run = asyncio.create_task(made.submit("go"))
        await model.is_waiting.wait()
        ended = [await made.submit("/todo append Build One"), await made.submit("and you?")]
        assert (run.done(), made.waiting) == (False, ["and you?"])
        model.open.set()
        return [*ended, await run], to_markdown(plan_of(made.session.branch()))

    ended, plan = asyncio.run(meanwhile())

    assert ended == [Submitted.DONE, Submitted.DONE, Submitted.DONE]
    assert plan == "# Build\n- [/] One\n"
    assert front.errors == ""
    # The answer to the command begins on a line of its own.
    assert front.shown.startswith('wait\nAdded to "Build"')


def test_an_abort_ends_the_run_and_the_next_one_begins() -> None:
    front = Stage()

    async def aborted() -> tuple[bool, bool, list[Submitted]]:
        model = Gate()
        made = runtime(front, model=model)
        before = made.abort()
        run = asyncio.create_task(made.submit("go"))
        await model.is_waiting.wait()
        did = made.abort()
        ended = await run
        model.open.set()
        return before, did, [ended, await made.submit("again")]

    assert asyncio.run(aborted()) == (False, True, [Submitted.ABORTED, Submitted.DONE])
    assert front.errors == "Stopped.\n"


def test_a_run_has_an_end() -> None:
    front = Stage()
    model = ScriptedModel([[call(f"c{n}", ops=[{"op": "view"}])] for n in range(5)])
    made = asyncio.run(with_todo(runtime(front, model=model, max_rounds=3)))

    assert submit(made, "go") == [Submitted.FAILED]
    assert len(model.requests) == 3
    assert front.errors.startswith("3 requests in one run, and no end.")


def test_the_session_is_told_how_it_begins_and_that_it_ends(tmp_path: Path) -> None:
    log: list[Mapping[str, Json]] = []

    def extension(pi: Pi) -> None:
        async def later(event: Mapping[str, Json], ctx: Context) -> None:
            del ctx
            await asyncio.sleep(0)
            log.append(event)

        def at_once(event: Mapping[str, Json], ctx: Context) -> None:
            del ctx
            log.append(event)

        pi.on("session_start", later)
        pi.on("session_start", at_once)
        pi.on("session_shutdown", at_once)

    async def whole_life() -> None:
        made = runtime(Stage(), path=tmp_path / "s.jsonl")
        await made.load(manifest(hooks=["session_start", "session_shutdown"]), extension)
        await made.start("resume")
        await made.close()
        await made.close()

    asyncio.run(whole_life())

    start: Mapping[str, Json] = {"type": "session_start", "reason": "resume"}
    assert log == [start, start, {"type": "session_shutdown", "reason": "quit"}]


def test_a_handler_that_raises_is_reported_and_stops_nothing(home: Path) -> None:
    front, log = Stage(), list[str]()

    def extension(pi: Pi) -> None:
        def crash(event: Mapping[str, Json], ctx: Context) -> None:
            del event, ctx
            raise ValueError("oh\x1b[2J no")

        def go_on(event: Mapping[str, Json], ctx: Context) -> None:
            del ctx
            log.append(str(event["type"]))

        for event in ("session_start", "turn_end"):
            pi.on(event, crash)
            pi.on(event, go_on)

    async def go() -> Submitted:
        made = runtime(front, model=ScriptedModel(["Yes."]))
        await made.load(manifest(hooks=["session_start", "turn_end"]), extension)
        await made.start("startup")
        return await made.submit("hi")

    assert asyncio.run(go()) is Submitted.DONE
    assert log == ["session_start", "turn_end"]
    first, second = front.errors.splitlines()
    assert first.startswith("probe: at session_start: ValueError: oh no. Its trace is in ")
    assert second.startswith("probe: at turn_end: ValueError: oh no.")
    assert len(list(home.rglob("*.log"))) == 2


@pytest.mark.parametrize(
    ("error", "ended", "said"),
    [
        pytest.param(
            TodoContextError("x.db: full. Free some."), Submitted.FAILED, "x.db: full. Free some.", id="known"
        ),
        pytest.param(OSError(28, "No space left"), Submitted.FAILED, "[Errno 28] No space left", id="the world"),
        pytest.param(KeyError("k"), Submitted.BUG, "probe: /crash: KeyError: 'k'. Its trace is in", id="a bug"),
    ],
)
def test_a_command_that_raises_is_one_line(error: Exception, ended: Submitted, said: str) -> None:
    front = Stage()

    async def crash(args: str, ctx: Context) -> Answer:
        del args, ctx
        raise error

    made = runtime(front)
    asyncio.run(
        made.load(manifest(commands=["crash"]), lambda pi: pi.register_command("crash", description="", handler=crash))
    )

    assert submit(made, "/crash") == [ended]
    assert front.errors.startswith(said)
    assert front.errors.count("\n") == 1


def test_commands_and_their_arguments_are_completed() -> None:
    made = asyncio.run(with_todo(runtime(Stage())))
    submit(made, "/todo append Build One")

    def complete(line: str) -> Sequence[Completion]:
        return asyncio.run(made.completions(line))

    assert [c.value.strip() for c in complete("/")] == COMMANDS
    assert [(c.value, c.description) for c in complete("/to")] == [("/todo ", "Show and change the plan")]
    assert [c.value for c in complete("/todo sta")] == ["/todo start "]
    assert [c.value for c in complete("/todo done O")] == ["/todo done One"]
    assert list(complete("/nothing x")) == list(complete("hello")) == []


def test_completions_that_raise_are_reported() -> None:
    front = Stage()

    async def nothing(args: str, ctx: Context) -> None:
        del args, ctx

    def crash(prefix: str) -> list[Completion]:
        raise ValueError(prefix)

    made = runtime(front)
    asyncio.run(
        made.load(
            manifest(commands=["x"]),
            lambda pi: pi.register_command("x", description="", handler=nothing, get_argument_completions=crash),
        )
    )

    assert list(asyncio.run(made.completions("/x y"))) == []
    assert front.errors.startswith("probe: completions of /x: ValueError: y.")


def test_an_extension_stores_entries_and_messages_and_keeps_widgets() -> None:
    front = Stage(has_ui=True)
    got: list[Pi] = []
    model = ScriptedModel(["Read it."])

    async def go() -> Runtime:
        made = runtime(front, model=model)
        await made.load(manifest(), got.append)
        pi = got[0]
        assert pi.storage == "memory"
        assert isinstance(pi.append_entry("note", {"x": 1}), str)
        pi.send_message("Look here", custom_type="hint")
        pi.send_message("unseen", custom_type="hint", display=False)
        with pytest.raises(TodoContextError, match="wants a turn of the agent while nothing is under way"):
            pi.send_message("now", custom_type="hint", trigger_turn=True)
        await made.submit("go")
        return made

    made = asyncio.run(go())

    assert [entry["type"] for entry in made.session.entries()][:3] == ["custom", "custom_message", "custom_message"]
    assert got[0].branch() == made.session.branch()
    assert front.shown == "Look here\nRead it.\n"
    assert "Look here" in str(model.requests[0].messages)


def test_widgets_are_kept_for_whoever_draws() -> None:
    front = Stage(has_ui=True)
    made = runtime(front)

    async def widget(args: str, ctx: Context) -> None:
        ctx.ui.set_widget("panel", [args] if args else None)

    asyncio.run(
        made.load(manifest(commands=["w"]), lambda pi: pi.register_command("w", description="", handler=widget))
    )

    submit(made, "/w one")
    assert made.widgets == {"panel": ("one",)}
    submit(made, "/w")
    assert made.widgets == {}
    assert front.widgets == [("panel", ["one"]), ("panel", None)]


def test_a_tool_that_fails_is_shown_in_full_but_bounded_and_the_run_goes_on() -> None:
    front = Stage()

    async def execute(call_id: str, arguments: Json, ctx: Context) -> ToolResult:
        del call_id, arguments, ctx
        return ToolResult(text="\n".join(f"line\x1b[31m {n}" for n in range(30)), is_error=True)

    tool = Tool(name="probe", label="Probe", description="", parameters={}, execute=execute)
    made = runtime(front, model=ScriptedModel([[call("c1", "probe")], "So what."]))
    asyncio.run(made.load(manifest(tools=["probe"]), lambda pi: pi.register_tool(tool)))

    assert submit(made, "go") == [Submitted.DONE]
    assert front.errors.splitlines() == [*(f"line {n}" for n in range(20)), "… +10 lines"]
    assert front.shown == "• Probe\nSo what.\n"


HOSTILE = "\x1b]52;c;aGFja2Vk\x07\x1b[2J\x9b31mred \u202egnp.exe"


def test_what_an_extension_draws_is_made_safe_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    front = Stage()

    async def execute(call_id: str, arguments: Json, ctx: Context) -> ToolResult:
        del call_id, arguments, ctx
        return ToolResult(text="fine")

    def draw(result: ToolResult) -> Text:
        drawn = Text(f"{result.text} {HOSTILE}\n")
        # Styles part the text, and the sequences in it.
        drawn.stylize("bold", 4, 8)
        drawn.stylize(Style(link="http://x\x1b\\\x1b[2J"), 0, 4)
        return drawn

    tool = Tool(
        name="t",
        label=HOSTILE,
        description="",
        parameters={},
        execute=execute,
        render_call=lambda _: HOSTILE,
        render_result=draw,
    )
    made = runtime(front, model=ScriptedModel([[call("c1", "t")], "Done."]))
    asyncio.run(made.load(manifest(tools=["t"]), lambda pi: pi.register_tool(tool)))

    assert submit(made, "go") == [Submitted.DONE]
    assert "gnp.exe" in front.shown
    assert "\x1b[1m" in front.shown
    assert not set(front.shown) & set("\x07\x9b\u202e")
    assert "\x1b]" not in front.shown
    assert "\x1b[2J" not in front.shown


def test_what_is_registered_late_must_be_declared_too() -> None:
    front = Stage()

    async def nothing(args: str, ctx: Context) -> None:
        del args, ctx

    def extension(pi: Pi) -> None:
        def late(event: Mapping[str, Json], ctx: Context) -> None:
            del event, ctx
            pi.register_command("declared", description="", handler=nothing)
            pi.register_command("secret", description="", handler=nothing)

        pi.on("session_start", late)

    async def go() -> Runtime:
        made = runtime(front)
        await made.load(manifest(commands=["declared"], hooks=["session_start"]), extension)
        await made.start("startup")
        return made

    made = asyncio.run(go())

    assert set(made.commands()) == {"declared", *(name[1:] for name in COMMANDS if name not in {"/todo", "/backlog"})}
    assert 'registers the command "secret", which its manifest does not declare.' in front.errors


def test_a_result_that_cannot_be_drawn_is_reported() -> None:
    front = Stage()

    async def execute(call_id: str, arguments: Json, ctx: Context) -> ToolResult:
        del call_id, arguments, ctx
        return ToolResult(text="fine")

    def crash(result: ToolResult) -> None:
        raise ValueError(result.text)

    tool = Tool(name="t", label="T", description="", parameters={}, execute=execute, render_result=crash)
    made = runtime(front, model=ScriptedModel([[call("c1", "t")], "Done."]))
    asyncio.run(made.load(manifest(tools=["t"]), lambda pi: pi.register_tool(tool)))

    assert submit(made, "go") == [Submitted.DONE]
    assert front.errors.startswith("t, drawing its result: ValueError: fine.")


def test_a_session_that_cannot_be_written_goes_on_in_memory(tmp_path: Path) -> None:
    front = Stage()
    (tmp_path / "folder").write_text("a file where a folder should be")
    made = asyncio.run(with_todo(runtime(front, path=tmp_path / "folder" / "s.jsonl")))

    assert submit(made, "/todo append One", "hello") == [Submitted.DONE, Submitted.DONE]
    assert to_markdown(plan_of(made.session.branch())) == "# Todos\n- [/] One\n"
    assert made.session.storage == "memory"
    assert front.errors.count("The session goes on in memory alone.") == 1


def test_another_process_sees_the_same_plan(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    first = asyncio.run(with_todo(runtime(Stage(), path=path)))
    submit(first, "/todo append Build One")
    asyncio.run(first.close())

    again = Session.open(path)

    assert to_markdown(plan_of(again.branch())) == "# Build\n- [/] One\n"
    again.close()
