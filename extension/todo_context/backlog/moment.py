"""Times as the backlog writes them: `2026-11-01T09:00:00.000Z`, UTC, to the millisecond.

Pure: the clock is passed in. A time is text, empty for none; texts of this form sort as times do. What came
from elsewhere and cannot be read is no time: nothing is ever old because of it.
"""

from datetime import UTC, datetime, timedelta

FUTURE = timedelta(days=1)
"""A time further ahead than this is a wrong clock, ours or another's. Less is what clocks of one network differ."""


def stamp(at: datetime) -> str:
    """A time as text."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(text: str) -> datetime | None:
    """The time that a text says, in UTC; None where it says none."""
    try:
        read = datetime.fromisoformat(text)
        return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def canonical(text: str) -> str:
    """A time in our own form; a text that says none as it is."""
    read = moment(text)
    return text if read is None else stamp(read)


def is_past(text: str, now: datetime) -> bool:
    """Whether a time has come."""
    read = moment(text)
    return read is not None and read <= now


def is_older(text: str, than: timedelta, now: datetime) -> bool:
    """Whether a time lies further back than that. One that cannot be read, or is yet to come, does not."""
    read = moment(text)
    return read is not None and now - read > than


def is_ahead(text: str, now: datetime) -> bool:
    """Whether a time lies further ahead than clocks differ."""
    read = moment(text)
    return read is not None and read - now > FUTURE
