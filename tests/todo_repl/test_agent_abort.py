"""A run that is aborted, or cancelled, keeps what had happened, and the next one works."""

import asyncio
import threading
from contextlib import suppress

import pytest

from tests.scripted_llm import ScriptedLlm
from tests.todo_repl.talk import BOTH, ONE, TWO, echo, talk_with, tool, wire
from todo_context.errors import TodoContextError
from todo_context.pi import ToolResult
from todo_context.plan.model import Json
from todo_repl.agent_events import AgentEvent, RunEnd, RunEnded, ToolEnded
from todo_repl.context import NO_RESULT
from todo_repl.messages import AssistantMessage
from todo_repl.models import ProviderName, TextDelta


@BOTH
def test_an_abort_while_the_model_speaks_keeps_what_was_seen(provider: ProviderName) -> None:
    never, seen = threading.Event(), threading.Event()
    with ScriptedLlm([{"text": "Half of it", "hold": never}, {"text": "Better."}]) as server:
        talk = talk_with(server, echo(), provider=provider)
        talk.listen = lambda _: seen.set() if talk.seen == "Half of it" else None

        async def aborted() -> RunEnd:
            run = asyncio.create_task(talk.agent.run("hi"))
            await asyncio.to_thread(seen.wait)
            talk.agent.abort()
            return await run

        end = asyncio.run(aborted())
        kept = talk.stored[-1]
        again = talk.say("again")

    assert end == RunEnd("aborted")
    assert isinstance(kept, AssistantMessage)
    assert (kept.text, kept.stop_reason) == ("Half of it", "aborted")
    assert wire(server.bodies[1]) == ["user", "assistant", "user"]
    assert again.reason == "stop"
    told = [event for event in talk.told if event["type"] == "agent_end"]
    assert [event["reason"] for event in told] == ["aborted", "stop"]
    assert told[0]["messages"] == [talk.stored[0].to_json(), kept.to_json()]


def test_an_abort_before_the_model_says_a_word() -> None:
    never = threading.Event()
    with ScriptedLlm([{"text": "x", "gate": never}]) as server:
        talk = talk_with(server, echo())

        async def aborted() -> RunEnd:
            run = asyncio.create_task(talk.agent.run("hi"))
            await asyncio.to_thread(server.wait_for, 1)
            talk.agent.abort()
            return await run

        end = asyncio.run(aborted())

    assert end == RunEnd("aborted")
    assert [(message.parts, message.stop_reason) for message in talk.answers] == [((), "aborted")]
    assert [message.text for message in talk.context] == ["hi"]


def test_an_abort_before_the_first_step_keeps_the_persons_words() -> None:
    with ScriptedLlm([]) as server:
        talk = talk_with(server, echo())

        async def aborted() -> RunEnd:
            run = asyncio.create_task(talk.agent.run("hi"))
            await asyncio.sleep(0)
            talk.agent.abort()
            return await run

        end = asyncio.run(aborted())

    assert end == RunEnd("aborted")
    assert [message.text for message in talk.stored] == ["hi"]


@BOTH
def test_an_abort_while_tools_run_keeps_what_had_ended(provider: ProviderName) -> None:
    both_run = asyncio.Event()
    happened: list[str] = []

    async def execute(arguments: Json) -> ToolResult:
        if arguments == {"n": 1}:
            await both_run.wait()
            return ToolResult(text="quick")
        both_run.set()
        try:
            await asyncio.Event().wait()
        finally:
            happened.append("cleaned up")
        raise AssertionError

    def listen(event: AgentEvent) -> None:
        if isinstance(event, ToolEnded):
            talk.agent.abort()
        elif isinstance(event, RunEnded):
            happened.append("run ended")

    with ScriptedLlm([{"text": "Both.", "tool_calls": [ONE, TWO]}, {"text": "Better."}]) as server:
        talk = talk_with(server, tool("echo", execute), provider=provider)
        talk.listen = listen
        end = talk.say("go")
        talk.listen = id
        again = talk.say("again")
        sent = wire(server.bodies[1])

    first, second = talk.answers[0].calls
    assert end == RunEnd("aborted")
    assert happened == ["cleaned up", "run ended"]
    assert [result.text for result in talk.results] == ["quick"]
    assert again.reason == "stop"
    assert [part for word in sent for part in word.split() if part.startswith("=")] == [f"={first.id}", f"={second.id}"]
    assert NO_RESULT in str(server.bodies[1])
    assert NO_RESULT not in str(talk.session.branch())


def test_a_tool_that_ends_in_spite_of_an_abort_has_its_result_kept() -> None:
    runs = asyncio.Event()

    async def stubborn(_: Json) -> ToolResult:
        runs.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return ToolResult(text="done all the same")
        raise AssertionError

    with ScriptedLlm([{"tool_calls": [ONE]}]) as server:
        talk = talk_with(server, tool("echo", stubborn))

        async def aborted() -> RunEnd:
            run = asyncio.create_task(talk.agent.run("go"))
            await runs.wait()
            talk.agent.abort()
            return await run

        end = asyncio.run(aborted())

    assert end == RunEnd("aborted")
    assert [result.text for result in talk.results] == ["done all the same"]


def test_an_abort_does_not_wait_for_ever_and_a_late_result_is_still_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("todo_repl.tool_round.ABORT_WAIT_S", 0.01)
    runs, may_end, has_ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def deaf(_: Json) -> ToolResult:
        runs.set()
        while not may_end.is_set():
            with suppress(asyncio.CancelledError):
                await may_end.wait()
        return ToolResult(text="late")

    with ScriptedLlm([{"tool_calls": [ONE]}, {"text": "Better."}]) as server:
        talk = talk_with(server, tool("echo", deaf))

        async def aborted() -> RunEnd:
            run = asyncio.create_task(talk.agent.run("go"))
            await runs.wait()
            talk.agent.abort()
            end = await run
            talk.listen = lambda event: has_ended.set() if isinstance(event, ToolEnded) else None
            may_end.set()
            await has_ended.wait()
            return end

        end = asyncio.run(aborted())
        talk.say("again")

    assert end == RunEnd("aborted")
    assert [message.text for message in talk.context] == ["go", "", "late", "again", "Better."]


def test_an_extension_that_swallows_an_abort_does_not_undo_it() -> None:
    with ScriptedLlm([{"tool_calls": [ONE]}, {"text": "Too far."}]) as server:
        talk = talk_with(server, echo())

        async def swallow(_: str, event: dict[str, Json]) -> None:
            if event["type"] == "turn_end":
                talk.agent.abort()
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(0)

        talk.agent.on_event = swallow
        end = talk.say("go")

    assert end == RunEnd("aborted")
    assert len(server.requests) == 1


def test_whoever_cancels_the_run_itself_is_heard() -> None:
    never, seen = threading.Event(), threading.Event()
    with ScriptedLlm([{"text": "Half", "hold": never}]) as server:
        talk = talk_with(server, echo())
        talk.listen = lambda event: seen.set() if isinstance(event, TextDelta) else None

        async def cancelled() -> bool:
            run = asyncio.create_task(talk.agent.run("hi"))
            await asyncio.to_thread(seen.wait)
            run.cancel()
            await asyncio.wait([run])
            return run.cancelled()

        assert asyncio.run(cancelled())

    assert (talk.answers[-1].text, talk.answers[-1].stop_reason) == ("Half", "aborted")
    assert not talk.agent.is_running


def test_an_abort_without_a_run_is_nothing() -> None:
    with ScriptedLlm([{"text": "Hello."}]) as server:
        talk = talk_with(server, echo())
        talk.agent.abort()

        assert talk.say("hi").reason == "stop"


def test_a_second_run_is_refused_while_one_is_on() -> None:
    gate = threading.Event()
    with ScriptedLlm([{"text": "Hello.", "gate": gate}]) as server:
        talk = talk_with(server, echo())

        async def twice() -> RunEnd:
            run = asyncio.create_task(talk.agent.run("one"))
            await asyncio.to_thread(server.wait_for, 1)
            with pytest.raises(TodoContextError, match=r"a run is on\. Abort it, or wait for its end\."):
                await talk.agent.run("two")
            gate.set()
            return await run

        assert asyncio.run(twice()).reason == "stop"

    assert [message.text for message in talk.stored] == ["one", "Hello."]
