"""Counts of matching lines by the keys of a call."""

import pytest
from tests.tools.log_files import PLAIN, search, stamp

from filewright import Code, FilewrightError
from filewright.tools.search import counts


def test_counts_by(logs):
    result = search(
        logs,
        path="app.jsonl",
        where={"level": "error"},
        output="counts",
        by="err.code",
    )
    assert [(row.value, row.count) for row in result.values] == [
        ("E0", 20),
        ("E1", 20),
        ("E2", 20),
    ]
    assert "20 E0 (first: line 4)" in result.text
    everything = search(logs, path="app.jsonl", by="level", output="counts")
    assert "1 line not JSON" in everything.text


@pytest.mark.parametrize(
    ("arguments", "rows"),
    [
        (
            {"path": "app.jsonl", "by": "level,5m"},
            [
                "30 error\t2026-11-28T10:00",
                "30 error\t2026-11-28T10:05",
                "270 info\t2026-11-28T10:00",
                "270 info\t2026-11-28T10:05",
            ],
        ),
        (
            {"path": "app.jsonl", "by": "level", "fields": ["ms"]},
            [
                "540 info  p50 299 p95 569 max 599 at line 600",
                "60 error  p50 293 p95 563 max 593 at line 594",
            ],
        ),
        (
            {
                "path": "app.log*",
                "pattern": r"(?P<level>ERROR|INFO) request (\d)\b",
                "by": "$level",
                "fields": ["$2"],
            },
            [
                "9 INFO  p50 5 p95 9 max 9 at app.log.2.gz:11",
                "1 ERROR  p50 3 p95 3 max 3 at app.log.2.gz:4",
            ],
        ),
        (
            {"path": "app.log.1", "pattern": "(at Cart)", "by": "$1"},
            [
                "20 at Cart (first: line 5) 2026-11-28T10:03:23 to 10:06:33",
            ],
        ),
        (
            {"path": "app.log*", "pattern": "ERROR", "by": "5m"},
            ["30 2026-11-28T10:00", "30 2026-11-28T10:05"],
        ),
    ],
    ids=["time", "numbers", "groups", "trace", "rotated"],
)
def test_counts_by_keys(logs, arguments, rows):
    result = search(logs, mode="regex", output="counts", **arguments)
    shown = [row.split(" (first: app")[0] for row in result.text.splitlines()]
    assert shown[:-1] == rows


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            {"by": ["level", "1h"]},
            "60 matching lines without level,1h: count text by",
        ),
        ({"by": "1h", "fields": ["ms"]}, "no number in ms"),
    ],
    ids=["fields", "numbers"],
)
def test_counts_of_text(logs, arguments, text):
    result = search(logs, path="app.log*", pattern="ERROR", **arguments)
    assert text in result.text


def test_counts_all_files_whatever_the_rows(logs):
    """max_results limits the rows of counts, not the files that are counted."""
    result = search(
        logs,
        glob="app.log*",
        pattern="(ERROR|INFO)",
        mode="regex",
        by="$1",
        max_results=1,
    )
    assert result.text.startswith("540 INFO")
    assert "2 values of $1 in 600 entries, the 1 most frequent" in result.text


def test_counts_advise_beside_other_patterns(logs):
    result = search(
        logs, path="app.log", patterns=["OutOfMemory", "ERROR"], by="host"
    )
    assert "20 matching lines without host" in result.text


def test_counts_pairs_of_text(logs, root):
    """Fields are those of JSON lines, or of pairs in text."""
    rows = [
        f'{stamp(number)} msg="a b" up=co-{number % 2} rt=0.{number} ok\n'
        for number in range(10)
    ]
    (root / "edge.log").write_text("".join(rows))
    result = search(logs, path="edge.log", by="up,msg", fields=["rt"])
    assert result.text.splitlines()[:2] == [
        "5 co-0\ta b  p50 0.4 p95 0.8 max 0.8 at line 9",
        "5 co-1\ta b  p50 0.5 p95 0.9 max 0.9 at line 10",
    ]


def test_counts_leave_out_what_occurs_once(logs, root):
    rows = [f"{stamp(number)} id={number % 28}\n" for number in range(30)]
    (root / "ids.log").write_text("".join(rows))
    result = search(logs, path="ids.log", by="id")
    assert [row[:4] for row in result.text.splitlines()[:-1]] == [
        "2 0 ",
        "2 1 ",
        "1 2 ",
        "1 3 ",
        "1 4 ",
    ]
    assert "28 values of id in 30 entries, the 5 most frequent" in result.text


def test_counts_find_the_earliest_in_a_folder(logs):
    """The files of a folder are searched in the order of their names."""
    result = search(
        logs, glob="app.log*", pattern="(ERROR)", mode="regex", by="$1"
    )
    assert result.text.startswith(
        "60 ERROR (first: app.log.2.gz:4) 2026-11-28T10:00:03 to 10:09:53"
    )


def test_counts_tell_a_gap(logs, root):
    rows = PLAIN[:100] + PLAIN[400:450]
    (root / "gap.log").write_text("".join(rows))
    result = search(logs, path="gap.log", by="10m", output="counts")
    assert (
        "longest time without an entry: 301 s, 2026-11-28T10:01:39 to 2026-11-28T10:06:40"
    ) in result.text


def test_counts_leave_out_numbers_beyond_floats(logs, root):
    (root / "n.jsonl").write_text(
        '{"a":"x","ms":1%s}\n{"a":"x","ms":5}\n' % ("0" * 400)
    )
    result = search(logs, path="n.jsonl", by="a", fields=["ms"])
    assert result.values[0].numbers[0].largest == 5


def test_counts_by_day_in_one_zone(logs, root):
    """The clocks go back an hour between two files of a log."""
    (root / "d.log.1").write_text("2026-10-24T10:00:00+02:00 a\n")
    (root / "d.log").write_text(
        "2026-10-25T10:00:00+01:00 b\n2026-10-26T10:00:00+01:00 c\n"
    )
    result = search(logs, path="d.log*", by="1d")
    assert [value.value for value in result.values] == [
        "2026-10-24",
        "2026-10-25",
        "2026-10-26",
    ]


def test_names_no_place_of_an_unfinished_file(logs, monkeypatch):
    """A search that runs out of time has the largest number, and not its line."""
    read_fields = counts.read_line_fields
    lines = []

    def run_out(snapshot, selected, body):
        lines.append(body)
        if len(lines) == 5:
            raise FilewrightError(Code.TIMEOUT, "the time is up")
        return read_fields(snapshot, selected, body)

    monkeypatch.setattr(counts, "read_line_fields", run_out)
    result = search(
        logs, path="app.jsonl", output="counts", by="level", fields=["ms"]
    )
    assert not result.complete
    assert "max" in result.text
    assert "line 0" not in result.text
