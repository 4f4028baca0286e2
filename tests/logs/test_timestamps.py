"""Timestamps of logs: every form is found by sampling and read as one time."""

from __future__ import annotations

import pytest

from filewright.logs.clock import find_clock

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
