"""One search: its modes, its page, and the files that it leaves out."""

from __future__ import annotations

import gzip
import os

import pytest
from tests.tools.log_files import PLAIN, lines, search, stamp

from filewright import FilewrightError, Workspace
from filewright.errors import Code
from filewright.search.tree import TreeSearch
from filewright.settings import Settings


@pytest.mark.extra
@pytest.mark.parametrize("path", [".", "log"])
def test_kinds_out_of_time(root, tmp_path, path):
    (root / "log").write_bytes(b"took 12 ms\n" * 1_000_000)
    with Workspace(
        root, state_dir=tmp_path / "state", settings=Settings(call_seconds=1)
    ) as workspace:
        result = workspace.call(
            "search_content",
            {"pattern": ".", "mode": "regex", "output": "kinds", "path": path},
        )
    assert not result.is_error, result.text
    assert " like " in result.text
    assert "[the search is incomplete]" in result.text
    assert "time limit of 1 s" in result.text


def test_shows_matches_out_of_time(root, workspace, monkeypatch):
    for name in ("a.txt", "b.txt"):
        (root / name).write_text("needle\n")

    class Stopped(TreeSearch):
        def __iter__(self):
            yield next(super().__iter__())
            raise FilewrightError(Code.TIMEOUT, "the time limit of 2 s passed")

    monkeypatch.setattr("filewright.tools.search.once.TreeSearch", Stopped)
    result = workspace.call("search_content", {"pattern": "needle"})
    assert result.text.startswith("a.txt\n1: needle\n"), result.text
    assert result.data["complete"] is False
    assert (
        "the time limit of 2 s passed; search the rest with a narrower path or glob"
        in result.text
    )


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


def test_kinds_need_no_pattern(logs):
    result = search(logs, path="app.log", output="kinds")
    assert "20 like 4: 2026-11-28T10:06:43Z ERROR request 403" in result.text


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


def test_tells_of_files_without_json(logs, root):
    (root / "pairs.log").write_text("status=200, rt=0.5\nstatus=200 rt=1\n")
    result = search(logs, path="pairs.log", where={"status": "ok"})
    assert "1 file without JSON lines" in result.notes
    result = search(logs, path="pairs.log", by="status", fields=["rt"])
    assert [value.value for value in result.values] == ["200"]
    assert result.values[0].numbers[0].p50 == 0.5


def test_compressed_log(compressed_log):
    for _ in range(2):
        text = compressed_log.call(
            "search_content",
            {"path": "app.log.gz", "pattern": "ERROR", "context": 1},
        ).text
        assert "\n4001: 2026-11-01T00:00:40Z ERROR request 4000\n" in text
        assert "\n4000- " in text
        assert text.endswith("[1 matching line in 1 file, all shown]")


def test_folder_with_a_compressed_log(compressed_log):
    result = compressed_log.call("search_content", {"pattern": "request 7999"})
    assert [(hit.path, hit.line) for hit in result.results] == [
        ("app.log.gz", 8_000)
    ]


def test_continues_in_a_compressed_log(compressed_log):
    arguments = {"path": "app.log.gz", "pattern": "request", "max_results": 7}
    first = compressed_log.call("search_content", arguments)
    second = compressed_log.call(
        "search_content", {**arguments, "cursor": first.next_cursor}
    )
    assert [hit.line for hit in second.results] == list(range(8, 15))


def test_early_end(compressed_log, root):
    data = (root / "app.log.gz").read_bytes()
    (root / "cut.gz").write_bytes(data[:-6_000])
    text = compressed_log.call(
        "search_content", {"path": "cut.gz", "pattern": "ERROR"}
    ).text
    assert "cut.gz is damaged: it ends in the middle of its data" in text
