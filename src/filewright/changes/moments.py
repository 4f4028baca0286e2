"""Times as users write and read them.

The parser is small, and reads whole texts only: the same argument takes changes and
sessions, and a library for dates in any text would take some of these for times.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta

_UNIT_SECONDS = {
    "s": 1,
    "sec": 1,
    "second": 1,
    "m": 60,
    "min": 60,
    "minute": 60,
    "h": 3_600,
    "hr": 3_600,
    "hour": 3_600,
    "d": 86_400,
    "day": 86_400,
    "w": 604_800,
    "wk": 604_800,
    "week": 604_800,
    "month": 2_629_746,
    "y": 31_556_952,
    "yr": 31_556_952,
    "year": 31_556_952,
}
"""The length of each unit; of months and years the mean of the calendar."""
_NUMBER_WORDS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "half a": 0.5,
    "half an": 0.5,
    "a couple of": 2,
    "last": 1,
    "the last": 1,
    "past": 1,
    "the past": 1,
}
_NUMBERS = "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True))
_UNITS = "|".join(sorted(_UNIT_SECONDS, key=len, reverse=True))
_PART = re.compile(
    rf"(?:(\d{{1,9}}(?:\.\d{{1,3}})?) ?|({_NUMBERS}) )({_UNITS})s?(?![a-z])"
)
_PARTS = re.compile(rf"{_PART.pattern}(?:(?:,? and |, ?| )?{_PART.pattern})*")
_CLOCK_TIME = re.compile(r"(\d{1,2})(?::(\d{2})(?::(\d{2}))?)? ?([ap]m)?")
_CLOCK_WORDS = {"midnight": time(0), "noon": time(12)}
_WEEKDAYS = (
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
)
_MIN_WEEKDAY_LETTERS = 3
_EPOCH = datetime.fromtimestamp(0, UTC).astimezone()


def parse_moment(text: str, now: datetime | None = None) -> int | None:
    """Return a time in nanoseconds since the epoch, or None if the text is no time.

    The time may be ISO 8601 (without a zone: local time), the last time that a clock
    showed (``14:30``, ``2 pm``), a duration before now (``10 min``, ``2h ago``, ``an
    hour ago``), or the begin of a day, or a time in it (``yesterday``, ``monday``,
    ``yesterday 14:30``).
    """
    now = (now or datetime.now()).astimezone()
    words = " ".join(text.lower().split())
    moment = (
        _parse_duration(words, now)
        or _parse_clock_time(words, now)
        or _parse_day(words, now)
        or _parse_iso(text.strip())
    )
    if moment is None:
        return None
    # A change's time is shown without nanoseconds; it means that change, not those
    # before.
    nanoseconds = moment.microsecond * 1000 + 999 if moment.microsecond else 0
    return int(moment.replace(microsecond=0).timestamp()) * 10**9 + nanoseconds


def _parse_duration(words: str, now: datetime) -> datetime | None:
    """Return the moment before now by a duration such as ``an hour ago``."""
    words = words.removesuffix(" ago")
    if words in ("now", "just now"):
        return now
    if not _PARTS.fullmatch(words):
        return None
    seconds = 0.0
    for number, number_word, unit in _PART.findall(words):
        count = float(number) if number else _NUMBER_WORDS[number_word]
        seconds += count * _UNIT_SECONDS[unit]
    return now - timedelta(seconds=min(seconds, (now - _EPOCH).total_seconds()))


def _parse_clock_time(words: str, now: datetime) -> datetime | None:
    """Return the last moment at which a clock showed a time."""
    clock_time = _read_clock(words)
    if clock_time is None:
        return None
    moment = _at(now, clock_time)
    # Changes are in the past: after midnight, 23:50 is a time of yesterday.
    if moment > now:
        moment = _at(now - timedelta(days=1), clock_time)
    return moment


def _read_clock(words: str) -> time | None:
    """Return the time of a clock, such as ``14:30`` or ``2 pm``."""
    if words in _CLOCK_WORDS:
        return _CLOCK_WORDS[words]
    match = _CLOCK_TIME.fullmatch(words)
    if match is None:
        return None
    hour, minute, second, half = match.groups()
    # A number alone may be anything.
    if minute is None and half is None:
        return None
    hours = int(hour)
    if half is not None:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if half == "pm" else 0)
    try:
        return time(hours, int(minute or 0), int(second or 0))
    except ValueError:
        return None


def _parse_day(words: str, now: datetime) -> datetime | None:
    """Return the begin of a day, or the time in it that follows its name."""
    day, _, clock = words.partition(" ")
    if day == "last":
        name, _, clock = clock.partition(" ")
        day = f"last {name}"
    days_back = _count_days_back(day, now)
    if days_back is None:
        return None
    clock_time: time | None = time(0)
    if clock:
        clock_time = _read_clock(clock.removeprefix("at "))
    if clock_time is None:
        return None
    return _at(now - timedelta(days=days_back), clock_time)


def _count_days_back(day: str, now: datetime) -> int | None:
    """Return how many days ago the last day of a name was."""
    if day == "today":
        return 0
    if day == "yesterday":
        return 1
    name = day.removeprefix("last ")
    if len(name) < _MIN_WEEKDAY_LETTERS:
        return None
    for weekday, full_name in enumerate(_WEEKDAYS):
        if full_name.startswith(name):
            days_back = (now.weekday() - weekday) % 7
            if day != name and not days_back:
                return 7
            return days_back
    return None


def _at(day: datetime, clock_time: time) -> datetime:
    """Return the moment of a day at which its clocks show a time."""
    # A day of another time of the year has another offset from UTC.
    return datetime.combine(day.date(), clock_time).astimezone()


def _parse_iso(text: str) -> datetime | None:
    """Return the moment of an ISO 8601 text that begins with a year."""
    # What else `fromisoformat` accepts, such as 8 digits, may be a change.
    if not re.match(r"\d{4}-\d", text):
        return None
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def format_local_time(time_ns: int) -> str:
    """Return a time for users, in their zone, to the second."""
    return f"{datetime.fromtimestamp(time_ns // 10**9).astimezone():%Y-%m-%d %H:%M:%S}"
