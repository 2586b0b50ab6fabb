"""/reload: the extensions are let go of, read anew and loaded again; the session is as it was."""

import asyncio
import os
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.todo_repl.process import run, start
from tests.todo_repl.scene import ONE, Scene, answering, handler, listening, loading, play
from tests.todo_repl.stage import Stage, runtime
from todo_context import activate as todo
from todo_context.errors import TodoContextError
from todo_context.pi import Context, Pi
from todo_repl.extension_sources import found
from todo_repl.manifest import own_manifest
from todo_repl.runtime import Runtime, Submitted

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.scripted_llm import Step

SAYS = "def activate(pi):\n    pi.on('session_start', lambda event, ctx: ctx.ui.notify('{word} ' + event['reason']))\n"


async def with_file(path: Path, front: Stage) -> Runtime:
    """A runtime with our own extension and those of a file."""
    made = runtime(front)
    await made.load(own_manifest(), todo)
    await made.load_all(partial(found, [str(path)], only_named=True))
    await made.start("startup")
    return made


def test_a_file_is_read_anew_also_within_the_same_second(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text(SAYS.format(word="one"))
    os.utime(path, (1_000, 1_000))
    # A test may be run where Python keeps no compiled files; a person's Python does.
    with start("--no-session", "-e", "x.py", cwd=tmp_path, PYTHONDONTWRITEBYTECODE="") as process:
        assert process.line() == "one startup\n"
        path.write_text(SAYS.format(word="two"))
        os.utime(path, (1_000, 1_000))
        process.type("/reload")
        process.stdin.close()

        assert process.end() == (0, "two reload\nLoaded: todo-context, x (undeclared).\n", "")


def test_one_that_cannot_be_read_now_is_a_line_and_comes_back_when_it_can(tmp_path: Path) -> None:
    front, path = Stage(), tmp_path / "x.py"

    async def go() -> None:
        path.write_text(SAYS.format(word="one"))
        made = await with_file(path, front)
        path.write_text("def activate(pi:")
        await made.submit("/reload")
        path.write_text(SAYS.format(word="two"))
        await made.submit("/reload")

    asyncio.run(go())

    assert front.errors.startswith(f"{path}: line 1 is no Python: ")
    assert front.errors.endswith("Correct it, then /reload.\n")
    assert front.shown.splitlines()[1:] == [
        "Loaded: todo-context.",
        "two reload",
        "Loaded: todo-context, x (undeclared).",
    ]


def test_the_plan_is_as_it_was_and_the_old_instance_hears_nothing_more(tmp_path: Path) -> None:
    log: list[Any] = []
    instances: list[Pi] = []

    def extension(pi: Pi) -> None:
        number = len(instances)
        instances.append(pi)
        for name in ("session_start", "session_shutdown", "input"):
            pi.on(name, handler(lambda event: log.append((number, event["type"], event.get("reason")))))

    async def job(scene: Scene) -> None:
        await scene.type("one", "/reload", "two")

    play(job, extension, steps=[{"text": "A."}, {"text": "B."}], path=tmp_path / "s.jsonl")

    assert log == [
        (0, "session_start", "startup"),
        (0, "input", None),
        (0, "session_shutdown", "reload"),
        (1, "session_start", "reload"),
        (1, "input", None),
        (1, "session_shutdown", "quit"),
    ]
    old = instances[0]
    acts: list[Callable[[], object]] = [
        lambda: old.append_entry("x", {}),
        lambda: old.send_message("x", custom_type="x"),
        lambda: old.on("input", handler(None)),
    ]
    for act in acts:
        with pytest.raises(TodoContextError, match=r"probe: .* after its end\. Let go of everything at"):
            act()


def test_the_todo_extension_goes_on_with_its_plan() -> None:
    front = Stage(has_ui=True)

    async def go() -> Runtime:
        made = runtime(front)
        await made.load(own_manifest(), todo)
        await made.start("startup")
        for line in ("/todo append Build One", "/reload", "/todo append Build Two", "/todo"):
            assert await made.submit(line) is Submitted.DONE
        return made

    made = asyncio.run(go())

    assert front.shown.endswith("# Build\n- [/] One\n- [ ] Two\n")
    assert [data["by"] for entry in made.session.entries() if isinstance(data := entry["data"], dict)] == [
        "user",
        "user",
    ]
    # Taken away with the old instance, and shown again by the new one.
    assert [lines is None for _, lines in front.widgets[-4:]] == [True, False, False, False]


def test_a_widget_of_one_that_is_gone_is_taken_away(tmp_path: Path) -> None:
    front, path = Stage(has_ui=True), tmp_path / "x.py"

    async def go() -> Runtime:
        path.write_text(
            "def activate(pi):\n    pi.on('session_start', lambda e, ctx: ctx.ui.set_widget('x', ['here']))"
        )
        made = await with_file(path, front)
        assert made.widgets["x"] == ("here",)
        path.write_text("def activate(pi): ...")
        await made.submit("/reload")
        return made

    assert "x" not in asyncio.run(go()).widgets


def test_during_a_run_it_is_refused_and_the_run_keeps_its_tools() -> None:
    gate = threading.Event()
    log: list[Any] = []

    async def job(scene: Scene) -> None:
        line = asyncio.create_task(scene.type("go"))
        await asyncio.to_thread(scene.server.wait_for, 1)
        assert await scene.type("/reload") is Submitted.FAILED
        gate.set()
        assert await line is Submitted.DONE
        assert await scene.type("/reload") is Submitted.DONE

    steps: list[Step] = [{"tool_calls": [ONE], "gate": gate}, {"text": "Done."}]
    scene = play(job, listening(log, "session_start", "tool_call"), steps=steps)

    assert scene.front.errors == "The agent is at work. /reload when it has answered, or stop it with Esc.\n"
    assert scene.said == ["user: go", "assistant: ", "toolResult: got {'n': 1}", "assistant: Done."]
    assert [event["type"] for event in log] == ["session_start", "tool_call", "session_start"]


def test_one_that_does_not_let_go_can_be_given_up_on() -> None:
    reached = asyncio.Event()

    async def hang(_: Any) -> None:
        if not reached.is_set():
            reached.set()
            await asyncio.Event().wait()

    async def job(scene: Scene) -> None:
        line = asyncio.create_task(scene.type("/reload"))
        await reached.wait()
        line.cancel()
        await asyncio.wait([line])
        assert await scene.type("/help") is Submitted.DONE

    scene = play(job, answering(session_shutdown=hang))

    assert scene.front.shown.endswith("Extensions: echo (undeclared), probe (undeclared)\n")


def test_new_files_of_the_folder_are_found(home: Path, tmp_path: Path) -> None:
    folder = home / "config/todo-context/extensions"
    folder.mkdir(parents=True)
    maker = tmp_path / "maker.py"
    maker.write_text(
        "from pathlib import Path\n"
        "def activate(pi):\n"
        "    async def make(args, ctx):\n"
        f"        Path({str(folder / 'made.py')!r}).write_text('def activate(pi): ...')\n"
        "    pi.register_command('make', description='', handler=make)\n"
    )

    done = run("--no-session", "-e", "maker.py", cwd=tmp_path, lines="/make\n/reload\n")

    assert (done.stdout, done.stderr) == ("Loaded: todo-context, made (undeclared), maker (undeclared).\n", "")


def test_a_command_that_is_registered_late_must_not_be_taken() -> None:
    async def job(scene: Scene) -> None:
        await scene.type("/echo")

    def late(pi: Pi) -> None:
        async def nothing(args: str, ctx: Context) -> None:
            del args, ctx

        def register(event: Any, ctx: Context) -> None:
            del event, ctx
            pi.register_command("help", description="", handler=nothing)

        pi.on("input", register)

    scene = play(job, late)

    assert scene.front.errors.startswith("probe: at input: /help is taken. Load one of the two.\n")


def test_a_source_is_asked_at_each_load() -> None:
    log: list[int] = []

    async def go() -> None:
        made = runtime(Stage())

        def find() -> list[Any]:
            log.append(len(log))
            return [loading(lambda _: None, f"number{len(log)}")]

        await made.load_all(find)
        await made.submit("/reload")

    asyncio.run(go())

    assert log == [0, 1]
