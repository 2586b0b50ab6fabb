import asyncio

import pytest

from tests.todo_command.desk import THREE, Desk


@pytest.mark.parametrize(
    ("args", "note"),
    [
        ("wire config see the log", "see the log"),
        ('"wire config" see the log', "see the log"),
        ('wire config "see the log"', "see the log"),
        ('wire config says "hi"  twice', 'says "hi"  twice'),
        ("wire config first\n  second\n", "first\n  second"),
        ("wire config C:\\logs\\new", "C:\\logs\\new"),
        ("wire config \x1b[31mred\x07", "red"),
    ],
)
def test_the_rest_is_the_note(args: str, note: str) -> None:
    desk = Desk(THREE)

    assert not desk.type(f"note {args}").is_error

    assert [task.notes for task in asyncio.run(desk.lane.plan()).tasks()] == [(note,), (), ()]
    assert desk.actions == ["note"]


def test_the_answer_names_task_and_note_on_one_line() -> None:
    assert Desk(THREE).type("note port a\nb").text == 'Noted on "Port logger": "a b".'


@pytest.mark.parametrize(
    ("args", "answer"),
    [
        ("", "note needs a task and a text."),
        ("port logger", 'note needs a text after "Port logger".'),
        ('"Port logger" "  "', 'note needs a text after "Port logger".'),
    ],
)
def test_without_a_text_nothing_changes(args: str, answer: str) -> None:
    desk = Desk(THREE)

    answered = desk.type(f"note {args}")

    assert answered.is_error
    assert answered.text == (f"{answer} Usage: /todo note <task> <text…>, for instance /todo note config see the log")
    assert desk.markdown == THREE
