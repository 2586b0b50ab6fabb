import asyncio

import pytest

from tests.todo_command.desk import THREE, Desk


@pytest.mark.parametrize(
    ("args", "phase", "content", "answer"),
    [
        pytest.param("ship", "Verify", "Ship", 'Added to "Verify": "Ship".', id="one word: last phase"),
        pytest.param(
            '"fix the login bug"', "Verify", "Fix the login bug", 'Added to "Verify": "Fix the login bug".', id="quoted"
        ),
        pytest.param("bui ship it", "Build", "Ship it", 'Added to "Build": "Ship it".', id="first word: the phase"),
        pytest.param(
            "fix the login bug",
            "Fix",
            "The login bug",
            'Added to "Fix" (new): "The login bug".',
            id="a sentence loses its first word, and the answer shows it",
        ),
        pytest.param(
            '"release prep" x   y', "Release Prep", "X y", 'Added to "Release Prep" (new): "X y".', id="title case"
        ),
        pytest.param('build say \\"hi\\"', "Build", 'Say "hi"', 'Added to "Build": "Say "hi"".', id="backslash"),
        pytest.param("build straße", "Build", "Straße", 'Added to "Build": "Straße".', id="capital"),
        pytest.param("build ßx", "Build", "SSx", 'Added to "Build": "SSx".', id="capital of two letters"),
        pytest.param("build 𐐨x", "Build", "𐐨x", 'Added to "Build": "𐐨x".', id="no capital beyond U+FFFF"),
    ],
)
def test_a_task_is_added(args: str, phase: str, content: str, answer: str) -> None:
    desk = Desk(THREE)

    answered = desk.type(f"append {args}")

    assert answered.text == answer
    place = asyncio.run(desk.lane.plan()).find(content)
    assert place is not None
    assert asyncio.run(desk.lane.plan()).phases[place.phase].name == phase
    assert desk.actions == ["append"]


def test_the_first_task_makes_a_phase_and_starts() -> None:
    desk = Desk()

    answer = desk.type("append ship")

    assert answer.text == 'Added to "Todos" (new): "Ship". It is in progress now.'
    assert desk.markdown == "# Todos\n- [/] Ship\n"


def test_a_content_that_exists_says_where_and_changes_nothing() -> None:
    desk = Desk(THREE)

    answer = desk.type("append verify wire config")

    assert (answer.text, answer.is_error) == ('No change: "Wire config" is already in "Build" (in progress).', False)
    assert desk.actions == []


@pytest.mark.parametrize("args", ["", '""', '"  "', 'build "  "', '"  " x', '"\x1b[2J"'])
def test_without_a_task_the_usage_is_said(args: str) -> None:
    desk = Desk(THREE)

    answer = desk.type(f"append {args}")

    assert answer.is_error
    assert answer.text == (
        "append needs a task. Usage: /todo append [<phase>] <task…>, for instance /todo append Build Test"
    )
    assert desk.markdown == THREE
