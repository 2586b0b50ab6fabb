"""What the person says while the agent works: it is read with the next request, stored once, or given back."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_llm import Step
from tests.todo_repl.scene import ONE, Scene, answering, listening, play, text
from tests.todo_repl.session_kit import append_as_another
from tests.todo_repl.stage import Activate, ScriptedModel, Stage, runtime
from todo_context.pi import Context, Pi, Tool, ToolResult
from todo_context.plan.model import Json
from todo_repl.agent_events import MessageEnded
from todo_repl.compaction import Compacting
from todo_repl.messages import UserMessage
from todo_repl.models import Delta, Request, TextDelta
from todo_repl.runtime import Runtime, Submitted


def hangs(asked: asyncio.Event, gate: asyncio.Event) -> Activate:
    """An extension with a tool that waits for the gate."""

    def activate(pi: Pi) -> None:
        async def execute(call_id: str, arguments: Json, ctx: Context) -> ToolResult:
            del call_id, arguments, ctx
            asked.set()
            await gate.wait()
            return ToolResult(text="waited")

        pi.register_tool(Tool(name="hang", label="Hang", description="", parameters={}, execute=execute))

    return activate


HANG: list[Step] = [{"text": "Now.", "tool_calls": [{"name": "hang", "arguments": {}, "id": "c1"}]}]


def test_it_is_stored_behind_the_results_and_told_to_extensions() -> None:
    log: list[Any] = []
    asked, gate = asyncio.Event(), asyncio.Event()

    async def job(scene: Scene) -> None:
        run = asyncio.create_task(scene.type("go"))
        await asked.wait()
        assert await scene.type("one", "two") is Submitted.DONE
        assert scene.runtime.waiting == ["one", "two"]
        gate.set()
        assert await run is Submitted.DONE
        assert (scene.runtime.waiting, scene.runtime.draft) == ([], "")

    scene = play(job, hangs(asked, gate), listening(log, "input", "message_end"), steps=[*HANG, {"text": "Done."}])

    assert scene.said == [
        "user: go",
        "assistant: Now.",
        "toolResult: waited",
        "user: one",
        "user: two",
        "assistant: Done.",
    ]
    assert scene.sent()[-2:] == ["user: one", "user: two"]
    assert [event["text"] for event in log if event["type"] == "input"] == ["go", "one", "two"]
    told = [text(event["message"]) for event in log if event["type"] == "message_end"]
    assert told == ["go", "Now.", "waited", "one", "two", "Done."]
    news = [
        (event.message.text, event.is_shown)
        for event in scene.front.events
        if isinstance(event, MessageEnded) and isinstance(event.message, UserMessage)
    ]
    assert news == [("go", True), ("one", True), ("two", True)]


def test_it_is_an_answer_to_what_the_agent_said_last_too() -> None:
    def speak(scene: Scene) -> None:
        asyncio.get_running_loop().create_task(scene.runtime.submit("wait", is_shown=False))

    async def job(scene: Scene) -> None:
        once = iter([lambda: speak(scene)])
        show = scene.front.show

        def listen(event: Any) -> None:
            show(event)
            if isinstance(event, TextDelta):
                next(once, lambda: None)()

        scene.runtime._agent.emit = listen
        assert await scene.type("go") is Submitted.DONE

    scene = play(job, steps=[{"text": "The first answer, in pieces."}, {"text": "Two."}])

    assert scene.said == ["user: go", "assistant: The first answer, in pieces.", "user: wait", "assistant: Two."]


@pytest.mark.parametrize(
    ("steps", "ended"),
    [
        pytest.param([*HANG, {"status": 400, "text": "no"}], Submitted.FAILED, id="an error after it was read"),
        pytest.param(HANG, Submitted.ABORTED, id="an abort before"),
    ],
)
def test_what_no_request_took_is_given_back_and_what_one_took_stays(steps: list[Step], ended: Submitted) -> None:
    asked, gate = asyncio.Event(), asyncio.Event()
    is_aborted = ended is Submitted.ABORTED

    async def job(scene: Scene) -> None:
        run = asyncio.create_task(scene.type("go"))
        await asked.wait()
        await scene.type("one", "two")
        if is_aborted:
            assert scene.runtime.abort()
        gate.set()
        assert await run is ended
        assert scene.runtime.draft == ("one\n\ntwo" if is_aborted else "")
        assert scene.runtime.waiting == []

    scene = play(job, hangs(asked, gate), steps=steps)

    assert ("user: one" in scene.said) is not is_aborted


def test_each_of_them_counts_anew_towards_the_most_requests() -> None:
    async def job(scene: Scene) -> None:
        scene.runtime._agent.max_rounds = 2
        show = scene.front.show
        said = iter(["one", "two", "three"])

        def listen(event: Any) -> None:
            show(event)
            if isinstance(event, TextDelta) and event.text.startswith("Now") and (words := next(said, None)):
                asyncio.get_running_loop().create_task(scene.runtime.submit(words))

        scene.runtime._agent.emit = listen
        assert await scene.type("go") is Submitted.DONE

    calls: list[Step] = [{"text": "Now.", "tool_calls": [{**ONE, "id": f"c{number}"}]} for number in range(4)]
    scene = play(job, steps=[*calls, {"text": "Done."}])

    assert len(scene.bodies) == 5
    assert [said for said in scene.said if said.startswith("user")] == [
        "user: go",
        "user: one",
        "user: two",
        "user: three",
    ]


def test_lines_keep_their_order_however_long_a_handler_thinks() -> None:
    gate = asyncio.Event()

    async def slow(event: Mapping[str, Json]) -> Mapping[str, Json] | None:
        if event["text"] == "first":
            await gate.wait()
        return None

    def thinks(pi: Pi) -> None:
        pi.on("input", lambda event, _ctx: slow(event))

    async def job(scene: Scene) -> None:
        first = asyncio.create_task(scene.type("first"))
        second = asyncio.create_task(scene.type("second"))
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(first, second)

    scene = play(job, thinks, steps=[{"text": "A."}, {"text": "B."}])

    assert [said for said in scene.said if said.startswith("user")] == ["user: first", "user: second"]


def test_an_extension_may_deal_with_it_as_with_any_line() -> None:
    asked, gate = asyncio.Event(), asyncio.Event()

    def deal(event: Mapping[str, Any]) -> Mapping[str, Json] | None:
        answers: dict[str, Mapping[str, Json]] = {
            "mine": {"action": "handled"},
            "other": {"action": "transform", "text": "another"},
        }
        return answers.get(event["text"])

    async def job(scene: Scene) -> None:
        run = asyncio.create_task(scene.type("go"))
        await asked.wait()
        await scene.type("mine", "other")
        assert scene.runtime.waiting == ["another"]
        gate.set()
        await run

    scene = play(job, hangs(asked, gate), answering(input=deal), steps=[*HANG, {"text": "Done."}])

    assert scene.said[3:] == ["user: another", "assistant: Done."]


class Summing:
    """A model that answers at once, and waits with its third answer: a summary."""

    name = provider = api = "summing"

    def __init__(self) -> None:
        self.asked, self.gate = asyncio.Event(), asyncio.Event()
        self.requests = 0

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        self.requests += 1
        answer = f"Answer {self.requests}. {'long ' * 50}"
        if self.requests == 3:
            answer = "Short."
            self.asked.set()
            await self.gate.wait()
        async for delta in ScriptedModel([answer]).stream(request):
            yield delta


@pytest.mark.parametrize("is_stopped", [False, True])
def test_while_a_summary_is_made_it_waits_for_its_end(is_stopped: bool) -> None:
    model = Summing()

    async def job() -> tuple[Runtime, list[Submitted]]:
        made = runtime(Stage(), model=model)
        made.compacting = Compacting(keep_tokens=60, prompt="Sum up.")
        await made.begin_anew(made.session, "reload")
        await made.submit("a")
        await made.submit("b")
        compacting = asyncio.create_task(made.submit("/compact"))
        await model.asked.wait()
        ended = [await made.submit("meanwhile")]
        if is_stopped:
            made.abort()
        model.gate.set()
        return made, [*ended, await compacting]

    made, ended = asyncio.run(job())

    kinds = [text(entry.get("message") or entry)[:9] or entry["type"] for entry in made.session.branch()]
    if is_stopped:
        assert (kinds[4:], made.draft) == ([], "meanwhile")
    else:
        assert (kinds[4:], made.draft) == (["compaction", "meanwhile", "Answer 4."], "")
        assert ended == [Submitted.DONE, Submitted.DONE]


def test_what_cannot_be_stored_is_given_back(tmp_path: Path) -> None:
    asked, gate = asyncio.Event(), asyncio.Event()
    path = tmp_path / "s.jsonl"

    async def job(scene: Scene) -> None:
        run = asyncio.create_task(scene.type("go"))
        await asked.wait()
        await scene.type("one")
        append_as_another(path, "theirs", str(scene.runtime.session.leaf_id), customType="x", data={})
        gate.set()
        assert await run is Submitted.FAILED
        assert scene.runtime.draft == "one"

    scene = play(job, hangs(asked, gate), steps=HANG, path=path)

    assert "user: one" not in scene.said
    assert "went on with this session" in scene.front.errors


def test_it_comes_back_where_the_program_ends_in_the_middle_of_the_run() -> None:
    asked = asyncio.Event()

    async def job(scene: Scene) -> None:
        run = asyncio.create_task(scene.type("go"))
        await asked.wait()
        await scene.type("one")
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert (scene.runtime.waiting, scene.runtime.draft) == ([], "one")

    scene = play(job, hangs(asked, asyncio.Event()), steps=HANG)
    assert "user: one" not in scene.said
