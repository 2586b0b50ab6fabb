import unicodedata

import pytest

from tests.todo_command.desk import THREE, Desk, Person
from todo_command.verbs.copy import PRINTED


def test_e11_the_plan_goes_to_the_clipboard_and_the_answer_says_how() -> None:
    person = Person()
    desk = Desk(THREE, person=person)

    answer = desk.type("copy")

    assert not answer.is_error
    assert answer.text == (
        "Copied 3 tasks through the terminal (OSC 52). If nothing arrives, your terminal does not allow it: "
        "/todo export writes a file."
    )
    assert (person.copied, desk.actions) == ([THREE], [])


@pytest.mark.parametrize("person", [None, Person(has_clipboard=False)], ids=["nobody", "no clipboard"])
def test_e11_where_nothing_takes_it_the_text_is_printed_and_the_answer_says_so(person: Person | None) -> None:
    answer = Desk(THREE, person=person).type("copy")

    assert (answer.text, answer.is_error) == (f"{PRINTED}\n\n{THREE}".rstrip("\n"), False)


def test_an_empty_plan_is_said_so_and_the_clipboard_keeps_what_it_has() -> None:
    person = Person()

    assert Desk(person=person).type("copy").text == (
        "The plan is empty; nothing was copied. /todo append <task> starts one."
    )
    assert person.copied == []


def test_what_is_printed_is_safe_for_the_screen_and_what_is_copied_is_whole() -> None:
    markdown = "# A\n- [/] ok\u202e go\n  > a\tb\n"
    person = Person()
    Desk(markdown, person=person).type("copy")

    printed = Desk(markdown).type("copy").text

    assert person.copied == [markdown]
    assert [c for c in printed if c != "\n" and unicodedata.category(c) in {"Cc", "Cf"}] == []
    assert printed.endswith("# A\n- [/] ok go\n  > a b")
