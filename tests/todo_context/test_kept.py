"""A host whose editor shows one text and nothing else: what came back is kept until it is settled."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from todo_context.kept import Kept
from todo_context.pi import LeftOver, Level
from todo_context.plan.problem import LineProblem

TEXT = "# Build\n- [?] one\n"
PROBLEM = LineProblem(2, "- [?] one", "unknown mark [?]")
COMMENT = "<!-- line 3: unknown mark [?] -->\n"


@dataclass
class Desk:
    """One session's texts, and a person who answers with what `saves` says."""

    folder: Path
    saves: str | None = None
    told: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    wants: bool = True

    def __post_init__(self) -> None:
        self.kept = Kept(folder=lambda: self.folder, notify=self.notify, owner="s1", offer=self.offer)

    def notify(self, message: str, level: Level) -> None:
        self.told.append(f"{level}: {message}")

    async def offer(self, title: str, message: str) -> bool:
        self.told.append(f"asked: {title}. {message}")
        return self.wants

    async def ask(self, text: str) -> str | None:
        self.shown.append(text)
        return self.saves

    def edit(self, *problems: LineProblem, opened: str | None = None) -> str | None:
        return asyncio.run(self.kept.edited(self.ask, TEXT, problems, opened))

    def left_over(self) -> LeftOver | None:
        again = Desk(self.folder, wants=self.wants)
        found = asyncio.run(again.kept.left_over())
        self.told += again.told
        return found

    @property
    def files(self) -> list[str]:
        return [path.read_text() for path in sorted(self.folder.glob("*.md"))] if self.folder.exists() else []


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "edits")


def test_problems_stand_above_the_text_and_are_taken_off_again(desk: Desk) -> None:
    desk.saves = f"{COMMENT}# Build\n- [ ] one\n<!-- mine -->\n"

    assert desk.edit(PROBLEM) == "# Build\n- [ ] one\n<!-- mine -->\n"
    assert desk.shown == [COMMENT + TEXT]


def test_a_text_is_in_a_file_before_it_is_given_on_and_gone_when_it_is_settled(desk: Desk) -> None:
    desk.saves = "# Build\n- [ ] two\n"

    assert desk.edit() == desk.saves
    assert desk.files == [desk.saves]
    desk.kept.settled()
    assert desk.files == []


def test_what_was_never_settled_is_offered_at_the_next_edit_with_what_it_began_from(desk: Desk) -> None:
    desk.saves = "# Build\n- [ ] two\n"
    desk.edit()

    assert desk.left_over() == LeftOver(desk.saves, TEXT)
    assert desk.told[0].startswith("asked: A text of yours was not taken over. Go on with it? It stays in ")


def test_what_the_editor_of_a_dead_program_saves_after_its_text_was_taken_over_is_offered_too(desk: Desk) -> None:
    desk.saves = "# Build\n- [ ] two\n"
    desk.edit()
    again = Desk(desk.folder)
    assert asyncio.run(again.kept.left_over()) is not None
    again.kept.settled()
    assert desk.left_over() is None

    (path,) = desk.folder.glob("*.md")
    path.write_text("# Build\n- [ ] two\n- [ ] three\n")

    assert desk.left_over() == LeftOver("# Build\n- [ ] two\n- [ ] three\n", desk.saves)


def test_what_is_typed_is_in_one_file_until_the_editor_is_left(desk: Desk) -> None:
    for typed in ("# Build\n- [ ] t", "# Build\n- [ ] two\n"):
        desk.kept.hold(typed, TEXT)
        assert desk.files == [typed]
    desk.kept.hold(None, TEXT)
    assert desk.files == []


def test_what_was_typed_when_the_person_was_torn_away_stays_and_is_offered(desk: Desk) -> None:
    desk.kept.hold("# Build\n- [ ] t", TEXT)
    desk.kept.leave_held()

    assert desk.told[0].startswith(f"warning: Your text is kept in {desk.folder}")
    assert desk.left_over() == LeftOver("# Build\n- [ ] t", TEXT)


def test_a_declined_one_stays_in_its_file(desk: Desk) -> None:
    desk.saves = "# Build\n- [ ] two\n"
    desk.wants = False
    desk.edit()

    assert desk.left_over() is None
    assert desk.files == [desk.saves]


@pytest.mark.parametrize("answer", [None, COMMENT + TEXT, COMMENT + TEXT.rstrip("\n")])
def test_leaving_a_text_with_problems_keeps_it_and_says_where(desk: Desk, answer: str | None) -> None:
    desk.saves = answer

    assert desk.edit(PROBLEM) is None
    assert desk.files == [TEXT]
    assert desk.told[0].startswith(f"warning: Your text is kept in {desk.folder}")


@pytest.mark.parametrize("answer", [None, TEXT, TEXT.rstrip("\n"), "", " \n"])
def test_a_cancelled_an_unchanged_and_an_emptied_text_leave_no_file(desk: Desk, answer: str | None) -> None:
    desk.saves = answer

    assert desk.edit() == answer
    assert desk.files == []


def test_a_place_where_nothing_can_be_kept_loses_no_edit(desk: Desk) -> None:
    desk.folder.write_text("a file")
    desk.saves = "# Build\n- [ ] two\n"

    assert desk.edit() == desk.saves


def test_a_text_that_was_left_and_cannot_be_kept_is_said(desk: Desk) -> None:
    desk.folder.write_text("a file")

    assert desk.edit(PROBLEM) is None
    assert desk.told == [f"error: {desk.folder}: the text cannot be kept there: File exists"]
