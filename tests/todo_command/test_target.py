import pytest

from tests.todo_command.desk import THREE, Desk, Person

MIXED = """\
# Build
- [x] Wire config
- [/] Port logger
- [!] Ship it <!-- blocker: no key -->

# Verify
- [ ] Run tests
- [-] Skip it
"""


@pytest.mark.parametrize(
    ("args", "answer"),
    [
        ("start tests", 'Started: "Run tests". "Port logger" is pending again.'),
        ("start wire", 'Started: "Wire config" (was completed). "Port logger" is pending again.'),
        ("start ship", 'Started: "Ship it" (was blocked). "Port logger" is pending again.'),
        ("done logger", 'Done: "Port logger" (2 of 5). Next: "Run tests".'),
        ("done tests", 'Done: "Run tests" (2 of 5).'),
        ("done build", 'Done: 2 open tasks in "Build" (3 of 5). Next: "Run tests".'),
        ("done", "Done: 3 open tasks (4 of 5). Nothing is open any more."),
        ("drop skip", 'No change: "Skip it" is already abandoned.'),
        ("drop wire", 'Dropped: "Wire config".'),
        ("drop verify", 'Dropped: 1 open task in "Verify".'),
        ("drop", "Dropped: 3 open tasks. Nothing is open any more."),
        ("rm logger", 'Removed: "Port logger". Next: "Run tests".'),
        ("rm verify", 'Removed: 2 tasks in "Verify".'),
        ("rm", "Removed everything: 5 tasks. The plan is empty; /todo undo brings it back."),
    ],
)
def test_the_answer_says_what_changed(args: str, answer: str) -> None:
    desk = Desk(MIXED)

    answered = desk.type(args)

    assert (answered.text, answered.is_error) == (answer, False)


@pytest.mark.parametrize(
    ("args", "markdown"),
    [
        ("start tests", "# Build\n- [ ] Wire config\n- [ ] Port logger\n\n# Verify\n- [/] Run tests\n"),
        ("done wire", "# Build\n- [x] Wire config\n- [/] Port logger\n\n# Verify\n- [ ] Run tests\n"),
        ("done build", "# Build\n- [x] Wire config\n- [x] Port logger\n\n# Verify\n- [/] Run tests\n"),
        ("drop", "# Build\n- [-] Wire config\n- [-] Port logger\n\n# Verify\n- [-] Run tests\n"),
        ('rm "run tests"', "# Build\n- [/] Wire config\n- [ ] Port logger\n\n# Verify\n"),
        ("rm build", "# Build\n\n# Verify\n- [/] Run tests\n"),
        ("rm", ""),
    ],
)
def test_the_plan_after_it(args: str, markdown: str) -> None:
    desk = Desk(THREE)

    desk.type(args)

    assert desk.markdown == markdown
    assert desk.actions == [args.split(maxsplit=1)[0]]


@pytest.mark.parametrize(
    ("args", "answer"),
    [
        ("start logger", 'No change: "Port logger" is already in progress.'),
        ("done wire", 'No change: "Wire config" is already completed.'),
        ("drop skip", 'No change: "Skip it" is already abandoned.'),
        ("rm empty", 'No change: "Empty" has no tasks.'),
        ("done empty", 'No change: nothing is open in "Empty".'),
    ],
)
def test_what_was_so_before_is_no_change_and_no_entry(args: str, answer: str) -> None:
    desk = Desk(MIXED + "\n# Empty\n")

    answered = desk.type(args)

    assert (answered.text, answered.is_error) == (answer, False)
    assert desk.actions == []


@pytest.mark.parametrize(
    ("args", "answer"),
    [
        ("done", "No change: nothing is open."),
        ("drop", "No change: nothing is open."),
        ("rm", "No change: the plan is already empty."),
    ],
)
def test_everything_of_an_empty_plan_is_no_change(args: str, answer: str) -> None:
    desk = Desk()

    assert desk.type(args).text == answer
    assert desk.pi.stored == []


def test_a_bare_rm_takes_emptied_phases_too() -> None:
    desk = Desk("# Build\n\n# Verify\n")

    assert desk.type("rm").text == "Removed everything: 2 empty phases. The plan is empty; /todo undo brings it back."
    assert desk.markdown == ""


def test_a_bare_rm_asks_nobody() -> None:
    person = Person()
    desk = Desk(THREE, person=person)

    desk.type("rm")

    assert (desk.markdown, person.asked) == ("", [])


def test_what_only_the_rule_of_one_active_task_changed_is_said() -> None:
    desk = Desk("# A\n- [/] one\n- [x] two\n- [/] three\n")

    assert desk.type("done two").text == '"two" is already completed. Only "one" is in progress now.'
    assert desk.markdown == "# A\n- [/] one\n- [x] two\n- [ ] three\n"


def test_of_several_in_progress_a_later_one_can_be_started() -> None:
    desk = Desk("# A\n- [/] one\n- [/] two\n")

    assert desk.type("start two").text == 'Started: "two". "one" is pending again.'
    assert desk.markdown == "# A\n- [ ] one\n- [/] two\n"


def test_start_without_a_name_says_how() -> None:
    answer = Desk(THREE).type("start")

    assert answer.is_error
    assert answer.text == "start needs a task. Usage: /todo start <task>, for instance /todo start config"
