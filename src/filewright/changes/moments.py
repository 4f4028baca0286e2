"""Times as users write and read them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_AGO = re.compile(
    r"(\d{1,9}) ?(s|seconds?|m|min|minutes?|h|hours?|d|days?|w|weeks?)( ago)?"
)
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_CLOCK_TIME = re.compile(r"\d{1,2}:\d{2}(:\d{2})?")
_EPOCH = datetime.fromtimestamp(0, UTC).astimezone()


def parse_moment(text: str, now: datetime | None = None) -> int | None:
    """Return a time in nanoseconds since the epoch, or None if the text is no time.

    The time may be ISO 8601 (without a zone: local time), a time of today (``14:30``),
    or a duration before now (``10 min``, ``2h ago``).
    """
    text = text.strip()
    now = (now or datetime.now()).astimezone()
    ago = _AGO.fullmatch(text)
    if ago is not None:
        seconds = int(ago[1]) * _UNIT_SECONDS[ago[2][0]]
        moment = now - timedelta(
            seconds=min(seconds, (now - _EPOCH).total_seconds())
        )
    else:
        if _CLOCK_TIME.fullmatch(text):
            digits = 8 if text.count(":") == 2 else 5
            text = f"{now:%Y-%m-%d}T{text.zfill(digits)}"
        # What else `fromisoformat` accepts, such as 8 digits, may be a change.
        if not re.match(r"\d{4}-\d", text):
            return None
        try:
            moment = datetime.fromisoformat(text).astimezone()
        except (ValueError, OverflowError, OSError):
            return None
    # A change's time is shown without nanoseconds; it means that change, not those
    # before.
    nanoseconds = moment.microsecond * 1000 + 999 if moment.microsecond else 0
    return int(moment.replace(microsecond=0).timestamp()) * 10**9 + nanoseconds


def format_local_time(time_ns: int) -> str:
    """Return a time for users, in their zone, to the second."""
    return f"{datetime.fromtimestamp(time_ns // 10**9).astimezone():%Y-%m-%d %H:%M:%S}"
