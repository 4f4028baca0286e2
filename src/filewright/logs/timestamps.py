"""Timestamps of log lines: their forms, and their times in seconds since 1970.

The form of a log is found by a sample of its lines.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache

_MONTH_NUMBERS: Mapping[bytes, int] = {
    name: number
    for number, name in enumerate(
        b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1
    )
}
SEARCHED_BYTES = 400
"""The bytes at the beginning of a line in which a timestamp is searched for."""

MIN_STAMPED_SHARE = 0.1
"""The least share of lines with timestamps in a log; the others may be traces."""

_MIN_SECONDS = datetime.min.replace(tzinfo=UTC).timestamp()
_MAX_SECONDS = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp()
"""The first and the last second of Python's calendar."""

_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_RELATIVE_TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([smhdw])\s*(?:ago)?\s*")
_TIME_OF_DAY = re.compile(
    r"\s*([01]?\d|2[0-4]):([0-5]\d)(?::([0-6]\d(?:\.\d+)?))?\s*"
)
_DATE_TEXT = re.compile(r"\s*(\d{4})-(\d\d)-(\d\d)\s*")
_WITHOUT_SECONDS = re.compile(r"(?<!\d)(\d\d:\d\d)(?![:\d])")


@dataclass(frozen=True, slots=True)
class Moment:
    """A time in seconds since 1970, and its offset from UTC if the timestamp has one."""

    seconds: float
    utc_offset: int | None = None


@dataclass(frozen=True, slots=True)
class TimeForm:
    """A form of timestamps.

    `read` takes a match and a year, which counts unless `has_year`, and returns the moment.
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
def _count_days(year: int, month: int, day: int) -> int:
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
        _count_days(*day) * 86400
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


@dataclass(frozen=True, slots=True)
class LogClock:
    """The form of a log's timestamps, with the year and the zone that they leave out.

    `utc_offset` is in seconds. `year` is that of the last entry. Entries that would be
    later than `latest_seconds` are of the year before: those of December in a log that
    ends in January, say.
    """

    form: TimeForm
    year: int = 1970
    utc_offset: int = 0
    latest_seconds: float = math.inf

    def read(self, line: bytes) -> float | None:
        """Return the time of a line in seconds since 1970, or None without one."""
        match = self.form.search(line)
        if match is None:
            return None
        try:
            return self._read_match(self.form, match).seconds
        except ValueError:
            return None

    def _read_match(self, form: TimeForm, match: re.Match[bytes]) -> Moment:
        """Return the moment of a match. Raise `ValueError` for an impossible date."""
        if form.has_year:
            return form.read(match, self.year)
        try:
            moment = form.read(match, self.year)
        except ValueError:
            # 29 February may be a day of the year before only.
            return form.read(match, self.year - 1)
        if moment.seconds > self.latest_seconds:
            return form.read(match, self.year - 1)
        return moment

    def parse(self, text: str, last_seconds: float | None) -> float | None:
        """Return the time in the text of a caller, or None if it has none.

        A time without a zone is in the zone of the log. "15m" is so long before the last
        entry, whose time is `last_seconds`, and "10:30" is on the day of that entry.
        """
        relative_match = _RELATIVE_TIME.fullmatch(text)
        if relative_match is not None:
            if last_seconds is None:
                return None
            return (
                last_seconds
                - float(relative_match[1]) * _UNIT_SECONDS[relative_match[2]]
            )
        time_of_day = _TIME_OF_DAY.fullmatch(text)
        if time_of_day is not None and last_seconds is not None:
            midnight = (last_seconds + self.utc_offset) // 86400 * 86400
            hours, minutes, seconds = time_of_day.groups()
            seconds_of_day = (
                int(hours) * 3600 + int(minutes) * 60 + float(seconds or 0)
            )
            return midnight - self.utc_offset + seconds_of_day
        try:
            date_match = _DATE_TEXT.fullmatch(text)
            if date_match is not None:
                return (
                    _count_days(*map(int, date_match.groups())) * 86400
                    - self.utc_offset
                )
            return self._parse_timestamp(text)
        except ValueError:
            return None

    def _parse_timestamp(self, text: str) -> float | None:
        """Return the time in a text of any form, with or without seconds, or None.

        Raise `ValueError` for an impossible date.
        """
        for spelling in (text, _WITHOUT_SECONDS.sub(r"\1:00", text, count=1)):
            encoded_text = spelling.encode("utf-8", "replace")
            for form in (*TIME_FORMS, self.form):
                match = form.pattern.search(encoded_text)
                if match is None:
                    continue
                moment = self._read_match(form, match)
                if moment.utc_offset is None:
                    return moment.seconds - self.utc_offset
                return moment.seconds
        return None

    def format(self, seconds: float) -> str:
        """Return a time in the zone of the log."""
        # In the first or the last year, the zone may lead out of the calendar.
        local_seconds = min(
            max(seconds + self.utc_offset, _MIN_SECONDS), _MAX_SECONDS
        )
        moment = datetime.fromtimestamp(local_seconds, UTC)
        return moment.strftime("%Y-%m-%dT%H:%M:%S")

    @property
    def zone(self) -> str:
        """Return the offset from UTC, such as ``+01:00``."""
        hours, minutes = divmod(abs(self.utc_offset) // 60, 60)
        sign = "-" if self.utc_offset < 0 else "+"
        return f"{sign}{hours:02}:{minutes:02}"

    def format_with_zone(self, seconds: float) -> str:
        """Return a time in the zone of the log, with that zone if it is not UTC."""
        formatted_time = self.format(seconds)
        return formatted_time + self.zone if self.utc_offset else formatted_time


def is_time_of_day(text: str | None) -> bool:
    """Return True for a time without a date, such as "10:30"."""
    return text is not None and _TIME_OF_DAY.fullmatch(text) is not None


def find_clock(
    lines: Iterable[bytes], year: int, latest_seconds: float = math.inf
) -> LogClock | None:
    """Return the clock of the form that most of the sampled lines have, or None.

    For forms without a year, `year` is that of the last change of the file, and
    `latest_seconds` a time soon after that change.
    """
    counts: Counter[str] = Counter()
    offsets: dict[str, int] = {}
    line_count = 0
    for line in lines:
        line_count += 1
        for form in TIME_FORMS:
            match = form.search(line)
            if match is None:
                continue
            try:
                moment = form.read(match, year)
            except ValueError:
                continue
            counts[form.name] += 1
            # A log is shown in the zone of its first line; after a change between summer
            # and winter time, later lines are in another.
            offsets.setdefault(form.name, moment.utc_offset or 0)
            break
    if not counts:
        return None
    form_name, count = counts.most_common(1)[0]
    if count < MIN_STAMPED_SHARE * line_count:
        return None
    form = next(form for form in TIME_FORMS if form.name == form_name)
    return LogClock(form, year, offsets[form_name], latest_seconds)
