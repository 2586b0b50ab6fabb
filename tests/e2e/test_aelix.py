"""Our extension in real Aelix: the same script as everywhere, and what is Aelix's own."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.aelix import AELIX, EMPTY_PROMPT, AelixDriver, AelixTerminal, Home, install, run
from tests.e2e.same_script import play, shown
from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_context.attention.branches import golden
from todo_context.paths import config_dir

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not AELIX.is_file(), reason=f"make e2e-fetch brings it: there is no {AELIX}"),
]

INIT = {
    "ops": [
        {
            "op": "init",
            "list": [
                {"phase": "Build", "items": ["Wire config", "Port logger"]},
                {"phase": "Verify", "items": ["Run tests"]},
            ],
        }
    ]
}
PLANNED = "# Build\n- [/] Wire config\n- [ ] Port logger\n\n# Verify\n- [ ] Run tests\n"
PROGRESS = "0 of 3 done, 3 open."


def calling(*arguments: object) -> list[Step]:
    """One message with these calls, and a last word."""
    return [{"tool_calls": [{"name": "todo_write", "arguments": each} for each in arguments]}, {"text": "That is all."}]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="hatchling is not installed; `make e2e` brings it")
    return install(tmp_path_factory.mktemp("aelix"))


def sent(server: ScriptedLlm) -> list[list[dict[str, Any]]]:
    """The messages of each request, without the system's."""
    bodies: list[Any] = [*server.bodies]
    return [[each for each in body["messages"] if each["role"] != "system"] for body in bodies]


def test_the_plan_in_the_file_is_the_one_of_the_script_after_each_step(python: Path, tmp_path: Path) -> None:
    requests = play(lambda server: AelixDriver(Home(python, tmp_path, server)))

    assert len(requests) == 10


def test_the_installed_wheel_has_a_manifest_that_aelix_takes(python: Path, tmp_path: Path) -> None:
    home = Home(python, tmp_path)

    assert "BOUND     todo-context" in home.run(home.program("extension", "verify")).stdout
    assert home.print("--no-session", "--print", "/todo").stderr == ""


def test_loading_imports_neither_aelix_nor_what_is_heavy(python: Path) -> None:
    program = "import sys, todo_context.hosts.aelix; print(*sys.modules, sep=chr(10))"

    loaded = {name.partition(".")[0] for name in run(python, "-P", "-c", program).split()}

    assert "todo_context" in loaded
    assert not {name for name in loaded if name.startswith(("aelix", "prompt_toolkit", "pydantic", "rich"))}


# Without a screen


def test_a_command_is_done_without_the_model_and_its_answer_is_printed(python: Path, tmp_path: Path) -> None:
    with ScriptedLlm([]) as server:
        home = Home(python, tmp_path, server)
        first = home.print("--print", '/todo append Build "Wire config"')
        wrong = home.print("--continue", "--print", "/todo done nothing")
        edit = home.print("--continue", "--print", "/todo edit")

    assert '"Wire config"' in first.stdout
    assert (first.stderr, wrong.stdout, edit.stdout) == ("", "", "")
    assert 'matches "nothing"' in wrong.stderr
    assert edit.stderr.startswith("/todo edit needs a terminal with an editor.")
    assert (server.requests, [change["by"] for change in home.changes]) == ([], ["user"])


def test_a_stream_of_json_stays_one(python: Path, tmp_path: Path) -> None:
    home = Home(python, tmp_path)

    lines = [json.loads(line) for line in home.print("--mode", "json", "/todo append Build One").stdout.splitlines()]

    assert (lines[-1]["method"], lines[-1]["notifyType"]) == ("notify", "info")
    assert '"One"' in lines[-1]["message"]


def test_a_client_over_rpc_gets_the_answer_as_a_notice(python: Path, tmp_path: Path) -> None:
    with ScriptedLlm([]) as server, (home := Home(python, tmp_path, server)).rpc() as rpc:
        assert '"One"' in rpc.type("/todo append Build One")
        assert rpc.type("/todo") == "# Build\n- [/] One"
        assert rpc.type("/todo edit").startswith("/todo edit needs a terminal with an editor.")
        assert rpc.said[-1]["notifyType"] == "error"

    assert rpc.errors == b""
    assert server.requests == []
    assert len(home.changes) == 1


def test_named_beside_the_installed_one_it_is_there_once(python: Path, tmp_path: Path) -> None:
    with ScriptedLlm(calling(INIT)) as server:
        home = Home(python, tmp_path, server)
        with home.rpc("-e", "todo_context.hosts.aelix") as rpc:
            rpc.say("Plan it.")
            assert rpc.type("/todo") == PLANNED.strip()
            commands = [each["name"] for each in rpc.call("get_commands")["commands"]]

    assert [name for name in commands if name.startswith("todo")] == ["todo"]
    assert (len(home.changes), rpc.errors) == (1, b"")
    tools: Any = server.bodies[0]["tools"]
    assert [tool["function"]["name"] for tool in tools].count("todo_write") == 1


def test_a_session_without_entries_of_ours_has_the_plan_of_its_calls(python: Path, tmp_path: Path) -> None:
    with ScriptedLlm(calling(INIT)) as server:
        home = Home(python, tmp_path, server)
        home.print("--print", "Plan it.")
        kept = [line for line in home.session.read_text("utf-8").splitlines() if '"customType"' not in line]
        home.session.write_text("\n".join(_chained(kept)) + "\n")
        seen = home.print("--continue", "--print", "/todo")

    assert seen.stdout.startswith(PLANNED)


def _chained(lines: list[str]) -> list[str]:
    """Entries that hang on each other again, after some were taken out."""
    header, *entries = map(json.loads, lines)
    for before, entry in zip([{"id": None}, *entries], entries, strict=False):
        entry["parentId"] = before["id"]
    return list(map(json.dumps, [header, *entries]))


def test_in_a_new_session_over_rpc_the_plan_is_that_sessions(python: Path, tmp_path: Path) -> None:
    with ScriptedLlm([]) as server, (home := Home(python, tmp_path, server)).rpc() as rpc:
        rpc.type("/todo append Build One")
        first = home.session
        rpc.call("new_session")
        assert rpc.type("/todo").startswith("The plan is empty.")
        rpc.type("/todo append Other Two")
        second = home.session
        rpc.call("switch_session", sessionPath=str(first))
        assert rpc.type("/todo") == "# Build\n- [/] One"

    assert (shown(first), shown(second)) == ("# Build\n- [/] One\n", "# Other\n- [/] Two\n")


def test_the_tool_tells_the_model_what_it_could_not_do_and_the_run_goes_on(python: Path, tmp_path: Path) -> None:
    with ScriptedLlm(calling({"ops": [{"op": "done", "task": "Nothing"}]}, {"ops": 3})) as server:
        done = Home(python, tmp_path, server).print("--print", "Go on.")

    assert (done.returncode, done.stdout) == (0, "That is all.\n")
    results = [each["content"] for each in sent(server)[1] if each["role"] == "tool"]
    assert ["not applied" in results[0], len(results)] == [True, 2]


# Hooks

REMIND = """
from todo_context.hosts.aelix import AelixPi

def setup(aelix):
    pi = AelixPi(aelix)

    def remind(event, ctx):
        roles = [message.get("toolName") or message["role"] for message in event["messages"]]
        return {"messages": [*event["messages"], {"role": "user", "content": f"REMINDER {roles}"}]}

    pi.on("context", remind)
    pi.on("no_such_event", remind)
"""


def test_what_a_context_handler_adds_is_in_each_request_and_in_no_file(python: Path, tmp_path: Path) -> None:
    with ScriptedLlm([*calling(INIT), {"text": "Again."}]) as server:
        home = Home(python, tmp_path, server)
        remind = home.extension("remind.py", REMIND)
        home.print("-e", remind, "--print", "Plan it.")
        home.print("-e", remind, "--continue", "--print", "Go on.")

    assert [_text(messages[-1]) for messages in sent(server)] == [
        "REMINDER ['user']",
        "REMINDER ['user', 'assistant', 'todo_write']",
        "REMINDER ['user', 'assistant', 'todo_write', 'assistant', 'user']",
    ]
    assert [message["role"] for message in sent(server)[1]] == ["user", "assistant", "tool", "user"]
    assert sent(server)[1][1]["tool_calls"][0]["function"]["name"] == "todo_write"
    assert "REMINDER" not in home.session.read_text("utf-8")


def test_the_system_prompt_ends_with_when_a_plan_is_worth_it_in_each_request_of_each_run(
    python: Path, tmp_path: Path
) -> None:
    with ScriptedLlm([*calling(INIT), {"text": "Again."}, {"text": "Off."}]) as server:
        home = Home(python, tmp_path, server)
        home.print("--print", "Plan it.")
        home.print("--continue", "--print", "Go on.")
        config_dir().mkdir(parents=True)
        (config_dir() / "settings.toml").write_text('[attention]\neager = "off"\n')
        home.print("--continue", "--print", "Go on.")
        bodies: list[Any] = [*server.bodies]

    *told, untold = [_text(body["messages"][0]) for body in bodies]
    assert len(told) == 3
    assert len(set(told)) == 1
    assert told[0] == f"{untold}\n\n{golden('eager_soft')}"


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    return str(content if isinstance(content, str) else content[0]["text"])


BROKEN = """
from todo_context.hosts.aelix import AelixPi

def setup(aelix):
    pi = AelixPi(aelix)

    def break_off(event, ctx):
        raise KeyError("boom")

    for event in ("session_start", "context", "turn_end"):
        pi.on(event, break_off)
    pi.on("context", lambda event, ctx: {"messages": [{"role": "assistant", "content": []}]})
"""


def test_an_error_of_a_handler_is_a_line_and_the_run_goes_on(python: Path, tmp_path: Path) -> None:
    with ScriptedLlm([{"text": "Hello."}]) as server:
        home = Home(python, tmp_path, server)
        done = home.print("-e", home.extension("broken.py", BROKEN), "--print", "Hi.")

    assert (done.returncode, done.stdout) == (0, "Hello.\n")
    assert done.stderr.splitlines() == [
        "session_start failed: KeyError('boom')",
        "context failed: KeyError('boom')",
        """context failed: ValueError('a message of the role "assistant" that was not in the request. Add one of the role "user".')""",
        "turn_end failed: KeyError('boom')",
    ]


GO_ON = """
from todo_context.hosts.aelix import AelixPi

def setup(aelix):
    pi = AelixPi(aelix)
    left = ["Go on, please."]

    def go_on(event, ctx):
        if left and event["message"]["stopReason"] == "stop":
            pi.send_message(left.pop(), custom_type="nudge", trigger_turn=True)

    pi.on("turn_end", go_on)
"""


def test_a_message_at_the_end_of_a_turn_makes_the_agent_go_on(python: Path, tmp_path: Path) -> None:
    with ScriptedLlm([{"text": "I stop."}, {"text": "I went on."}]) as server:
        home = Home(python, tmp_path, server)
        done = home.print("-e", home.extension("go_on.py", GO_ON), "--print", "Hi.")

    assert done.stdout == "I went on.\n"
    assert [_text(message) for message in sent(server)[-1]] == ["Hi.", "I stop.", "Go on, please."]


REWIND = """
def setup(aelix):
    async def rewind(args, ctx):
        branch = await ctx.session_manager.get_session().get_branch()
        await ctx.navigate_tree(branch[int(args)].id)

    aelix.register_command("rewind", handler=rewind)
"""

KEEP = """
import sys
from todo_context.errors import TodoContextError
from todo_context.hosts.aelix import AelixPi

def setup(aelix):
    pi = AelixPi(aelix)
    old, sys.kept = getattr(sys, "kept", None), pi

    async def use_the_old_one(event, ctx):
        if old:
            for use in (old.append_entry("late", {}), old.branch()):
                try:
                    await use
                except TodoContextError as error:
                    print(str(error)[:28], file=sys.stderr)

    pi.on("session_start", use_the_old_one)
"""


def test_what_was_kept_of_a_session_that_was_left_stores_nothing_anywhere(python: Path, tmp_path: Path) -> None:
    home = Home(python, tmp_path)
    with home.rpc("-e", home.extension("keep.py", KEEP)) as rpc:
        rpc.type("/todo append Build One")
        rpc.call("new_session")
        rpc.type("/todo append Build Two")

    assert rpc.errors.decode().splitlines() == ["Aelix gives no session here:"] * 2
    assert [path.read_text("utf-8").count('"late"') for path in home.sessions.rglob("*.jsonl")] == [0, 0]


def test_without_a_session_file_the_plan_is_in_memory_and_says_so(python: Path, tmp_path: Path) -> None:
    with ScriptedLlm(calling(INIT)) as server, Home(python, tmp_path, server).rpc("--no-session") as rpc:
        rpc.say("Plan it.")
        assert rpc.type("/todo") == PLANNED.strip()

    (end,) = (said for said in rpc.said if said.get("type") == "tool_execution_end")
    assert end["result"]["details"]["storage"] == "memory"


def test_a_fork_has_the_plan_of_where_it_began(python: Path, tmp_path: Path) -> None:
    with (
        ScriptedLlm([*calling(INIT), {"text": "Again."}]) as server,
        (home := Home(python, tmp_path, server)).rpc() as rpc,
    ):
        rpc.say("Plan it.")
        rpc.say("Go on.")
        rpc.type("/todo done wire")
        (_, second) = rpc.call("get_fork_messages")["messages"]
        rpc.call("fork", entryId=second["entryId"])
        assert rpc.type("/todo") == PLANNED.strip()
        rpc.type("/todo drop tests")

    assert len(list(home.sessions.rglob("*.jsonl"))) == 2
    assert shown(home.session) == PLANNED.replace("[ ] Run tests", "[-] Run tests")


# At a screen


@pytest.fixture
def planned(python: Path, tmp_path: Path) -> Home:
    """A session with a plan of three tasks."""
    with ScriptedLlm(calling(INIT)) as server:
        home = Home(python, tmp_path, server)
        done = home.print("--print", "Plan it.")
        assert done.stdout == "That is all.\n", done.stderr
    return home


@pytest.mark.parametrize("size", [(110, 50), (80, 24)])
def test_the_plan_stands_above_the_prompt_from_the_start_and_after_each_change(
    planned: Home, size: tuple[int, int]
) -> None:
    with AelixTerminal(planned, "--continue", size=size) as person:
        person.wait_for(f"{PROGRESS}\n- [/] Wire config\n- [ ] Port logger\n- [ ] Run tests\n{EMPTY_PROMPT}")
        person.enter("/todo done wire")
        person.wait_for(f"1 of 3 done, 2 open.\n- [/] Port logger\n- [ ] Run tests\n{EMPTY_PROMPT}")
        assert 'Done: "Wire config" (1 of 3). Next: "Port logger".' in person.rows
        person.enter("/reload")
        person.enter("/todo")
        person.wait_for("# Build\n- [x] Wire config\n- [/] Port logger\n")
        person.wait_for(f"1 of 3 done, 2 open.\n- [/] Port logger\n- [ ] Run tests\n{EMPTY_PROMPT}")
        person.enter("/new")
        person.wait(lambda: PROGRESS[1:] not in "\n".join(person.bottom) and "- [/] Port" not in person.bottom)
        assert person.quit() == 0

    assert len(planned.changes) == 0
    assert shown(_first(planned)).startswith("# Build\n- [x] Wire config\n")


def test_the_widget_follows_the_agent_and_the_branch(python: Path, tmp_path: Path) -> None:
    with ScriptedLlm([*calling(INIT), *calling({"ops": [{"op": "done", "task": "Wire config"}]})]) as server:
        home = Home(python, tmp_path, server)
        with AelixTerminal(home, "-e", home.extension("rewind.py", REWIND)) as person:
            person.enter("Plan it.")
            person.wait_for(f"{PROGRESS}\n- [/] Wire config\n- [ ] Port logger\n- [ ] Run tests\n{EMPTY_PROMPT}")
            person.wait_for("That is all.")
            person.enter("Go on.")
            person.wait_for(f"1 of 3 done, 2 open.\n- [/] Port logger\n- [ ] Run tests\n{EMPTY_PROMPT}")
            person.enter("/rewind 3")
            person.wait(lambda: "- [/] Wire config" in person.bottom)
            person.enter("/todo drop tests")
            person.wait_for('Dropped: "Run tests"')
            person.quit()

    assert shown(home.session) == PLANNED.replace("[ ] Run tests", "[-] Run tests")


def test_a_run_is_left_with_escape_for_a_command(python: Path, tmp_path: Path) -> None:
    gate = threading.Event()
    steps: list[Step] = [calling(INIT)[0], {"text": "Now I will", "hold": gate}]
    with ScriptedLlm(steps) as server, AelixTerminal(home := Home(python, tmp_path, server)) as person:
        person.enter("Plan it.")
        person.wait(lambda: PROGRESS in person.bottom and person.is_working)
        person.type("\x1b")
        person.enter("/todo done wire")
        person.wait_for('Done: "Wire config" (1 of 3).')
        gate.set()
        person.quit()

    assert shown(home.session).startswith("# Build\n- [x] Wire config\n")


def _first(home: Home) -> Path:
    return min(home.sessions.rglob("*.jsonl"), key=lambda path: path.name)


@pytest.mark.parametrize("size", [(110, 50), (80, 24)])
def test_an_edit_in_aelix_own_editor_is_taken_over(planned: Home, size: tuple[int, int]) -> None:
    with AelixTerminal(planned, "--continue", size=size) as person:
        person.enter("/todo edit")
        person.wait_for("(Ctrl+S to save, Esc to cancel)")
        person.wait_for("# Verify\n- [ ] Run tests")
        person.type("- [ ] Read the log\r  > all of it\r")
        person.wait_for("  > all of it")
        person.type("\x13")
        person.wait_for("Edited: 1 added.")
        person.enter("/todo edit")
        person.wait_for("(Ctrl+S to save, Esc to cancel)")
        person.type("\x1b")
        person.wait_for("Edit cancelled; the plan is unchanged.")
        person.quit()

    assert shown(planned.session) == f"{PLANNED}- [ ] Read the log\n  > all of it\n"


def test_a_text_that_cannot_be_read_is_opened_again_and_kept_when_left(planned: Home, home: Path) -> None:
    with AelixTerminal(planned, "--continue") as person:
        person.enter("/todo edit")
        person.wait_for("# Verify\n- [ ] Run tests")
        person.type("- [?] What\r\x13")
        person.wait_for("<!-- line 8: unknown mark [?]")
        person.type("\x1b")
        person.wait_for("Your text is kept in ")
        person.wait_for("reads a text that was kept.")
        person.quit()

    (kept,) = home.rglob("todo-*.md")
    assert kept.read_text("utf-8").endswith("- [?] What\n")
    assert len(planned.changes) == 1


def test_an_ambiguous_name_is_asked_back_and_an_emptied_plan_confirmed(planned: Home) -> None:
    with AelixTerminal(planned, "--continue") as person:
        person.enter('/todo append Build "Port config"')
        person.wait_for('Added to "Build": "Port config".')
        person.enter("/todo done port")
        person.wait_for("Which of these 2 tasks?")
        person.type("\x1b[B")
        person.wait_for("▸ Port config")
        person.type("\r")
        person.wait_for('Done: "Port config"')
        empty = planned.project / "EMPTY.md"
        empty.write_text("# Build\n")
        for key, answer in {"n": "Import cancelled; the plan is unchanged.", "y": "Imported "}.items():
            person.enter("/todo import EMPTY.md")
            person.wait_for("Empty the plan?")
            person.type(key)
            person.wait_for(answer)
        person.quit()

    assert [change["action"] for change in planned.changes] == ["init", "append", "done", "import"]


def test_copying_reaches_the_terminal(planned: Home) -> None:
    with AelixTerminal(planned, "--continue") as person:
        person.enter("/todo copy")
        person.wait(lambda: b"\x1b]52;c;" in person.raw)
        person.quit()
