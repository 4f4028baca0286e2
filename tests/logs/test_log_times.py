"""The times of the entries in one log."""

from tests.logs.long_log import DUMP, HEAD, LOG, CountedReads, stamp

from filewright.logs.log_times import LogTimes
from filewright.logs.time_range import find_time_range
from filewright.progress import Task
from filewright.text.snapshot import Snapshot


def test_trace_belongs_to_the_entry_before():
    log = b"2026-11-28T00:00:01Z a\n  at x\n  at y\n2026-11-28T00:00:09Z b\n"
    times, _ = find_time_range(Snapshot(log), "00:00:05", None, Task())
    assert times.time_of_line(log.index(b"  at y"), b"  at y") == (
        times.clock.parse("00:00:01", times.find_first().seconds)
    )


def test_finds_entries_around_long_traces():
    log = HEAD + DUMP + LOG[len(HEAD) : 2 * len(HEAD)] + DUMP
    times, _ = find_time_range(Snapshot(log), "1m", None, Task())
    first = times.find_first().seconds
    for second in (0, 5, 398, 399, 400, 401, 700, 799):
        expected = log.index(stamp(second).encode())
        assert times.find(first + second) == expected
    assert times.find(first + 800) == len(log)


def test_reads_a_long_trace_once():
    snapshot = CountedReads(HEAD + DUMP)
    times = LogTimes.of(snapshot, Task())
    assert times is not None
    for line in snapshot.lines.read_lines():
        seconds = times.time_of_line(line.offset, line.body)
        assert seconds is not None
    assert seconds == times.find_last().seconds
    assert snapshot.read_bytes < 10 * snapshot.size
