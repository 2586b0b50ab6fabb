import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from todo_context.backlog.when import earlier, later, minute, span

NOW = datetime(2026, 11, 1, 9, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """A machine in UTC, and a way to move it."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield patch
    time.tzset()


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("7", timedelta(days=7)),
        ("3d", timedelta(days=3)),
        ("2 weeks", timedelta(weeks=2)),
        ("90min", timedelta(minutes=90)),
        ("3mo", timedelta(days=90)),
        ("1h", timedelta(hours=1)),
        ("soon", None),
        ("", None),
        ("-3d", None),
    ],
)
def test_how_long_a_text_is(text: str, length: timedelta | None) -> None:
    assert span(text) == length


@pytest.mark.parametrize(
    ("text", "to_come", "gone"),
    [
        ("3d", "2026-11-04T09:30:00.000Z", "2026-10-29T09:30:00.000Z"),
        ("2026-12-24", "2026-12-24T00:00:00.000Z", "2026-12-24T00:00:00.000Z"),
        ("tomorrow", "2026-11-02T00:00:00.000Z", "2026-11-02T00:00:00.000Z"),
        ("yesterday", "2026-10-31T00:00:00.000Z", "2026-10-31T00:00:00.000Z"),
        ("2026-12-24T09:00+02:00", "2026-12-24T07:00:00.000Z", "2026-12-24T07:00:00.000Z"),
        ("soon", "soon", "soon"),
        ("20261224", "2026-12-24T00:00:00.000Z", "2026-12-24T00:00:00.000Z"),
    ],
)
def test_which_time_a_text_means(text: str, to_come: str, gone: str) -> None:
    assert (later(text, NOW), earlier(text, NOW)) == (to_come, gone)


def test_a_day_is_that_of_the_machine_also_where_the_clocks_change_in_between(zone: pytest.MonkeyPatch) -> None:
    zone.setenv("TZ", "Europe/Berlin")
    time.tzset()

    assert later("2027-07-01", NOW) == "2027-06-30T22:00:00.000Z"
    assert later("2026-12-24T09:00", NOW) == "2026-12-24T08:00:00.000Z"
    assert later("tomorrow", datetime(2026, 10, 24, 23, 30, tzinfo=UTC)) == "2026-10-25T23:00:00.000Z"
    assert minute(later("2027-07-01", NOW)) == "2027-07-01 00:00"


@pytest.mark.parametrize("text", ["0001-01-01", "9999-12-31T23:59", "soon", ""])
def test_a_time_at_the_end_of_all_times_stops_nothing(zone: pytest.MonkeyPatch, text: str) -> None:
    for name in ("Asia/Tokyo", "America/New_York"):
        zone.setenv("TZ", name)
        time.tzset()
        assert isinstance(minute(later(text, NOW)), str)
