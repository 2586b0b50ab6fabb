"""What extensions are told, and what their answers change: that, and nothing else."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_llm import Step
from tests.todo_repl.scene import SYSTEM, TOOLS, Scene, answering, lasting, listening, play, text
from todo_context.pi import Answer, Context, Pi, Tool, ToolResult
from todo_context.plan.model import Json
from todo_repl.agent import CHANGED
from todo_repl.runtime import Submitted

EVENTS = (
    *("session_start", "input", "before_agent_start", "agent_start", "turn_start", "message_end", "context"),
    *("tool_call", "tool_result", "turn_end", "agent_end", "session_shutdown"),
)

HELLO: list[Step] = [{"text": "Hello."}, {"text": "Again."}, {"text": "And again."}]


def short(event: Any) -> str:
    """An event in a few words."""
    match event["type"]:
        case "message_end":
            return f"message_end {event['message']['role']}"
        case "context":
            return f"context {' '.join(message['role'] for message in event['messages'])}"
        case "turn_start" | "turn_end":
            return f"{event['type']} {event['turnIndex']}"
        case "tool_call" | "tool_result":
            return f"{event['type']} {event['toolCallId']}"
        case "agent_end":
            return f"agent_end {' '.join(message['role'] for message in event['messages'])}"
        case name:
            return f"{name} {event.get('reason', '')}".strip()


def test_a_run_with_two_calls_in_one_message_is_told_in_this_order() -> None:
    log: list[Any] = []
    play("go", listening(log, *EVENTS))

    assert [short(event) for event in log] == [
        "session_start startup",
        "input",
        "before_agent_start",
        "agent_start",
        "turn_start 0",
        "message_end user",
        "context user",
        "message_end assistant",
        "tool_call c1",
        "tool_call c2",
        "tool_result c1",
        "message_end toolResult",
        "tool_result c2",
        "message_end toolResult",
        "turn_end 0",
        "turn_start 1",
        "context user assistant toolResult toolResult",
        "message_end assistant",
        "turn_end 1",
        "agent_end user assistant toolResult toolResult assistant",
        "session_shutdown quit",
    ]


def test_what_each_event_says() -> None:
    log: list[Any] = []
    scene = play("go", listening(log, *EVENTS))

    first: dict[str, Any] = {}
    for event in log:
        first.setdefault(event["type"], event)
    user, answer, result = scene.messages[:3]
    call = {"toolCallId": "c1", "toolName": "echo", "input": {"n": 1}}
    patched = {key: result[key] for key in ("content", "details", "isError")}
    assert first["input"] == {"type": "input", "text": "go", "source": "print"}
    assert first["before_agent_start"] == {"type": "before_agent_start", "prompt": "go", "systemPrompt": SYSTEM}
    assert set(first["turn_start"]) == {"type", "turnIndex", "timestamp"}
    assert first["context"] == {"type": "context", "messages": [user], "leafId": first["context"]["leafId"]}
    assert first["tool_call"] == {"type": "tool_call", **call}
    assert first["tool_result"] == {"type": "tool_result", **call, **patched}
    assert first["turn_end"] == {
        "type": "turn_end",
        "turnIndex": 0,
        "message": answer,
        "toolResults": scene.messages[2:4],
    }
    assert first["agent_end"] == {"type": "agent_end", "messages": scene.messages, "reason": "stop"}


def test_each_handler_has_an_event_of_its_own() -> None:
    log: list[Any] = []

    def spoil(event: Any) -> None:
        for key in event:
            event[key] = "spoiled"

    def spoil_deeply(event: Any) -> None:
        event["messages"].clear()

    spoiled = answering(**{**dict.fromkeys(EVENTS, spoil), "context": spoil_deeply})
    scene = play("go", spoiled, listening(log, *EVENTS))

    assert "spoiled" not in str(log)
    assert scene.said == play("go").said
    assert len(scene.bodies[1]["messages"]) == 5


# input


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        pytest.param([None], "go", id="none"),
        pytest.param([{"action": "continue"}], "go", id="continue"),
        pytest.param([{"action": "transform", "text": "stay"}], "stay", id="transform"),
        pytest.param(
            [
                lambda event: {"action": "transform", "text": f"{event['text']} one"},
                lambda event: {"action": "transform", "text": f"{event['text']} two"},
            ],
            "go one two",
            id="one after the other",
        ),
        pytest.param([{"action": "transform", "text": "/echo x"}], "/echo x", id="no command comes of it"),
    ],
)
def test_input_may_be_changed(answers: list[object], said: str) -> None:
    scene = play("go", *(answering(input=answer) for answer in answers), steps=HELLO)

    assert scene.said == [f"user: {said}", "assistant: Hello."]
    assert scene.sent()[-1] == f"user: {said}"


def test_input_may_be_dealt_with_and_then_nobody_else_is_asked() -> None:
    log: list[Any] = []
    scene = play("go", answering(input={"action": "handled"}), listening(log, "input", "agent_start"))

    assert scene.messages == scene.bodies == log == []
    assert scene.front.errors == ""


def test_a_command_is_no_input_but_an_unknown_one_is() -> None:
    log: list[Any] = []

    def command(pi: Pi) -> None:
        async def hello(args: str, ctx: Context) -> Answer:
            del ctx
            return Answer(text=f"hello {args}")

        pi.register_command("hello", description="", handler=hello)

    def mine(event: Any) -> object:
        return {"action": "handled"} if event["text"].startswith("/mine") else None

    async def job(scene: Scene) -> None:
        assert await scene.type("/hello you", "quit") is Submitted.DONE
        assert await scene.type("/mine now") is Submitted.DONE
        assert await scene.type("/other") is Submitted.FAILED

    scene = play(job, command, listening(log, "input"), answering(input=mine))

    assert [event["text"] for event in log] == ["/mine now", "/other"]
    assert scene.front.shown == "hello you\n"
    assert scene.front.errors.startswith("/other: no such command.")


def test_an_unknown_command_may_be_made_a_message() -> None:
    scene = play("/sum up", answering(input={"action": "transform", "text": "Sum up."}), steps=HELLO)

    assert scene.said == ["user: Sum up.", "assistant: Hello."]


# before_agent_start


def test_the_system_prompt_of_one_run_may_be_changed_by_one_after_the_other() -> None:
    def first_only(event: Any) -> object:
        return {"systemPrompt": f"{event['systemPrompt']} A."} if event["prompt"] == "one" else None

    async def job(scene: Scene) -> None:
        await scene.type("one", "two")

    then = answering(before_agent_start=lambda event: {"systemPrompt": f"{event['systemPrompt']} B."})
    scene = play(job, answering(before_agent_start=first_only), then, steps=[TOOLS[0], *HELLO])

    prompts = [text(body["messages"][0]) for body in scene.bodies]
    assert prompts == ["You plan. A. B.", "You plan. A. B.", "You plan. B."]


@pytest.mark.parametrize("display", [True, False])
def test_a_message_may_follow_the_persons(display: bool) -> None:
    log: list[Any] = []
    note = {"message": {"customType": "note", "content": "Mind the gap.", "display": display}}
    scene = play("go", answering(before_agent_start=note), listening(log, "message_end", "agent_end"), steps=HELLO)

    assert scene.said == ["user: go", "custom: Mind the gap.", "assistant: Hello."]
    assert (scene.messages[1]["customType"], scene.messages[1]["display"]) == ("note", display)
    assert scene.sent(0)[1:] == ["user: go", "user: Mind the gap."]
    assert [event["message"]["role"] for event in log[:-1]] == ["user", "custom", "assistant"]
    assert [message["role"] for message in log[-1]["messages"]] == ["user", "custom", "assistant"]
    assert ("Mind the gap." in scene.front.shown) == display


# context


def reminding(event: Any) -> object:
    return {"messages": [*event["messages"], {"role": "user", "content": "REMINDER", "timestamp": 0}]}


def test_every_request_may_carry_more_and_the_file_does_not(tmp_path: Path) -> None:
    with_it = play("go", answering(context=reminding), path=tmp_path / "with.jsonl")
    without = play("go", path=tmp_path / "without.jsonl")

    assert [text(body["messages"][-1]) for body in with_it.bodies] == ["REMINDER", "REMINDER"]
    assert with_it.bodies[1]["messages"][:-1] == without.bodies[1]["messages"]
    assert lasting(tmp_path / "with.jsonl") == lasting(tmp_path / "without.jsonl")


def test_one_handler_sees_what_the_other_left_and_an_extensions_message_by_its_role() -> None:
    log: list[Any] = []

    async def job(scene: Scene) -> None:
        await scene.type("/note", "go")

    def noting(pi: Pi) -> None:
        async def note(args: str, ctx: Context) -> None:
            del args, ctx
            pi.send_message("Look.", custom_type="note")

        pi.register_command("note", description="", handler=note)

    scene = play(job, noting, answering(context=reminding), listening(log, "context"), steps=HELLO)

    assert [message["role"] for message in log[0]["messages"]] == ["custom", "user", "user"]
    assert log[0]["messages"][0] == {"role": "custom", "customType": "note", "content": "Look.", "display": True}
    assert scene.sent() == [f"system: {SYSTEM}", "user: Look.", "user: go", "user: REMINDER"]


def without_results(event: Any) -> object:
    return {"messages": [message for message in event["messages"] if message["role"] != "toolResult"]}


def without_answers(event: Any) -> object:
    return {"messages": [message for message in event["messages"] if message["role"] != "assistant"]}


def from_the_answer_on(event: Any) -> object:
    added = {"role": "user", "content": [{"type": "text", "text": "So?"}], "timestamp": 0}
    return {"messages": [*event["messages"][1:], added]} if len(event["messages"]) > 1 else None


@pytest.mark.parametrize(
    ("answer", "roles"),
    [
        pytest.param(without_results, "system user assistant tool tool", id="calls without results"),
        pytest.param(without_answers, "system user", id="results without calls"),
        pytest.param(from_the_answer_on, "system user", id="a beginning in the middle of a turn"),
        pytest.param(lambda event: {"messages": event["messages"][::-1]}, "system user", id="turned around"),
    ],
)
def test_what_a_provider_would_refuse_is_mended(answer: object, roles: str) -> None:
    scene = play("go", answering(context=answer))

    assert " ".join(message["role"] for message in scene.bodies[1]["messages"]) == roles
    assert scene.front.errors == ""
    assert scene.said[-1] == "assistant: Done."


def test_half_a_character_of_a_handler_does_not_break_a_request() -> None:
    scene = play("go", answering(context={"messages": [{"role": "user", "content": "\ud83d!"}]}), steps=HELLO)

    assert scene.sent()[-1] == "user: \ufffd!"
    assert scene.said == ["user: go", "assistant: Hello."]


# message_end


def shouting(role: str) -> object:
    def answer(event: Any) -> object:
        message = event["message"]
        if message["role"] != role:
            return None
        words = [
            {**part, "text": part["text"].upper()} if part["type"] == "text" else part for part in message["content"]
        ]
        return {"message": {**message, "content": words}}

    return answer


def test_an_answer_may_be_changed_before_it_is_stored_and_the_person_sees_both(tmp_path: Path) -> None:
    log: list[Any] = []
    extensions = (answering(message_end=shouting("assistant")), listening(log, "message_end", "turn_end", "agent_end"))
    scene = play("go", *extensions, path=tmp_path / "s.jsonl")

    assert [said for said in scene.said if said.startswith("assistant")] == ["assistant: NOW.", "assistant: DONE."]
    assert "assistant: NOW." in scene.sent()
    assert "Done.\n" not in (tmp_path / "s.jsonl").read_text()
    assert scene.front.shown.endswith(f"Done.\n{CHANGED}\nDONE.\n")
    assert [text(event["message"]) for event in log if event["type"] == "turn_end"] == ["NOW.", "DONE."]
    assert log[-1]["messages"] == scene.messages


def test_the_calls_of_a_changed_answer_are_the_ones_that_run() -> None:
    def without_second(event: Any) -> object:
        message = event["message"]
        return {"message": {"content": message["content"][:2]}} if message["role"] == "assistant" else None

    scene = play("go", answering(message_end=without_second))

    assert scene.said == ["user: go", "assistant: Now.", "toolResult: got {'n': 1}", "assistant: Done."]


def test_a_result_may_be_changed_at_its_end_too() -> None:
    scene = play("go", answering(message_end=shouting("toolResult")))

    assert scene.said[2:4] == ["toolResult: GOT {'N': 1}", "toolResult: GOT {'N': 2}"]
    assert scene.messages[2]["details"] == {"sent": {"n": 1}}
    assert scene.sent()[-2:] == ["tool: GOT {'N': 1}", "tool: GOT {'N': 2}"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        pytest.param(
            shouting("user"), """the role 'user', which is stored already. What the person""", id="the persons"
        ),
        pytest.param({"message": {"role": "custom", "content": "x"}}, 'has another "role"', id="another role"),
        pytest.param({"message": {"stopReason": "error"}}, 'has another "stopReason"', id="another end"),
        pytest.param({"message": {"content": [{"type": "image"}]}}, "has \"content\": [{'type': 'image'}]", id="parts"),
    ],
)
def test_what_cannot_be_changed_of_a_message_is_said(answer: object, said: str) -> None:
    plain, scene = play("go", steps=HELLO), play("go", answering(message_end=answer), steps=HELLO)

    assert scene.said == plain.said
    assert said in scene.front.errors
    assert scene.front.errors.startswith("probe: at message_end: its answer ")


# tool_call and tool_result


def second_only(answer: object) -> object:
    return lambda event: answer if event["toolCallId"] == "c2" else None


def test_a_call_may_be_blocked_and_the_model_reads_why() -> None:
    log: list[Any] = []
    block = answering(tool_call=second_only({"block": True, "reason": "Not on Mondays."}))
    scene = play("go", block, listening(log, "tool_call", "tool_result", "message_end"))

    assert sorted(scene.said[2:4]) == ["toolResult: Not on Mondays.", "toolResult: got {'n': 1}"]
    assert {text(message): message["isError"] for message in scene.messages[2:4]} == {
        "Not on Mondays.": True,
        "got {'n': 1}": False,
    }
    assert scene.sent()[-2:] == ["tool: got {'n': 1}", "tool: Not on Mondays."]
    assert "Not on Mondays.\n" in scene.front.errors
    # Nobody further is asked about a call that will not run, and there is no result of a tool to change.
    assert [event["toolCallId"] for event in log if event["type"] == "tool_call"] == ["c1"]
    assert [event["toolCallId"] for event in log if event["type"] == "tool_result"] == ["c1"]
    assert [event["message"]["role"] for event in log if event["type"] == "message_end"].count("toolResult") == 2


def test_a_block_without_a_reason_has_one() -> None:
    scene = play("go", answering(tool_call={"block": True}))

    assert scene.said[2] == 'toolResult: The tool "echo" was not run: an extension blocked it.'


def test_the_arguments_may_be_changed_for_the_tool_and_the_call_stays_as_the_model_made_it() -> None:
    log: list[Any] = []
    twice = answering(tool_call=lambda event: {"input": {"n": event["input"]["n"] * 2}})
    scene = play("go", twice, twice, listening(log, "tool_result"))

    assert scene.said[2:4] == ["toolResult: got {'n': 4}", "toolResult: got {'n': 8}"]
    assert [event["input"] for event in log] == [{"n": 4}, {"n": 8}]
    calls = [part["arguments"] for part in scene.messages[1]["content"] if part["type"] == "toolCall"]
    assert calls == [{"n": 1}, {"n": 2}]


def test_arguments_that_were_no_json_are_text_and_may_be_put_right() -> None:
    log: list[Any] = []
    broken: Step = {"tool_calls": [{"name": "echo", "arguments": "{oops"}]}
    mended = answering(tool_call={"input": {"n": 3}})
    scene = play("go", listening(log, "tool_call"), mended, steps=[broken, *HELLO])

    assert log[0]["input"] == "{oops"
    assert scene.said[2] == "toolResult: got {'n': 3}"


def test_a_tool_that_is_not_there_is_not_asked_about() -> None:
    log: list[Any] = []
    absent: Step = {"tool_calls": [{"name": "no_such", "arguments": {}}]}
    scene = play("go", listening(log, "tool_call", "tool_result"), steps=[absent, *HELLO])

    assert log == []
    assert scene.said[2].startswith('toolResult: There is no tool "no_such".')


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param({"content": "secret"}, {"content": [{"type": "text", "text": "secret"}]}, id="text"),
        pytest.param(
            {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            {"content": [{"type": "text", "text": "a\nb"}]},
            id="parts",
        ),
        pytest.param({"details": {"x": 1}}, {"details": {"x": 1}}, id="details"),
        pytest.param({"isError": True}, {"isError": True}, id="error"),
    ],
)
def test_of_a_result_what_is_answered_is_changed_and_no_more(answer: object, expected: dict[str, Any]) -> None:
    plain, scene = play("go"), play("go", answering(tool_result=second_only(answer)))

    moment = {"timestamp": 0}
    assert {**scene.messages[2], **moment} == {**plain.messages[2], **moment}
    assert {**scene.messages[3], **moment} == {**plain.messages[3], **expected, **moment}
    assert scene.sent()[-1] == f"tool: {text(scene.messages[3])}"


def test_one_handler_of_a_result_has_what_the_other_left() -> None:
    def more(letter: str) -> object:
        return lambda event: {"content": f"{text(event)}{letter}", "isError": not event["isError"]}

    scene = play("go", answering(tool_result=more("x")), answering(tool_result=more("y")))

    assert scene.said[2] == "toolResult: got {'n': 1}xy"
    assert scene.messages[2]["isError"] is False


# What goes wrong


def crash(_: Any) -> None:
    raise ValueError("oh\x1b[2J no")


@pytest.mark.parametrize("event", EVENTS)
def test_a_handler_that_raises_is_one_line_each_time_and_changes_nothing(event: str) -> None:
    log: list[Any] = []
    plain = play("go")
    scene = play("go", answering(**{event: crash}), listening(log, event))

    lines = scene.front.errors.splitlines()
    assert len(lines) == len(log) > 0
    assert all(line.startswith(f"probe: at {event}: ValueError: oh no. Its trace is in ") for line in lines)
    assert scene.said == plain.said
    assert [body["messages"] for body in scene.bodies] == [body["messages"] for body in plain.bodies]


class Panic(BaseException):
    """As a library in another language raises it."""


ENDS = [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError(), GeneratorExit(), Panic("oh no")]


@pytest.mark.parametrize("error", ENDS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("event", ["session_start", "context", "agent_end", "session_shutdown"])
def test_a_handler_cannot_end_the_program(event: str, error: BaseException) -> None:
    async def end(_: Any) -> None:
        raise error

    scene = play("go", answering(**{event: end}))

    assert scene.said == play("go").said
    assert f"probe: at {event}: RuntimeError: it " in scene.front.errors


@pytest.mark.parametrize("error", [SystemExit(3), asyncio.CancelledError(), GeneratorExit(), Panic()], ids=repr)
def test_nor_can_one_that_does_not_wait(error: BaseException) -> None:
    def end(_: Any) -> None:
        raise error

    scene = play("go", answering(context=end))
    assert "probe: at context: RuntimeError: it " in scene.front.errors


def test_nor_can_a_command_or_a_tool() -> None:
    async def leave(_args: str, _ctx: Context) -> Answer | None:
        sys.exit(3)

    async def execute(_id: str, _arguments: Json, _ctx: Context) -> ToolResult:
        sys.exit(4)

    def activate(pi: Pi) -> None:
        pi.register_command("leave", description="", handler=leave)
        pi.register_tool(Tool(name="out", label="Out", description="", parameters={"type": "object"}, execute=execute))

    async def job(scene: Scene) -> None:
        assert await scene.type("/leave") is Submitted.BUG
        assert await scene.type("go") is Submitted.DONE

    steps: list[Step] = [{"tool_calls": [{"name": "out", "arguments": {}}]}, {"text": "Still here."}]
    scene = play(job, activate, steps=steps)
    assert "/leave: RuntimeError: it raised SystemExit(3)" in scene.front.errors
    assert scene.said[-2:] == ['toolResult: The tool "out" failed: SystemExit: 4', "assistant: Still here."]


WRONG = [
    ("input", "no", "is 'no'"),
    ("input", {"text": "x"}, "is {'text': 'x'}"),
    ("input", {"action": "transform"}, "is {'action': 'transform'}"),
    ("input", {"action": "transform", "text": " "}, "is {'action': 'transform', 'text': ' '}"),
    ("input", {"action": "stop"}, "is {'action': 'stop'}"),
    ("before_agent_start", {"system_prompt": "x"}, 'has "system_prompt"'),
    ("before_agent_start", {"systemPrompt": 3}, 'has "systemPrompt": 3'),
    ("before_agent_start", {"message": {"content": "x"}}, "has \"message\": {'content': 'x'}"),
    ("context", [], "is []"),
    ("context", {"messages": "x"}, "has \"messages\": 'x'"),
    ("context", {"messages": [{"role": "system", "content": "x"}]}, 'has "messages": [{'),
    ("context", {"messages": []}, "leaves nothing that the model could answer"),
    ("context", {"messages": [{"role": "user", "content": " "}]}, "leaves nothing that the model could answer"),
    ("context", {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}, "leaves noth"),
    ("context", {"messages": {1, 2}}, "is no JSON"),
    ("message_end", {"message": "x"}, "has \"message\": 'x'"),
    ("tool_call", True, "is True"),
    ("tool_call", {"block": "yes"}, "has \"block\": 'yes'"),
    ("tool_call", {"input": [1]}, 'has "input": [1]'),
    ("tool_result", {"content": [{"type": "image"}]}, 'has "content": [{'),
    ("tool_result", {"details": "x"}, "has \"details\": 'x'"),
    ("tool_result", {"is_error": True}, 'has "is_error"'),
]


@pytest.mark.parametrize(("event", "answer", "said"), WRONG)
def test_an_answer_that_cannot_be_meant_is_said_and_passed_over(event: str, answer: object, said: str) -> None:
    log: list[Any] = []
    plain = play("go")
    scene = play("go", answering(**{event: answer}), listening(log, event))

    lines = scene.front.errors.splitlines()
    assert len(lines) == len(log) > 0
    assert all(line.startswith(f"probe: at {event}: its answer {said}") for line in lines)
    assert all(" A right one: {" in line for line in lines)
    assert scene.said == plain.said
    assert [body["messages"] for body in scene.bodies] == [body["messages"] for body in plain.bodies]


@pytest.mark.parametrize("event", sorted(set(EVENTS) - {name for name, _, _ in WRONG}))
def test_what_is_answered_to_an_event_that_only_tells_is_nothing(event: str) -> None:
    scene = play("go", answering(**{event: {"block": True, "messages": [], "action": "handled"}}))

    assert scene.front.errors == ""
    assert scene.said == play("go").said


# Going on


def sending(event_name: str, content: str, *, times: int = 1, trigger_turn: bool = True) -> Any:
    """An extension that sends a message at an event, so many times."""

    def activate(pi: Pi) -> None:
        left = [times]

        def send(event: Any, ctx: Context) -> None:
            del event, ctx
            if left[0]:
                left[0] -= 1
                pi.send_message(content, custom_type="nudge", trigger_turn=trigger_turn)

        pi.on(event_name, send)

    return activate


@pytest.mark.parametrize("event", ["turn_end", "agent_end"])
def test_a_message_at_the_end_makes_the_agent_go_on(event: str) -> None:
    log: list[Any] = []
    scene = play("go", sending(event, "Go on."), listening(log, "agent_start", "agent_end"), steps=HELLO)

    assert scene.said == ["user: go", "assistant: Hello.", "custom: Go on.", "assistant: Again."]
    assert scene.sent()[-1] == "user: Go on."
    ends = ["agent_end user assistant custom assistant"]
    if event == "agent_end":
        ends = ["agent_end user assistant", "agent_start", "agent_end custom assistant"]
    assert [short(each) for each in log] == ["agent_start", *ends]


def test_a_message_at_the_very_end_that_asks_for_no_turn_waits_for_the_next() -> None:
    scene = play("go", sending("agent_end", "Later.", trigger_turn=False), steps=HELLO)

    assert scene.said == ["user: go", "assistant: Hello.", "custom: Later."]
    assert len(scene.bodies) == 1


def test_going_on_has_an_end() -> None:
    endless: list[Step] = [{"text": "Hello."}] * 99
    scene = play("go", sending("agent_end", "Go on.", times=99), steps=endless)

    assert len(scene.bodies) == 5
    assert scene.front.errors == "5 requests in one run, and no end. Send a message to go on.\n"


def test_an_error_is_no_stop_to_go_on_from() -> None:
    scene = play("go", sending("agent_end", "Go on."), steps=[{"status": 400, "text": "Oh."}, *HELLO])

    assert [message["role"] for message in scene.messages] == ["user", "assistant", "custom"]
    assert len(scene.bodies) == 1


def test_a_command_may_start_a_run() -> None:
    log: list[Any] = []

    def activate(pi: Pi) -> None:
        async def ask(args: str, ctx: Context) -> Answer:
            del ctx
            pi.send_message(args, custom_type="ask", display=False, trigger_turn=True)
            return Answer(text="Asked.")

        pi.register_command("ask", description="", handler=ask)

    async def job(scene: Scene) -> None:
        assert await scene.type("/ask what now?") is Submitted.DONE

    scene = play(job, activate, listening(log, "input", "before_agent_start", "agent_start", "agent_end"), steps=HELLO)

    assert scene.front.shown == "Asked.\nHello.\n"
    assert scene.said == ["custom: what now?", "assistant: Hello."]
    assert [event["type"] for event in log] == ["before_agent_start", "agent_start", "agent_end"]
    assert log[0]["prompt"] == ""


def test_where_nothing_is_under_way_no_run_is_started() -> None:
    scene = play("go", sending("session_start", "Begin."), steps=HELLO)

    assert scene.said == ["user: go", "assistant: Hello."]
    assert scene.front.errors == (
        "probe: at session_start: wants a turn of the agent while nothing is under way. "
        "Ask for it in a command, or in an event of a run.\n"
    )


def test_the_port_says_that_the_host_can_do_this() -> None:
    got: list[Pi] = []
    play("go", got.append, steps=HELLO)

    assert (got[0].capabilities.context_hook, got[0].capabilities.goes_on) == (True, True)
