"""Times as people type them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime

import pytest

from filewright.changes.moments import parse_moment

NOW = datetime(2026, 11, 25, 14, 8, 30)
"""A Wednesday."""


@pytest.fixture(autouse=True, params=["UTC", "America/New_York"])
def zone(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Durations
        ("20 sec ago", "2026-11-25 14:08:10"),
        ("20s", "2026-11-25 14:08:10"),
        ("a minute ago", "2026-11-25 14:07:30"),
        ("5m", "2026-11-25 14:03:30"),
        ("20 min ago", "2026-11-25 13:48:30"),
        ("20 mins ago", "2026-11-25 13:48:30"),
        ("an hour ago", "2026-11-25 13:08:30"),
        ("1 hour", "2026-11-25 13:08:30"),
        ("half an hour ago", "2026-11-25 13:38:30"),
        ("1.5 hours ago", "2026-11-25 12:38:30"),
        ("1h30m", "2026-11-25 12:38:30"),
        ("1 hour and 20 min ago", "2026-11-25 12:48:30"),
        ("two hours ago", "2026-11-25 12:08:30"),
        ("last hour", "2026-11-25 13:08:30"),
        ("2 days ago", "2026-11-23 14:08:30"),
        ("a week ago", "2026-11-18 14:08:30"),
        ("just now", "2026-11-25 14:08:30"),
        # Times of a clock: the last ones
        ("14:08", "2026-11-25 14:08:00"),
        ("9:05", "2026-11-25 09:05:00"),
        ("14:08:29", "2026-11-25 14:08:29"),
        ("23:50", "2026-11-24 23:50:00"),
        ("2pm", "2026-11-25 14:00:00"),
        ("2:15 PM", "2026-11-24 14:15:00"),
        ("12 am", "2026-11-25 00:00:00"),
        ("noon", "2026-11-25 12:00:00"),
        # Days
        ("today", "2026-11-25 00:00:00"),
        ("yesterday", "2026-11-24 00:00:00"),
        ("Yesterday 14:30", "2026-11-24 14:30:00"),
        ("yesterday at 2pm", "2026-11-24 14:00:00"),
        ("monday", "2026-11-23 00:00:00"),
        ("Mon 9:00", "2026-11-23 09:00:00"),
        ("wednesday", "2026-11-25 00:00:00"),
        ("last wednesday", "2026-11-18 00:00:00"),
        ("thursday", "2026-11-19 00:00:00"),
        # ISO 8601
        ("2026-11-22", "2026-11-22 00:00:00"),
        ("2026-07-22T10:00", "2026-07-22 10:00:00"),
    ],
)
def test_reads_times(text: str, expected: str) -> None:
    moment = parse_moment(text, NOW)
    assert moment is not None
    assert str(datetime.fromtimestamp(moment / 1e9)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ago",
        "foo",
        "last",
        "current",
        "last week's session",
        "1hv1tq7jb0jcz",
        "tpr5c",
        "20261122",
        "14",
        "25:00",
        "13pm",
        "mo",
        "yesterday foo",
        "5 mice ago",
        "5m5",
        "2026-13-01",
        "tomorrow",
        "@~1",
        "1 " * 50_000 + "x",
    ],
)
def test_leaves_other_texts(text: str) -> None:
    assert parse_moment(text, NOW) is None


def test_reads_a_zone() -> None:
    moment = parse_moment("2026-11-25T10:00:00+02:00", NOW)
    assert moment is not None
    assert moment / 1e9 == 1795593600


def test_summer_and_winter() -> None:
    before = datetime(
        2026, 11, 2, 12, 0
    )  # The clocks went back on November 1st.
    moment = parse_moment("saturday 12:00", before)
    assert moment is not None
    assert str(datetime.fromtimestamp(moment / 1e9)) == "2026-10-31 12:00:00"
