"""The summary of a log: its rate and the kinds of its lines."""

import pytest

from filewright.logs.summary import summarize
from filewright.progress import Task
from filewright.text.snapshot import Snapshot


def summary_of(lines: list[str]):
    snapshot = Snapshot("".join(f"{line}\n" for line in lines).encode())
    return summarize(snapshot, lines, len(lines), ["app.log.1"], Task())


def stamp(second: int) -> str:
    return f"2026-11-28T10:{second // 60:02}:{second % 60:02}Z"


def test_rate():
    lines = [f"{stamp(60 * minute)} x" for minute in range(5)]
    lines += [f"{stamp(240 + second)} x" for second in range(59)]
    summary = summary_of(lines)
    assert summary.rate == (
        "▁▁▁▁█ (minute a bar; most at 2026-11-28T10:04: 60 a minute)"
    )
    assert (summary.first, summary.last) == (
        "2026-11-28T10:00:00",
        "2026-11-28T10:04:58",
    )


def test_estimated_rate_is_near():
    lines = [
        f"{stamp(second)} {'x' * 80}"
        for second in range(3600)
        for _ in range(9)
    ]
    assert "about 54" in summary_of(lines).rate


def test_kinds():
    lines = [f"{stamp(n % 60)} request {n} served" for n in range(50)]
    lines += [f"{stamp(0)} disk /dev/sda1 full", "  at trace"]
    lines += [f"{stamp(0)} {'abcdefgh'[n] * 3} once" for n in range(6)]
    summary = summary_of(lines)
    assert (summary.frequent[0].text, summary.frequent[0].count) == (
        "request 0 served",
        50,
    )
    assert [kind.count for kind in summary.rare] == [1, 1, 1]
    assert all("trace" not in kind.text for kind in summary.rare)


@pytest.mark.parametrize("lines", [["no times"], []])
def test_no_log(lines):
    assert summary_of(lines) is None
