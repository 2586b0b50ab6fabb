"""Group A, arguments and the tool's contract: public reports about other tools, each with its right behaviour here.

Left for the reminder to come: what A12 and A19 say of it.
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from bench.tokens import TABLE, limits
from tests.cases.host import Extension, Host, call_shown_in, calling, read_by_model, run
from tests.plans import INIT
from tests.scripted_llm import ScriptedLlm
from tests.todo_repl import process
from todo_context import plan_of
from todo_context.hosts.memory import MemoryPi
from todo_context.pi import Tool, ToolResult
from todo_context.plan.load import plan_to_json
from todo_context.plan.markdown import from_markdown
from todo_context.plan.model import Json
from todo_context.plan.ops import json_schema, lenient_json_schema
from todo_context.prompt import prompt
from todo_repl.models import ProviderName
from todo_repl.runtime import Submitted
from todo_repl.session import Session, read_branch

BEGUN = "# Build\n- [/] Wire config\n- [ ] Port logger\n\n# Verify\n- [ ] Run tests\n"
"""The plan after INIT."""

ONE_DONE = "# Build\n- [x] Wire config\n- [/] Port logger\n\n# Verify\n- [ ] Run tests\n"


def done(task: str) -> dict[str, Any]:
    return {"ops": [{"op": "done", "task": task}]}


def item(content: str, status: str = "pending", **more: Any) -> dict[str, Any]:
    return {"content": content, "status": status, **more}


@pytest.mark.parametrize(
    ("arguments", "wrong", "allowed"),
    [
        pytest.param({"ops": [{"op": "note", "note": "see log"}]}, '"note"', '"task", "text"', id="a wrong key"),
        pytest.param(
            {"ops": [{"op": "done", "items": ["Wire config"]}]}, '"items"', '"task", "phase"', id="a misplaced key"
        ),
    ],
)
def test_a01_a_wrong_key_is_named_with_the_keys_allowed_and_a_call_that_works(
    arguments: Any, wrong: str, allowed: str, tmp_path: Path
) -> None:
    """What comes back to the model names the operation, the key, the keys there are and a call it can copy."""
    read: list[str] = []

    async def job(host: Host) -> None:
        assert await host.runtime.submit("Plan it.") is Submitted.DONE
        read.extend(read_by_model(host.server.bodies[-1]))
        assert host.results[-1]["isError"]
        assert await host.agreed() == BEGUN
        assert len(host.changes) == 1

    run(tmp_path / "s.jsonl", calling(INIT, arguments), job)

    assert "- ops[0] not applied: " in read[-1]
    assert f"It does not know {wrong}; it knows {allowed}." in read[-1]
    shown = call_shown_in(read[-1])
    assert Draft202012Validator(json_schema()).is_valid(shown)
    assert shown["ops"][0]["op"] == arguments["ops"][0]["op"]


def test_a03_a_python_literal_is_read_and_python_code_is_not_run(tmp_path: Path) -> None:
    """A list in Python's notation is a list; an expression is refused, wherever it stands, and never evaluated."""
    extension, pwn = Extension(), tmp_path / "pwn"
    code = f"__import__('os').system('touch {pwn}')"

    assert not extension.call({"todos": "[{'content':'A','status':'pending'}]"}).is_error
    assert extension.markdown == "# Tasks\n- [/] A\n"
    for arguments in ({"todos": code}, {"todos": f"[{code}]"}, {"ops": [f"{{'op': {code}}}"]}, f"{{'ops': {code}}}"):
        assert extension.call(arguments).is_error
    assert not pwn.exists()
    assert len(extension.changes) == 1


A04: list[Any] = [
    pytest.param({"todos": '[{"content":"A","status":"completed"}]'}, id="the list as text"),
    pytest.param({"ops": '[{"op":"done","task":"A"}]'}, id="the operations as text"),
    pytest.param({"todos": ['{"content":"A","status":"completed"}']}, id="an entry as text"),
    pytest.param({"ops": {"op": "done", "task": "A"}}, id="one operation for the list"),
]
"""The four inputs of the report; the statuses are set so that all mean the same."""


@pytest.mark.parametrize("arguments", A04)
def test_a04_what_came_as_text_or_unwrapped_is_read_as_what_it_holds(arguments: Any) -> None:
    """JSON inside of JSON, at any level, and a list without its brackets mean the same as the typed form."""
    extension = Extension()
    extension.call({"todos": [item("A")]})

    result = extension.call(arguments)

    assert not result.is_error
    assert extension.markdown == "# Tasks\n- [x] A\n"


@pytest.mark.parametrize("key", ["ops", "todos"])
@pytest.mark.parametrize("text", ["A, then B", '[{"op":"done"', "5"])
def test_a04_text_that_is_no_list_gets_the_shape_to_send_and_nothing_is_applied(key: str, text: str) -> None:
    """The error shows the shape; of a list with one bad entry not a part is taken."""
    extension = Extension()

    result = extension.call(INIT, {key: text})

    assert result.is_error
    assert '{"op":"done","task":"Write it"}' in result.text or '{"content":"Write it"' in result.text
    assert (extension.markdown, len(extension.changes)) == (BEGUN, 1)


class ValidatingPi(MemoryPi):
    """A host that checks the arguments against the schema before the tool runs, as pi and Aelix do.

    Its adapter offers the schema for such hosts.
    """

    def register_tool(self, tool: Tool) -> None:
        fields = {name: getattr(tool, name) for name in ("name", "label", "description", "execute")}
        super().register_tool(Tool(**fields, parameters=lenient_json_schema()))

    async def call_tool(self, name: str, arguments: Json, call_id: str = "call_1") -> ToolResult:
        if not Draft202012Validator(dict(self.tools[name].parameters)).is_valid(arguments):
            return ToolResult(text="refused before the tool", is_error=True)
        return await super().call_tool(name, arguments, call_id)


@pytest.mark.parametrize("arguments", A04)
def test_a05_a_host_that_validates_first_lets_every_dialect_through(arguments: Any) -> None:
    """The schema for such a host refuses nothing that our reading understands; that reading alone decides."""
    extension = Extension(ValidatingPi())
    extension.call({"todos": [item("A")]})

    assert not Draft202012Validator(json_schema()).is_valid(arguments)
    assert not extension.call(arguments).is_error
    assert extension.markdown == "# Tasks\n- [x] A\n"
    assert "One that works" in extension.call({"ops": [{"op": "start"}]}).text


UNBALANCED = '{"todos": "Check A", "status": "in_progress"}, {"content": "Check B"}]}'


@pytest.mark.parametrize("provider", get_args(ProviderName))
def test_a06_arguments_that_are_no_json_are_an_error_that_shows_the_shape(provider: str, tmp_path: Path) -> None:
    """The run goes on, the model reads what to send, and the session has the call but no change."""
    path = tmp_path / "s.jsonl"
    with ScriptedLlm(calling(UNBALANCED)) as server:
        url = server.base_url if provider == "openai" else server.base_url.removesuffix("/v1")
        where = ("--session", str(path), "--model", f"{provider}:m", "--base-url", url)
        ended = process.run(*where, "-p", "Check both.", cwd=tmp_path, ANTHROPIC_API_KEY="x")
        read = json.dumps(server.bodies[-1]["messages"])

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "That is all.\n", "")
    assert len(server.bodies) == 2
    assert "is no JSON. Send an object such as" in read
    assert [entry["type"] for entry in read_branch(path)] == ["message"] * 4


A07: list[Any] = [{}, {"todos": None}, {"todos": 5}, {"ops": [None]}]


def test_a07_the_card_of_a_call_without_a_list_is_a_neutral_line_and_the_screen_goes_on(tmp_path: Path) -> None:
    """Whatever the arguments are, the call has a line on the screen, its error below it, and the run its end."""
    shown: list[str] = []

    async def job(host: Host) -> None:
        shown.extend((await host.type("Plan it.")).split("\n"))
        assert [result["isError"] for result in host.results] == [True] * len(A07)
        assert host.changes == []

    run(tmp_path / "s.jsonl", calling(*A07), job)

    assert [line for line in shown if line.startswith("• ")] == ["• plan", "• plan", "• plan", "• plan: ?"]
    assert shown[-1] == "That is all."


def test_a08_other_words_for_a_status_are_understood_and_an_unknown_one_refuses_the_whole_list() -> None:
    """done, in-progress and cancelled are what they say; a word that means nothing is answered with those that do."""
    extension = Extension()

    extension.call({"todos": [item("A", "done"), item("B", "in-progress"), item("C", "cancelled")]})
    read = extension.markdown
    refused = extension.call({"todos": [item("D"), item("A", "later")]})

    assert read == "# Tasks\n- [x] A\n- [/] B\n- [-] C\n"
    assert refused.is_error
    assert (
        '"status" is the text "later". There is: pending, in_progress, completed, abandoned, blocked.' in refused.text
    )
    assert (extension.markdown, len(extension.changes)) == (read, 1)


def test_a10_a_start_that_names_nothing_is_answered_with_the_open_tasks_and_a_call_to_copy() -> None:
    """Who has forgotten field and names finds both in the error."""
    extension = Extension()

    result = extension.call(INIT, {"ops": [{"op": "start"}]})

    assert result.is_error
    assert all(f"] {name}" in result.text for name in ("Wire config", "Port logger", "Run tests"))
    shown = call_shown_in(result.text)
    assert shown == {"ops": [{"op": "start", "task": "Write it"}]}
    shown["ops"][0]["task"] = "Run tests"
    assert not extension.call(shown).is_error
    assert "- [/] Run tests" in extension.markdown


def test_a11_what_is_done_already_is_no_change_no_error_and_no_entry() -> None:
    """The second answer says so in its first words, and nothing is stored."""
    extension = Extension()
    extension.call(INIT, done("Wire config"))

    again = extension.call(done("Wire config"))

    assert again.text.startswith("No change.\n")
    assert not again.is_error
    assert len(extension.changes) == 2


def test_a12_a_rewritten_list_keeps_what_its_tasks_were_and_every_view_has_the_same_ten(tmp_path: Path) -> None:
    """A task of the same content keeps its notes and its id, and is found by its name after the rewrite."""
    three = [item(f"Step {n}", id=str(n)) for n in range(1, 4)]
    seven = [item(f"Extra {n}") for n in range(1, 8)]
    note = {"ops": [{"op": "note", "task": "Step 2", "text": "see log"}]}

    async def job(host: Host) -> None:
        assert await host.runtime.submit("Plan it.") is Submitted.DONE
        plan = plan_of(read_branch(host.path))
        assert (await host.agreed()).startswith("# Tasks\n- [/] Step 1\n- [x] Step 2\n  > see log\n- [ ] Step 3\n")
        assert [task.id for task in plan.tasks()][:3] == ["1", "2", "3"]
        assert host.results[-1]["details"]["phases"] == plan_to_json(plan)
        assert len(list(plan.tasks())) == 10
        assert read_by_model(host.server.bodies[-1])[-1].startswith("1 of 10 done, 9 open.\n")

    run(tmp_path / "s.jsonl", calling({"todos": three}, note, {"todos": [*three, *seven]}, done("Step 2")), job)


def test_a13_tasks_without_an_id_do_not_share_one() -> None:
    """Each stays a task of its own."""
    extension = Extension()

    extension.call({"todos": [item("T1"), item("T2")]})

    assert extension.markdown == "# Tasks\n- [/] T1\n- [ ] T2\n"


def test_a15_a_name_that_two_tasks_hold_completes_neither_and_an_exact_one_wins() -> None:
    """Tool and person get both names; once there is a task of just that text, it alone is meant."""
    extension = Extension()
    both = ("Don't deploy on Friday", "Deploy staging")
    extension.call({"todos": [item(name) for name in both]})
    before = extension.markdown

    called, typed = extension.call(done("deploy")), extension.type("done deploy")

    for is_error, text in ((called.is_error, called.text), (typed.is_error, typed.text)):
        assert is_error
        assert all(f'"{name}"' in text for name in both)
    assert (extension.markdown, len(extension.changes)) == (before, 1)
    extension.call({"ops": [{"op": "append", "phase": "Tasks", "items": ["deploy", "deploy again"]}]})
    assert extension.type("done deploy").text.startswith('Done: "deploy"')
    assert not extension.call({"ops": [{"op": "start", "task": "deploy"}]}).is_error
    assert extension.markdown == before.replace("[/]", "[ ]") + "- [/] deploy\n- [ ] deploy again\n"


def test_a17_the_earliest_pending_task_starts_after_a_change() -> None:
    """Also when another was completed out of order; there is never more than one in progress."""
    extension = Extension()

    extension.call(INIT, done("Run tests"))
    out_of_order = extension.markdown
    extension.call({"ops": [{"op": "start", "task": "Port logger"}, {"op": "done", "task": "Port logger"}]})

    assert out_of_order == BEGUN.replace("[ ] Run tests", "[x] Run tests")
    assert extension.markdown == "# Build\n- [/] Wire config\n- [x] Port logger\n\n# Verify\n- [x] Run tests\n"


def test_a17_the_setting_turns_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then nothing is in progress that nobody started."""
    monkeypatch.setenv("TODO_CONTEXT_PLAN_AUTO_START", "false")
    extension = Extension()

    extension.call(INIT, done("Run tests"))

    assert "[/]" not in extension.markdown


def test_a17_no_reading_starts_a_task(tmp_path: Path) -> None:
    """/todo, view, export, copy, log and coming back leave the file as it is, byte for byte of the plan."""
    path = tmp_path / "s.jsonl"
    nothing_active = "# Build\n- [ ] Wire config\n- [ ] Port logger\n"
    with Session.create(path, str(tmp_path)) as session:
        phases = plan_to_json(from_markdown(nothing_active).plan)
        session.append_custom("todo_write", {"v": 1, "seq": 1, "phases": phases, "by": "user", "action": "import"})

    async def job(host: Host) -> None:
        for line in ("/todo", "/todo export", "/todo copy", "/todo log", "/todo help"):
            await host.type(line)
        assert await host.runtime.submit("What is there?") is Submitted.DONE
        assert len(host.changes) == 1
        assert await host.agreed() == nothing_active

    for _ in range(2):
        run(path, calling({"ops": [{"op": "view"}]}), job, has_person=True)
    assert (tmp_path / "TODO.md").read_text() == nothing_active


def test_a18_the_description_says_when_not_to_use_the_tool_within_its_budget(tmp_path: Path) -> None:
    """Not for one step, nor for any task there is; description and schema together stay within 330 tokens."""

    async def job(host: Host) -> None:
        assert await host.runtime.submit("Hello.") is Submitted.DONE
        tool, _ = _tools(host.server.bodies[0])
        assert "Not for a single step or a question." in tool["description"]
        # When to use it stands in the system prompt, and is not said twice.
        assert json.dumps(host.server.bodies[0]).count("three or more steps") == 1
        assert not {"any task", "every task", "always"} & set(_words(tool["description"]))

    run(tmp_path / "s.jsonl", [{"text": "Hello."}], job)

    assert json.loads(TABLE.read_text(encoding="utf-8"))["tokens"]["definition"] <= limits()["definition"] == 330


def test_a18_a_folder_named_in_the_settings_overrides_the_texts(home: Path, tmp_path: Path) -> None:
    """What goes to the provider is then the person's own words, and only what they wrote is other."""
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "todo_write.md").write_text("Only when asked.\n")
    (home / "config" / "todo-context").mkdir(parents=True)
    (home / "config" / "todo-context" / "settings.toml").write_text(f'[plan]\nprompts_dir = "{tmp_path}/words"\n')
    with ScriptedLlm([{"text": "Yes."}]) as server:
        where = ("--no-session", "--model", "openai:m", "--base-url", server.base_url)
        ended = process.run(*where, "-p", "hi", cwd=tmp_path)
        tool, other = _tools(server.bodies[0])

    assert (ended.returncode, ended.stderr) == (0, "")
    assert tool["description"] == "Only when asked."
    assert other["description"] == prompt("todo")
    assert tool["parameters"] == json_schema()


def _tools(body: Any) -> list[Any]:
    return [tool["function"] for tool in body["tools"]]


def _words(text: str) -> list[str]:
    words = text.casefold().split()
    return [*words, *(f"{one} {two}" for one, two in pairwise(words))]


LONG = "x" * 20_000
NOTE = "see the log\n" * 4_200
MANY: dict[str, Any] = {"ops": [{"op": "append", "phase": "Many", "items": [f"Item {n}" for n in range(400)]}]}


def test_a19_a_reply_is_bounded_with_a_mark_and_the_stored_text_is_whole(tmp_path: Path) -> None:
    """A task of 20,000 characters, 400 tasks and a note of 50 kB: the model reads little, the file has it all."""
    long: dict[str, Any] = {"ops": [{"op": "append", "phase": "Long", "items": [LONG]}]}
    note: dict[str, Any] = {"ops": [{"op": "note", "task": LONG, "text": NOTE}]}
    view: dict[str, Any] = {"ops": [{"op": "view"}]}

    async def job(host: Host) -> None:
        assert await host.runtime.submit("Plan it.") is Submitted.DONE
        after_long, after_many, after_note, whole = read_by_model(host.server.bodies[-1])
        assert "… (cut, 20006 characters)" in after_long
        assert '… and 361 more open; {"op":"view"} shows all' in after_many
        assert [len(text) < 2_500 for text in (after_long, after_many, after_note)] == [True] * 3
        assert 40_000 < len(whole) < 40_200
        assert whole.endswith("characters)")
        tasks = list(plan_of(read_branch(host.path)).tasks())
        assert (len(tasks), tasks[0].content, tasks[0].notes) == (401, LONG, (NOTE.rstrip(),))

    run(tmp_path / "s.jsonl", calling(long, MANY, note, view), job)


def test_a19_the_checklist_below_a_call_is_bounded_in_its_rows(tmp_path: Path) -> None:
    """400 tasks fill no screen; how many more there are is said."""

    async def job(host: Host) -> None:
        shown = await host.type("Plan it.")
        assert "… +392 more open" in shown
        assert shown.count("\n") < 16

    run(tmp_path / "s.jsonl", calling(MANY), job)


def test_a19_the_checklist_below_a_call_is_bounded_in_its_length(tmp_path: Path) -> None:
    """A phase, a task and a reason of 20,000 characters each show their beginning, with a mark."""
    long: dict[str, Any] = {
        "ops": [
            {"op": "append", "phase": f"Long {LONG}", "items": [LONG]},
            {"op": "block", "task": LONG, "reason": LONG},
        ]
    }

    async def job(host: Host) -> None:
        card, *checklist, progress, said_last = (await host.type("Plan it.")).split("\n")
        assert card.startswith("• plan: append Long x")
        assert (progress, said_last) == ("0 of 1 done, 1 open (1 blocked).", "That is all.")
        assert [len(line) < 1_000 for line in checklist] == [True, True]
        assert all("…" in line for line in checklist)

    run(tmp_path / "s.jsonl", calling(long), job)


def test_a19_the_bounds_of_a_reply_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less is told when less is wanted."""
    for name, value in (("REPLY_OPEN_TASKS", "2"), ("REPLY_LINE_CHARACTERS", "20"), ("VIEW_CHARACTERS", "200")):
        monkeypatch.setenv(f"TODO_CONTEXT_PLAN_{name}", value)
    extension = Extension()

    assert '… and 398 more open; {"op":"view"} shows all' in extension.call(MANY).text
    assert len(extension.call({"ops": [{"op": "view"}]}).text) < 300
    assert len(extension.call({"todos": [item(LONG)]}).text) < 1_000


A20: list[Any] = [
    pytest.param(
        [{"op": "done", "task": "Wire config"}, {"op": "done", "task": "No such task"}],
        "Applied 1 of 2.\n- ops[1] not applied: no task",
        ONE_DONE,
        id="one good, one bad",
    ),
    pytest.param(
        [{"op": "init", "list": [{"phase": "New", "items": []}, {"phase": "Two", "items": ["x"]}]}],
        "Applied 0 of 1.\n- ops[0] not applied: ",
        BEGUN,
        id="an init with an empty phase",
    ),
    pytest.param(
        [{"op": "init", "list": [{"phase": " ", "items": ["x"]}]}, {"op": "done", "task": "Wire config"}],
        "Applied 1 of 2.\n- ops[0] not applied: ",
        ONE_DONE,
        id="an init with a blank phase, and one good",
    ),
    pytest.param(
        [{"op": "start", "task": "Wire config"}, {"op": "done", "task": "Wire config"}],
        "No change by ops[0].\n1 of 3 done, 2 open.\n",
        ONE_DONE,
        id="two on one task",
    ),
    pytest.param(
        [{"op": "rm", "task": "Wire config"}, {"op": "done", "task": "Wire config"}],
        "Applied 1 of 2.\n- ops[1] not applied: no task",
        BEGUN.replace("- [/] Wire config\n- [ ]", "- [/]"),
        id="two on one task, of which the second cannot be",
    ),
]


@pytest.mark.parametrize(("ops", "reply", "markdown"), A20)
def test_a20_of_a_batch_the_good_part_lands_and_the_reply_says_which_that_is(
    ops: list[Any], reply: str, markdown: str
) -> None:
    """An operation that fails changes nothing, the others are applied, and the model is left in no doubt."""
    extension = Extension()

    result = extension.call(INIT, {"ops": ops})

    assert result.text.startswith(reply)
    assert extension.markdown == markdown
    assert len(extension.changes) == (1 if markdown == BEGUN else 2)
    assert result.is_error == (markdown == BEGUN)
