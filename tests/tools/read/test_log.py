"""Parts of a log: its end, what was appended since, and its rotated files."""

from __future__ import annotations

import gzip
import re

import pytest

from filewright import FilewrightError
from filewright.tools.read.arguments import ReadArguments
from filewright.tools.read.log import (
    are_complete,
    no_lines_error,
    unsorted_notes,
)
from filewright.tools.read.result import FileRead

LINES = [
    f"2026-11-28 10:{number // 60:02}:{number % 60:02} request {number}\n"
    for number in range(600)
]


@pytest.fixture
def logs(root, workspace):
    (root / "app.log.2.gz").write_bytes(
        gzip.compress("".join(LINES[:200]).encode())
    )
    (root / "app.log.1").write_text("".join(LINES[200:400]))
    (root / "app.log").write_text("".join(LINES[400:]))
    return workspace


def numbers(result) -> list[int]:
    return [
        int(number)
        for number in re.findall(r"request (\d+)$", result.text, re.MULTILINE)
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            {"since": "10:03:18", "until": "10:03:21"},
            [198, 199, 200, 201],
        ),
        ({"since": "1s"}, [598, 599]),
        ({"mode": "tail", "limit": 202}, list(range(398, 600))),
        ({"start": -2}, [598, 599]),
        ({"limit": 2}, [0, 1]),
        ({"follow": True, "limit": 1}, [599]),
    ],
    ids=str,
)
def test_rotated(logs, arguments, expected):
    result = logs.read("app.log", rotated=True, **arguments)
    assert numbers(result) == expected


def test_pattern_names_all_files(logs):
    text = logs.call("read_content", {"path": "app.log*", "limit": 1}).text
    assert text.endswith("oldest first: app.log.2.gz, app.log.1, app.log]")


def test_no_lines_of_time(logs):
    with pytest.raises(FilewrightError, match="no file of this log has"):
        logs.read("app.log", rotated=True, since="2030-01-01")


def test_names_files_out_of_order(logs, root):
    (root / "app.log.1").write_text("".join(LINES[300:400] + LINES[200:300]))
    result = logs.call("read_content", {"path": "app.log*", "since": "10:05"})
    assert numbers(result) == list(range(400, 600))
    assert "not in order: app.log.1;" in result.text


def test_end_and_appended_lines(logs, root):
    end = logs.read("app.log", follow=True)
    assert numbers(end) == list(range(590, 600))
    with (root / "app.log").open("a") as file:
        file.write("2026-11-28 10:10:00 request 600\n")
    appended = logs.read("app.log", cursor=end.cursor)
    assert numbers(appended) == [600]
    nothing = logs.read("app.log", cursor=appended.cursor)
    assert "[app.log: nothing was appended]" in nothing.text


def test_completeness_of_parts():
    parts = [
        FileRead("", path="a", version="", size=0, complete=complete)
        for complete in (None, False)
    ]
    assert are_complete(parts) is False
    assert are_complete(parts[:1]) is None


def test_notes_of_unsorted_files():
    assert unsorted_notes([]) == []
    (note,) = unsorted_notes(["a.log", "b.log"])
    assert "times are not in order: a.log, b.log;" in note
    arguments = ReadArguments(path="x.log", since="1s")
    assert "x.log: no file" in no_lines_error(arguments, []).message
    assert "a.log" in no_lines_error(arguments, ["a.log"]).message
