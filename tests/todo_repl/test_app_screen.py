"""The screen of the prompt, in this process: what is written for what, and what keys do."""

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest
from rich.text import Text

from tests.plans import plan
from tests.todo_repl.desk import WAIT_S, Desk, sit
from tests.todo_repl.stage import ScriptedModel
from todo_context.panel.state import Panel
from todo_context.pi import Answer, Context, Pi, Room
from todo_context.settings import PanelSettings
from todo_context.widget import NAME as PLAN
from todo_repl.models import Delta, Request, TextDelta

ESCAPE, CTRL_C, CTRL_D, CTRL_L, DOWN = "\x1b", "\x03", "\x04", "\x0c", "\x1b[B"

TASKS = "# Build\n" + "".join(f"- [ ] Task number {number} with a name of some length\n" for number in range(5))


class Endless:
    """A model that says something and then nothing more."""

    name = provider = api = "endless"

    def __init__(self, said: str = "I begin.") -> None:
        self._said = said

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        del request
        yield TextDelta(self._said)
        await asyncio.Event().wait()


def test_one_changed_task_rewrites_its_row_and_the_heading_and_an_unchanged_plan_nothing() -> None:
    panel = Panel(PanelSettings(motion=False), {})

    async def job(desk: Desk) -> None:
        panel.begin(plan(TASKS))
        desk.front.set_widget(PLAN, panel.draw)
        await desk.shows("Task number 4")

        def change() -> None:
            panel.update(plan(TASKS.replace("- [ ] Task number 2", "- [x] Task number 2")))
            desk.front.set_widget(PLAN, panel.draw)

        written = await desk.bytes_of(change)
        await desk.until(lambda: any(row.startswith("Plan 1/5") for row in desk.glass.rows))
        assert "Task number 2" in written
        assert not re.search("Task number [0134]", written)
        assert "offline" not in written
        assert len(written) < 250
        assert await desk.bytes_of(lambda: desk.front.set_widget(PLAN, panel.draw)) == ""

    sit(job)


def test_a_spinner_moves_its_cell_alone_and_only_while_the_agent_works() -> None:
    async def job(desk: Desk) -> None:
        desk.type("go\r")
        await desk.shows("I begin.")
        before = len(desk.glass.raw)
        await asyncio.sleep(1.0)
        assert len(desk.glass.raw) == before, "text stands where the spinner would be, and no panel is there"
        desk.type(ESCAPE)
        await desk.shows("Stopped.")
        assert await desk.bytes_of(lambda: None) == ""

    sit(job, model=Endless())


def test_lines_and_what_stands_below_them_leave_in_one_frame() -> None:
    async def job(desk: Desk) -> None:
        written = await desk.bytes_of(lambda: desk.front.notify("\n".join(f"line {number}" for number in range(15))))

        assert written.count("\x1b[?2026h") == written.count("\x1b[?2026l") == 1
        assert written.index("line 0") < written.index("line 14") < written.rindex(">")

    assert [line for line in sit(job).lines if line.startswith("line")] == [f"line {number}" for number in range(15)]


@pytest.mark.parametrize("size", [(200, 50), (80, 24), (40, 12), (20, 5), (8, 3), (3, 2), (2, 1)])
def test_no_size_is_too_small(size: tuple[int, int]) -> None:
    async def job(desk: Desk) -> None:
        desk.front.set_widget("many", [f"row {number} \U0001f1ef\U0001f1f5 漢字 {'x' * 100}" for number in range(100)])
        desk.front.notify("a line")
        desk.type("/todo append what\x1b\rever")
        await desk.until(lambda: desk.screen.app.current_buffer.text.endswith("ever"))
        desk.glass.screen.resize(7, 33)
        desk.screen.app._on_resize()
        await desk.shows("ever")

    sit(job, size=size)


def test_a_widget_that_fails_is_a_row_with_its_key_and_one_that_is_too_wide_is_cut() -> None:
    def fails(room: Room) -> Sequence[Text]:
        raise ValueError(f"{room.width}\x1b[2J")

    async def job(desk: Desk) -> None:
        desk.front.set_widget("bad", fails)
        desk.front.set_widget("wide", lambda room: [Text("漢" * 100, style="red")] * (room.rows + 5))
        await desk.shows("bad: its widget: ValueError: 39")
        assert max(row.count("漢") for row in desk.glass.rows) == 19
        assert sum("漢" in row for row in desk.glass.rows) <= 9
        assert ">" in desk.glass.rows

    sit(job, size=(40, 12))


async def chosen(desk: Desk, keys: str, *options: str) -> str | None:
    asking = asyncio.create_task(desk.front.select("Which?", options))
    await desk.shows("Which?")
    desk.type(keys)
    return await asyncio.wait_for(asking, WAIT_S)


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        pytest.param("\r", "one apple", id="the first"),
        pytest.param(f"{DOWN}\r", "two pears", id="down"),
        pytest.param(f"{DOWN * 9}\r", "three apples 2", id="no further than the last"),
        pytest.param("APPLE thr\r", "three apples 2", id="words, in any order and case"),
        pytest.param("2\r", "two pears", id="a number before what has it in it"),
        pytest.param("plum\r\x152\r", "two pears", id="what is not there is no answer"),
        pytest.param(ESCAPE, None, id="escape"),
        pytest.param(CTRL_C, None, id="ctrl-c"),
        pytest.param(CTRL_D, None, id="ctrl-d"),
    ],
)
def test_one_of_several_is_chosen(keys: str, answer: str | None) -> None:
    async def job(desk: Desk) -> None:
        assert await chosen(desk, keys, "one apple", "two pears", "three apples 2") == answer
        await desk.shows(f"Which? {answer or '(nothing)'}")
        await desk.until(lambda: desk.glass.rows[-1] == ">" or ">" in desk.glass.rows)

    sit(job)


def test_a_bare_enter_meant_for_the_line_chooses_nothing() -> None:
    async def job(desk: Desk) -> None:
        desk.type("half a line")
        await desk.shows("> half a line")
        asking = asyncio.create_task(desk.front.select("Which?", ["one", "two"]))
        await desk.shows("Which?")
        desk.type(f"\r\r{DOWN}\r")
        assert await asking == "two"
        await desk.shows("> half a line")

    sit(job)


def test_questions_come_one_after_the_other_while_output_goes_on() -> None:
    async def job(desk: Desk) -> None:
        first = asyncio.create_task(desk.front.confirm("First?", "Because."))
        second = asyncio.create_task(desk.front.select("Second?", ["one", "two"]))
        await desk.shows("First?")
        desk.front.notify("meanwhile")
        await desk.shows("meanwhile")
        assert not any("Second?" in row for row in desk.glass.rows)
        desk.type("y\r")
        assert await first is True
        await desk.shows("Second?")
        second.cancel()
        await desk.until(lambda: ">" in desk.glass.rows)
        desk.type("typed")
        await desk.shows("> typed")

    sit(job)


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (20, 5)])
def test_a_long_list_shows_what_is_chosen_at_every_size(size: tuple[int, int]) -> None:
    async def job(desk: Desk) -> None:
        asking = asyncio.create_task(desk.front.select("Which of them?", [f"option {number}" for number in range(60)]))
        await desk.shows("Which")
        for number in range(1, 31):
            desk.type(DOWN)
            await desk.shows(f"> {number + 1}. option" if number + 1 > 9 else f">  {number + 1}. option")
        desk.type("\r")
        assert await asking == "option 30"

    sit(job, size=size)


def test_escape_closes_the_menu_then_stops_the_agent() -> None:
    async def job(desk: Desk) -> None:
        desk.type("go\r")
        await desk.shows("I begin.")
        desk.type("/he")
        await desk.shows("Show the commands and keys")
        desk.type(ESCAPE)
        await desk.until(lambda: not any("Show the commands" in row for row in desk.glass.rows))
        assert desk.runtime.is_working
        desk.type(ESCAPE)
        await desk.shows("Stopped.")
        await desk.shows("> /he")
        assert not desk.runtime.is_working

    sit(job, model=Endless())


def asks(pi: Pi) -> None:
    async def handler(args: str, ctx: Context) -> Answer:
        del args
        return Answer(text=f"Chosen: {await ctx.ui.select('Which?', ['one', 'two'])}")

    pi.register_command("ask", description="Ask", handler=handler)


def test_escape_in_a_dialog_closes_it_and_the_run_goes_on_until_the_next() -> None:
    async def job(desk: Desk) -> None:
        desk.type("go\r")
        await desk.shows("I begin.")
        desk.type("/ask\r")
        await desk.shows("Which?")
        desk.type(ESCAPE)
        await desk.shows("Chosen: None")
        assert desk.runtime.is_working
        desk.type(CTRL_C)
        await desk.shows("Stopped.")

    sit(job, asks, model=Endless())


def asks_at_the_end(pi: Pi) -> None:
    async def handler(event: object, ctx: Context) -> None:
        del event
        ctx.ui.notify(f"Answered: {await ctx.ui.confirm('Close it too?', '')}")

    pi.on("agent_end", handler)


def send_beside_a_plan(desk: Desk) -> None:
    """Have the agent begin, with a task in progress above the prompt."""
    panel = Panel(PanelSettings(), {})
    panel.begin(plan("# Build\n- [/] Wire it\n"))
    desk.front.set_widget(PLAN, panel.draw)
    desk.type("go\r")


def test_while_the_agent_waits_for_an_answer_nothing_moves_and_nothing_says_that_it_works() -> None:
    async def job(desk: Desk) -> None:
        send_beside_a_plan(desk)
        await desk.shows("Close it too?")
        await desk.bytes_of(lambda: None)
        before = len(desk.glass.raw)
        await asyncio.sleep(0.5)
        assert desk.runtime.is_working
        assert len(desk.glass.raw) == before
        assert not any("Working" in row for row in desk.glass.rows)
        desk.type("y\r")
        await desk.shows("Answered: True")

    sit(job, asks_at_the_end)


def test_while_the_person_answers_a_question_of_their_own_the_agent_is_seen_to_work() -> None:
    async def job(desk: Desk) -> None:
        send_beside_a_plan(desk)
        await desk.shows("I begin.")
        desk.type("/ask\r")
        await desk.shows("Which?")
        seen = set[str]()

        def moves() -> bool:
            seen.update(row for row in desk.glass.rows if row.endswith(" Wire it"))
            return len(seen) > 3

        await desk.until(moves)
        desk.type(ESCAPE)
        await desk.shows("Chosen: None")
        desk.type(CTRL_C)
        await desk.shows("Stopped.")

    sit(job, asks, model=Endless())


def test_a_run_that_is_stopped_takes_its_dialog_away() -> None:
    async def job(desk: Desk) -> None:
        asking = asyncio.create_task(desk.front.confirm("Sure?", ""))
        await desk.shows("Sure?")
        asking.cancel()
        await desk.until(lambda: not any("Sure?" in row for row in desk.glass.rows))
        desk.type("x")
        await desk.shows("> x")

    sit(job)


def test_the_screen_can_be_drawn_anew() -> None:
    async def job(desk: Desk) -> None:
        for number in range(40):
            desk.front.notify(f"line {number}")
        await desk.shows("line 39")
        desk.glass.screen.erase_in_display(2)
        desk.type(CTRL_L)
        await desk.until(lambda: "line 39" in desk.glass.rows and ">" in desk.glass.rows)
        assert desk.glass.rows.count(">") == 1

    sit(job)


def test_what_a_library_prints_stands_above(capsys: pytest.CaptureFixture[str]) -> None:
    async def job(desk: Desk) -> None:
        from todo_repl.ui.app.redirect import Redirect  # noqa: PLC0415 (made in the loop that it sends to)

        printed = Redirect(desk.screen.above.print)
        await asyncio.to_thread(print, "from a thread\x1b[2J", "\nhalf", end="", file=printed)
        await desk.shows("from a thread")
        assert not any("half" in row for row in desk.glass.rows)
        printed.finish()
        await desk.shows("half")

    assert "\x1b[2J" not in sit(job).raw
    assert capsys.readouterr().out == ""


def test_a_line_that_comes_back_stands_before_what_was_typed_and_shows_all_its_rows() -> None:
    async def job(desk: Desk) -> None:
        desk.type("second")
        await desk.shows("> second")
        desk.screen.typed.put_back("first\nof two")
        desk.screen.redraw()
        await desk.until(lambda: [row for row in desk.glass.rows if row][-3:] == ["> first", "  of two", "  second"])

    sit(job)


def test_a_second_editor_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    script = tmp_path / "editor.sh"
    script.write_text(f"while [ ! -e {gate} ]; do sleep 0.02; done\n")
    monkeypatch.setenv("EDITOR", f"sh {script}")

    async def job(desk: Desk) -> None:
        first = asyncio.create_task(desk.front.editor("One", "text"))
        await desk.until(lambda: desk.screen.above.is_held)
        assert await desk.front.editor("Two", "text") is None
        for number in range(20_010):
            desk.front.notify(f"line {number}")
        gate.touch()
        await first
        await desk.shows("line 20009")
        lines = [line for line in desk.glass.lines if line]
        assert sum(line.startswith("line ") for line in lines) <= 20_000

    sit(job)


def test_a_very_long_answer_and_a_very_long_line_freeze_nothing() -> None:
    async def job(desk: Desk) -> None:
        desk.type("go\r")
        await desk.shows("word 999")
        await desk.until(lambda: not desk.screen.work.is_on)

    text = "x" * 20_000 + "\n\n" + "".join(f"- word {number}\n" for number in range(1000))
    shown = sit(job, model=ScriptedModel([text])).lines
    assert [line for line in shown if "word 999" in line] == [" • word 999"]
    assert sum("word" in line for line in shown) == 1000


def test_a_window_that_changes_while_it_is_drawn_is_drawn_again() -> None:
    async def job(desk: Desk) -> None:
        desk.front.set_widget("wide", lambda room: [Text("w" * room.width)])
        await desk.shows("w" * 79)
        sizes = iter([(24, 40)])

        def shrink(_room: Room) -> Sequence[Text]:
            size = next(sizes, None)
            if size:
                desk.glass.screen.resize(*size)
            return [Text("n" * _room.width)]

        desk.front.set_widget("wide", shrink)
        for number in range(3):
            desk.front.notify(f"line {number}")
        await desk.shows("n" * 39)
        desk.screen.app._on_resize()
        await desk.bytes_of(lambda: None)
        shown = [line for line in desk.glass.lines if line]
        assert shown == ["line 0", "line 1", "line 2", "n" * 39, "offline planner", ">"]

    sit(job)
