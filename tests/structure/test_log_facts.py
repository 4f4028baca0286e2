from __future__ import annotations

import pytest

from filewright.structure.log_facts import (
    LogFacts,
    has_timestamp,
    looks_like_log,
    summarize_log,
)
from filewright.structure.sample import read_sample
from filewright.text.snapshot import Snapshot

LOG = b"""starting
2026-11-20 10:00:00,123 INFO  app: up
2026-11-20 10:00:01,000 WARN  app: slow
Traceback (most recent call last):
2026-11-20 10:00:02,500 ERROR app: down
2026-11-20 10:00:03,000 INFO  app: up INFO
"""

STAMPS = [
    (b"2026-11-21T09:03:26.5Z GET /", "2026-11-21T09:03:26.5Z"),
    (
        b'127.0.0.1 - - [21/Nov/2026:09:03:26 +0000] "GET /"',
        "21/Nov/2026:09:03:26 +0000",
    ),
    (b"Nov  1 09:03:26 host sshd[1]: x", "Nov  1 09:03:26"),
    (b"[2026/11/21 09:03:26] x", "2026/11/21 09:03:26"),
    (b"1700000000.123 x", "1700000000.123"),
    (b"09:03:26 x", "09:03:26"),
    (b'{"ts": "2026-11-21T09:03:26Z"}', "2026-11-21T09:03:26Z"),
]


def facts_of(snapshot: Snapshot) -> LogFacts:
    return summarize_log(read_sample(snapshot))


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16-be"])
def test_period_and_levels(codec: str) -> None:
    text = LOG.decode().replace("\n", "\r\n")
    snapshot = Snapshot(text.encode(codec), encoding=codec)
    facts = facts_of(snapshot)
    assert facts.first is not None
    assert facts.last is not None
    assert facts.first.text == "2026-11-20 10:00:00,123"
    assert snapshot.lines.line_at(facts.first.offset) == 2
    assert facts.last.text == "2026-11-20 10:00:03,000"
    assert snapshot.lines.line_at(facts.last.offset) == 6
    assert facts.levels == {"INFO": 2, "WARN": 1, "ERROR": 1}
    assert facts.complete
    assert facts.often == {}


def test_frequent_problems_differ_only_in_numbers() -> None:
    rows = []
    for number in range(50):
        rows.append(
            b"2026-11-20 10:%02d:00 WARN [worker-%d] retry %d succeeded\n"
            % (number, number % 4, number)
        )
        rows.append(b"2026-11-20 10:%02d:01 INFO fine\n" % number)
    rows.append(b"2026-11-20 10:59:59 ERROR pool is empty\n")
    facts = facts_of(Snapshot(b"".join(rows)))
    assert facts.often == {"WARN [worker-0] retry 0 succeeded": 50}


def test_large_log_has_the_times_of_its_ends() -> None:
    rows = [
        b"2026-11-20 10:%02d:%02d ERROR number %d\n"
        % (number // 60 % 60, number % 60, number)
        for number in range(40_000)
    ]
    data = b"".join(rows)
    facts = facts_of(Snapshot(data, encoding="utf-8"))
    assert not facts.complete
    assert facts.first is not None
    assert facts.first.offset == 0
    assert facts.last is not None
    assert facts.last.offset == len(data) - len(rows[-1])
    assert set(facts.levels) == {"ERROR"}


@pytest.mark.parametrize(("line", "stamp"), STAMPS, ids=[s for _, s in STAMPS])
def test_timestamp_forms(line: bytes, stamp: str) -> None:
    facts = facts_of(Snapshot(line + b"\n"))
    assert facts.first is not None
    assert facts.first.text == stamp


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-20 10:00:00 up", True),
        ("x" * 39 + " 2026-11-20 10:00:00", False),
        ("no time", False),
    ],
    ids=["at the start", "far behind", "none"],
)
def test_has_timestamp(text: str, expected: bool) -> None:
    assert has_timestamp(text) is expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (LOG, True),
        (b"hello\nworld\nmore\n", False),
        (b"2026-11-20 10:00:00 up\n", False),
    ],
    ids=["log", "text", "one line"],
)
def test_looks_like_log(content: bytes, expected: bool) -> None:
    assert looks_like_log(read_sample(Snapshot(content))) is expected
