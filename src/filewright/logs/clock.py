"""The clock of a log: the form of its timestamps, found by a sample of its lines."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from filewright.logs.timestamps import (
    DAY_SECONDS,
    TIME_FORMS,
    UNIT_SECONDS,
    Moment,
    TimeForm,
    count_days,
)

MIN_STAMPED_SHARE = 0.1
"""The least share of lines with timestamps in a log; the others may be traces."""

_MIN_SECONDS = datetime.min.replace(tzinfo=UTC).timestamp()
_MAX_SECONDS = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp()
"""The first and the last second of Python's calendar."""

_RELATIVE_TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([smhdw])\s*(?:ago)?\s*")
_TIME_OF_DAY = re.compile(
    r"\s*([01]?\d|2[0-4]):([0-5]\d)(?::([0-6]\d(?:\.\d+)?))?\s*"
)
_DATE_TEXT = re.compile(r"\s*(\d{4})-(\d\d)-(\d\d)\s*")
_WITHOUT_SECONDS = re.compile(r"(?<!\d)(\d\d:\d\d)(?![:\d])")


@dataclass(frozen=True, slots=True)
class LogClock:
    """The form of a log's timestamps, with the year and the zone that they leave out.

    `utc_offset` is in seconds. `year` is that of the last entry. An entry that would be
    later than `latest_seconds` belongs to the year before, such as one of December in a
    log that ends in January.
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

        A time without a zone is in the zone of the log. "15m" is 15 minutes before the
        last entry, whose time is `last_seconds`, and "10:30" is on the day of that entry.
        """
        relative_match = _RELATIVE_TIME.fullmatch(text)
        if relative_match is not None:
            if last_seconds is None:
                return None
            return (
                last_seconds
                - float(relative_match[1]) * UNIT_SECONDS[relative_match[2]]
            )
        time_of_day = _TIME_OF_DAY.fullmatch(text)
        if time_of_day is not None and last_seconds is not None:
            midnight = (
                (last_seconds + self.utc_offset) // DAY_SECONDS * DAY_SECONDS
            )
            hours, minutes, seconds = time_of_day.groups()
            seconds_of_day = (
                int(hours) * 3600 + int(minutes) * 60 + float(seconds or 0)
            )
            return midnight - self.utc_offset + seconds_of_day
        try:
            date_match = _DATE_TEXT.fullmatch(text)
            if date_match is not None:
                return (
                    count_days(*map(int, date_match.groups())) * DAY_SECONDS
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
