"""Dates and times in texts, as texts that sort by time.

``24.05.2025`` has its day first. Whether ``05/04/2025`` has is taken from other texts of
its column, and never guessed.
"""

from __future__ import annotations

import re
from datetime import date

from filewright.rows.numbers import FindForm

_TIME = r"(\d{1,2})(:\d\d(?::\d\d(?:[.,]\d+)?)?)"
_TIME_TEXT = re.compile(_TIME, re.ASCII)
# With a month alone, the text sorts before all days of the month.
_YEAR_FIRST = re.compile(
    r"(\d{4})([-/.])(\d\d)(?:\2(\d\d)(?:[T ](.+))?)?", re.ASCII
)
_COMPACT = re.compile(
    r"(\d{4})(\d\d)(\d\d)[T-](\d\d)(\d\d)(\d\d)?(\D.*)?", re.ASCII
)
_YEAR_LAST = re.compile(
    rf"(\d{{1,2}})([./])(\d{{1,2}})\2(\d{{4}})(?:,? +{_TIME})?", re.ASCII
)
DAY_FIRST, MONTH_FIRST = "day first", "month first"


def read_date(text: str, find_order: FindForm) -> str | None:
    """Return the date in a text as ``2025-05-24`` or ``2025-05-24 10:30``, or None.

    `find_order` is asked if a date with slashes may have its day or its month first.
    """
    text = text.strip()
    match = _YEAR_FIRST.fullmatch(text)
    if match is not None:
        year, _, month, day, time = match.groups()
        parts = [year, month, day] if day else [year, month]
        return "-".join(parts) + (f" {time}" if time else "")
    match = _COMPACT.fullmatch(text)
    if match is not None:
        year, month, day, hour, minute, second, rest = match.groups()
        seconds = f":{second}" if second else ""
        return f"{year}-{month}-{day} {hour}:{minute}{seconds}{rest or ''}"
    match = _YEAR_LAST.fullmatch(text)
    if match is None:
        return None
    order = _order_of(match) or find_order()
    if order is None:
        return None
    first, second = int(match[1]), int(match[3])
    day, month = (first, second) if order == DAY_FIRST else (second, first)
    try:
        day_text = date(int(match[4]), month, day).isoformat()
    except ValueError:
        return None
    time = f" {match[5]:>02}{match[6]}" if match[5] else ""
    return day_text + time


def find_day_order(text: str) -> str | None:
    """Return whether a date with slashes has its day or its month first, or None."""
    match = _YEAR_LAST.fullmatch(text.strip())
    if match is None or match[2] == ".":
        return None
    return _order_of(match)


def _order_of(match: re.Match[str]) -> str | None:
    """Return what is first in a date, or None if it may be either."""
    first, second = int(match[1]), int(match[3])
    if match[2] == "." or first > 12:
        return DAY_FIRST
    if second > 12:
        return MONTH_FIRST
    return None


def is_unclear_date(text: str) -> bool:
    """Return True for a date with slashes that may have its day or its month first."""
    match = _YEAR_LAST.fullmatch(text.strip())
    return match is not None and _order_of(match) is None


def read_time(text: str) -> str | None:
    """Return the time of day in a text as ``09:30`` or ``09:30:15``, or None."""
    match = _TIME_TEXT.fullmatch(text.strip())
    if match is None:
        return None
    return f"{match[1]:>02}{match[2]}"
