"""Searches of logs: by time, by the fields of JSON lines, over rotated files."""

import gzip
import json
import os

import pytest

from filewright import FilewrightError
from filewright.settings import Settings
from filewright.workspace import Workspace

START = 10 * 3600


def stamp(second: int) -> str:
    hours, rest = divmod(START + second, 3600)
    return f"2026-11-28T{hours:02}:{rest // 60:02}:{rest % 60:02}Z"


ENTRIES = [
    {
        "ts": stamp(number),
        "level": "error" if number % 10 == 3 else "info",
        "ms": number,
        "err": {"code": f"E{number % 3}"} if number % 10 == 3 else None,
    }
    for number in range(600)
]
PLAIN = [
    f"{stamp(number)} {'ERROR' if number % 10 == 3 else 'INFO'} request {number}\n"
    + ("  at Cart.total\n" if number % 10 == 3 else "")
    for number in range(600)
]


@pytest.fixture(params=[False, True], ids=["held", "windowed"])
def logs(request, root, tmp_path):
    text = "".join(json.dumps(entry) + "\n" for entry in ENTRIES)
    (root / "app.jsonl").write_text(f"{text}{{broken\n")
    (root / "app.log.2.gz").write_bytes(
        gzip.compress("".join(PLAIN[:200]).encode())
    )
    (root / "app.log.1").write_text("".join(PLAIN[200:400]))
    (root / "app.log").write_text("".join(PLAIN[400:]))
    settings = Settings(hold_bytes=1_000) if request.param else Settings()
    with Workspace(root, state_dir=tmp_path / "s", settings=settings) as opened:
        yield opened


def search(logs, **arguments):
    return logs.call("search_content", arguments)


def lines(result) -> list[tuple[str, int]]:
    return [(hit.path, hit.line) for hit in result.results]


@pytest.mark.parametrize(
    ("where", "numbers"),
    [
        ({"level": "error", "ms": ">575"}, [583, 593]),
        ({"ms": "<2"}, [0, 1]),
        ({"err.code": "e1", "ms": ">500"}, [523, 553, 583]),
        ({"level": "info", "err": None, "ms": ">=599"}, [599]),
    ],
    ids=str,
)
def test_where(logs, where, numbers):
    result = search(logs, path="app.jsonl", where=where)
    assert lines(result) == [("app.jsonl", number + 1) for number in numbers]
    assert result.complete


def test_fields(logs):
    result = search(
        logs,
        path="app.jsonl",
        where={"ms": 583},
        fields=["ts", "err.code", "nothing"],
    )
    assert result.text.splitlines()[1] == f"584: {stamp(583)}\tE1\t-"


def test_pattern_and_where(logs):
    result = search(
        logs, path="app.jsonl", pattern='"ms": 5', where={"level": "error"}
    )
    assert len(result.results) == 11


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
                "540 info  p50 299 p95 569 max 599",
                "60 error  p50 293 p95 563 max 593",
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
                "9 INFO  p50 5 p95 9 max 9",
                "1 ERROR  p50 3 p95 3 max 3",
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
        "5 co-0\ta b  p50 0.4 p95 0.8 max 0.8",
        "5 co-1\ta b  p50 0.5 p95 0.9 max 0.9",
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


def test_kinds_need_no_pattern(logs):
    result = search(logs, path="app.log", output="kinds")
    assert "20 like 4: 2026-11-28T10:06:43Z ERROR request 403" in result.text


def test_counts_tell_a_gap(logs, root):
    rows = PLAIN[:100] + PLAIN[400:450]
    (root / "gap.log").write_text("".join(rows))
    result = search(logs, path="gap.log", by="10m", output="counts")
    assert (
        "longest time without an entry: 301 s, 2026-11-28T10:01:39 to 2026-11-28T10:06:40"
    ) in result.text


def test_continues(logs):
    arguments = {
        "path": "app.jsonl",
        "where": {"level": "error"},
        "max_results": 7,
    }
    first = search(logs, **arguments)
    second = search(logs, **arguments, cursor=first.next_cursor)
    assert [hit.line for hit in second.results] == [
        number + 1 for number in range(73, 140, 10)
    ]


@pytest.mark.parametrize(
    ("since", "until", "numbers"),
    [
        ("10:07:00", "10:07:20", [423, 433]),
        ("30s", None, [573, 583, 593]),
        (None, "2026-11-28T10:06:50Z", [403]),
        ("10:09:53", "10:09:53", [593]),
    ],
)
def test_times(logs, since, until, numbers):
    arguments = {"since": since, "until": until}
    times = {name: text for name, text in arguments.items() if text}
    result = search(logs, path="app.log", pattern="ERROR", **times)
    assert [hit.text.split()[-1] for hit in result.results] == [
        str(number) for number in numbers
    ]


def test_no_match_names_the_times(logs):
    result = search(logs, path="app.log*", pattern="ERROR", until="09:59")
    assert (
        "searched from its beginning to 2026-11-28T09:59:00; the log has "
        "entries from 2026-11-28T10:00:00 to 2026-11-28T10:09:59"
    ) in result.text


def test_names_a_damaged_file_once(logs, root):
    (root / "app.log.9.gz").write_bytes(gzip.compress(b"x\n" * 9)[:-9])
    result = search(logs, path="app.log*", pattern="ERROR")
    assert result.text.count("ends in the middle of its data") == 1


def test_trace_has_the_time_of_its_entry(logs):
    result = search(logs, path="app.log", pattern="at Cart", since="10:09:50")
    assert len(result.results) == 1


def test_times_over_new_year(logs, root):
    rows = [
        f"{day} {hour:02}:30:00 host job {hour}\n"
        for day in ("Dec 31", "Jan  1")
        for hour in range(24)
    ]
    (root / "messages").write_text("".join(rows))
    os.utime(root / "messages", (1798847999, 1798847999))
    result = search(logs, path="messages", since="Dec 31 22:00", until="3:00")
    assert [hit.text[:9] for hit in result.results] == [
        "Dec 31 22",
        "Dec 31 23",
        "Jan  1 00",
        "Jan  1 01",
        "Jan  1 02",
    ]
    assert "not in order" not in result.text


def test_times_without_pattern(logs):
    result = search(logs, path="app.log", since="2s")
    assert len(result.results) == 3


def test_times_out_of_order(logs, root):
    (root / "mixed.log").write_text("".join(PLAIN[300:] + PLAIN[:300]))
    result = search(
        logs, path="mixed.log", pattern="ERROR", since="10:01", until="10:01:10"
    )
    assert [hit.text.split()[-1] for hit in result.results] == ["63"]
    assert "the times are not in order" in result.text


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


def test_rotated_leaves_out_files_of_other_times(logs, root):
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
    ("arguments", "code"),
    [
        ({"path": "none*.log", "pattern": "x"}, "not_found"),
        ({"path": "app.log"}, "invalid_input"),
        ({"path": "app.log", "since": "soon"}, "invalid_input"),
        ({"path": "app.jsonl", "by": "level,"}, "invalid_input"),
        ({"path": "app.jsonl", "by": "$1", "pattern": "x"}, "invalid_input"),
        ({"path": "app.jsonl", "by": "0m"}, "invalid_input"),
        ({"path": "app.jsonl", "where": {}}, "invalid_input"),
        (
            {"path": "app.jsonl", "where": {"ms": {"gt": 1}}},
            "invalid_input",
        ),
    ],
    ids=str,
)
def test_refusals(logs, arguments, code):
    with pytest.raises(FilewrightError) as caught:
        logs.search(**arguments)
    assert caught.value.code == code


def test_counts_leave_out_numbers_beyond_floats(logs, root):
    (root / "n.jsonl").write_text(
        '{"a":"x","ms":1%s}\n{"a":"x","ms":5}\n' % ("0" * 400)
    )
    result = search(logs, path="n.jsonl", by="a", fields=["ms"])
    assert result.values[0].numbers[0].largest == 5


def test_file_without_times_has_no_line_of_a_time(logs, root):
    (root / "bom").mkdir()
    (root / "bom/x.jsonl").write_bytes(
        b'\xef\xbb\xbf{"level":"error"}\n{"level":"error","text":"x"}\n'
    )
    result = search(
        logs, path="bom", where={"level": "error"}, since="2026-01-01"
    )
    assert not result.results
    assert "1 file without times" in result.notes


def test_counts_all_broken_lines(logs, root):
    text = '{"a":"x"}\n{"a":"x"}\n{"a":"x"\n{"a":"x"}\n"a":"x"\n'
    (root / "x.jsonl").write_text(text)
    result = search(logs, path="x.jsonl", where={"a": "x"}, by="a")
    assert result.values[0].count == 3
    assert "2 lines not JSON" in result.notes


def test_entries_of_megabytes(logs, root):
    line = '{"level":"error","text":"%s","end":"needle"}' % ("x" * 1_500_000)
    (root / "long.jsonl").write_text(f'{line}\n{{"level":"error"}}\n')
    where = {"level": "error"}
    result = search(logs, path="long.jsonl", where=where, fields=["end"])
    assert [hit.text for hit in result.results] == ["needle", "-"]
    result = search(
        logs, path="long.jsonl", pattern='"level"', where=where, by="end"
    )
    assert {value.value for value in result.values} == {"needle", "-"}
    result = search(
        logs, path="long.jsonl", pattern="level", where=where, output="counts"
    )
    assert result.total == 2


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


def test_tells_of_files_without_json(logs, root):
    (root / "pairs.log").write_text("status=200, rt=0.5\nstatus=200 rt=1\n")
    result = search(logs, path="pairs.log", where={"status": "ok"})
    assert "1 file without JSON lines" in result.notes
    result = search(logs, path="pairs.log", by="status", fields=["rt"])
    assert [value.value for value in result.values] == ["200"]
    assert result.values[0].numbers[0].p50 == 0.5
