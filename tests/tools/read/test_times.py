"""Reads of a log between two times."""

import gzip
import re

import pytest

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
        ({"path": "app.log", "since": "2s"}, [597, 598, 599]),
        (
            {"path": "app.log", "since": "10:07:00", "until": "10:07:02"},
            [420, 421, 422],
        ),
        ({"path": "app.log", "until": "10:06:41"}, [400, 401]),
    ],
    ids=str,
)
def test_places(logs, arguments, expected):
    assert numbers(logs.call("read_content", arguments)) == expected


def test_numbers_lines_of_the_file(logs):
    result = logs.read("app.log", since="10:07:00", limit=1)
    assert (result.start_line, result.next.start) == (21, 22)
