"""The part of a log between two times."""

import pytest
from tests.logs.long_log import DUMP, HEAD, LOG, CountedReads, stamp

from filewright.errors import FilewrightError
from filewright.logs.time_range import find_time_range
from filewright.progress import Task
from filewright.text.snapshot import Snapshot


@pytest.mark.parametrize("second", [0, 1, 777, 15_000, 29_998])
def test_bisects(second):
    snapshot = Snapshot(LOG)
    times, time_range = find_time_range(
        snapshot, stamp(second), stamp(second + 1), Task()
    )
    assert time_range.is_sorted
    found = times.find(time_range.since)
    assert LOG[found:].startswith(stamp(second).encode())
    assert time_range.start <= found < time_range.stop


def test_reads_little():
    snapshot = CountedReads(LOG * 1)
    find_time_range(snapshot, stamp(20_000), None, Task())
    assert snapshot.read_bytes < len(LOG) * 4


def test_notices_disorder():
    half = len(LOG) // 2
    half = LOG.index(b"\n", half) + 1
    _, time_range = find_time_range(
        Snapshot(LOG[half:] + LOG[:half]), stamp(5), None, Task()
    )
    assert not time_range.is_sorted
    assert (time_range.start, time_range.stop) == (0, len(LOG))


@pytest.mark.parametrize(
    ("log", "since"), [(b"no times\n", "1m"), (LOG[:1000], "soon")]
)
def test_refusals(log, since):
    with pytest.raises(FilewrightError) as caught:
        find_time_range(Snapshot(log), since, None, Task())
    assert caught.value.code == "invalid_input"


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        ("15:20", "15:25", ("2026-11-28T15:20:00", "2026-11-28T15:25:00")),
        ("23:00", "00:30", ("2026-11-28T23:00:00", "2026-11-29T00:30:00")),
        ("00:10", "00:30", ("2026-11-29T00:10:00", "2026-11-29T00:30:00")),
        ("2026-11-28", "00:30", ("2026-11-28T00:00:00", "2026-11-29T00:30:00")),
    ],
    ids=["before", "midnight", "today", "date"],
)
def test_times_of_day_are_the_last_ones(since, until, expected):
    log = b"2026-11-28T00:00:01Z a\n2026-11-29T00:59:59Z b\n"
    times, time_range = find_time_range(Snapshot(log), since, until, Task())
    assert expected == (
        times.clock.format(time_range.since),
        times.clock.format(time_range.until),
    )


@pytest.mark.parametrize(
    "end", [DUMP * 2, b"x" * 300_000], ids=["dump", "line"]
)
def test_last_entry_is_long(end):
    log = HEAD + b"2026-11-28T09:00:00Z " + end
    times, time_range = find_time_range(Snapshot(log), "1m", None, Task())
    assert times.clock.format(time_range.since) == "2026-11-28T08:59:00"


@pytest.mark.parametrize(
    ("until", "count"), [("00:00:05", 2), ("00:00:05.250", 1), ("00:00:04", 0)]
)
def test_end_of_a_range(until, count):
    log = b"2026-11-28T00:00:05.250Z a\n2026-11-28T00:00:05.5Z b\n"
    times, time_range = find_time_range(Snapshot(log), None, until, Task())
    assert log[: times.find(time_range.end)].count(b"\n") == count


def test_times_of_utf_16():
    text = "\ufeff" + LOG[:10_000].decode()
    snapshot = Snapshot(text.encode("utf-16-le"))
    times, time_range = find_time_range(snapshot, "00:01:00", None, Task())
    offset = times.find(time_range.since)
    assert snapshot.content[offset : offset + 40].decode("utf-16-le") == (
        stamp(60)
    )


@pytest.mark.parametrize("since", ["2026-10-25 02:30:00", "2026-10-21 12:00"])
def test_notices_that_the_clock_went_back(since):
    """A log of a week, a line a minute, in which 2:00 to 5:09 comes twice."""
    rows = []
    for minute in range(7 * 24 * 60):
        day, minute_of_day = divmod(minute, 24 * 60)
        stamp = f"{20 + day}T{minute_of_day // 60:02}:{minute_of_day % 60:02}"
        rows.append(f"2026-10-{stamp}:00 {'x' * 1_500}\n")
    two = 5 * 24 * 60 + 120
    rows[two + 190 : two + 190] = rows[two : two + 190]
    log = "".join(rows).encode()
    times, time_range = find_time_range(Snapshot(log), since, None, Task())
    assert time_range.is_sorted is (since == "2026-10-21 12:00")
    if time_range.is_sorted:
        offset = times.find(time_range.since)
        assert log[offset:].startswith(b"2026-10-21T12:00")
