"""Our extension in real pi at a person's screen, in every version that is there and in two sizes."""

import threading
from pathlib import Path

import pytest

from tests.e2e.pi import VERSIONS, Home, Installed, PiTerminal
from tests.e2e.same_script import shown
from tests.scripted_llm import ScriptedLlm, Step

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.parametrize("pi", VERSIONS),
    pytest.mark.parametrize("size", [pytest.param((110, 40), id="110x40"), pytest.param((80, 24), id="80x24")]),
]

HOSTILE = "Second \x1b[31mred\x1b]0;owned\x07 \x9b2J\u202eabc"

INIT: Step = {
    "tool_calls": [
        {
            "name": "todo_write",
            "arguments": {"ops": [{"op": "init", "list": [{"phase": "Work", "items": ["First", HOSTILE]}]}]},
        }
    ]
}


def test_the_widget_the_completions_and_the_editor(pi: Installed, size: tuple[int, int], tmp_path: Path) -> None:
    with ScriptedLlm([INIT, {"text": "All done."}]) as server:
        home = Home(pi, tmp_path, server)
        with PiTerminal(home, size=size) as screen:
            begin(screen)
            screen.enter("hello")
            screen.wait(lambda: widget(screen) == ["0 of 2 done, 2 open.", "- [/] First", "- [ ] Second red abc"])

            screen.type("/todo done f")
            screen.wait(lambda: any(row.startswith("→ First") for row in screen.rows))
            screen.type("\t")
            screen.wait(lambda: "/todo done First" in screen.rows)
            screen.type("\r")
            screen.wait(lambda: widget(screen) == ["1 of 2 done, 1 open.", "- [/] Second red abc"])
            screen.wait_for('Done: "First"')

            screen.enter("/todo edit")
            screen.wait_for("The plan as Markdown")
            screen.type("\x1b[B" * 6)
            screen.type("- [ ] Third")
            screen.wait_for("- [ ] Third")
            screen.type("\r")
            screen.wait_for("1 added")
            screen.wait(lambda: widget(screen) == ["1 of 3 done, 2 open.", "- [/] Second red abc", "- [ ] Third"])

            screen.enter("/todo edit")
            screen.wait(lambda: screen.text.count("The plan as Markdown") >= 1 and "cancel" in screen.text)
            screen.type("\x1b")
            screen.wait_for("Edit cancelled")

            assert b"\x1b]0;owned" not in screen.raw
            assert b"\xc2\x9b" not in screen.raw
            assert "\x1b[31mred" not in screen.raw.decode(errors="replace")
            end(screen)
        home.wait_for_no_bridge()
    assert shown(home.session) == "# Work\n- [x] First\n- [/] Second red \u202eabc\n- [ ] Third\n"


def test_a_resumed_plan_is_shown_and_a_rewind_shows_the_older_one(
    pi: Installed, size: tuple[int, int], tmp_path: Path
) -> None:
    append: Step = {
        "tool_calls": [
            {
                "name": "todo_write",
                "arguments": {"ops": [{"op": "append", "phase": "Work", "items": ["Third"]}]},
            }
        ]
    }
    with ScriptedLlm([INIT, {"text": "Planned."}, append, {"text": "More planned."}]) as server:
        home = Home(pi, tmp_path, server)
        home.print("-p", "hello")
        home.print("-c", "-p", "more of it")
        with PiTerminal(home, "-c", size=size) as screen:
            begin(screen)
            screen.wait(lambda: len(widget(screen)) == 4)

            screen.enter("/tree")
            screen.wait_for("Session Tree")
            # To the person's second message: the leaf is then what came before it.
            screen.type("more of it")
            screen.wait(lambda: any("more of it" in row and "\u203a" in row for row in screen.rows))
            screen.type("\r")
            screen.wait_for("No summary")
            screen.type("\r")
            screen.wait(lambda: len(widget(screen)) == 3)
            screen.type("\x03")
            end(screen)


def test_the_person_changes_the_plan_while_the_agent_works(
    pi: Installed, size: tuple[int, int], tmp_path: Path
) -> None:
    gate = threading.Event()
    with ScriptedLlm([INIT, {"text": "All done.", "gate": gate}]) as server:
        home = Home(pi, tmp_path, server)
        with PiTerminal(home, size=size) as screen:
            begin(screen)
            screen.enter("hello")
            screen.wait(lambda: len(widget(screen)) == 3)
            screen.enter("/todo append Work Third")
            screen.wait(lambda: len(widget(screen)) == 4)
            gate.set()
            screen.wait_for("All done.")
            end(screen)
    assert shown(home.session).endswith("- [ ] Third\n")


def test_a_python_that_died_is_told_and_reload_starts_another(
    pi: Installed, size: tuple[int, int], tmp_path: Path
) -> None:
    home = Home(pi, tmp_path)
    with PiTerminal(home, size=size) as screen:
        begin(screen)
        screen.wait(lambda: len(home.bridges()) == 1)
        home.kill_bridge()
        screen.enter("/todo append Work First")
        screen.wait_for("ended (SIGKILL)")
        screen.enter("/reload")
        screen.wait(lambda: len(home.bridges()) == 1)
        screen.wait_for("eloaded")
        screen.enter("/todo append Work Second")
        screen.wait(lambda: widget(screen) == ["0 of 1 done, 1 open.", "- [/] Second"])
        end(screen)
    home.wait_for_no_bridge()


def begin(screen: PiTerminal) -> None:
    screen.wait(lambda: any("scripted-model" in row for row in screen.rows))


def end(screen: PiTerminal) -> None:
    screen.enter("/quit")
    assert screen.wait_for_end() == 0


def widget(screen: PiTerminal) -> list[str]:
    """The lines right above pi's prompt."""
    rules = [number for number, row in enumerate(screen.rows) if row.startswith("──")]
    found: list[str] = []
    for row in reversed(screen.rows[: rules[-2]] if len(rules) > 1 else []):
        if not row.strip():
            break
        found.insert(0, row.strip())
    return found
