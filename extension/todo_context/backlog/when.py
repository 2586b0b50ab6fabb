"""Times as people and models write them: a day, a time, or how long from now.

Pure: the clock is passed in.
"""

import re
from datetime import datetime, timedelta

from todo_context.backlog.moment import moment, stamp

_SPAN = re.compile(r"([0-9]{1,4}) ?(min|mo|m|h|d|w)[a-z]*", re.IGNORECASE)
_LENGTHS = {
    "m": timedelta(minutes=1),
    "min": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "mo": timedelta(days=30),
}

EXAMPLES = "2026-12-24, 2026-12-24T09:00, 3d, 2w, tomorrow"


def span(text: str) -> timedelta | None:
    """How long `3d` or `2 weeks` is; None where it is no such text. A bare number counts days."""
    text = text.strip()
    if re.fullmatch("[0-9]{1,5}", text):
        return timedelta(days=int(text))
    found = _SPAN.fullmatch(text)
    return None if found is None else int(found[1]) * _LENGTHS[found[2].casefold()]


def later(text: str, now: datetime) -> str:
    """The time to come that a text means, in our form; what cannot be read comes back as it is."""
    return _time(text, now, 1)


def earlier(text: str, now: datetime) -> str:
    """The time gone by that a text means; likewise."""
    return _time(text, now, -1)


def _time(text: str, now: datetime, direction: int) -> str:
    text = text.strip()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    named = {"today": 0, "tomorrow": 1, "yesterday": -1}.get(text.casefold())
    if named is not None:
        return stamp(midnight + timedelta(days=named))
    length = None if re.fullmatch("[0-9]{4,}", text) else span(text)
    if length is not None:
        return stamp(now + direction * length)
    read = moment(text)
    return text if read is None else stamp(read)
