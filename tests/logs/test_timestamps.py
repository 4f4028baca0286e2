"""Timestamps of logs: every form is found by sampling and read as one time."""

from __future__ import annotations

import pytest

from filewright.logs.timestamps import find_clock

# 2026-11-28 10:20:30 UTC
SECONDS = 1795861230

SAMPLES = {
    "iso-zone": (b"2026-11-28T10:20:30Z INFO x", "ISO 8601", 0),
    "iso-offset": (b"2026-11-28T12:20:30.250+02:00 x", "ISO 8601", 0.25),
    "postgres": (b"2026-11-28 11:20:30.5+01 LOG:  x", "ISO 8601", 0.5),
    "iso-number": (b"2026-11-28 10:20:30 -12345 x", "ISO 8601", 0),
    "iso-naive": (b"[2026-11-28 10:20:30] x", "ISO 8601", 0),
    "python": (b"2026-11-28 10:20:30,500 ERROR root: x", "ISO 8601", 0.5),
    "java": (b"2026-11-28 10:20:30.125  WARN 1 --- [main] x", "ISO 8601", 0.125),
    "go": (b"2026/11/28 10:20:30 x", "ISO 8601", 0),
    "go-micro": (b"2026/11/28 10:20:30.000250 main.go:1: x", "ISO 8601", 0.00025),
    "syslog": (b"Nov 28 10:20:30 host cron[1]: x", "syslog", 0),
    "common-log": (
        b'10.0.0.1 - - [28/Nov/2026:12:20:30 +0200] "GET / HTTP/1.1" 200 1',
        "common log",
        0,
    ),
    "apache-error": (b"[Sat Nov 28 10:20:30.5 2026] [core] x", "ctime", 0.5),
    "java-logging": (b"Nov 28, 2026 10:20:30 AM org.x run", "java.util.logging", 0),
    "epoch": (b"1795861230 x", "epoch", 0),
    "epoch-fraction": (b"1795861230.250 5 10.0.0.1 TCP_MISS", "epoch", 0.25),
    "epoch-milliseconds": (b'{"t": 1795861230125, "m": "x"}', "epoch", 0.125),
    "compact": (b"20261128T102030Z x", "compact", 0),
    "glog": (b"I 20261128-102030.5 1 x.cc:1] x", "compact", 0.5),
    "json": (b'{"level":"info","ts":"2026-11-28T10:20:30Z"}', "ISO 8601", 0),
}  # fmt: skip


@pytest.mark.parametrize(
    ("line", "name", "fraction"), SAMPLES.values(), ids=SAMPLES
)
def test_reads(line, name, fraction):
    clock = find_clock([line, b"  at trace"], 2026)
    assert clock is not None
    assert clock.form.name == name
    assert clock.read(line) == pytest.approx(SECONDS + fraction, abs=1e-5)


@pytest.mark.parametrize(
    "line", [b"no time", b"v1.2.3 10.0.0.1", b"id 17958612301"]
)
def test_finds_none(line):
    assert find_clock([line], 2026) is None


def test_impossible_date_is_no_time():
    assert find_clock([b"2026-13-45T10:20:30Z"], 2026) is None


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
