"""A line that begins with "/" while it is typed: how it goes on, what it will do, and what the key makes of it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable

import pytest
from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import BufferControl, Layout, Window
from prompt_toolkit.output import DummyOutput

from tests.todo_repl.stage import Stage, manifest, runtime
from todo_context import activate
from todo_context.pi import Answer, Context, Pi
from todo_repl.manifest import own_manifest
from todo_repl.runtime import Runtime
from todo_repl.ui.tab import complete


async def begun(front: Stage | None = None) -> Runtime:
    """A runtime with our extension, and a plan of two tasks."""
    made = runtime(front or Stage())
    await made.load(own_manifest(), activate)
    await made.submit('/todo append Build "Wire config"')
    await made.submit("/todo append Build Port")
    return made


def values(text: str) -> list[str]:
    async def found() -> list[str]:
        return [completion.value for completion in await (await begun()).completions(text)]

    return asyncio.run(found())


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("/tod", ["/todo "]),
        ("/TOD", ["/todo "]),
        ("/todo", ["/todo "]),
        ("/qu", ["/quit"]),
        ("/todo d", ["/todo done ", "/todo drop "]),
        ("/todo\tundo", ["/todo undo"]),
        ("/Todo done wi", ['/todo done "Wire config"']),
        ("/todo append bu", ["/todo append Build "]),
        ("/nope ", []),
        ("/usr/bin", []),
        ("todo", []),
        ("", []),
    ],
)
def test_a_line_goes_on(typed: str, expected: list[str]) -> None:
    assert values(typed) == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("/todo done port", 'completes "Port"'),
        ("/TODO rm", "empties the plan, 2 tasks; /todo undo brings them back"),
        ("/todo", None),
        ("/todo do", None),
        ("/help", None),
        ("/nope x", None),
        ("/todo/x", None),
        ("done port", None),
        ("", None),
    ],
)
def test_a_line_says_what_it_will_do(typed: str, expected: str | None) -> None:
    async def said() -> str | None:
        return await (await begun()).preview(typed)

    assert asyncio.run(said()) == expected


def _loaded(front: Stage, preview: Callable[[str], str | None]) -> Runtime:
    made = runtime(front)

    async def nothing(args: str, ctx: Context) -> Answer | None:
        del args, ctx
        return None

    def register(pi: Pi) -> None:
        pi.register_command("x", description="", handler=nothing, preview=preview)

    asyncio.run(made.load(manifest(commands=["x"]), register))
    return made


def test_what_an_extension_says_of_a_line_is_made_safe() -> None:
    made = _loaded(Stage(), lambda args: f"\x1b[2J{args}\u202e\n!")

    assert asyncio.run(made.preview("/x one two")) == "one two !"


def test_an_extension_that_cannot_say_it_is_a_line_and_the_prompt_goes_on() -> None:
    front = Stage()

    def crash(args: str) -> str:
        raise ValueError(args)

    assert asyncio.run(_loaded(front, crash).preview("/x y")) is None
    assert front.errors.startswith("probe: preview of /x: ValueError: y.")


class _Completer(Completer):
    def __init__(self, made: Runtime) -> None:
        self._made = made

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        raise NotImplementedError

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        del complete_event
        text = document.text_before_cursor
        for found in await self._made.completions(text):
            yield Completion(found.value, -len(text))


TAB = "\t"


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(
            [("/tod", "/tod", ["/todo "]), (TAB, "/todo ", None), ("rm po", "/todo rm po", ["/todo rm Port"])],
            id="a blank behind the name, and one can type on",
        ),
        pytest.param(
            [("/todo ap", "/todo ap", ["/todo append "]), (TAB, "/todo append ", ["/todo append Build "])],
            id="the only verb is taken and its phases are shown",
        ),
        pytest.param(
            [
                ("/todo d", "/todo d", ["/todo done ", "/todo drop "]),
                (TAB, "/todo done ", ["/todo done ", "/todo drop "]),
                (TAB, "/todo drop ", ["/todo done ", "/todo drop "]),
            ],
            id="of several each press chooses the next",
        ),
        pytest.param(
            [
                ('/todo rm "wi', '/todo rm "wi', ['/todo rm "Wire config"']),
                (TAB, '/todo rm "Wire config"', []),
                (TAB, '/todo rm "Wire config"', []),
            ],
            id="what is whole stays as it is",
        ),
    ],
)
def test_the_key_takes_the_only_way_to_go_on(steps: list[tuple[str, str, list[str] | None]]) -> None:
    async def typed() -> None:
        buffer = Buffer(completer=_Completer(await begun()), complete_while_typing=True)
        bound = KeyBindings()
        bound.add("tab")(complete)
        with create_pipe_input() as pipe:
            app: Application[None] = Application(
                layout=Layout(Window(BufferControl(buffer))), key_bindings=bound, input=pipe, output=DummyOutput()
            )
            run = asyncio.ensure_future(app.run_async())
            for key, text, menu in steps:
                pipe.send_text(key)
                end = asyncio.get_running_loop().time() + 30
                while buffer.text != text or (menu is not None and _menu(buffer) != menu):
                    assert asyncio.get_running_loop().time() < end, (buffer.text, _menu(buffer))
                    await asyncio.sleep(0.005)
            app.exit()
            await run

    asyncio.run(typed())


def _menu(buffer: Buffer) -> list[str]:
    state = buffer.complete_state
    return [completion.text for completion in state.completions] if state else []
