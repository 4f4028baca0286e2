"""Matrices of counts: a row for each key, a column for each span of time."""

from __future__ import annotations

import json

import pytest

from filewright.tools.search.count_matrix import MAX_ROWS, find_jumps


def write_log(root, *, keys=3, hours=12, entries=4, ms=lambda key, hour: 100):
    """Write JSON lines of some keys in each hour of a day or more."""
    rows = []
    for hour in range(hours):
        day, clock = 1 + hour // 24, hour % 24
        for key in range(keys):
            for entry in range(entries):
                rows.append(
                    {
                        "ts": f"2026-05-{day:02}T{clock:02}:{entry * 15:02}:00Z",
                        "key": f"k{key:02}",
                        "ms": ms(key, hour) + entry,
                    }
                )
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (root / "log.jsonl").write_text(text)


def count(workspace, **arguments):
    return workspace.search(path="log.jsonl", by="key,1h", **arguments)


def test_numbers_of_keys_and_hours(workspace, root):
    write_log(root, ms=lambda key, hour: 400 if (key, hour) == (1, 8) else 100)
    result = count(workspace, fields=["ms"])
    steady = " ".join(["103"] * 12)
    jump = " ".join([*["103"] * 8, "403*", "103*", "103", "103"])
    assert result.text.splitlines() == [
        "p95 of ms: 12 columns of 1h, the first from 2026-05-01T00:00",
        f"48 k00: {steady}; max 103 at line 4",
        f"48 k01: {jump}; max 403 at line 104",
        f"48 k02: {steady}; max 103 at line 12",
        "[36 values of key,1h in 144 entries; * far from the previous cell; "
        "by 1h and where of one key: p50, p95, max]",
    ]
    assert len(result.values) == 36


def test_counts_without_fields(workspace, root):
    write_log(root)
    result = count(workspace)
    assert "48 k00: 4 4 4 4 4 4 4 4 4 4 4 4\n" in result.text
    assert "p50" not in result.text


def test_few_values_are_listed(workspace, root):
    write_log(root, keys=2)
    result = count(workspace, fields=["ms"])
    assert "4 k00\t2026-05-01T00:00  p50 101 p95 103 max 103" in result.text


def test_an_hour_without_entries(workspace, root):
    write_log(root)
    path = root / "log.jsonl"
    rows = [row for row in path.read_text().splitlines() if "T03:" not in row]
    path.write_text("\n".join(rows))
    result = count(workspace)
    assert "44 k00: 4 4 4 - 4 4 4 4 4 4 4 4\n" in result.text
    assert "; - no entry" in result.text


def test_many_keys(workspace, root):
    write_log(root, keys=MAX_ROWS + 5, entries=1)
    result = count(workspace)
    assert len(result.text.splitlines()) == MAX_ROWS + 2
    assert (
        f"the {MAX_ROWS} most frequent keys shown; 5 others have 60 entries"
        in (result.text)
    )


def test_many_columns(workspace, root):
    write_log(root, hours=100, entries=1)
    result = count(workspace)
    assert "60 columns of 1h" in result.text
    assert "the first 60 of 100 columns shown" in result.text
    assert "100 k00: 1 1" in result.text


def test_max_results_limits_the_rows(workspace, root):
    write_log(root)
    result = count(workspace, max_results=1)
    assert len(result.text.splitlines()) == 3


@pytest.mark.parametrize(
    ("measures", "marks"),
    [
        ([], ""),
        ([5], "-"),
        ([100, 120, 100], "---"),
        ([100, 101, 250, 249], "--x-"),
        ([1, 9, 1, 9, 2], "-----"),
        ([100, None, 100, 300, 300], "---x-"),
        ([0, 0, 3], "---"),
    ],
    ids=["empty", "one", "near", "jump", "restless", "hole", "zero"],
)
def test_jumps(measures, marks):
    shown = ["x" if mark else "-" for mark in find_jumps(measures)]
    assert "".join(shown) == marks
