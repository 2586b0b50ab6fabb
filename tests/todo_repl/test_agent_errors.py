"""A provider or a session that fails ends the run with a line; what was seen is kept."""

from pathlib import Path

import pytest

from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_repl.talk import BOTH, ONE, TWO, Talk, echo, talk_with, wire
from todo_repl.agent_events import AgentEvent, ToolStarted
from todo_repl.messages import AssistantMessage
from todo_repl.models import ProviderName
from todo_repl.session import Session


@BOTH
@pytest.mark.parametrize(
    ("step", "said", "error"),
    [
        pytest.param({"status": 401, "text": "Bad key."}, "", "HTTP 401: Bad key. Check the key in", id="401"),
        pytest.param({"status": 500, "text": "Oh."}, "", "HTTP 500: Oh. Try again", id="500"),
        pytest.param({"text": "Half of it", "cut": True}, "Half of it", "the answer broke off", id="cut"),
        pytest.param(
            {"thinking": "Hm", "text": "Half", "cut": True}, "Half", "the answer broke off", id="cut, with thinking"
        ),
    ],
)
def test_an_error_ends_the_run_and_what_came_is_kept(step: Step, said: str, error: str, provider: ProviderName) -> None:
    with ScriptedLlm([step, {"text": "Better."}]) as server:
        talk = talk_with(server, echo(), provider=provider)
        end = talk.say("hi")
        after_error = talk.stored[-1]
        again = talk.say("again")
        sent = wire(server.bodies[1])

    assert end.reason == "error"
    assert end.error is not None
    assert error in end.error
    assert isinstance(after_error, AssistantMessage)
    assert (after_error.text, after_error.stop_reason, after_error.error_message) == (said, "error", end.error)
    assert again.reason == "stop"
    assert sent in (["user", "user"], ["user"], ["user", "assistant", "user"])
    assert ("assistant" in sent) == bool(said)


def test_no_server_ends_the_run_and_the_next_one_works() -> None:
    with ScriptedLlm([]) as server:
        port = server.port
        talk = talk_with(server, echo())
    end = talk.say("hi")
    with ScriptedLlm([{"text": "Here."}], port=port):
        again = talk.say("again")

    assert (
        end.error
        == f"openai:m: no connection: All connection attempts failed. Is a server at http://127.0.0.1:{port}/v1?"
    )
    assert (again.reason, talk.answers[-1].text) == ("stop", "Here.")


def test_an_error_after_a_tool_keeps_the_result() -> None:
    with ScriptedLlm([{"tool_calls": [ONE]}, {"status": 500, "text": "Oh."}, {"text": "Better."}]) as server:
        talk = talk_with(server, echo())
        end = talk.say("go")
        again = talk.say("again")
        sent = wire(server.bodies[2])

    call = talk.answers[0].calls[0]
    assert (end.reason, again.reason) == ("error", "stop")
    assert sent == ["user", f"assistant {call.id}", f"tool ={call.id}", "user"]


@BOTH
def test_a_session_that_is_read_again_gives_the_same_context(provider: ProviderName, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    steps: list[Step] = [
        {
            "thinking": "Hm.",
            "signature": "c2ln",
            "text": "Now.",
            "tool_calls": [ONE, {"name": "echo", "arguments": "{oops"}],
        },
        {"text": "Half \u2028 \ud83d of it", "cut": True},
        {"tool_calls": [{"name": "no_such", "arguments": {}}]},
        {"text": "Done."},
    ]
    with ScriptedLlm(steps) as server, Session.create(path, "/work") as session:
        talk = talk_with(server, echo(), provider=provider, session=session)
        talk.say("one\r\n\ud800")
        talk.say("two")
        before = talk.context
    with Session.open(path) as again:
        after = Talk(talk.model, session=again).context

    assert after == before
    assert len(after) == 9


def test_a_session_that_another_program_went_on_with_ends_the_run_with_a_line(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with ScriptedLlm([{"tool_calls": [ONE, TWO]}]) as server, Session.create(path, "/work") as session:
        talk = talk_with(server, echo(), session=session)

        def write_beside(event: AgentEvent) -> None:
            if isinstance(event, ToolStarted):
                with path.open("a") as file:
                    file.write('{"type":"custom","id":"theirs"}\n')

        talk.listen = write_beside
        end = talk.say("go")

    assert end.reason == "error"
    assert end.error is not None
    assert "another program went on with this session, up to entry theirs" in end.error
    assert talk.results == []
    assert not talk.agent.is_running


def test_without_a_session_to_write_there_is_no_request(tmp_path: Path) -> None:
    with ScriptedLlm([]) as server, Session.create(tmp_path / "s.jsonl", "/work") as session:
        talk = talk_with(server, echo(), session=session)
        session.close()
        end = talk.say("go")

    assert (end.reason, server.requests) == ("error", [])
    assert end.error is not None
    assert "the session is closed" in end.error
