import pytest

from tests.todo_command.desk import THREE, Desk

BLOCKED = """\
# Build
- [!] Wire config <!-- blocker: no key -->
- [/] Port logger
- [x] Wire cables
"""


@pytest.mark.parametrize(
    ("args", "answer", "line"),
    [
        ("wire", 'Blocked: "Wire config". Next: "Port logger".', "- [!] Wire config"),
        (
            "wire config no\n key  yet",
            'Blocked: "Wire config" (no key yet). Next: "Port logger".',
            "- [!] Wire config <!-- blocker: no key yet -->",
        ),
        ('"run tests" "no key"', 'Blocked: "Run tests" (no key).', "- [!] Run tests <!-- blocker: no key -->"),
    ],
)
def test_a_task_is_blocked_for_a_reason_or_for_none(args: str, answer: str, line: str) -> None:
    desk = Desk(THREE)

    assert desk.type(f"block {args}").text == answer
    assert line in desk.markdown.split("\n")
    assert desk.actions == ["block"]


def test_blocking_again_changes_the_reason() -> None:
    desk = Desk(BLOCKED)

    assert desk.type("block config no key").text == 'No change: "Wire config" is already blocked (no key).'
    assert desk.type("block config no time").text == 'Blocked: "Wire config" (no time).'
    assert desk.type("block config").text == 'No change: "Wire config" is blocked (no time).'
    assert desk.actions == ["block"]


def test_a_closed_task_is_not_blocked() -> None:
    desk = Desk(BLOCKED)

    answer = desk.type("block cables no need")

    assert answer.is_error
    assert answer.text == (
        '"Wire cables" is completed, and only open tasks can be blocked. /todo start "Wire cables" reopens it.'
    )
    assert desk.actions == []


def test_of_several_the_only_blocked_one_is_unblocked() -> None:
    desk = Desk(BLOCKED)

    assert desk.type("unblock wire").text == 'Unblocked: "Wire config".'
    assert desk.markdown == BLOCKED.replace("[!] Wire config <!-- blocker: no key -->", "[ ] Wire config")
    assert desk.actions == ["unblock"]


def test_an_unblocked_task_starts_when_none_is_in_progress() -> None:
    desk = Desk("# A\n- [!] one\n")

    assert desk.type("unblock one").text == 'Unblocked: "one". It is in progress now.'


def test_what_is_not_blocked_stays_as_it_is() -> None:
    desk = Desk(BLOCKED)

    assert desk.type("unblock logger").text == 'No change: "Port logger" is not blocked.'
    assert desk.actions == []


@pytest.mark.parametrize(
    ("verb", "usage"),
    [
        ("block", "/todo block <task> [<reason…>], for instance /todo block config no key yet"),
        ("unblock", "/todo unblock <task>, for instance /todo unblock config"),
    ],
)
def test_without_a_name_the_usage_is_said(verb: str, usage: str) -> None:
    answer = Desk(BLOCKED).type(verb)

    assert (answer.text, answer.is_error) == (f"{verb} needs a task. Usage: {usage}", True)
