import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.plans import INIT, plan
from tests.todo_context.unasked import Unasked
from todo_context import activate
from todo_context.hosts.memory import MemoryPi
from todo_context.pi import Answer, Capabilities, Level, Room
from todo_context.pi import Widget as Drawing
from todo_context.plan.model import EMPTY, Plan
from todo_context.settings import PanelSettings, Settings
from todo_context.widget import LINE_CHARACTERS, LOOKED_AT, lines

PI_SHOWS = 10
"""Lines of a widget that pi shows; it cuts the rest. Source: MAX_WIDGET_LINES in pi."""


@pytest.mark.parametrize("nothing_open", [EMPTY, plan("# A\n- [x] one\n- [-] two\n")])
def test_nothing_open_shows_nothing(nothing_open: Plan) -> None:
    assert lines(nothing_open) is None


def test_open_tasks_stand_in_order_below_the_progress() -> None:
    assert lines(plan("# A\n- [x] one\n- [/] two\n# B\n- [!] three <!-- blocker: key -->\n- [ ] four\n")) == [
        "1 of 4 done, 3 open (1 blocked).",
        "- [/] two",
        "- [!] three",
        "- [ ] four",
    ]


def test_four_hundred_tasks_stay_within_what_pi_shows_with_the_active_one_among_them() -> None:
    tasks = "\n".join(f"- [{'/' if number == 399 else ' '}] task {number}" for number in range(400))

    shown = lines(plan(f"# A\n{tasks}\n"))

    assert shown is not None
    assert len(shown) <= PI_SHOWS
    assert shown[0] == "0 of 400 done, 400 open."
    assert shown[-2:] == ["- [/] task 399", "… +394 more open"]


def test_a_hostile_name_is_harmless_and_short() -> None:
    shown = lines(plan(f"# A\n- [ ] \u202ex {'y' * 200}\n"))

    assert shown is not None
    assert shown[1].startswith("- [ ] x yyy")
    assert len(shown[1]) == LINE_CHARACTERS
    assert "\u202e" not in shown[1]


class Screen(Unasked):
    """A person who is asked nothing here, at a screen that keeps widgets."""

    def __init__(self) -> None:
        self.widgets: dict[str, Sequence[str] | Drawing] = {}

    def notify(self, message: str, level: Level = "info") -> None:
        assert level == "info", message

    def set_widget(self, key: str, content: Sequence[str] | Drawing | None) -> None:
        self.widgets.pop(key, None)
        if content is not None:
            self.widgets[key] = content


class Drawn(Screen):
    """A screen that stays, of 80 by 24, on which widgets draw."""

    def __init__(self) -> None:
        super().__init__()
        self.redraws = 0

    def set_widget(self, key: str, content: Sequence[str] | Drawing | None) -> None:
        super().set_widget(key, content)
        self.redraws += 1

    def rows(self, **room: Any) -> list[str]:
        draw = self.widgets.get("todo")
        assert callable(draw)
        return [text.plain for text in draw(Room(width=79, rows=20, screen_rows=24, **room))]


@dataclass
class Session:
    """The extension in a host that draws."""

    screen: Drawn = field(default_factory=Drawn)
    settings: PanelSettings = field(default_factory=PanelSettings)

    def __post_init__(self) -> None:
        self.pi = MemoryPi(ui=self.screen, capabilities=Capabilities(draws_widgets=True))
        activate(self.pi, chosen=Settings(panel=self.settings))
        self.emit("session_start")

    def emit(self, event: str) -> None:
        asyncio.run(self.pi.emit(event))

    def call(self, op: Any) -> None:
        asyncio.run(self.pi.call_tool("todo_write", {"ops": [op]}))

    def type(self, args: str) -> Answer | None:
        return asyncio.run(self.pi.run_command("todo", args))

    def resumed(self) -> "Session":
        """The same branch in a process of its own."""
        other = Session(settings=self.settings)
        other.pi.path = list(self.pi.path)
        other.pi.stored = list(self.pi.stored)
        other.emit("session_start")
        return other


@pytest.fixture
def session() -> Session:
    made = Session()
    asyncio.run(made.pi.call_tool("todo_write", INIT))
    return made


def test_the_panel_follows_every_change_whoever_made_it(session: Session) -> None:
    """P07."""
    assert session.screen.rows()[2] == "  ▸ Wire config"
    session.call({"op": "done", "task": "Wire config"})
    assert session.screen.rows()[2:4] == ["  ✓ Wire config", "  ▸ Port logger"]
    session.type("append Ship Notes")
    assert session.screen.rows()[-1] == "  ○ Notes"
    session.type("undo")
    assert session.screen.rows()[-1] == "  ○ Run tests"
    del session.pi.path[1:]
    session.emit("session_tree")
    assert session.screen.rows()[2] == "  ▸ Wire config"
    assert session.resumed().screen.rows() == session.screen.rows()


def test_each_change_asks_for_a_redraw_and_reading_for_none_but_its_own(session: Session) -> None:
    before = session.screen.redraws

    session.call({"op": "done", "task": "Wire config"})

    assert session.screen.redraws == before + 1


def test_a_panel_in_which_all_is_closed_goes_when_the_agent_stops(session: Session) -> None:
    session.emit("agent_start")
    session.call({"op": "done"})
    assert session.screen.rows(tick=9, is_working=True)[0].startswith("Plan 3/3 done")
    session.emit("agent_end")
    assert session.screen.rows() == []
    assert session.resumed().screen.rows() == []


def test_to_expand_is_an_entry_and_outlives_the_process(session: Session) -> None:
    before = len(session.pi.stored)

    answer = session.type("expand")

    assert answer
    assert answer.text == "The panel shows the whole plan; /todo collapse makes it small."
    assert [(entry["customType"], entry["data"]) for entry in session.pi.stored[before:]] == [
        ("todo_panel", {"v": 1, "expanded": True})
    ]
    session.type("append Ship " + "word " * 40)
    assert len(session.screen.rows()) > 8
    other = session.resumed()
    assert other.screen.rows() == session.screen.rows()
    other.type("collapse")
    assert len(other.resumed().screen.rows()) <= 8


def test_to_expand_what_is_expanded_stores_nothing(session: Session) -> None:
    session.type("expand")
    before = len(session.pi.stored)

    session.type("expand")

    assert len(session.pi.stored) == before


def test_a_key_expands_and_collapses_and_scrolls_without_a_word(session: Session) -> None:
    for number in range(40):
        session.type(f"append Many t{number}")
    assert session.type("panel") is None
    assert "  ▸ Wire config" in session.screen.rows()
    assert session.type("panel down") is None
    assert "  ▸ Wire config" not in session.screen.rows()
    assert session.type("panel UP") is None
    assert "  ▸ Wire config" in session.screen.rows()
    assert session.type("panel") is None
    assert len(session.screen.rows()) == 8
    answer = session.type("panel sideways")
    assert answer
    assert answer.is_error
    assert answer.text == 'panel takes up, down or nothing, not "sideways". Try /todo panel down.'


def test_the_choice_changes_no_plan_and_cannot_be_undone(session: Session) -> None:
    session.type("expand")

    answer = session.type("log")

    assert answer
    assert answer.text.startswith("#1 agent     init: 3 added (")


@pytest.mark.parametrize("verb", ["expand", "collapse", "panel"])
def test_where_nothing_is_drawn_there_is_no_panel_to_expand(verb: str) -> None:
    pi = MemoryPi(ui=Screen())
    activate(pi)

    answer = asyncio.run(pi.run_command("todo", verb))

    assert answer == Answer(text="There is no panel here. /todo shows the plan.", is_error=True)
    assert pi.stored == []


@pytest.mark.parametrize("draws", [True, False])
def test_a_panel_that_is_not_wanted_is_nowhere(draws: bool) -> None:
    screen = Screen()
    pi = MemoryPi(ui=screen, capabilities=Capabilities(draws_widgets=draws))
    activate(pi, chosen=Settings(panel=PanelSettings(show=False)))

    asyncio.run(pi.emit("session_start"))
    asyncio.run(pi.call_tool("todo_write", INIT))
    answer = asyncio.run(pi.run_command("todo", "expand"))

    assert screen.widgets == {}
    assert answer
    assert answer.is_error


@pytest.mark.parametrize("data", [{}, {"expanded": "yes"}, {"v": 9}, {"expanded": None}])
def test_a_choice_that_cannot_be_read_is_none(data: dict[str, Any]) -> None:
    session = Session()
    session.pi.append_entry("todo_panel", data)
    session.emit("session_start")

    session.type("expand")

    assert session.pi.stored[-1]["data"] == {"v": 1, "expanded": True}


def test_a_choice_is_not_looked_for_without_end() -> None:
    session = Session()
    session.type("expand")
    for _ in range(LOOKED_AT):
        session.pi.append("other", {})

    other = session.resumed()
    other.type("expand")

    assert other.pi.stored[-1]["data"] == {"v": 1, "expanded": True}
