"""The forms of timestamps in log lines, and their times in seconds since 1970."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

_MONTH_NUMBERS: Mapping[bytes, int] = {
    name: number
    for number, name in enumerate(
        b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1
    )
}
SEARCHED_BYTES = 400
"""The bytes at the beginning of a line in which a timestamp is searched for."""

UNIT_SECONDS: Mapping[str, int] = {
    "s": 1,
    "m": 60,
    "h": 3600,
    "d": 86400,
    "w": 7 * 86400,
}
"""The lengths of the units of time, by the letters that callers write."""

DAY_SECONDS = UNIT_SECONDS["d"]


@dataclass(frozen=True, slots=True)
class Moment:
    """A time in seconds since 1970, and its offset from UTC if the timestamp has one."""

    seconds: float
    utc_offset: int | None = None


@dataclass(frozen=True, slots=True)
class TimeForm:
    """A form of timestamps.

    `read` returns the moment of a match. It takes a year too, for forms without `has_year`.
    """

    name: str
    pattern: re.Pattern[bytes]
    read: Callable[[re.Match[bytes], int], Moment]
    has_year: bool = True

    def search(self, line: bytes) -> re.Match[bytes] | None:
        """Return the match of a timestamp in a line of any encoding, or None."""
        match = self.pattern.search(line, 0, SEARCHED_BYTES)
        if match is None and b"\0" in line[:SEARCHED_BYTES]:
            # In UTF-16, each character of a timestamp has one zero byte.
            line = line[: 2 * SEARCHED_BYTES].replace(b"\0", b"")
            return self.pattern.search(line)
        return match


# Cached, since a log of a million lines has few days and fewer zones.
@lru_cache(maxsize=4096)
def count_days(year: int, month: int, day: int) -> int:
    return date(year, month, day).toordinal() - date(1970, 1, 1).toordinal()


@lru_cache(maxsize=64)
def _parse_zone(zone: bytes) -> int | None:
    """Return the offset in seconds of a zone such as ``+02:00``; None for an empty one."""
    if not zone:
        return None
    if zone == b"Z":
        return 0
    digits = zone[1:].replace(b":", b"")
    seconds = int(digits[:2]) * 3600 + int(digits[2:4] or 0) * 60
    return -seconds if zone.startswith(b"-") else seconds


def _make_moment(
    day: tuple[int, int, int],
    clock: tuple[bytes, bytes, bytes | None],
    fraction: bytes | None = None,
    zone: bytes | None = None,
) -> Moment:
    hours, minutes, seconds = clock
    whole_seconds = (
        count_days(*day) * DAY_SECONDS
        + int(hours) * 3600
        + int(minutes) * 60
        + int(seconds or 0)
    )
    utc_offset = _parse_zone(zone or b"")
    fraction_seconds = float(b"0." + fraction) if fraction else 0.0
    return Moment(
        whole_seconds - (utc_offset or 0) + fraction_seconds, utc_offset
    )


def _read_year_first(match: re.Match[bytes], _year: int) -> Moment:
    year, month, day, hours, minutes, seconds, fraction, zone = match.groups()
    return _make_moment(
        (int(year), int(month), int(day)),
        (hours, minutes, seconds),
        fraction,
        zone,
    )


def _read_common_log(match: re.Match[bytes], _year: int) -> Moment:
    day, month, year, hours, minutes, seconds, fraction, zone = match.groups()
    return _make_moment(
        (int(year), _MONTH_NUMBERS[month], int(day)),
        (hours, minutes, seconds),
        fraction,
        zone,
    )


def _read_syslog(match: re.Match[bytes], year: int) -> Moment:
    month, day, hours, minutes, seconds, fraction = match.groups()
    return _make_moment(
        (year, _MONTH_NUMBERS[month], int(day)),
        (hours, minutes, seconds),
        fraction,
    )


def _read_ctime(match: re.Match[bytes], _year: int) -> Moment:
    month, day, hours, minutes, seconds, fraction, year = match.groups()
    return _make_moment(
        (int(year), _MONTH_NUMBERS[month], int(day)),
        (hours, minutes, seconds),
        fraction,
    )


def _read_java(match: re.Match[bytes], _year: int) -> Moment:
    month, day, year, hours, minutes, seconds, day_half = match.groups()
    # 12 AM is midnight, and 12 PM is noon.
    hour_of_day = int(hours) % 12 + (12 if day_half == b"PM" else 0)
    return _make_moment(
        (int(year), _MONTH_NUMBERS[month], int(day)),
        (b"%d" % hour_of_day, minutes, seconds),
    )


def _read_epoch(match: re.Match[bytes], _year: int) -> Moment:
    seconds, fraction, milliseconds, microseconds = match.groups()
    fraction_seconds = 0.0
    if fraction:
        fraction_seconds = float(b"0." + fraction)
    elif milliseconds:
        fraction_seconds = int(milliseconds) / 1e3
    elif microseconds:
        fraction_seconds = int(microseconds) / 1e6
    return Moment(int(seconds) + fraction_seconds, 0)


_MONTH_NAME = rb"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_TIME_OF_DAY_PARTS = rb"(\d\d):(\d\d):(\d\d)"
_ZONE = rb"(Z|[+-]\d\d:?\d\d(?!\d))?"
_ZONE_OR_HOURS = rb"(Z|[+-]\d\d:?\d\d(?!\d)|(?<! )[+-]\d\d(?!\d))?"

# The first form that matches a line counts. So ctime comes before syslog, whose form is
# the beginning of it.
TIME_FORMS = (
    TimeForm(
        "ISO 8601",
        re.compile(
            rb"(?<!\d)(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d)"
            rb"(?::(\d\d)(?:[.,](\d{1,9}))?)? ?" + _ZONE_OR_HOURS
        ),
        _read_year_first,
    ),
    TimeForm(
        "common log",
        re.compile(
            rb"(\d\d)/" + _MONTH_NAME + rb"/(\d{4})[: ]" + _TIME_OF_DAY_PARTS
            + rb"(?:[.,](\d{1,9}))? ?" + _ZONE
        ),
        _read_common_log,
    ),
    TimeForm(
        "ctime",
        re.compile(
            _MONTH_NAME + rb" ([ \d]\d) " + _TIME_OF_DAY_PARTS + rb"(?:\.(\d{1,9}))? (\d{4})\b"
        ),
        _read_ctime,
    ),
    TimeForm(
        "java.util.logging",
        re.compile(
            _MONTH_NAME + rb" (\d\d?), (\d{4}),? (\d\d?):(\d\d):(\d\d).?([AP]M)"
        ),
        _read_java,
    ),
    TimeForm(
        "syslog",
        re.compile(_MONTH_NAME + rb" ([ \d]\d) " + _TIME_OF_DAY_PARTS + rb"(?:\.(\d{1,9}))?"),
        _read_syslog,
        has_year=False,
    ),
    TimeForm(
        "compact",
        re.compile(
            rb"(?<!\d)(20\d\d)([01]\d)([0-3]\d)[T-]([0-2]\d)(\d\d)(\d\d)"
            rb"(?:[.,](\d{1,9}))?" + _ZONE + rb"(?!\d)"
        ),
        _read_year_first,
    ),
    # Ten digits from 1 on are seconds of the years 2001 to 2033.
    TimeForm(
        "epoch",
        re.compile(
            rb"(?<![\d.A-Za-z-])(1\d{9})(?:\.(\d{1,9})|(\d{3})|(\d{6}))?"
            rb"(?![\d.A-Za-z-])"
        ),
        _read_epoch,
    ),
)  # fmt: skip
