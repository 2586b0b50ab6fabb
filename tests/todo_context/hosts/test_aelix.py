import asyncio
import json
import subprocess
import sys
import tomllib
from collections.abc import Coroutine, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tests.cases.host import until
from tests.todo_context.attention.branches import golden
from tests.todo_context.hosts.aelix_stand_in import (
    Aelix,
    AssistantMessage,
    Screen,
    TextContent,
    ToolCallContent,
    ToolResultMessage,
    UserMessage,
    installed,
)
from todo_context import plan_of, to_markdown
from todo_context.errors import TodoContextError
from todo_context.hosts.aelix import AelixPi, setup
from todo_context.pi import Context
from todo_context.plan.model import Json
from todo_context.plan.problem import LineProblem

pytestmark = pytest.mark.usefixtures("installed")
__all__ = ["installed"]

INIT: dict[str, Any] = {"op": "init", "list": [{"phase": "Build", "items": ["One", "Two"]}]}
PLANNED = "# Build\n- [/] One\n- [ ] Two\n"
WIDGET = ["0 of 2 done, 2 open.", "- [/] One", "- [ ] Two"]


def begun(aelix: Aelix) -> Aelix:
    """A session of Aelix that has begun, with the extension in it."""
    setup(aelix)
    asyncio.run(aelix.happen("session_start", reason="startup"))
    return aelix


def both(*steps: Coroutine[Any, Any, Any]) -> list[Any]:
    async def one_after_the_other() -> list[Any]:
        return [await step for step in steps]

    return asyncio.run(one_after_the_other())


def test_a_call_is_stored_and_read_back_from_the_session() -> None:
    aelix = begun(Aelix(screen := Screen()))

    (result,) = both(aelix.call(ops=[INIT]))

    assert result.content[0].text.endswith("# Build\n- [/] One\n- [ ] Two")
    assert (result.is_error, result.details["storage"]) == (False, "session")
    (entry,) = aelix.session.entries
    assert (entry.custom_type, entry.data["call"], entry.data["seq"]) == ("todo_write", "call_1", 1)
    assert screen.widgets == {"todo": WIDGET}


def test_arguments_that_a_strict_schema_would_refuse_pass() -> None:
    aelix = begun(Aelix())

    assert "required" not in aelix.tools["todo_write"].parameters
    both(aelix.call(**INIT))
    assert len(aelix.session.entries) == 1


def test_without_a_session_file_the_plan_is_in_memory() -> None:
    aelix = begun(Aelix())
    aelix.session.session_file = None

    (result,) = both(aelix.call(ops=[INIT]))

    assert result.details["storage"] == "memory"


def test_in_the_tui_a_command_answers_with_its_text() -> None:
    aelix = begun(Aelix(Screen()))

    texts = both(aelix.type("append Build One Two"), aelix.type(""), aelix.type("start nothing"))

    assert texts[1] == "# Build\n- [/] One Two"
    assert 'matches "nothing"' in texts[2]


def test_what_the_person_is_asked_goes_through_aelix_dialogs() -> None:
    aelix = begun(Aelix(screen := Screen()))
    screen.answers = ["Two more", "# Build\n- [ ] One\n- [ ] New\n", "# Empty\n", True]
    both(aelix.call(ops=[INIT, {"op": "append", "phase": "Build", "items": ["Two more"]}]))

    chosen, edited, emptied, copied = both(
        aelix.type("done tw"), aelix.type("edit"), aelix.type("edit"), aelix.type("copy")
    )

    assert chosen.startswith('Done: "Two more"')
    assert edited.startswith("Edited: ")
    assert emptied.startswith("Edited: ")
    assert copied.startswith("Copied 0 tasks through the terminal")
    assert [asked[0].strip() for asked in screen.asked] == [
        "Which of these 2 tasks?",
        "The plan as Markdown: save and leave to change it, empty the text to cancel",
        "The plan as Markdown: save and leave to change it, empty the text to cancel",
        "Empty the plan?",
    ]
    assert screen.widgets == {"todo": None}


def test_a_text_that_was_left_unread_is_kept_and_offered_again(home: Path) -> None:
    aelix = begun(Aelix(screen := Screen()))
    both(aelix.call(ops=[INIT]))
    screen.answers = ["- [?] What\n", None]

    (left,) = both(aelix.type("edit"))

    (kept,) = home.rglob("todo-5e55-*.md")
    assert left.splitlines()[0] == f"Your text is kept in {kept}"
    again = begun(Aelix(screen))
    again.session = aelix.session
    screen.answers = [True, "- [ ] What\n"]
    assert both(again.type("edit"))[0].startswith("Edited: ")


def test_a_clipboard_that_is_not_there_takes_nothing() -> None:
    aelix = begun(Aelix(screen := Screen()))
    both(aelix.call(ops=[INIT]))

    (taken,) = both(aelix.type("copy"))
    del screen.chrome
    (refused,) = both(aelix.type("copy"))

    assert taken != refused


# Without a screen


def test_what_is_typed_as_a_prompt_is_done_and_printed(capsys: pytest.CaptureFixture[str]) -> None:
    aelix = begun(Aelix())

    answers = both(
        aelix.happen("input", text="/todo append Build One"),
        aelix.happen("input", text="/todo done nothing"),
        aelix.happen("input", text="/todomat"),
        aelix.happen("input", text="Please do it."),
    )

    assert answers == [["handled"], ["handled"], [], []]
    out, err = capsys.readouterr()
    assert '"One"' in out
    assert 'matches "nothing"' in err


@pytest.mark.parametrize(
    ("arguments", "source"),
    [
        pytest.param(["aelix", "--mode", "rpc"], "rpc", id="rpc"),
        pytest.param(["aelix", "--mode", "json", "/todo"], "interactive", id="json"),
    ],
)
def test_to_a_program_the_answer_is_a_record_on_the_first_stdout(
    arguments: list[str], source: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    aelix = begun(Aelix())
    monkeypatch.setattr(sys, "argv", arguments)

    with redirect_stdout(sys.stderr):
        both(aelix.happen("input", text="/todo nope", source=source))

    out, err = capfd.readouterr()
    record = json.loads(out)
    assert (record["type"], record["method"]) == ("extension_ui_request", "notify")
    assert record["message"]
    assert err == ""


def test_where_a_prompt_comes_in_beside_a_screen_the_answer_is_a_notice() -> None:
    aelix = begun(Aelix(screen := Screen()))

    both(aelix.happen("input", text="/todo"))

    assert screen.notices[-1][0].startswith("The plan is empty.")


# The session


def test_the_screen_that_comes_after_the_start_is_told_of_the_plan() -> None:
    aelix, screen = Aelix(), Screen()
    setup(aelix)

    async def start() -> None:
        await aelix.happen("session_start", reason="startup")
        await aelix.call(ops=[INIT])
        aelix.screen = screen
        aelix.events.emit("ui:list-modules")
        await until(lambda: bool(screen.notices))
        aelix.events.emit("ui:list-modules")

    asyncio.run(start())

    assert screen.widgets == {"todo": WIDGET}
    assert [message for message, _ in screen.notices] == ["Plan: 0 of 2 done, 2 open. /todo shows it."]


def test_another_branch_is_shown() -> None:
    aelix = begun(Aelix(screen := Screen()))
    both(aelix.call(ops=[INIT]), aelix.call(ops=[{"op": "done"}]))
    aelix.session.entries.pop()

    both(aelix.happen("session_tree"))

    assert screen.widgets == {"todo": WIDGET}


def test_a_session_that_was_left_is_neither_read_nor_written() -> None:
    aelix = begun(Aelix())
    aelix.is_left = True

    (text,) = both(aelix.type("append One"))

    assert text.startswith("/todo failed: Aelix gives no session here: This context is stale. ")
    assert aelix.session.entries == []


def test_before_the_first_hook_there_is_no_session() -> None:
    with pytest.raises(TodoContextError, match="not begun"):
        asyncio.run(AelixPi(Aelix()).branch())


def test_what_aelix_could_not_store_says_so() -> None:
    aelix = begun(Aelix())
    pi = AelixPi(aelix)
    asyncio.run(aelix.happen("tool_call"))

    with pytest.raises(TodoContextError, match=r"could not store the plan: .*no space left"):
        asyncio.run(pi.append_entry("full", {}))
    aelix.is_left = True
    with pytest.raises(TodoContextError, match="gives no session"):
        asyncio.run(pi.append_entry("any", {}))


def test_a_branch_without_entries_of_ours_has_the_plan_of_its_calls() -> None:
    aelix = Aelix()
    pi = AelixPi(aelix)
    asyncio.run(aelix.happen("tool_call"))
    for message in CONVERSATION:
        aelix.session.add(message)

    branch = asyncio.run(pi.branch())

    assert to_markdown(plan_of(branch)) == PLANNED
    assert branch[-1]["message"] == {
        "toolCallId": "call_1",
        "content": [{"text": "ok", "textSignature": "", "type": "text"}],
        "isError": False,
        "toolName": "todo_write",
        "role": "toolResult",
    }


CONVERSATION = [
    UserMessage([TextContent("Plan it.")]),
    AssistantMessage([ToolCallContent("call_1", "todo_write", {"ops": [INIT]})], "toolUse"),
    ToolResultMessage("call_1", [TextContent("ok")]),
]


def test_loaded_twice_the_first_one_serves() -> None:
    aelix = Aelix()
    setup(aelix)
    first, heard = aelix.tools["todo_write"], len(aelix.handlers["input"])

    setup(aelix)

    assert aelix.tools["todo_write"] is first
    assert len(aelix.handlers["input"]) == heard


# Hooks


def test_a_context_handler_sees_pis_messages_and_its_answer_is_sent_instead() -> None:
    aelix = Aelix()
    pi = AelixPi(aelix)
    seen: list[Any] = []

    def remind(event: Mapping[str, Json], _ctx: Context) -> object:
        messages = event["messages"]
        assert isinstance(messages, list)
        seen.extend(messages)
        parts: list[Json] = [{"type": "text", "text": "b"}, {"type": "image", "data": ""}]
        return {"messages": [*messages[1:], dict(seen[0]), {"role": "user", "content": parts}]}

    pi.on("context", remind)

    ((result,),) = both(aelix.happen("context", messages=CONVERSATION))

    assert [message["role"] for message in seen] == ["user", "assistant", "toolResult"]
    assert seen[1]["content"][0] == {
        "type": "toolCall",
        "id": "call_1",
        "name": "todo_write",
        "arguments": {"ops": [INIT]},
    }
    assert result.messages == [*CONVERSATION[1:], CONVERSATION[0], UserMessage([TextContent("b")])]
    assert result.messages[0] is CONVERSATION[1]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="nothing"),
        pytest.param("text", id="another type"),
        pytest.param({"messages": "text"}, id="no list"),
        pytest.param({"messages": [{"role": "assistant", "content": []}]}, id="a new message of the model"),
        pytest.param({"messages": ["text"]}, id="a message that is no object"),
    ],
)
def test_any_other_answer_leaves_the_request_as_it_is(answer: object) -> None:
    aelix = Aelix()
    AelixPi(aelix).on("context", lambda _event, _ctx: answer)

    assert both(aelix.happen("context", messages=CONVERSATION)) == [[]]


def test_an_event_is_shown_with_what_is_plain_of_it() -> None:
    aelix = Aelix()
    pi = AelixPi(aelix)
    seen: list[Any] = []
    for event in ("session_start", "turn_end", "no_such_event"):
        pi.on(event, lambda event, ctx: seen.append((event, ctx.cwd)))
    said = AssistantMessage([TextContent("Hi.")], "stop")

    both(aelix.happen("session_start", reason="new", previous_session_file="a"), aelix.happen("turn_end", message=said))

    assert [cwd for _, cwd in seen] == ["/project"] * 2
    assert {"type": "session_start", "reason": "new", "previousSessionFile": "a"}.items() <= seen[0][0].items()
    assert seen[1][0]["message"]["stopReason"] == "stop"


@pytest.mark.parametrize("screen", [None, Screen()])
def test_an_error_of_a_handler_is_a_line(screen: Screen | None, capsys: pytest.CaptureFixture[str]) -> None:
    aelix = Aelix(screen)

    def break_off(_event: object, _ctx: object) -> None:
        raise KeyError("boom")

    AelixPi(aelix).on("turn_end", break_off)
    both(aelix.happen("turn_end"))

    line = "turn_end failed: KeyError('boom')"
    assert (screen.notices[-1] if screen else capsys.readouterr().err) == ((line, "error") if screen else f"{line}\n")


@pytest.mark.parametrize(
    ("runs", "trigger_turn", "sent"),
    [
        pytest.param(True, True, ("Go on.", True, "follow_up"), id="the run goes on"),
        pytest.param(False, True, ("Go on.", True, None), id="a run begins"),
        pytest.param(True, False, ("Go on.", False, "steer"), id="with the next request"),
        pytest.param(False, False, ("Go on.", False, None), id="with the next prompt"),
    ],
)
def test_a_message_goes_where_it_is_read(runs: bool, trigger_turn: bool, sent: tuple[object, ...]) -> None:
    aelix = Aelix()
    aelix.runs = runs
    pi = AelixPi(aelix)
    pi.on("turn_end", lambda _event, _ctx: pi.send_message("Go on.", custom_type="todo", trigger_turn=trigger_turn))

    both(aelix.happen("turn_end"))

    assert aelix.messages == [sent]


def test_before_a_run_a_handler_may_change_the_system_prompt_and_only_with_a_text() -> None:
    aelix = Aelix()
    pi = AelixPi(aelix)
    answers: list[Any] = [{"systemPrompt": "B."}, {"systemPrompt": 3}, {}, None, "B."]

    def answer(_event: object, _ctx: object) -> Any:
        return answers.pop(0)

    for _ in range(len(answers)):
        pi.on("before_agent_start", answer)

    (given,) = both(aelix.happen("before_agent_start", system_prompt="A."))

    assert [each.system_prompt for each in given] == ["B."]
    assert answers == []


def test_it_is_told_what_the_system_prompt_is_and_when_a_plan_is_worth_it() -> None:
    aelix = begun(Aelix())

    ((answer,),) = both(aelix.happen("before_agent_start", system_prompt="A."))

    assert answer.system_prompt == f"A.\n\n{golden('eager_soft')}"
    assert golden("eager_off") not in aelix.tools["todo_write"].description


def test_what_aelix_can_do_is_said() -> None:
    can = AelixPi(Aelix()).capabilities

    assert (can.validates_arguments, can.context_hook, can.goes_on, can.payload_hook) == (True, True, True, False)
    assert not AelixPi(Aelix()).has_background_work()


def test_problems_stand_above_the_text_in_the_editor() -> None:
    aelix = begun(Aelix(screen := Screen()))
    pi = AelixPi(aelix)
    screen.answers = ["changed"]
    given: list[str | None] = []

    async def edit(_event: object, ctx: Context) -> None:
        given.append(await ctx.ui.editor("Title", "text", [LineProblem(1, "text", "no task")], opened=""))
        ctx.ui.edit_settled()

    pi.on("session_start", edit)
    both(aelix.happen("session_start"))

    assert screen.asked == [("Title\n", "<!-- line 2: no task -->\ntext")]
    assert given == ["changed"]


def test_the_manifest_says_what_the_project_says() -> None:
    root = Path(__file__).parents[3]
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    manifest = tomllib.loads((root / "extension/todo_context/aelix-plugin.toml").read_text("utf-8"))

    assert (manifest["plugin"]["id"], manifest["plugin"]["version"]) == (project["name"], project["version"])
    assert project["entry-points"]["aelix.extensions"] == {"todo-context": manifest["plugin"]["entry"]["python"]}


def test_loading_needs_neither_aelix_nor_what_is_heavy() -> None:
    program = "import sys, todo_context.hosts.aelix; print(*sys.modules)"

    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )

    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"aelix_ai", "aelix_agent_core", "aelix_coding_agent", "prompt_toolkit", "pydantic_ai", "rich"}
