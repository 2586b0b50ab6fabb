"""A handler that does not end holds nothing up for ever: Ctrl-C ends the run, and what was seen is stored."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from tests.todo_repl.scene import TOOLS, Scene, answering, play
from todo_context.pi import Context, Pi
from todo_repl.runtime import Submitted

ANSWERED = ["user: go", "assistant: Now."]
RAN = [*ANSWERED, "toolResult: got {'n': 1}", "toolResult: got {'n': 2}"]

IN_A_RUN = {
    "before_agent_start": ["user: go"],
    "agent_start": ["user: go"],
    "turn_start": ["user: go"],
    "context": ["user: go"],
    "message_end": ["user: go"],
    "tool_call": ANSWERED,
    "tool_result": RAN,
    "turn_end": RAN,
    "agent_end": [*RAN, "assistant: Done."],
}
"""What is stored when a handler of the event has been aborted."""


def hanging(event_name: str, reached: asyncio.Event, *, is_deaf: bool = False, role: str = "") -> Any:
    """An extension whose handler waits for ever; one that is deaf also after it was cancelled, once."""

    def activate(pi: Pi) -> None:
        async def hang(event: Any, ctx: Context) -> None:
            del ctx
            if role and event["message"]["role"] != role:
                return
            reached.set()
            if is_deaf:
                with suppress(asyncio.CancelledError):
                    await asyncio.Event().wait()
            await asyncio.Event().wait()

        pi.on(event_name, hang)

    return activate


def aborted(reached: asyncio.Event, *extensions: Any) -> Scene:
    ended: list[Submitted] = []

    async def job(scene: Scene) -> None:
        run = asyncio.create_task(scene.type("go"))
        await reached.wait()
        assert scene.runtime.abort()
        ended.append(await run)

    scene = play(job, *extensions)
    assert ended == [Submitted.ABORTED]
    return scene


@pytest.mark.parametrize("event", IN_A_RUN)
def test_an_abort_ends_a_handler_that_waits(event: str) -> None:
    reached = asyncio.Event()
    scene = aborted(reached, hanging(event, reached))

    assert scene.said == IN_A_RUN[event]
    assert scene.front.errors == "Stopped.\n"


@pytest.mark.parametrize("event", ["context", "agent_end"])
def test_an_abort_leaves_a_handler_that_does_not_listen(event: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("todo_repl.extensions.ABORT_WAIT_S", 0.01)
    reached = asyncio.Event()
    scene = aborted(reached, hanging(event, reached, is_deaf=True))

    assert scene.said == IN_A_RUN[event]


@pytest.mark.parametrize("role", ["assistant", "toolResult"])
def test_what_was_seen_is_stored_also_when_its_handler_is_aborted(role: str) -> None:
    reached = asyncio.Event()
    early = answering(
        message_end=lambda event: {"message": {"content": "changed"}} if event["message"]["role"] == role else None
    )
    scene = aborted(reached, early, hanging("message_end", reached, role=role))

    said = [text for text in scene.said if text.startswith(role)]
    assert (
        said == ["assistant: Now."] if role == "assistant" else ["toolResult: got {'n': 1}", "toolResult: got {'n': 2}"]
    )


def test_after_an_abort_the_next_message_is_answered() -> None:
    reached = asyncio.Event()

    def once(pi: Pi) -> None:
        async def hang(event: Any, ctx: Context) -> None:
            del event, ctx
            if not reached.is_set():
                reached.set()
                await asyncio.Event().wait()

        pi.on("context", hang)

    async def job(scene: Scene) -> None:
        run = asyncio.create_task(scene.type("go"))
        await reached.wait()
        scene.runtime.abort()
        assert await run is Submitted.ABORTED
        assert await scene.type("again") is Submitted.DONE

    scene = play(job, once, steps=TOOLS)

    assert scene.said[-1] == "assistant: Done."


def test_input_that_is_never_dealt_with_can_be_cancelled() -> None:
    reached = asyncio.Event()

    async def job(scene: Scene) -> None:
        line = asyncio.create_task(scene.type("go"))
        await reached.wait()
        assert not scene.runtime.abort()
        line.cancel()
        await asyncio.wait([line])
        assert line.cancelled()
        assert await scene.type("/help") is Submitted.DONE

    assert play(job, hanging("input", reached)).messages == []


def test_a_handler_that_cancels_itself_is_reported_and_the_run_goes_on() -> None:
    async def give_up(_: Any) -> None:
        raise asyncio.CancelledError

    scene = play("go", answering(turn_end=give_up))

    assert scene.front.errors.count("probe: at turn_end: RuntimeError: it cancelled itself.") == 2
    assert scene.said[-1] == "assistant: Done."
