"""Messages of extensions reach the model with the next request, whenever they come."""

from tests.scripted_llm import ScriptedLlm
from tests.todo_repl.talk import ONE, Talk, echo, talk_with, tool, wire
from todo_context.pi import ToolResult
from todo_context.plan.model import Json
from todo_repl.agent import CustomMessage
from todo_repl.models import TextDelta


def test_a_message_that_comes_while_a_tool_runs_goes_into_the_next_request() -> None:
    talk: Talk

    async def execute(_: Json) -> ToolResult:
        talk.agent.steer(CustomMessage(custom_type="nudge", text="Mind the gap."))
        return ToolResult(text="ok")

    with ScriptedLlm([{"tool_calls": [ONE]}, {"text": "."}]) as server:
        talk = talk_with(server, tool("echo", execute))
        talk.say("go")
        call = talk.answers[0].calls[0]

    assert wire(server.bodies[1]) == ["user", f"assistant {call.id}", f"tool ={call.id}", "user"]
    assert "Mind the gap." in str(server.bodies[1])
    entry = next(entry for entry in talk.session.branch() if entry["type"] == "custom_message")
    assert (entry["customType"], entry["content"], entry["display"]) == ("nudge", "Mind the gap.", True)
    assert {
        "type": "message_end",
        "message": {"role": "custom", "customType": "nudge", "content": "Mind the gap.", "display": True},
    } in talk.told


def test_a_message_that_comes_at_the_end_makes_another_request() -> None:
    with ScriptedLlm([{"text": "One."}, {"text": "Two."}]) as server:
        talk = talk_with(server, echo())
        nudge = CustomMessage(custom_type="nudge", text="Go on.", display=False)
        talk.listen = lambda event: talk.agent.steer(nudge) if event == TextDelta("One.") else None
        end = talk.say("go")

    assert end.reason == "stop"
    assert [message.text for message in talk.context] == ["go", "One.", "Go on.", "Two."]


def test_a_message_without_a_run_is_stored_at_once() -> None:
    with ScriptedLlm([{"text": "One."}]) as server:
        talk = talk_with(server, echo())
        talk.agent.steer(CustomMessage(custom_type="nudge", text="Before."))
        talk.say("go")

    assert [message.text for message in talk.context] == ["Before.", "go", "One."]


def test_a_message_that_came_too_late_for_an_error_is_not_lost() -> None:
    with ScriptedLlm([{"text": "Half", "cut": True}]) as server:
        talk = talk_with(server, echo())
        talk.listen = lambda event: (
            talk.agent.steer(CustomMessage(custom_type="nudge", text="Late.")) if isinstance(event, TextDelta) else None
        )
        end = talk.say("go")

    assert end.reason == "error"
    assert [message.text for message in talk.context] == ["go", "Half", "Late."]
