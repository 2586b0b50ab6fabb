"""What a person meets in real pi without its screen: over RPC, and when printing."""

import json
from pathlib import Path

import pytest

from tests.e2e.pi import VERSIONS, Home, Installed
from tests.e2e.pi_others import DONE, INIT, plan
from tests.e2e.same_script import shown
from tests.scripted_llm import ScriptedLlm

pytestmark = [pytest.mark.e2e, pytest.mark.parametrize("pi", VERSIONS)]


def test_the_person_edits_over_rpc(pi: Installed, tmp_path: Path) -> None:
    note = plan({"op": "note", "task": "First", "text": "a\ttab"})
    with ScriptedLlm([INIT, note, DONE]) as server:
        home = Home(pi, tmp_path, server)
        with home.rpc() as rpc:
            rpc.say("hello")
            start = len(rpc.said)
            rpc.send("prompt", message="/todo edit")
            asked = rpc.asked("editor", start)
            assert asked["prefill"] == "# Work\n- [/] First\n  > a\ttab\n- [ ] Second\n"
            # As pi's own editor gives it back: without tabs, and trimmed.
            rpc.answer(asked, value=asked["prefill"].replace("\t", "    ").strip() + "\n- [?] Third")
            again = rpc.asked("editor", rpc.said.index(asked) + 1)
            assert again["prefill"].startswith("<!-- line 6: unknown mark [?]")
            rpc.answer(again, value=again["prefill"].replace("[?]", "[ ]"))
            rpc.wait(lambda said: said.get("method") == "notify" and "1 added" in said["message"], start)
    assert shown(home.session) == "# Work\n- [/] First\n  > a\ttab\n- [ ] Second\n- [ ] Third\n"


def test_a_text_left_unreadable_is_kept_and_offered_again(pi: Installed, tmp_path: Path) -> None:
    with ScriptedLlm([INIT, DONE]) as server:
        home = Home(pi, tmp_path, server)
        with home.rpc() as rpc:
            rpc.say("hello")
            start = len(rpc.said)
            rpc.send("prompt", message="/todo edit")
            asked = rpc.asked("editor", start)
            rpc.answer(asked, value="# Work\n- [/] First\n- [ ] Second\n- [?] Third")
            again = rpc.asked("editor", rpc.said.index(asked) + 1)
            rpc.answer(again, cancelled=True)
            rpc.wait(lambda said: "Your text is kept in" in said.get("message", ""), start)
        with home.rpc("--session", str(home.session)) as rpc:
            rpc.send("prompt", message="/todo edit")
            offer = rpc.asked("confirm")
            rpc.answer(offer, confirmed=True)
            asked = rpc.asked("editor")
            assert "- [?] Third" in asked["prefill"]
            rpc.answer(asked, value="# Work\n- [/] First\n- [ ] Second\n- [ ] Third")
            rpc.wait(lambda said: said.get("method") == "notify" and "1 added" in said["message"])
    assert shown(home.session) == "# Work\n- [/] First\n- [ ] Second\n- [ ] Third\n"


def test_the_person_chooses_among_several(pi: Installed, tmp_path: Path) -> None:
    with ScriptedLlm(
        [plan({"op": "init", "list": [{"phase": "Work", "items": ["Test a", "Test b"]}]}), DONE]
    ) as server:
        home = Home(pi, tmp_path, server)
        with home.rpc() as rpc:
            rpc.say("hello")
            rpc.send("prompt", message="/todo done test")
            asked = rpc.asked("select")
            assert asked["options"] == ["Test a", "Test b"]
            rpc.answer(asked, value="Test b")
            rpc.wait(lambda said: said.get("method") == "notify" and "Test b" in said["message"])
    assert shown(home.session) == "# Work\n- [/] Test a\n- [x] Test b\n"


def test_copying_over_rpc_prints(pi: Installed, tmp_path: Path) -> None:
    home = Home(pi, tmp_path)

    with home.rpc() as rpc:
        rpc.type("/todo append Work First")
        assert rpc.type("/todo copy").startswith("Printed, not copied")
        assert rpc.errors == b""


def test_printing_a_command_answers_on_stdout_and_asks_no_model(pi: Installed, tmp_path: Path) -> None:
    with ScriptedLlm([INIT, DONE]) as server:
        home = Home(pi, tmp_path, server)
        home.print("-p", "hello")
        asked = len(server.requests)
        done = home.print("-c", "-p", "/todo append Work Third")
        wrong = home.print("-c", "-p", "/todo frobnicate")

        # pi prints the last answer of the model after every command.
        assert done.stdout.endswith("All done.\n")
        assert "Third" in done.stdout
        assert done.stderr == ""
        assert "frobnicate" in wrong.stderr
        assert wrong.returncode == 0
        assert wrong.stdout == "All done.\n"
        assert len(server.requests) == asked
    assert shown(home.session) == "# Work\n- [/] First\n- [ ] Second\n- [ ] Third\n"
    assert [entry["type"] for entry in home.entries].count("custom_message") == 0


def test_a_stream_of_events_stays_one(pi: Installed, tmp_path: Path) -> None:
    home = Home(pi, tmp_path)

    done = home.print("--mode", "json", "-p", "/todo append Work First")
    assert json.loads(done.stdout.splitlines()[0])["type"] == "session"
    assert "First" in done.stderr
