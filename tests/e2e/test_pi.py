"""Our extension in real pi, in every version that is there: the plan of a session."""

import json
from pathlib import Path

import pytest

from tests.e2e.pi import PI_074, VERSIONS, Home, Installed, PiDriver, wait
from tests.e2e.pi_others import DONE, INIT, plan, results, with_others
from tests.e2e.same_script import play, shown
from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_repl.process import run as run_our_program

pytestmark = [pytest.mark.e2e, pytest.mark.parametrize("pi", VERSIONS)]


def test_the_plan_in_the_file_is_the_one_of_the_script_after_each_step(pi: Installed, tmp_path: Path) -> None:
    homes: list[Home] = []

    def make(server: ScriptedLlm) -> PiDriver:
        driver = PiDriver(pi, server, tmp_path)
        homes.append(driver.home)
        return driver

    requests = play(make)

    assert len(requests) == 10
    homes[0].wait_for_no_bridge()


def test_a_refused_call_is_an_error_with_its_text_and_details(pi: Installed, tmp_path: Path) -> None:
    with ScriptedLlm([plan({"op": "done", "task": "Nope"}), DONE]) as server:
        home = Home(pi, tmp_path, server)
        done = home.print("-p", "hello")

    assert (done.returncode, done.stdout, done.stderr) == (0, "All done.\n", "")
    result = results(home)[0]
    assert result["isError"] is True
    assert result["details"]["errors"][0]["op"] == "done"
    assert result["details"]["storage"] == "session"
    assert 'no task "Nope"' in result["content"][0]["text"]
    home.wait_for_no_bridge()


def test_a_slow_tool_and_the_person_between_lose_nothing(pi: Installed, tmp_path: Path) -> None:
    both: Step = {"tool_calls": [{"name": "slow", "arguments": {}}, *INIT.get("tool_calls", ())]}
    with ScriptedLlm([both, DONE]) as server:
        home = with_others(pi, tmp_path, server, "other:slow")
        with home.rpc() as rpc:
            rpc.call("prompt", message="hello")
            wait((home.project / "slow.begun").exists)
            wait(rpc.widget)
            assert "Third" in rpc.type("/todo append Work Third")
            (home.project / "slow.go").touch()
            rpc.wait(lambda said: said.get("type") == "agent_end")
            assert rpc.widget() == ["0 of 3 done, 3 open.", "- [/] First", "- [ ] Second", "- [ ] Third"]
        with home.rpc("--session", str(home.session)) as rpc:
            assert rpc.type("/todo") == "# Work\n- [/] First\n- [ ] Second\n- [ ] Third"

    # Their results come last, with the older plan: they must not win.
    assert [entry["type"] for entry in home.entries][-4:] == ["custom", "message", "message", "message"]
    assert shown(home.session) == "# Work\n- [/] First\n- [ ] Second\n- [ ] Third\n"
    assert [result["isError"] for result in results(home)] == [False, False]


def test_what_python_adds_to_a_request_is_on_the_wire_and_never_stored(pi: Installed, tmp_path: Path) -> None:
    with ScriptedLlm([INIT, DONE]) as server:
        home = with_others(pi, tmp_path, server, "other:hooks")
        done = home.print("-p", "hello")

        assert done.stdout == "All done.\n"
        assert len(server.bodies) == 2
        for body in server.bodies:
            assert body["user"] == "marked"
            assert "only on the wire" in json.dumps(as_list(body["messages"])[-1])
    assert "only on the wire" not in home.session.read_text("utf-8")
    assert "marked" not in home.session.read_text("utf-8")


def test_python_can_make_the_agent_go_on(pi: Installed, tmp_path: Path) -> None:
    with ScriptedLlm([INIT, {"text": "I stop."}, {"text": "I went on."}]) as server:
        home = with_others(pi, tmp_path, server, "other:going_on")
        with home.rpc() as rpc:
            rpc.say("hello")
            wait(lambda: "I went on." in home.session.read_text("utf-8"))

        assert len(server.bodies) == 3
        assert "There is more to do." in json.dumps(as_list(server.bodies[2]["messages"])[-2:])
    assert [entry["customType"] for entry in home.entries if entry["type"] == "custom_message"] == ["more"]


def test_python_can_make_the_agent_go_on_when_pi_prints_and_waits(pi: Installed, tmp_path: Path) -> None:
    with ScriptedLlm([INIT, {"text": "I stop."}, {"text": "I went on."}]) as server:
        home = with_others(pi, tmp_path, server, "other:going_on")
        done = home.print("-p", "hello")

        # 0.74 has ended before the handler is done, and nothing is asked in vain.
        assert (done.stdout, len(server.bodies)) == (("I stop.\n", 2) if pi is PI_074 else ("I went on.\n", 3))


def test_python_can_block_a_call(pi: Installed, tmp_path: Path) -> None:
    with ScriptedLlm([INIT, DONE]) as server:
        home = with_others(pi, tmp_path, server, "other:blocking")
        home.print("-p", "hello")

    assert results(home)[0]["content"][0]["text"] == "no todo_write here"
    assert results(home)[0]["isError"] is True


def test_an_entry_has_the_id_of_the_leaf_and_is_on_the_branch_at_once(pi: Installed, tmp_path: Path) -> None:
    with ScriptedLlm([DONE]) as server:
        home = with_others(pi, tmp_path, server, "other:stored")
        with home.rpc() as rpc:
            rpc.say("hello")
            stored, leaf = rpc.type("/stored some text").split()

    assert stored == leaf == home.entries[-1]["id"]
    assert home.entries[-1]["data"] == {"text": "some text"}


def test_another_session_and_a_fork_have_one_bridge_and_their_own_plan(pi: Installed, tmp_path: Path) -> None:
    with ScriptedLlm([INIT, DONE]) as server:
        home = Home(pi, tmp_path, server)
        with home.rpc() as rpc:
            rpc.say("hello")
            first = rpc.call("get_state")["sessionFile"]
            rpc.call("new_session")
            assert rpc.type("/todo").startswith("The plan is empty")
            rpc.call("switch_session", sessionPath=first)
            assert rpc.type("/todo") == "# Work\n- [/] First\n- [ ] Second"
            [message] = rpc.call("get_fork_messages")["messages"]
            rpc.call("fork", entryId=message["entryId"])
            assert rpc.type("/todo").startswith("The plan is empty")
            wait(lambda: len(home.bridges()) == 1, lambda: str(home.bridges()))
        home.wait_for_no_bridge()


def test_a_session_of_ours_goes_on_in_pi_and_back(pi: Installed, tmp_path: Path) -> None:
    ours = tmp_path / "sessions" / "ours.jsonl"
    ours.parent.mkdir()
    with ScriptedLlm([INIT, DONE, plan({"op": "done", "task": "First"}), DONE, plan({"op": "done"}), DONE]) as server:
        model = ["--session", str(ours), "--model", "openai:scripted", "--base-url", server.base_url]
        home = Home(pi, tmp_path, server)
        begun = run_our_program("-p", "hello", *model, cwd=home.project, OPENAI_API_KEY="unused")
        assert begun.returncode == 0, begun.stderr
        before = ours.read_text("utf-8")
        with home.rpc("--session", str(ours)) as rpc:
            rpc.say("go on")
            rpc.type("/todo append Work Third")
        between = ours.read_text("utf-8")
        assert between.startswith(before)
        assert shown(ours) == "# Work\n- [x] First\n- [/] Second\n- [ ] Third\n"
        back = run_our_program("-p", "finish", *model, cwd=home.project, OPENAI_API_KEY="unused")
        assert (back.returncode, back.stderr) == (0, "")
    assert ours.read_text("utf-8").startswith(between)
    assert shown(ours) == "# Work\n- [x] First\n- [x] Second\n- [x] Third\n"
    assert len(server.requests) == 6


def test_without_a_session_the_plan_is_in_memory(pi: Installed, tmp_path: Path) -> None:
    with ScriptedLlm([INIT, DONE]) as server:
        home = Home(pi, tmp_path, server)
        with home.rpc("--no-session") as rpc:
            rpc.say("hello")
            ended = rpc.wait(lambda said: said.get("type") == "tool_execution_end")
    assert ended["result"]["details"]["storage"] == "memory"


def as_list(value: object) -> list[object]:
    assert isinstance(value, list)
    return value
