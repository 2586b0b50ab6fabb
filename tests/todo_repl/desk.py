"""The screen of the prompt in this process: keys come through a pipe, and what is written is read back from pyte."""

import asyncio
import io
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pyte
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input

from tests.todo_repl.reflow import ReflowScreen
from tests.todo_repl.scene import named
from tests.todo_repl.stage import Activate
from todo_repl.models import Model
from todo_repl.offline import OfflinePlanner
from todo_repl.runtime import Runtime
from todo_repl.session import Session
from todo_repl.ui.app.frame import FrameOutput
from todo_repl.ui.app.screen import Screen
from todo_repl.ui.output import Output
from todo_repl.ui.prompt import PromptFront

WAIT_S = 30.0
"""For a condition that must come true; a loaded machine is slow, not broken."""


class Glass(io.StringIO):
    """Standard output, which is a terminal with a screen."""

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__()
        self.screen = ReflowScreen(columns, rows, history=2000, ratio=0.5)
        self.raw = ""
        self._stream = pyte.Stream(self.screen)

    def write(self, text: str) -> int:
        self.raw += text
        self._stream.feed(text)
        return len(text)

    def isatty(self) -> bool:
        return True

    @property
    def rows(self) -> list[str]:
        return [row.rstrip() for row in self.screen.display]

    @property
    def lines(self) -> list[str]:
        gone = ["".join(row[x].data for x in range(self.screen.columns)).rstrip() for row in self.screen.history.top]
        return gone + self.rows


class Desk:
    """A screen that stands, the person's keys, and what they see."""

    def __init__(self, glass: Glass, keys: PipeInput, screen: Screen, front: PromptFront, runtime: Runtime) -> None:
        self.glass = glass
        self.screen = screen
        self.front = front
        self.runtime = runtime
        self._keys = keys

    def type(self, keys: str) -> None:
        self._keys.send_text(keys)

    async def until(self, condition: Callable[[], bool]) -> None:
        end = asyncio.get_running_loop().time() + WAIT_S
        while not condition():
            assert asyncio.get_running_loop().time() < end, "timeout; screen:\n" + "\n".join(self.glass.rows)
            await asyncio.sleep(0.005)

    async def shows(self, text: str) -> None:
        await self.until(lambda: any(text in line for line in self.glass.lines))

    async def bytes_of(self, act: Callable[[], object]) -> str:
        """What is written until nothing more is, after something was done."""
        before = len(self.glass.raw)
        act()
        written = -1
        while written != len(self.glass.raw):
            written = len(self.glass.raw)
            await asyncio.sleep(0.15)
        return self.glass.raw[before:]


Job = Callable[[Desk], Awaitable[None]]


def sit(job: Job, *extensions: Activate, size: tuple[int, int] = (80, 24), model: Model | None = None) -> Glass:
    """Do the job at a screen of this size, and leave; what was on it."""
    glass = Glass(*size)

    async def go() -> None:
        front = PromptFront(Output(glass))
        runtime = Runtime(
            session=Session.memory("/work"),
            model=model or OfflinePlanner(),
            front=front,
            system_prompt="",
            max_rounds=20,
        )
        await runtime.load_all(lambda: named(extensions))
        await runtime.start("startup")
        out = FrameOutput(glass, lambda: Size(rows=glass.screen.lines, columns=glass.screen.columns), term="xterm")
        with create_pipe_input() as keys, create_app_session(input=keys, output=out):
            screen = Screen(runtime, front, out, keeps_history=False, reflows=True)
            front.screen = screen
            running = asyncio.create_task(screen.run())
            desk = Desk(glass, keys, screen, front, runtime)
            try:
                await desk.until(lambda: ">" in glass.rows)
                await job(desk)
            finally:
                screen.leave()
                with suppress(asyncio.CancelledError):
                    await running
                front.screen = None
                await runtime.close()

    asyncio.run(go())
    return glass
