"""Older messages become a summary: when it is asked for, when the window fills, when a request was too long."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_llm import ASIDE, ScriptedLlm, Step
from tests.todo_repl.session_kit import say, set_plan, tasks
from tests.todo_repl.talk import BOTH, ONE, Talk, echo, talk_with, wire
from todo_context.config import settings
from todo_context.errors import TodoContextError
from todo_context.plan.model import Json
from todo_context.settings import Settings
from todo_repl.agent_events import CompactionEnd, CompactionEnded, CompactionStarted, RunEnd
from todo_repl.answers import AnswerError, left_by
from todo_repl.compaction import CUT_OFF, Compacting
from todo_repl.connect import online_model
from todo_repl.context import SUMMARY
from todo_repl.messages import AssistantMessage, TextPart, ToolCall, ToolResultMessage, UserMessage
from todo_repl.models import KnowsWindow, Material, ModelSpec, ProviderName
from todo_repl.offline import OfflinePlanner
from todo_repl.offline_summary import offline_summary
from todo_repl.session import Session
from todo_repl.steering import CustomMessage
from todo_repl.summary_request import fenced

GOLDEN = Path(__file__).parents[1] / "golden"

SMALL = Compacting(keep_tokens=60, prompt="Sum up.")
"""Two messages of `LONG` stay."""

LONG = "word " * 20
"""A text of 25 tokens."""

TOO_LONG: Step = {"status": 400, "text": "prompt is too long: 213462 tokens > 200000 maximum"}


def talking(server: ScriptedLlm, compacting: Compacting = SMALL, **more: Any) -> Talk:
    """A talk of four messages with a plan, and an agent with the tool `echo`."""
    talk = talk_with(server, echo(), **more)
    talk.agent._compactor.compacting = compacting
    for number, role in enumerate(["user", "assistant", "user", "assistant"]):
        say(talk.session, f"{number} {LONG}", role=role)
        if number == 1:
            set_plan(talk.session, "Wire config", "Port ```logger")
    return talk


def compact(talk: Talk, wish: str = "") -> CompactionEnd:
    return asyncio.run(talk.agent.compact(wish))


def sent(body: Any) -> list[str]:
    """The texts of a request to OpenAI, without the system prompt."""
    return ["".join(part["text"] for part in parts(message)) for message in body["messages"][1:]]


def parts(message: Any) -> list[Any]:
    content = message.get("content") or ""
    return content if isinstance(content, list) else [{"text": content}]


def compactions(session: Session) -> list[Any]:
    return [entry for entry in session.branch() if entry["type"] == "compaction"]


# --- asked for --------------------------------------------------------------------------------------------


@BOTH
def test_the_older_part_becomes_a_summary_in_a_request_without_tools(provider: ProviderName) -> None:
    with ScriptedLlm([{"text": "On it."}]) as server:
        talk = talking(server, provider=provider)
        before = talk.session.branch()
        end = compact(talk)
        talk.say("go on")
        asked, next_request = server.bodies

    assert (end.reason, end.line) == ("done", f"Compacted: 104 tokens to about {end.tokens_after}.")
    assert end.tokens_after < end.tokens_before == 104
    (entry,) = compactions(talk.session)
    kept = before[-2]["id"]
    assert {key: entry[key] for key in entry if key not in {"id", "parentId", "timestamp"}} == {
        "type": "compaction",
        "summary": ASIDE,
        "firstKeptEntryId": kept,
        "tokensBefore": 104,
    }
    assert not asked.get("tools")
    assert wire(asked) == ["user"]
    # Anthropic's messages take turns: the summary and the first message that stayed are parts of one.
    roles = ["user", "assistant", "user"]
    assert wire(next_request) == (["user", *roles] if provider == "openai" else roles)
    assert json.dumps(SUMMARY.replace("{summary}", ASIDE))[1:-1] in json.dumps(next_request)
    assert talk.session.branch()[: len(before)] == before
    assert tasks(talk.session.branch()) == ["Wire config", "Port ```logger"]


def test_what_the_model_is_asked() -> None:
    with ScriptedLlm([], asides=[{"text": "First."}, {"text": "Second."}]) as server:
        talk = talking(server)
        compact(talk)
        say(talk.session, "and now?")
        talk.session.append_custom_message("nudge", "Tasks are open.")
        talk.session.append_message(
            AssistantMessage(
                parts=(TextPart("I look."), ToolCall("1", "echo", {"n": "1"})),
                provider="p",
                model="m",
                api="a",
                timestamp_ms=1,
            ).to_json()
        )
        talk.session.append_message(
            ToolResultMessage(
                call_id="1", tool_name="echo", text="ok " + "x" * 3000, is_error=True, timestamp_ms=1
            ).to_json()
        )
        say(talk.session, LONG, role="assistant")
        compact(talk, "the port number")
        first, second = server.bodies

    assert first["messages"][0] == {"role": "system", "content": "Sum up."}  # type: ignore[index]
    assert sent(second) == [(GOLDEN / "summary_request.txt").read_text("utf-8").rstrip("\n")]


def test_the_words_to_ask_with_are_ours_unless_the_settings_say_others() -> None:
    with ScriptedLlm([]) as server:
        compact(talking(server, Compacting(keep_tokens=60)))
        (asked,) = server.bodies

    system = str(asked["messages"][0]["content"])  # type: ignore[index]
    assert system.startswith("You write the summary that takes the place of the older part of a conversation")
    assert "Do not repeat it, do not change it" in system


def test_the_screen_and_the_extensions_are_told() -> None:
    with ScriptedLlm([]) as server:
        talk = talking(server)
        end = compact(talk, "names")

    assert talk.shown == [CompactionStarted("asked", 104), CompactionEnded("asked", end)]
    assert CompactionStarted("asked", 12_300).line == "Compacting about 12,300 tokens …"
    before, after = talk.told
    preparation: Any = before["preparation"]
    assert (before["type"], before["customInstructions"]) == ("session_before_compact", "names")
    assert [message["role"] for message in preparation["messagesToSummarize"]] == ["user", "assistant"]
    assert preparation["firstKeptEntryId"] == compactions(talk.session)[0]["firstKeptEntryId"]
    assert (preparation["tokensBefore"], preparation["isSplitTurn"]) == (104, False)
    assert after == {
        "type": "session_compact",
        "compactionEntry": compactions(talk.session)[0],
        "fromExtension": False,
    }


def test_nothing_to_compact_is_a_line() -> None:
    with ScriptedLlm([]) as server:
        talk = talking(server, Compacting(keep_tokens=5_000))
        end = compact(talk)

    line = "Nothing to compact: the conversation has about 104 tokens, and the newest 5,000 stay as they are."
    assert (end.reason, end.line, server.requests, talk.told) == ("nothing", line, [], [])


def test_nothing_more_to_compact_is_one_too() -> None:
    with ScriptedLlm([]) as server:
        talk = talking(server)
        compact(talk)
        end = compact(talk)

    line = "Nothing to compact: beside its summary the conversation has about 52 tokens, and the newest 60 stay as they are."
    assert (end.reason, end.line) == ("nothing", line)


def test_one_message_alone_cannot_be_compacted() -> None:
    with ScriptedLlm([]) as server:
        talk = talk_with(server)
        say(talk.session, "x" * 400_000)
        end = compact(talk)

    line = "Nothing to compact: nothing stands before the newest message, and it has about 100,000 tokens."
    assert (end.reason, end.line) == ("nothing", line)


def test_what_would_be_no_shorter_is_not_stored() -> None:
    with ScriptedLlm([], asides=[{"text": "longer than that " * 40}]) as server:
        talk = talking(server)
        end = compact(talk)

    assert end.reason == "nothing"
    assert end.line.startswith("Not compacted: it would be no shorter, about ")
    assert end.line.endswith(" tokens instead of 104.")
    assert compactions(talk.session) == []


@pytest.mark.parametrize(
    ("aside", "line"),
    [
        pytest.param(
            {"status": 500, "text": "Oh no"},
            "Not compacted: openai:m: HTTP 500: Oh no. Try again in a moment.",
            id="an error",
        ),
        pytest.param({"text": " "}, "Not compacted: the model wrote no summary. Try again.", id="nothing"),
        pytest.param({"text": "Half", "cut": True}, "Not compacted: openai:m: the answer broke off: ", id="half of it"),
    ],
)
def test_without_a_summary_nothing_is_stored(aside: Step, line: str) -> None:
    with ScriptedLlm([], asides=[aside]) as server:
        talk = talking(server)
        before = talk.session.branch()
        end = compact(talk)

    assert end.reason == "error"
    assert end.line.startswith(line)
    assert talk.session.branch() == before
    assert talk.shown[-1] == CompactionEnded("asked", end)
    assert not talk.agent.is_running


def test_a_summary_that_ends_at_the_models_limit_says_so() -> None:
    with ScriptedLlm([], asides=[{"text": "So far", "finish": "length"}]) as server:
        talk = talking(server, Compacting(keep_tokens=30))
        compact(talk)

    assert compactions(talk.session)[0]["summary"] == f"So far{CUT_OFF}"


def test_an_abort_stores_nothing_and_frees_the_agent() -> None:
    gate = threading.Event()

    async def stop(talk: Talk, server: ScriptedLlm) -> CompactionEnd:
        task = asyncio.create_task(talk.agent.compact())
        await asyncio.to_thread(server.wait_for, 1)
        with pytest.raises(TodoContextError, match="a run is on"):
            await talk.agent.run("hi")
        talk.agent.abort()
        return await task

    with ScriptedLlm([], asides=[{"text": "Late.", "gate": gate}]) as server:
        talk = talking(server)
        end = asyncio.run(stop(talk, server))
        gate.set()

    assert (end.reason, end.line) == ("aborted", "Not compacted: it was stopped.")
    assert talk.shown[-1] == CompactionEnded("asked", end)
    assert compactions(talk.session) == []
    assert not talk.agent.is_running


def test_what_happens_to_the_plan_meanwhile_is_kept() -> None:
    gate = threading.Event()

    async def edit(talk: Talk, server: ScriptedLlm) -> None:
        task = asyncio.create_task(talk.agent.compact())
        await asyncio.to_thread(server.wait_for, 1)
        set_plan(talk.session, "Something else")
        gate.set()
        assert (await task).reason == "done"

    with ScriptedLlm([], asides=[{"text": "Late.", "gate": gate}]) as server:
        talk = talking(server)
        asyncio.run(edit(talk, server))

    assert tasks(talk.session.branch()) == ["Something else"]


# --- extensions -------------------------------------------------------------------------------------------


def answering(talk: Talk, answer: object) -> None:
    """Let an extension answer session_before_compact."""

    async def told(name: str, event: dict[str, Json]) -> dict[str, Json]:
        talk.told.append(event)
        return left_by(event, answer) if name == "session_before_compact" else event

    talk.agent.on_event = told


def test_an_extension_can_keep_it_from_happening() -> None:
    with ScriptedLlm([]) as server:
        talk = talking(server)
        answering(talk, {"cancel": True})
        end = compact(talk)

    assert (end.reason, end.line) == ("cancelled", "Not compacted: an extension does not want it.")
    assert (server.requests, compactions(talk.session)) == ([], [])


def test_an_extension_can_bring_the_summary() -> None:
    with ScriptedLlm([]) as server:
        talk = talking(server)
        last = talk.session.leaf_id
        made = {"summary": "Mine.", "firstKeptEntryId": last, "details": {"k": [1]}, "other": 1}
        answering(talk, {"compaction": made})
        end = compact(talk)

    (entry,) = compactions(talk.session)
    assert (end.reason, server.requests) == ("done", [])
    assert {key: entry[key] for key in ("summary", "firstKeptEntryId", "tokensBefore", "details", "fromHook")} == {
        "summary": "Mine.",
        "firstKeptEntryId": last,
        "tokensBefore": 104,
        "details": {"k": [1]},
        "fromHook": True,
    }
    assert "other" not in entry
    assert talk.told[-1]["fromExtension"] is True


def test_what_an_extension_says_meanwhile_is_stored_and_may_want_a_turn() -> None:
    async def told(name: str, event: dict[str, Json]) -> None:
        assert event["type"] == name
        talk.agent.steer(CustomMessage(custom_type="x", text=name, trigger_turn=name == "session_compact"))

    with ScriptedLlm([]) as server:
        talk = talking(server)
        talk.agent.on_event = told
        compact(talk)

    stored = [entry["content"] for entry in talk.session.branch() if entry["type"] == "custom_message"]
    assert stored == ["session_before_compact", "session_compact"]
    assert talk.agent.wants_turn


def test_a_summary_that_goes_on_from_nowhere_is_not_stored() -> None:
    with ScriptedLlm([]) as server:
        talk = talking(server)
        answering(talk, {"compaction": {"summary": "Mine.", "firstKeptEntryId": "beef"}})
        end = compact(talk)

    line = "Not compacted: entry beef, from where the context was to go on, is not on this branch."
    assert (end.reason, end.line, compactions(talk.session)) == ("error", line, [])


@pytest.mark.parametrize(
    "answer",
    [
        {"compaction": {"summary": " "}},
        {"compaction": {"firstKeptEntryId": "x"}},
        {"compaction": {"summary": "S", "firstKeptEntryId": 5}},
        {"compaction": {"summary": "S", "tokensBefore": True}},
        {"compaction": "S"},
        {"cancel": "yes"},
        {"stop": True},
    ],
)
def test_an_answer_that_cannot_be_meant_shows_a_right_one(answer: object) -> None:
    event: dict[str, Json] = {"type": "session_before_compact", "preparation": {}}

    with pytest.raises(AnswerError, match=r'A right one: \{"cancel": true\}, or \{"compaction": '):
        left_by(event, answer)


# --- by itself --------------------------------------------------------------------------------------------


def test_in_a_run_it_comes_before_the_request_that_would_fill_the_window() -> None:
    """The turn that is under way stays: the person's words, the call and its result."""
    steps: list[Step] = [{"tool_calls": [ONE], "usage": {"input": 1_000}}, {"text": "Done."}]
    with ScriptedLlm(steps) as server:
        talk = talking(server, Compacting(window_tokens=1_000, keep_tokens=500))
        end = talk.say("go")
        first, aside, second = server.bodies

    assert end == RunEnd("stop")
    assert [bool(body.get("tools")) for body in (first, aside, second)] == [True, False, True]
    assert [type(event) for event in talk.shown].count(CompactionStarted) == 1
    assert wire(first) == ["user", "assistant", "user", "assistant", "user"]
    assert wire(second)[0] == "user"
    assert wire(second)[-2:] == [f"assistant {talk.answers[-2].calls[0].id}", f"tool ={talk.answers[-2].calls[0].id}"]
    assert sent(second)[0] == SUMMARY.replace("{summary}", ASIDE)
    assert "go" in sent(second)


@pytest.mark.parametrize(
    "compacting",
    [
        pytest.param(Compacting(window_tokens=10_000), id="there is room"),
        pytest.param(Compacting(window_tokens=100, at_percent=0), id="it is off"),
        pytest.param(Compacting(), id="nobody knows the window"),
    ],
)
def test_it_does_not_come_when(compacting: Compacting) -> None:
    with ScriptedLlm([{"text": "Done."}]) as server:
        talk = talking(server, compacting)
        talk.say("go")

        assert len(server.requests) == 1


def test_it_does_not_come_for_next_to_nothing() -> None:
    """What the person sends fills the window by itself; before it stands hardly anything."""
    with ScriptedLlm([{"text": "Done."}]) as server:
        talk = talking(server, Compacting(window_tokens=10_000))
        talk.say("y" * 40_000)

        assert [bool(body.get("tools")) for body in server.bodies] == [True]


@pytest.mark.parametrize("aside", [{"status": 500, "text": "no"}, {"text": "much longer " * 1_000}])
def test_where_it_does_not_help_it_is_tried_once_in_a_run(aside: Step) -> None:
    steps: list[Step] = [{"tool_calls": [ONE]}, {"tool_calls": [ONE]}, {"text": "Done."}]
    with ScriptedLlm(steps, asides=[aside, aside]) as server:
        talk = talking(server, Compacting(window_tokens=120, keep_tokens=30))
        end = talk.say("go")

    assert end == RunEnd("stop")
    assert [bool(body.get("tools")) for body in server.bodies] == [False, True, True, True]
    assert compactions(talk.session) == []


@BOTH
def test_a_request_that_is_refused_for_its_length_is_made_again_with_a_summary(provider: ProviderName) -> None:
    with ScriptedLlm([TOO_LONG, {"text": "Now it fits."}]) as server:
        talk = talking(server, provider=provider)
        end = talk.say("go")
        refused, aside, again = server.bodies

    assert end == RunEnd("stop")
    assert talk.answers[-1].text == "Now it fits."
    assert [answer.error_message for answer in talk.answers] == [None] * 3
    assert wire(refused) == ["user", "assistant", "user", "assistant", "user"]
    assert not aside.get("tools")
    assert len(wire(again)) < len(wire(refused))
    (entry,) = compactions(talk.session)
    assert entry["summary"] == ASIDE


def test_a_second_refusal_ends_the_run() -> None:
    with ScriptedLlm([TOO_LONG, TOO_LONG, {"text": "never"}]) as server:
        end = talking(server).say("go")

    assert end.reason == "error"
    assert end.error is not None
    assert "prompt is too long" in end.error
    assert len(server.requests) == 3


def test_a_long_run_may_be_refused_more_than_once() -> None:
    steps: list[Step] = [
        TOO_LONG,
        {"tool_calls": [ONE], "text": LONG * 10},
        {"tool_calls": [ONE]},
        TOO_LONG,
        {"text": "Done."},
    ]
    with ScriptedLlm(steps) as server:
        talk = talking(server)
        end = talk.say("go")

    assert end == RunEnd("stop")
    assert len(compactions(talk.session)) == 2


def test_a_refusal_of_what_cannot_be_shorter_is_the_providers_line() -> None:
    with ScriptedLlm([TOO_LONG]) as server:
        talk = talk_with(server, echo())
        end = talk.say("x" * 1_000)

    assert end.reason == "error"
    assert end.error is not None
    assert "The conversation is too long for the model" in end.error
    (shown,) = (event for event in talk.shown if isinstance(event, CompactionEnded))
    assert shown.why == "refused"
    assert shown.end.line.startswith("Nothing to compact: nothing stands before the newest message")
    assert [answer.stop_reason for answer in talk.answers] == ["error"]


@pytest.mark.parametrize(
    ("step", "is_too_long"),
    [
        ({"status": 400, "text": "the request exceeds the available context size"}, True),
        ({"status": 500, "text": "Prompt too long; exceeded max context length by 4 tokens"}, True),
        ({"status": 413, "text": "no"}, True),
        ({"status": 400, "text": "This model's maximum context length is 8192 tokens"}, True),
        ({"status": 429, "text": "Too much for the context window, wait"}, False),
        ({"status": 400, "text": "no such field"}, False),
    ],
)
def test_what_a_refusal_for_its_length_looks_like(step: Step, *, is_too_long: bool) -> None:
    with ScriptedLlm([step]) as server:
        talk = talking(server)
        talk.say("go")

    assert any(isinstance(event, CompactionEnded) for event in talk.shown) is is_too_long


def test_a_summary_of_more_than_fits_begins_with_a_mark() -> None:
    with ScriptedLlm([]) as server:
        talk = talking(server, Compacting(window_tokens=60, keep_tokens=30))
        say(talk.session, LONG)
        compact(talk)
        (asked,) = server.bodies

    (text,) = sent(asked)
    assert "(What came before this does not fit here. Say in the summary that it is missing.)" in text
    assert "[user] 0" not in text
    assert text.endswith(f"{LONG.rstrip()}\n```\n\nWrite the summary.")


def test_the_window_of_a_model_that_is_known_is_known() -> None:
    known = online_model(ModelSpec(provider="openai", name="gpt-5", api_key="x"))
    unknown = online_model(ModelSpec(provider="openai", name="m", base_url="http://127.0.0.1:1/v1"))
    no_address = online_model(ModelSpec(provider="anthropic", name="m", base_url="localhost:80"))

    assert (asyncio.run(known.context_window()) or 0) >= 100_000
    assert asyncio.run(unknown.context_window()) is None
    assert asyncio.run(no_address.context_window()) is None
    assert not isinstance(OfflinePlanner(), KnowsWindow)


def test_the_settings_say_how(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "summary.md").write_text("In three words.\n")
    monkeypatch.setenv("TODO_CONTEXT_PLAN_PROMPTS_DIR", str(tmp_path))
    monkeypatch.setenv("TODO_CONTEXT_REPL_COMPACT_AT", "70")
    monkeypatch.setenv("TODO_CONTEXT_REPL_CONTEXT_WINDOW", "32000")
    monkeypatch.setenv("TODO_CONTEXT_REPL_KEEP_RECENT_TOKENS", "5000")

    chosen = Compacting.of(settings())

    assert chosen == Compacting(at_percent=70, window_tokens=32_000, keep_tokens=5_000, prompt="In three words.")
    monkeypatch.undo()
    defaults = Compacting.of(Settings())
    assert defaults == Compacting(prompt=defaults.prompt)


# --- the offline planner ---------------------------------------------------------------------------------


def test_the_offline_planner_counts_and_quotes() -> None:
    talk = Talk(OfflinePlanner())
    for number in range(40):
        say(talk.session, f"{number} plan: a, b\n{LONG}")
        say(talk.session, "Done.", role="assistant")
    talk.agent._compactor.compacting = Compacting(keep_tokens=100)

    end = compact(talk)

    assert end.reason == "done"
    lines = str(compactions(talk.session)[0]["summary"]).splitlines()
    assert lines[:4] == [
        "Written by the offline planner, which counts and quotes, and understands nothing of it.",
        "",
        "- 37 messages of the user, 37 answers; called: no tool; 0 of the calls failed.",
        "- The first 7 messages of the user are not quoted.",
    ]
    assert lines[4].startswith("- The user: 7 plan: a, b word word")


def test_the_offline_planner_carries_an_earlier_summary_on() -> None:
    call = ToolCall("1", "todo_write", {})
    messages = (
        UserMessage("x" * 400, 1),
        AssistantMessage(parts=(call, call), provider="p", model="m", api="a", timestamp_ms=1),
        ToolResultMessage(call_id="1", tool_name="todo_write", text="no", is_error=True, timestamp_ms=1),
    )

    text = offline_summary(Material(messages=messages, earlier="What was."))

    assert text.startswith("What was.\n\nWritten by")
    assert "called: todo_write 2 times; 1 of the calls failed." in text
    assert text.endswith("x…")


def test_no_text_leaves_its_fence() -> None:
    assert fenced("a\n````\nb\n") == "`````text\na\n````\nb\n`````"


def test_a_tool_result_of_the_plan_before_the_cut_still_counts() -> None:
    """The only source of the plan is in the summary's range."""
    with ScriptedLlm([]) as server:
        talk = talk_with(server)
        talk.agent._compactor.compacting = SMALL
        say(talk.session, LONG)
        set_plan(talk.session, "Only one")
        for _ in range(3):
            say(talk.session, LONG, role="assistant")
            say(talk.session, LONG)
            compact(talk)

    assert len(compactions(talk.session)) > 1
    assert tasks(talk.session.branch()) == ["Only one"]
