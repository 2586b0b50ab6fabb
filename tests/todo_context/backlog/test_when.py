from datetime import UTC, datetime, timedelta

import pytest

from todo_context.backlog.when import earlier, later, span

NOW = datetime(2026, 11, 1, 9, 30, tzinfo=UTC)


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
