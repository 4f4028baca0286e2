"""Rotated logs: named by a pattern, or by one of their files."""

import gzip

import pytest
from tests.tools.log_files import lines, search

from filewright import FilewrightError


@pytest.mark.parametrize(
    "place",
    [{"path": "app.log*"}, {"path": "app.log", "rotated": True}],
    ids=str,
)
def test_rotated(logs, place):
    result = search(logs, **place, pattern="ERROR", max_results=100)
    numbers = [int(hit.text.split()[-1]) for hit in result.results]
    assert numbers == list(range(3, 600, 10))
    assert [path for path, _ in lines(result)][::20] == [
        "app.log.2.gz",
        "app.log.1",
        "app.log",
    ]


def test_rotated_continues(logs):
    arguments = {"path": "app.log*", "pattern": "ERROR", "max_results": 25}
    numbers = []
    cursor = None
    for _ in range(3):
        more = {"cursor": cursor} if cursor else {}
        result = search(logs, **arguments, **more)
        numbers += [int(hit.text.split()[-1]) for hit in result.results]
        cursor = result.next_cursor
    assert numbers == list(range(3, 600, 10))


def test_rotated_times(logs):
    result = search(
        logs, path="app.log*", pattern="ERROR", since="210s", until="10:06:45"
    )
    numbers = [int(hit.text.split()[-1]) for hit in result.results]
    assert numbers == [393, 403]


def test_leaves_out_files_of_other_times(logs, root):
    """Of files that are a day apart, those before and after the times are not read."""
    for day in range(1, 6):
        row = f"2026-11-0{day}T10:00:00Z INFO request {day}\n"
        name = f"day.log.{9 - day}.gz"
        (root / name).write_bytes(gzip.compress(row.encode()))
    result = search(
        logs,
        path="day.log*",
        since="2026-11-03T08:00",
        until="2026-11-03T12:00",
    )
    assert [hit.text[-1] for hit in result.results] == ["3"]
    assert "oldest first: day.log.7.gz, day.log.6.gz;" in result.text
    assert "3 files of other times; 2 files searched" in result.text
    early = search(logs, path="day.log*", until="2026-10-01")
    assert "entries from 2026-11-01T10:00:00 to 2026-11-05" in early.text


def test_exact_name_wins(logs, root):
    (root / "a*b.log").write_text("ERROR here\n")
    result = search(logs, path="a*b.log", pattern="ERROR")
    assert lines(result) == [("a*b.log", 1)]


@pytest.mark.parametrize(
    "place",
    [{"start": 3}, {"line": 3}, {"pattern": "request"}, {"column": 3}],
    ids=lambda place: next(iter(place)),
)
def test_places_of_one_file(logs, place):
    with pytest.raises(FilewrightError, match=r"app\.log\* is several"):
        logs.run("read_content", {"path": "app.log*", **place})
