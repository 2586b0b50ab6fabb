"""A run from the person's words to the last answer, with models behind real HTTP."""

import asyncio

from tests.scripted_llm import Call, ScriptedLlm, Step
from tests.todo_repl.talk import BOTH, ONE, TWO, Talk, echo, talk_with, tool, wire
from todo_context.hosts.memory import MemoryPi
from todo_context.lane import Lane
from todo_context.pi import ToolResult
from todo_context.plan.model import Json
from todo_context.tool import todo_write
from todo_repl.agent_events import MessageEnded, RunEnd, RunEnded, ToolEnded, ToolStarted
from todo_repl.messages import AssistantMessage, UserMessage
from todo_repl.models import ProviderName


@BOTH
def test_an_answer_of_text_ends_the_run(provider: ProviderName) -> None:
    with ScriptedLlm([{"text": "Hello there, friend."}]) as server:
        talk = talk_with(server, echo(), provider=provider)
        end = talk.say("hi")

    assert end == RunEnd("stop")
    assert talk.seen == "Hello there, friend."
    assert [(type(message), message.text) for message in talk.stored] == [
        (UserMessage, "hi"),
        (AssistantMessage, "Hello there, friend."),
    ]
    assert talk.shown[-1] == RunEnded(end)
    assert not talk.agent.is_running


@BOTH
def test_a_tool_is_run_and_its_result_goes_into_the_next_request(provider: ProviderName) -> None:
    with ScriptedLlm([{"text": "Now.", "tool_calls": [ONE]}, {"text": "Done."}]) as server:
        talk = talk_with(server, echo(), provider=provider)
        end = talk.say("go")
        first, second = server.bodies

    call = talk.answers[0].calls[0]
    assert end.reason == "stop"
    assert [(result.call_id, result.text, result.details) for result in talk.results] == [
        (call.id, "got {'n': 1}", {"sent": {"n": 1}})
    ]
    assert wire(first) == ["user"]
    assert wire(second)[:2] == ["user", f"assistant {call.id}"]
    assert wire(second)[2].endswith(f"={call.id}")
    assert "got {'n': 1}" in str(second)


@BOTH
def test_two_calls_of_one_message_run_side_by_side_and_are_sent_in_order(provider: ProviderName) -> None:
    second_is_done = asyncio.Event()

    async def first_waits(arguments: Json) -> ToolResult:
        if arguments == {"n": 1}:
            await second_is_done.wait()
        else:
            second_is_done.set()
        return ToolResult(text=f"got {arguments}")

    with ScriptedLlm([{"tool_calls": [ONE, TWO]}, {"text": "Done."}]) as server:
        talk = talk_with(server, tool("echo", first_waits), provider=provider)
        end = talk.say("go")
        sent = str(server.bodies[1])

    assert end.reason == "stop"
    assert [result.text for result in talk.results] == ["got {'n': 2}", "got {'n': 1}"]
    assert sent.index("got {'n': 1}") < sent.index("got {'n': 2}")


@BOTH
def test_a_talk_of_several_runs_is_sent_whole(provider: ProviderName) -> None:
    steps: list[Step] = [{"tool_calls": [ONE, TWO]}, {"text": "One."}, {"tool_calls": [ONE]}, {"text": "Two."}]
    with ScriptedLlm(steps) as server:
        talk = talk_with(server, echo(), provider=provider)
        talk.say("a")
        talk.say("b")
        sent = wire(server.bodies[-1])

    assert [word.split()[0] for word in sent if word.split()[0] in {"user", "assistant"}].count("assistant") == 3
    assert [part for word in sent for part in word.split() if part.startswith("=")] == [
        f"={call.id}" for answer in talk.answers for call in answer.calls
    ]


def test_the_real_tool_changes_the_plan_and_both_calls_of_a_message_count() -> None:
    def write(*ops: object) -> Call:
        return {"name": "todo_write", "arguments": {"ops": list(ops)}}

    init = {"op": "init", "list": [{"phase": "Build", "items": ["a", "b"]}]}
    steps: list[Step] = [
        {"tool_calls": [write(init)]},
        {"tool_calls": [write({"op": "done", "task": "a"}), write({"op": "note", "task": "b", "text": "n"})]},
        {"text": "Planned."},
    ]
    pi = MemoryPi()
    lane = Lane(pi)
    with ScriptedLlm(steps) as server:
        talk = talk_with(server, todo_write(lane))
        end = talk.say("plan it")

    assert end.reason == "stop"
    assert [(task.content, task.status.value, task.notes) for task in asyncio.run(lane.plan()).tasks()] == [
        ("a", "completed", ()),
        ("b", "in_progress", ("n",)),
    ]
    details = [result.details for result in talk.results]
    assert [detail["seq"] for detail in details if detail is not None] == [1, 2, 3]


@BOTH
def test_arguments_that_are_no_json_reach_the_tool_as_text(provider: ProviderName) -> None:
    with ScriptedLlm([{"tool_calls": [{"name": "echo", "arguments": '{"n": 1'}]}, {"text": "Sorry."}]) as server:
        talk = talk_with(server, echo(), provider=provider)
        end = talk.say("go")

    assert end.reason == "stop"
    assert talk.results[0].details == {"sent": '{"n": 1'}


def test_the_tools_are_asked_for_before_every_request() -> None:
    talk: Talk

    async def bring_another(_: Json) -> ToolResult:
        talk.tools.append(echo())
        return ToolResult(text="brought")

    steps: list[Step] = [{"tool_calls": [{"name": "bring", "arguments": {}}]}, {"tool_calls": [ONE]}, {"text": "."}]
    with ScriptedLlm(steps) as server:
        talk = talk_with(server, tool("bring", bring_another))
        talk.say("go")

    assert [result.text for result in talk.results] == ["brought", "got {'n': 1}"]


def test_extensions_are_told_in_the_order_of_pi() -> None:
    with ScriptedLlm([{"text": "Now.", "tool_calls": [ONE]}, {"text": "Done."}]) as server:
        talk = talk_with(server, echo())
        talk.say("go")

    assert [event["type"] for event in talk.told] == [
        "before_agent_start",
        "agent_start",
        "turn_start",
        "message_end",
        "context",
        "message_end",
        "tool_call",
        "tool_result",
        "message_end",
        "turn_end",
        "turn_start",
        "context",
        "message_end",
        "turn_end",
        "agent_end",
    ]
    told = {str(event["type"]): event for event in talk.told[:10]}
    call = talk.answers[0].calls[0]
    assert told["tool_call"] == {"type": "tool_call", "toolCallId": call.id, "toolName": "echo", "input": {"n": 1}}
    assert told["tool_result"] == {
        "type": "tool_result",
        "toolCallId": call.id,
        "toolName": "echo",
        "input": {"n": 1},
        "content": [{"type": "text", "text": "got {'n': 1}"}],
        "details": {"sent": {"n": 1}},
        "isError": False,
    }
    assert told["turn_end"] == {
        "type": "turn_end",
        "turnIndex": 0,
        "message": talk.answers[0].to_json(),
        "toolResults": [talk.results[0].to_json()],
    }
    assert talk.told[3]["message"] == talk.stored[0].to_json()
    assert talk.told[-1] == {
        "type": "agent_end",
        "messages": [message.to_json() for message in talk.stored],
        "reason": "stop",
    }


def test_the_screen_is_told_what_is_stored() -> None:
    with ScriptedLlm([{"text": "Now.", "tool_calls": [ONE]}, {"text": "Done."}]) as server:
        talk = talk_with(server, echo())
        talk.say("go")

    call = talk.answers[0].calls[0]
    assert [event.message for event in talk.shown if isinstance(event, MessageEnded)] == talk.stored
    assert [event for event in talk.shown if isinstance(event, ToolStarted | ToolEnded)] == [
        ToolStarted(call, "Echo"),
        ToolEnded(call, talk.tools[0], ToolResult(text="got {'n': 1}", details={"sent": {"n": 1}})),
    ]


def test_a_run_that_does_not_end_is_ended() -> None:
    again: Step = {"tool_calls": [ONE]}
    with ScriptedLlm([again] * 5) as server:
        talk = talk_with(server, echo())
        talk.agent.max_rounds = 3
        end = talk.say("go")

    assert end == RunEnd("limit", "3 requests in one run, and no end. Send a message to go on.")
    assert len(talk.results) == len(server.requests) == 3
