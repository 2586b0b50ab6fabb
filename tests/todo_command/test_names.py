"""Names that mean nothing, or several things."""

import asyncio

import pytest

from tests.todo_command.desk import THREE, Desk, Person
from todo_context.plan.ops import Append, Done, Target

DEPLOYS = """\
# Work
- [/] Wire config
- [ ] Don't deploy on Friday
- [ ] Deploy staging
"""

TARGETED = ["start", "done", "drop", "rm", "note", "block", "unblock"]


@pytest.mark.parametrize("verb", ["start", "done", "drop", "rm", "unblock"])
def test_without_a_person_the_candidates_are_listed_and_nothing_changes(verb: str) -> None:
    desk = Desk(DEPLOYS)

    answer = desk.type(f"{verb} deploy")

    assert answer.is_error
    assert answer.text == (
        'This matches 2 tasks: "Don\'t deploy on Friday", "Deploy staging". '
        "Type more of the one you mean, or all of it."
    )
    assert (desk.markdown, desk.actions) == (DEPLOYS, [])


def test_an_exact_name_is_never_ambiguous() -> None:
    desk = Desk(DEPLOYS + "- [ ] Deploy\n")

    assert desk.type("done deploy").text == 'Done: "Deploy" (1 of 4).'


@pytest.mark.parametrize(
    ("args", "answer"),
    [
        ("done deploy", 'Done: "Deploy staging" (1 of 3).'),
        ("note deploy see log", 'Noted on "Deploy staging": "see log".'),
        ("block deploy no key", 'Blocked: "Deploy staging" (no key).'),
    ],
)
def test_the_person_chooses_among_several(args: str, answer: str) -> None:
    person = Person(choice="Deploy staging")
    desk = Desk(DEPLOYS, person=person)

    assert desk.type(args).text == answer
    assert person.offered == ["Don't deploy on Friday", "Deploy staging"]


def test_choosing_none_changes_nothing() -> None:
    desk = Desk(DEPLOYS, person=Person(choice=None))

    answer = desk.type("rm deploy")

    assert (answer.text, answer.is_error) == ("Nothing chosen; the plan is unchanged.", False)
    assert desk.markdown == DEPLOYS


def test_a_phase_can_be_chosen_too() -> None:
    person = Person(choice="Test two")
    desk = Desk("# Test one\n- [/] a\n# Test two\n- [ ] b\n", person=person)

    assert desk.type("done test").text == 'Done: 1 open task in "Test two" (1 of 2).'
    assert person.offered == ["Test one", "Test two"]


def test_choices_that_look_alike_are_told_apart() -> None:
    long = "fix " + "x" * 200
    person = Person(choice=f"Fix {'x' * 75}… (2)")
    desk = Desk(f"# A\n- [ ] F{long[1:]}a\n- [ ] F{long[1:]}b\n", person=person)

    desk.type("done fix")

    assert len(set(person.offered)) == 2
    assert desk.markdown == f"# A\n- [/] F{long[1:]}a\n- [x] F{long[1:]}b\n"


def test_choices_in_several_phases_are_told_with_their_phase() -> None:
    person = Person(choice="Write docs · Ship")
    desk = Desk("# Build\n- [/] Write tests\n# Ship\n- [ ] Write docs\n", person=person)

    assert desk.type("done write").text == 'Done: "Write docs" (1 of 2).'
    assert person.offered == ["Write tests · Build", "Write docs · Ship"]


@pytest.mark.parametrize(
    ("args", "types", "asked", "answer"),
    [
        (
            "append",
            "Fix lint it",
            "Add which task? A task; or a phase, and then the task.",
            'Added to "Fix" (new): "Lint it".',
        ),
        (
            "note don't",
            "ask first",
            'Note on "Don\'t deploy on Friday":',
            'Noted on "Don\'t deploy on Friday": "ask first".',
        ),
        (
            "append",
            None,
            "Add which task? A task; or a phase, and then the task.",
            "Nothing typed; the plan is unchanged.",
        ),
        ("note don't", None, 'Note on "Don\'t deploy on Friday":', "Nothing typed; the plan is unchanged."),
        (
            "append",
            " /todo done all",
            "Add which task? A task; or a phase, and then the task.",
            '"/todo done all" is a command, and not taken for an answer. Type it at the prompt.',
        ),
        (
            "append",
            "/todos is slow",
            "Add which task? A task; or a phase, and then the task.",
            'Added to "/todos" (new): "Is slow".',
        ),
    ],
)
def test_what_a_verb_lacks_the_person_is_asked_for(args: str, types: str | None, asked: str, answer: str) -> None:
    person = Person(types=types)

    assert Desk(DEPLOYS, person=person).type(args).text == answer
    assert person.asked == [asked]


def test_a_long_list_of_candidates_is_bounded() -> None:
    desk = Desk("# A\n" + "".join(f"- [ ] fix {n:02}\n" for n in range(20)))

    answer = desk.type("done fix")

    assert answer.text.startswith('This matches 20 tasks: "fix 00", "fix 01"')
    assert '"fix 07" and 12 more.' in answer.text
    assert "fix 08" not in answer.text


@pytest.mark.parametrize("verb", TARGETED)
def test_a_name_of_nothing_gets_the_closest_and_a_step_that_works(verb: str) -> None:
    desk = Desk("# A\n- [/] Ship it\n- [ ] Run tests\n")

    answer = desk.type(f"{verb} shpi")

    kind = "task or phase" if verb in {"done", "drop", "rm"} else "task"
    assert answer.is_error
    assert answer.text == f'No {kind} matches "shpi". Closest: "Ship it". /todo shows the plan.'
    assert desk.actions == []


@pytest.mark.parametrize("verb", TARGETED)
def test_in_an_empty_plan_the_step_is_how_to_begin(verb: str) -> None:
    answer = Desk().type(f"{verb} x")

    assert answer.is_error
    assert answer.text.endswith('matches "x": the plan is empty. /todo append <task> starts one.')


def test_an_empty_quoted_name_does_not_mean_everything() -> None:
    desk = Desk(THREE)

    for verb in ("done", "drop", "rm"):
        assert desk.type(f'{verb} ""').is_error
    assert desk.markdown == THREE


def test_a_task_that_goes_while_the_person_chooses_is_refused() -> None:
    class Slow(Person):
        async def select(self, title: str, options: object) -> str | None:
            del title, options
            await desk.lane.apply([Done(Target(task="Wire config"))], by="model", action="done")
            await desk.pi.run_command("todo", 'rm "Deploy staging"')
            return "Deploy staging"

    desk = Desk(DEPLOYS, person=Slow())

    answer = desk.type("start deploy")

    assert answer.is_error
    assert answer.text.startswith('Not changed: no task "Deploy staging".')


def test_typed_while_the_agent_works_both_changes_stay() -> None:
    desk = Desk(THREE)

    async def both() -> None:
        await asyncio.gather(
            desk.pi.run_command("todo", "append Build mine"),
            desk.lane.apply([Append(phase="Build", items=("theirs",))], by="model", action="append"),
            desk.pi.run_command("todo", "done wire"),
        )

    asyncio.run(both())

    assert desk.markdown.startswith("# Build\n- [x] Wire config\n- [/] Port logger\n- [ ] Mine\n- [ ] theirs\n")
    assert desk.actions == ["append", "done"]
