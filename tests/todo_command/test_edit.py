import asyncio
from collections.abc import Sequence

import pytest

from tests.todo_command.desk import THREE, Desk, Editor, Person
from todo_command.verbs import edit
from todo_context.pi import LeftOver
from todo_context.plan.model import Phase, Plan, Status, Task
from todo_context.plan.ops import Append, Done, Drop, Note, Op, Target
from todo_context.plan.problem import LineProblem


def saves(text: str) -> Editor:
    return lambda _text, _problems: text


def replaces(old: str, new: str) -> Editor:
    return lambda text, _problems: text.replace(old, new)


def leaves(text: str, _problems: Sequence[LineProblem]) -> str | None:
    return text


def cancels(_text: str, _problems: Sequence[LineProblem]) -> str | None:
    return None


def test_a_saved_change_is_committed_as_one_entry() -> None:
    person = Person([saves("# Build\n- [x] Wire config\n- [ ] Write docs\n\n# Verify\n- [/] Run tests\n  > on CI\n")])
    desk = Desk(THREE, person=person)

    answer = desk.type("edit")

    assert answer.text == 'Edited: 1 added, 1 removed, 2 changed. Next: "Run tests".'
    assert person.opened == [THREE]
    assert desk.markdown == "# Build\n- [x] Wire config\n- [ ] Write docs\n\n# Verify\n- [/] Run tests\n  > on CI\n"
    assert desk.actions == ["edit"]


@pytest.mark.parametrize(
    ("editor", "answer"),
    [
        pytest.param(leaves, edit.UNCHANGED, id="left as it was"),
        pytest.param(cancels, edit.CANCELLED, id="cancelled, or the editor failed"),
        pytest.param(saves(""), edit.CANCELLED, id="emptied"),
        pytest.param(saves(" \n\t\n"), edit.CANCELLED, id="only blanks"),
        pytest.param(
            saves(THREE.replace("- [", "   * [")), "No change: the text says what the plan is.", id="only re-indented"
        ),
    ],
)
def test_what_leaves_the_plan_alone(editor: Editor, answer: str) -> None:
    desk = Desk(THREE, person=Person([editor]))

    answered = desk.type("edit")

    assert (answered.text, answered.is_error) == (answer, False)
    assert (desk.markdown, desk.actions) == (THREE, [])


def test_without_a_person_the_verbs_that_work_are_named() -> None:
    answer = Desk(THREE).type("edit")

    assert answer.is_error
    assert answer.text == (
        "/todo edit needs a terminal with an editor. "
        "/todo export writes the plan into a file to edit, and /todo import reads it back."
    )


def test_an_empty_plan_is_opened_with_a_heading_to_write_below() -> None:
    person = Person([lambda text, _: text + "- [ ] Ship it\n"])
    desk = Desk(person=person)

    assert desk.type("edit").text == 'Edited: 1 added. Next: "Ship it".'
    assert desk.markdown == "# Todos\n- [/] Ship it\n"


def test_a_line_that_cannot_be_read_opens_the_editor_again_on_the_persons_own_text() -> None:
    bad = THREE.replace("- [ ] Run tests", "- [?] Run tests").replace("Port logger", "Port the logger")
    person = Person([saves(bad), replaces("[?]", "[x]")])
    desk = Desk(THREE, person=person)

    answer = desk.type("edit")

    assert answer.text == "Edited: 1 renamed, 1 changed."
    assert person.opened == [THREE, bad]
    assert [[problem.line for problem in shown] for shown in person.problems] == [[], [6]]
    assert person.problems[1][0].text == "- [?] Run tests"
    assert desk.markdown == bad.replace("[?]", "[x]")


def test_it_opens_as_often_as_lines_cannot_be_read() -> None:
    person = Person([saves("prose"), saves("- [?] x"), saves("- [ ] x")])
    desk = Desk(person=person)

    assert desk.type("edit").text == 'Edited: 1 added. Next: "x".'
    assert [len(shown) for shown in person.problems] == [0, 1, 1]


@pytest.mark.parametrize(
    ("second", "is_error"),
    [
        pytest.param(cancels, False, id="the host kept the text"),
        pytest.param(leaves, True, id="a host that gives it back unchanged"),
    ],
)
def test_leaving_a_rejected_text_as_it_is_ends_the_edit(second: Editor, is_error: bool) -> None:
    desk = Desk(THREE, person=Person([saves(THREE + "prose\n"), second]))

    answer = desk.type("edit")

    assert answer.is_error is is_error
    assert answer.text.startswith(edit.CANCELLED)
    assert "Line 7" in answer.text
    assert ("/todo import" in answer.text) is not is_error
    assert desk.markdown == THREE


@pytest.mark.parametrize(
    ("confirms", "markdown", "answer"),
    [
        (True, "# Build\n", "Edited: 3 removed. Nothing is open any more."),
        (False, THREE, edit.CANCELLED),
    ],
)
def test_a_text_after_which_no_task_is_left_is_confirmed_first(confirms: bool, markdown: str, answer: str) -> None:
    person = Person([saves("# Build\n")], confirms=confirms)
    desk = Desk(THREE, person=person)

    assert desk.type("edit").text == answer
    assert person.asked == ["Empty the plan? No task is left in the text. Remove 3 tasks?"]
    assert desk.markdown == markdown


def test_of_repetitions_the_first_wins_and_each_is_reported() -> None:
    desk = Desk(THREE, person=Person([lambda text, _: text + "- [x] Wire config\n- [ ] New\n# Build\n- [ ] Other\n"]))

    answer = desk.type("edit")

    assert answer.text.startswith("Edited: 2 added. ")
    assert '"Wire config" is there twice' in answer.text
    assert 'phase "Build" is there twice' in answer.text
    assert desk.markdown == THREE.replace("logger\n", "logger\n- [ ] Other\n") + "- [ ] New\n"


def test_only_other_phases_or_another_order_are_said_so() -> None:
    desk = Desk(
        THREE, person=Person([saves("# Verify\n- [ ] Run tests\n\n# Build\n- [/] Wire config\n- [ ] Port logger\n")])
    )

    assert desk.type("edit").text == "Edited: phases or order changed."


def test_what_the_text_cannot_carry_is_kept() -> None:
    hidden = Task(content="Wire", status=Status.IN_PROGRESS, id="7", active_form="Wiring", extra={"cost": 3})
    phase = Phase(name="Build", tasks=(hidden,), extra={"colour": "red"})
    desk = Desk(person=Person([lambda text, _: text + "- [ ] New\n"]))
    desk.put(Plan((phase,)))

    desk.type("edit")

    (kept,) = asyncio.run(desk.lane.plan()).phases
    assert (kept.extra, kept.tasks[0]) == ({"colour": "red"}, hidden)


def test_a_text_that_another_program_indented_is_read() -> None:
    text = "\ufeff# Build\r\n\r\n* [X] A   \r\n    - [/] B\r\n\t+ [ ] C\r\n"
    desk = Desk(person=Person([saves(text)]))

    desk.type("edit")

    assert desk.markdown == "# Build\n- [x] A\n- [/] B\n- [ ] C\n"


class Meanwhile(Person):
    """Someone whose agent works while the editor is open."""

    desk: Desk
    agent: Sequence[Op] = ()

    async def editor(
        self, title: str, text: str, problems: Sequence[LineProblem] = (), *, opened: str | None = None
    ) -> str | None:
        await self.desk.lane.apply(self.agent, by="model", action="work")
        return await super().editor(title, text, problems, opened=opened)


def edit_meanwhile(agent: Sequence[Op], editor: Editor) -> tuple[Desk, str]:
    """Edit while the agent works; the desk and the answer."""
    person = Meanwhile([editor])
    person.agent = agent
    person.desk = Desk(THREE, person=person)
    return person.desk, person.desk.type("edit").text


def test_a_plan_that_moved_on_is_merged_and_the_answer_says_with_what() -> None:
    agent: list[Op] = [
        Done(Target(task="Wire config")),
        Append(phase="Verify", items=("Write docs",)),
        Drop(Target(task="Port logger")),
    ]
    mine = THREE.replace("- [ ] Run tests", "- [ ] Run all tests\n  > twice")

    desk, answer = edit_meanwhile(agent, saves(mine))

    assert desk.markdown == (
        "# Build\n- [x] Wire config\n- [-] Port logger\n\n# Verify\n- [/] Run all tests\n  > twice\n- [ ] Write docs\n"
    )
    assert answer == (
        'Edited: 1 renamed. Next: "Run all tests". Merged with what changed meanwhile: '
        'added "Write docs", changed "Wire config", "Port logger".'
    )


def test_where_both_changed_the_persons_word_stands_and_the_agents_is_named() -> None:
    mine = THREE.replace("[ ] Port logger", "[-] Port logger").replace("- [ ] Run tests\n", "")
    agent: list[Op] = [Done(Target(task="Port logger")), Note(task="Run tests", text="two fail")]

    desk, answer = edit_meanwhile(agent, saves(mine))

    assert desk.markdown == (
        "# Build\n- [/] Wire config\n- [-] Port logger\n\n# Verify\n- [ ] Run tests\n  > two fail\n"
    )
    assert answer.endswith(
        '"Port logger" is abandoned, as you say; the agent had it completed. '
        '"Run tests" stays: you removed it, but the agent had changed it.'
    )


def test_a_text_that_was_left_over_is_merged_with_what_changed_since() -> None:
    left = LeftOver(THREE + "- [ ] Late\n", THREE)
    person = Person([lambda text, _: text], left=left)
    desk = Desk(THREE, person=person)
    asyncio.run(
        desk.lane.apply(
            [Done(Target(task="Wire config")), Append(phase="Verify", items=("Ship",))], by="model", action="done"
        )
    )

    answer = desk.type("edit")

    assert person.opened == [left.text]
    assert person.began == [THREE]
    assert (
        desk.markdown
        == "# Build\n- [x] Wire config\n- [/] Port logger\n\n# Verify\n- [ ] Run tests\n- [ ] Late\n- [ ] Ship\n"
    )
    assert answer.text == 'Edited: 1 added. Merged with what changed meanwhile: added "Ship", changed "Wire config".'
