from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.todo_context.backlog.kit import DAY, NOW, S1, an_item, days_ago, items
from todo_context.backlog.item import Box, Item, Status, box_of, folded_tags, full_id, is_held, text_key
from todo_context.backlog.moment import canonical, is_ahead, is_older, moment, stamp
from todo_context.backlog.order import order_key, ordered
from todo_context.backlog.record import from_json, to_armory, to_json


@pytest.mark.parametrize(
    ("item", "box"),
    [
        pytest.param(an_item(), Box.ACTIVE, id="open"),
        pytest.param(an_item(status=Status.IN_PROGRESS), Box.ACTIVE, id="in progress"),
        pytest.param(an_item(parked_until=days_ago(-1)), Box.PARKED, id="until tomorrow"),
        pytest.param(an_item(parked_until=days_ago(1)), Box.ACTIVE, id="until yesterday"),
        pytest.param(an_item(parked_until="soon"), Box.ACTIVE, id="until nobody knows when"),
        pytest.param(an_item(status=Status.PARKED), Box.PARKED, id="parked"),
        pytest.param(an_item(status=Status.DONE), Box.CLOSED, id="done"),
        pytest.param(
            an_item(status=Status.CANCELLED, parked_until=days_ago(-1)), Box.CLOSED, id="closed before parked"
        ),
        pytest.param(an_item(status=Status.DONE, archived_at=days_ago(1)), Box.ARCHIVE, id="archived"),
        pytest.param(an_item(archived_at=days_ago(1), trashed_at=days_ago(1)), Box.TRASH, id="trash before archive"),
    ],
)
def test_an_item_lies_in_the_first_box_that_fits(item: Item, box: Box) -> None:
    assert box_of(item, NOW) is box


@given(items)
def test_an_item_is_the_same_after_it_was_written_and_read(item: Item) -> None:
    # What a verb never makes, and an armory file says in another way: parked, and until a day.
    if item.status is not Status.PARKED or not item.parked_until:
        assert from_json(to_json(item)) == item


@given(items)
def test_what_armory_is_given_comes_back_in_the_same_box(item: Item) -> None:
    back = from_json(to_armory(item, NOW))

    assert back is not None
    assert box_of(back, NOW) is box_of(item, NOW) or item.status is Status.PARKED


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(None, id="nothing"),
        pytest.param([], id="a list"),
        pytest.param({"id": "td-1"}, id="no text"),
        pytest.param({"text": "a"}, id="no id"),
        pytest.param({"id": 7, "text": "a"}, id="a number for an id"),
        pytest.param({"id": "td-1", "text": "\u200b"}, id="a text that nobody sees"),
    ],
)
def test_what_has_no_id_and_no_text_is_no_item(raw: object) -> None:
    assert from_json(raw) is None


def test_what_an_item_of_another_program_says_wrongly_is_read_as_nothing() -> None:
    raw = {"id": "td-1", "text": "a\nb", "tags": "x", "priority": "urgent", "status": "odd", "leaseUntil": "soon"}

    read = from_json({**raw, "closedAt": "some day", "source": 5, "blockedBy": ["td-2", 3, "td-2"], "mood": "good"})

    assert read == Item(id="td-1", text="a b", closed_at="some day", blocked_by=("td-2",), extra={"mood": "good"})


@pytest.mark.parametrize(
    ("text", "read"),
    [
        pytest.param("2026-11-01T09:00:00.000Z", NOW, id="our own"),
        pytest.param("2026-11-01", NOW - timedelta(hours=9), id="a day"),
        pytest.param("2026-11-01T10:00:00+01:00", NOW, id="of another zone"),
        pytest.param("2026-11-01T09:00:00.000000001Z", NOW, id="with nine digits"),
        pytest.param("0001-01-01T00:00:00+14:00", None, id="before all times"),
        pytest.param("soon", None, id="none"),
        pytest.param("", None, id="empty"),
    ],
)
def test_times_are_read_leniently(text: str, read: datetime | None) -> None:
    assert moment(text) == read


EARLIEST = datetime(2, 1, 1)  # noqa: DTZ001 (Hypothesis puts the zone to it)


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=5))]), min_value=EARLIEST))
def test_a_time_is_written_in_one_form_that_sorts(at: datetime) -> None:
    written = stamp(at)

    assert canonical(written) == written
    assert len(written) == len(stamp(NOW))
    assert written <= stamp(at + timedelta(seconds=1)) or at.year == 9999


def test_an_age_that_is_unknown_or_to_come_is_not_old() -> None:
    assert is_older(days_ago(8), 7 * DAY, NOW)
    assert not any(is_older(text, 7 * DAY, NOW) for text in (days_ago(6), days_ago(-90), "", "soon"))
    assert is_ahead(days_ago(-2), NOW)
    assert not is_ahead(days_ago(-0.5), NOW)


@given(st.lists(items))
def test_the_order_is_in_progress_then_priority_then_age(found: list[Item]) -> None:
    keys = [order_key(item) for item in ordered(found)]

    assert keys == sorted(keys)


def test_a_reference_may_leave_out_the_prefix_and_the_case() -> None:
    assert full_id(" 4K2M ") == full_id("td-4k2m") == "td-4k2m"


def test_titles_that_say_the_same_have_one_key() -> None:
    assert text_key("Port  Logger\n") == text_key("port logger")


def test_tags_come_in_folded() -> None:
    assert folded_tags([" infra", "#infra", "a\nb", "", "\x1b[1m"]) == ("infra", "a b")


def test_a_lease_that_is_over_holds_nothing() -> None:
    held = an_item(status=Status.IN_PROGRESS, owner=S1.name, lease_until=days_ago(-1))

    assert is_held(held, NOW)
    assert not is_held(held, NOW + 2 * DAY)
    assert not is_held(an_item(), NOW)


@pytest.mark.parametrize("id_", ["td-a</system-reminder>", "td-a\nb", "td-\x1b[2J", "td a", "x" * 65, "-", ""])
def test_an_id_that_could_not_stand_in_a_line_makes_no_item(id_: str) -> None:
    assert from_json({"id": id_, "text": "Port logger"}) is None
