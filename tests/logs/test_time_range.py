"""The part of a log between two times."""

import pytest

from filewright.errors import FilewrightError
from filewright.logs.time_range import find_time_range
from filewright.progress import Task
from filewright.text.snapshot import Snapshot


def stamp(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    return f"2026-11-28T{hours:02}:{rest // 60:02}:{rest % 60:02}Z"


LOG = "".join(
    f"{stamp(second)} request {'x' * 60}\n" for second in range(30_000)
).encode()


class CountedReads(Snapshot):
    """A snapshot that counts the bytes that are read of it."""

    read_bytes = 0

    def read(self, offset: int, length: int) -> bytes:
        self.read_bytes += length
        return super().read(offset, length)


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


def test_trace_belongs_to_the_entry_before():
    log = b"2026-11-28T00:00:01Z a\n  at x\n  at y\n2026-11-28T00:00:09Z b\n"
    times, _ = find_time_range(Snapshot(log), "00:00:05", None, Task())
    assert times.time_of_line(log.index(b"  at y"), b"  at y") == (
        times.clock.parse("00:00:01", times.first().seconds)
    )


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
