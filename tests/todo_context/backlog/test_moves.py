from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.todo_context.backlog.kit import DAY, LEASE, NOW, PERSON, S1, S2, an_item, days_ago, items
from todo_context.backlog import moves
from todo_context.backlog.item import Box, Item, Status, box_of
from todo_context.backlog.moment import stamp
from todo_context.backlog.refusal import Refusal

Move = Callable[[Item, datetime], Item | Refusal]

MOVES: dict[str, Move] = {
    "claim": lambda item, now: moves.claim(item, S1, now, lease=LEASE),
    "release": lambda item, now: moves.release(item, PERSON, now),
    "park": moves.park,
    "park until": lambda item, now: moves.park(item, now, stamp(now + DAY)),
    "unpark": moves.unpark,
    "complete": lambda item, now: moves.close(item, now, Status.DONE),
    "cancel": lambda item, now: moves.close(item, now, Status.CANCELLED),
    "reopen": moves.reopen,
    "prune": lambda item, now: moves.prune(item, now, None),
    "restore": moves.restore,
    "delete": lambda item, now: moves.trash(item, now, batch=7, reason="", from_closed=False),
}

IN = {
    "active": an_item(),
    "held": an_item(status=Status.IN_PROGRESS, owner="S2", lease_until=stamp(NOW + LEASE)),
    "parked": an_item(status=Status.PARKED),
    "asleep": an_item(parked_until=stamp(NOW + DAY)),
    "closed": an_item(status=Status.DONE, closed_at=days_ago(1)),
    "archive": an_item(status=Status.CANCELLED, closed_at=days_ago(9), archived_at=days_ago(1)),
    "trash": an_item(status=Status.DONE, closed_at=days_ago(9), archived_at=days_ago(9), trashed_at=days_ago(1)),
}

TABLE = """
            active  held    parked  asleep  closed  archive trash
claim       active  -       -       -       -       -       -
release     =       active  -       -       -       -       -
park        parked  parked  =       parked  -       -       -
park until  parked  parked  parked  =       -       -       -
unpark      =       =       active  active  -       -       -
complete    closed  closed  closed  closed  =       -       -
cancel      closed  closed  closed  closed  closed  -       -
reopen      =       =       -       -       active  active  -
prune       -       -       -       -       archive =       -
restore     -       -       -       -       =       closed  -
delete      -       -       -       -       -       trash   =
"""
"""From where a verb leads where: `-` is refused, `=` changes nothing."""


def rows() -> list[tuple[str, str, str]]:
    header, *lines = TABLE.strip("\n").split("\n")
    return [
        (line[:12].strip(), start, end)
        for line in lines
        for start, end in zip(header.split(), line[12:].split(), strict=True)
    ]


@pytest.mark.parametrize(("verb", "start", "end"), rows())
def test_a_verb_leads_from_box_to_box(verb: str, start: str, end: str) -> None:
    made = MOVES[verb](IN[start], NOW)

    if end == "-":
        assert isinstance(made, Refusal)
        assert made.id == IN[start].id
        assert made.step
    else:
        assert isinstance(made, Item)
        assert made is IN[start] if end == "=" else box_of(made, NOW) == end


@given(items, st.sampled_from(sorted(MOVES)))
def test_a_move_that_changes_nothing_gives_back_the_same_item_the_second_time(item: Item, verb: str) -> None:
    once = MOVES[verb](item, NOW)

    if isinstance(once, Item):
        again = MOVES[verb](once, NOW)
        assert isinstance(again, Refusal) or again is once


@given(items, st.sampled_from(sorted(MOVES)))
def test_what_a_move_closes_has_a_closing_time_and_what_it_opens_has_none(item: Item, verb: str) -> None:
    made = MOVES[verb](item, NOW)

    if isinstance(made, Item) and made is not item and verb in {"complete", "cancel", "reopen", "park", "park until"}:
        assert bool(made.closed_at) == made.status.is_closed


@given(items, st.sampled_from(sorted(MOVES)))
def test_no_move_touches_what_a_person_wrote(item: Item, verb: str) -> None:
    made = MOVES[verb](item, NOW)

    if isinstance(made, Item):
        kept = ("id", "text", "notes", "project", "tags", "priority", "source", "origin", "created_at", "extra")
        assert all(getattr(made, name) == getattr(item, name) for name in kept)


@given(items, st.booleans())
def test_nothing_active_or_parked_is_ever_deleted(item: Item, from_closed: bool) -> None:
    made = moves.trash(item, NOW, batch=1, reason="", from_closed=from_closed)

    if box_of(item, NOW) in {Box.ACTIVE, Box.PARKED}:
        assert isinstance(made, Refusal)


@given(items)
def test_what_comes_back_from_the_trash_is_as_it_was(item: Item) -> None:
    made = moves.trash(item, NOW, batch=1, reason="old", from_closed=True)

    if isinstance(made, Item) and made is not item:
        assert moves.untrash(made) == Item(
            **{name: getattr(item, name) for name in item.__slots__ if not name.startswith("trashed")}
        )


@pytest.mark.parametrize(
    ("closed_at", "is_pruned"),
    [
        pytest.param(days_ago(8), True, id="older"),
        pytest.param(days_ago(6), False, id="younger"),
        pytest.param("", False, id="of unknown age"),
        pytest.param("last week", False, id="of unreadable age"),
        pytest.param(days_ago(-400), False, id="of a time to come"),
    ],
)
def test_only_a_known_age_makes_an_item_old(closed_at: str, is_pruned: bool) -> None:
    made = moves.prune(an_item(status=Status.DONE, closed_at=closed_at), NOW, timedelta(days=7))

    assert isinstance(made, Item) == is_pruned


def test_one_s_own_is_claimed_again_with_success_and_is_no_touch() -> None:
    held = moves.claim(an_item(), S1, NOW, lease=LEASE)
    assert isinstance(held, Item)

    again = moves.claim(held, S1, NOW + LEASE / 2, lease=LEASE)

    assert isinstance(again, Item)
    assert again.lease_until > held.lease_until
    assert again.updated_at == held.updated_at


@pytest.mark.parametrize(
    ("lease_until", "who", "is_claimed"),
    [
        pytest.param(stamp(NOW + LEASE), S1, False, id="held"),
        pytest.param(stamp(NOW), S1, True, id="the lease is over"),
        pytest.param("", S1, False, id="held without end"),
        pytest.param("", S2, True, id="one's own"),
    ],
)
def test_who_may_claim_what_is_in_progress(lease_until: str, who: moves.Who, is_claimed: bool) -> None:
    item = an_item(status=Status.IN_PROGRESS, owner="S2", lease_until=lease_until)

    made = moves.claim(item, who, NOW, lease=LEASE)

    assert isinstance(made, Item) == is_claimed
    if isinstance(made, Refusal):
        assert "S2 works on it" in made.fact


def test_what_nobody_owns_is_claimed_though_it_is_in_progress() -> None:
    assert isinstance(moves.claim(an_item(status=Status.IN_PROGRESS), S1, NOW, lease=LEASE), Item)


def test_what_waits_is_not_claimed_and_the_answer_names_for_what() -> None:
    made = moves.claim(an_item(), S1, NOW, lease=LEASE, waits_for=("td-bbbb",))

    assert isinstance(made, Refusal)
    assert str(made) == "td-aaaa: it waits for td-bbbb. Claim td-bbbb first."


@pytest.mark.parametrize("until", ["tomorrow", "2026-10-31", "2026-11-01T09:00:00.000Z", "9999-99-99"])
def test_to_park_needs_a_time_to_come(until: str) -> None:
    made = moves.park(an_item(), NOW, until)

    assert isinstance(made, Refusal)
    assert made.code == "date"


def test_what_is_parked_until_a_day_wakes_by_itself() -> None:
    asleep = moves.park(an_item(), NOW, "2026-11-03")

    assert isinstance(asleep, Item)
    assert asleep.status is Status.OPEN
    assert box_of(asleep, NOW + DAY) is Box.PARKED
    assert box_of(asleep, NOW + 2 * DAY) is Box.ACTIVE
