"""Times as people and models write and read them: a day, a time, or how long from now, in the zone of this machine.

The clock is passed in, the zone is not: what a day is follows from where the person sits.
"""

import re
from datetime import datetime, timedelta

from todo_context.backlog.moment import moment, stamp
from todo_context.backlog.secrets import masked

_SPAN = re.compile(r"([0-9]{1,4}) ?(min|mo|m|h|d|w)[a-z]*", re.IGNORECASE)
_LENGTHS = {
    "m": timedelta(minutes=1),
    "min": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "mo": timedelta(days=30),
}

EXAMPLES = "tomorrow, 3d, 2w, a day such as 2030-12-24, or with T09:00"


def span(text: str) -> timedelta | None:
    """How long `3d` or `2 weeks` is; None where it is no such text. A bare number counts days."""
    text = text.strip()
    if re.fullmatch("[0-9]{1,5}", text):
        return timedelta(days=int(text))
    found = _SPAN.fullmatch(text)
    return None if found is None else int(found[1]) * _LENGTHS[found[2].casefold()]


def later(text: str, now: datetime) -> str:
    """The time to come that a text means, in our form; what cannot be read comes back to be said again."""
    return _time(text, now, 1)


def earlier(text: str, now: datetime) -> str:
    """The time gone by that a text means; likewise."""
    return _time(text, now, -1)


def _time(text: str, now: datetime, direction: int) -> str:
    text = text.strip()
    # Without a zone, so that it is the midnight of that day also where the clocks change in between.
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    named = {"today": 0, "tomorrow": 1, "yesterday": -1}.get(text.casefold())
    if named is not None:
        return stamp(midnight + timedelta(days=named))
    length = None if re.fullmatch("[0-9]{4,}", text) else span(text)
    if length is not None:
        return stamp(now + direction * length)
    try:
        return stamp(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return masked(text)


def minute(text: str) -> str:
    """A time of ours as it is told; what cannot be read as it is."""
    read = moment(text)
    try:
        return text if read is None else f"{read.astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError):
        return text
