"""The ways to tell a plan, on a talk of three requests; and ours as the host really sends them."""

from collections.abc import Callable, Sequence

import pytest

from bench.attention import talk
from bench.parts import Part, Request, parts_of
from bench.talk import recorded
from bench.ways import (
    WAYS,
    at_the_tail,
    in_the_last_user_message,
    in_the_system_prompt,
    marked_on_the_reminder,
    shortened,
    stored_each_round,
    without,
)
from tests.todo_repl.talk import BOTH
from todo_context.settings import AttentionSettings
from todo_repl.models import ProviderName

INIT = Part("call", 'todo_write {"ops":[{"op":"init","list":[{"phase":"P","items":["A","B"]}]}]}')
DONE = Part("call", 'todo_write {"ops":[{"op":"done","task":"A"}]}')
WORK = Part("call", 'read {"path":"x"}')
TOOL, SYSTEM, SAID = Part("tool", "{}"), Part("system", "S"), Part("said", "hi")
REPLY, FOUND = Part("result", "2 open."), Part("result", "abcdefgh")


def reminder(name: str) -> Part:
    return Part("said", f"<system-reminder>\nFrom the todo extension, not from the user. {name}\n</system-reminder>")


def marked(part: Part) -> Part:
    return Part(part.kind, part.text, is_marked=True)


TALK: Sequence[Request] = [
    [TOOL, SYSTEM, marked(SAID)],
    [TOOL, SYSTEM, SAID, INIT, REPLY, WORK, marked(FOUND), reminder("one")],
    [TOOL, SYSTEM, SAID, INIT, REPLY, WORK, FOUND, DONE, REPLY, WORK, marked(FOUND), reminder("two")],
]


def test_without() -> None:
    assert without(TALK)[1] == [TOOL, SYSTEM, SAID, INIT, REPLY, WORK, marked(FOUND)]


def test_in_the_last_user_message() -> None:
    told = in_the_last_user_message(TALK)

    assert told[0] == TALK[0]
    assert told[1] == [TOOL, SYSTEM, SAID, reminder("one"), INIT, REPLY, WORK, marked(FOUND)]


def test_the_list_is_in_the_system_prompt_from_the_first_plan_on_and_as_it_is_then() -> None:
    told = in_the_system_prompt(TALK)

    assert told[0] == TALK[0]
    assert told[1][:4] == [TOOL, SYSTEM, Part("system", "# P\n- [/] A\n- [ ] B\n"), SAID]
    assert told[2][2] == Part("system", "# P\n- [x] A\n- [/] B\n")
    assert told[2][3:] == TALK[2][2:-1]


def test_what_is_stored_stays_where_it_was_and_is_marked_at_its_end() -> None:
    told = stored_each_round(TALK)

    assert told[1] == [TOOL, SYSTEM, SAID, INIT, REPLY, WORK, FOUND, marked(reminder("one"))]
    assert told[2][:8] == [TOOL, SYSTEM, SAID, INIT, REPLY, WORK, FOUND, reminder("one")]
    assert told[2][8:] == [DONE, REPLY, WORK, FOUND, marked(reminder("two"))]


def test_the_mark_on_the_reminder_is_the_only_one() -> None:
    told = marked_on_the_reminder(TALK)

    assert told[0] == TALK[0]
    assert [part for request in told[1:] for part in request if part.is_marked] == [
        marked(reminder("one")),
        marked(reminder("two")),
    ]


def test_a_shorter_talk_has_less_of_other_tools_alone() -> None:
    assert shortened(TALK, 2)[1] == [
        *(TOOL, SYSTEM, SAID, INIT, REPLY),
        *(Part("call", 'read {"p'), marked(Part("result", "abcd")), reminder("one")),
    ]


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize(
    ("way", "settings"),
    [
        pytest.param(without, AttentionSettings(reminder=False), id="off"),
        pytest.param(in_the_last_user_message, AttentionSettings(placement="last_user"), id="last_user"),
    ],
)
def test_ours_are_what_the_host_sends_with_that_setting(
    way: Callable[[Sequence[Request]], list[Request]], settings: AttentionSettings, provider: ProviderName
) -> None:
    at_tail = [parts_of(body) for body in recorded(provider, AttentionSettings())]

    sent = [parts_of(body) for body in recorded(provider, settings)]

    assert way(at_the_tail(at_tail)) == sent


def test_every_way_tells_the_same_talk() -> None:
    for found in talk():
        bare = [[(part.kind, part.text) for part in request] for request in without(found)]
        for change in WAYS.values():
            lists = [{part for part in request if part.kind == "system"} for request in change(found)]
            assert len(lists) == len(bare) == 40
            for request, expected in zip(change(found), bare, strict=True):
                left = [(part.kind, part.text) for part in request if not part.is_reminder]
                assert [each for each in left if each in expected] == expected
