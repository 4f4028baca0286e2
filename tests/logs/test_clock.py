"""The clock of a log: times that callers name, and times without a year or zone."""

from __future__ import annotations

import pytest

from filewright.logs.clock import find_clock

# 2026-11-28 10:20:30 UTC
SECONDS = 1795861230


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-28T10:20:30Z", SECONDS),
        ("2026-11-28T12:20:30+02:00", SECONDS),
        ("2026-11-28 10:20", SECONDS - 30),
        ("2026-11-28", SECONDS - 37230),
        ("10:20:30", SECONDS),
        ("15m", SECONDS - 900 + 5),
        ("1.5h", SECONDS - 5400 + 5),
        ("1795861230", SECONDS),
        ("28/Nov/2026:10:20:30 +0000", SECONDS),
        ("28/Nov/2026:10:20", SECONDS - 30),
        ("Nov 28 10:20", SECONDS - 30),
        ("yesterday", None),
        ("10:75", None),
        ("25:00", None),
        ("", None),
    ],
)
def test_parses_what_callers_name(text, expected):
    clock = find_clock([b"2026-11-28T10:20:30Z"], 2026)
    assert clock is not None
    assert clock.parse(text, SECONDS + 5) == expected


def test_time_without_zone_is_in_the_zone_of_the_log():
    clock = find_clock([b"2026-11-28T12:20:30+02:00 x"], 2026)
    assert clock is not None
    assert clock.parse("2026-11-28T12:20:30", None) == SECONDS
    assert clock.format(SECONDS) == "2026-11-28T12:20:30"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"Dec 31 23:59:59 h x", 1798761599),
        (b"Jan  1 00:00:01 h x", 1798761601),
    ],
    ids=["before", "after"],
)
def test_syslog_over_new_year(line, expected):
    """A file that changed on 1 January 2027, UTC; its clock may be a day ahead."""
    clock = find_clock([line], 2027, latest_seconds=1798761601 + 2 * 86400)
    assert clock is not None
    assert clock.read(line) == expected
    assert clock.parse(line[:15].decode(), None) == expected


def test_syslog_of_a_leap_day():
    line = b"Feb 29 10:00:00 h x"
    clock = find_clock([b"Mar  1 10:00:00 h x", line], 2029)
    assert clock is not None
    assert clock.format(clock.read(line)) == "2028-02-29T10:00:00"


def test_formats_the_first_and_the_last_year():
    clock = find_clock([b"9999-12-31T23:59:59+01:00 x"], 2026)
    assert clock is not None
    for line in (b"9999-12-31T23:59:59-01:00", b"0001-01-01T00:00:00+02:00"):
        text = clock.format(clock.read(line))
        assert text.endswith(("-12-31T23:59:59", "-01-01T00:00:00"))
