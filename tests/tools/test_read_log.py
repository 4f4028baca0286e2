"""Reads of logs: between times, what was appended, the end of rotated files."""

import gzip
import re
import threading

import pytest

from filewright import FilewrightError

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
        (
            {"path": "app.log*", "since": "10:03:18", "until": "10:03:21"},
            [198, 199, 200, 201],
        ),
        ({"path": "app.log*", "since": "1s"}, [598, 599]),
        (
            {"path": "app.log", "rotated": True, "mode": "tail", "limit": 202},
            list(range(398, 600)),
        ),
        ({"path": "app.log*", "limit": 2}, [0, 1]),
    ],
    ids=str,
)
def test_places(logs, arguments, expected):
    assert numbers(logs.call("read_content", arguments)) == expected


def test_numbers_lines_of_the_file(logs):
    result = logs.read("app.log", since="10:07:00", limit=1)
    assert (result.start_line, result.next.start) == (21, 22)


@pytest.mark.parametrize(
    "arguments",
    [
        {"since": "2026-11-28 23:00"},
        {"since": "soon"},
        {"since": "1m", "line": 3},
    ],
    ids=str,
)
def test_refusals(logs, arguments):
    with pytest.raises(FilewrightError) as caught:
        logs.read("app.log", **arguments)
    assert caught.value.code == "invalid_input"


class Follower:
    """A reader of a file that grows."""

    def __init__(self, workspace, path: str) -> None:
        self._workspace = workspace
        self._path = path
        self.cursor = workspace.read(path, follow=True).cursor

    def read(self, **arguments) -> list[str]:
        result = self._workspace.read(
            self._path, cursor=self.cursor, **arguments
        )
        self.cursor = result.cursor
        assert f"[cursor: {self.cursor}]" in result.text
        return re.findall(r"^\d+\t(.*)$", result.text, re.MULTILINE)


@pytest.fixture
def path(root):
    path = root / "grow.log"
    path.write_text("one\ntwo\n")
    return path


def append(path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def test_follows(workspace, path):
    follower = Follower(workspace, "grow.log")
    assert follower.read() == []
    append(path, "three\nfour\n")
    assert follower.read() == ["three", "four"]
    assert follower.read() == []


def test_returns_whole_lines_only(workspace, path):
    append(path, "thr")
    follower = Follower(workspace, "grow.log")
    assert follower.read() == []
    append(path, "ee\nfo")
    assert follower.read() == ["three"]
    append(path, "ur\n")
    assert follower.read() == ["four"]


def test_follows_from_empty(workspace, root):
    path = root / "empty.log"
    path.write_text("")
    follower = Follower(workspace, "empty.log")
    append(path, "one\n")
    assert follower.read() == ["one"]


def test_continues_where_the_answer_was_full(workspace, path):
    follower = Follower(workspace, "grow.log")
    append(path, "".join(f"line {number}\n" for number in range(25)))
    lines = []
    for _ in range(3):
        lines += follower.read(limit=10)
    assert lines == [f"line {number}" for number in range(25)]


def test_waits(workspace, path):
    follower = Follower(workspace, "grow.log")
    timer = threading.Timer(0.2, append, (path, "three\n"))
    timer.start()
    assert follower.read(wait_seconds=20) == ["three"]
    timer.join()


def test_recognises_rotation(workspace, path, root):
    follower = Follower(workspace, "grow.log")
    append(path, "three\n")
    path.rename(root / "grow.log.1")
    path.write_text("four\n")
    assert follower.read() == ["three", "four"]
    assert follower.read() == []


def test_waits_for_the_line_feed(workspace, path):
    path.write_bytes(b"one\r\ntwo\r")
    follower = Follower(workspace, "grow.log")
    assert follower.read() == []
    with path.open("ab") as file:
        file.write(b"\nthree\r\n")
    assert follower.read() == ["two", "three"]
    path.write_bytes(b"1 %\r2 %\r")
    assert follower.read() == ["1 %", "2 %"]


def test_rotated_before_the_new_file_begins(workspace, path, root):
    follower = Follower(workspace, "grow.log")
    append(path, "three\n")
    path.rename(root / "grow.log.1")
    assert follower.read() == ["three"]
    assert follower.read() == []
    path.write_text("four\n")
    assert follower.read() == ["four"]


def test_rotated_twice(workspace, path, root):
    follower = Follower(workspace, "grow.log")
    append(path, "three\nfour")
    path.rename(root / "grow.log.2")
    (root / "grow.log.1").write_text("five\n")
    path.write_text("six\n")
    assert follower.read() == ["three", "four", "five", "six"]
    assert follower.read() == []


@pytest.mark.parametrize("is_compressed", [False, True], ids=["copy", "gzip"])
def test_rotated_as_a_copy(workspace, path, root, is_compressed):
    append(path, "".join(LINES[:20]))
    follower = Follower(workspace, "grow.log")
    append(path, "three\n")
    content = path.read_bytes()
    if is_compressed:
        (root / "grow.log.1.gz").write_bytes(gzip.compress(content))
    else:
        (root / "grow.log.1").write_bytes(content)
    path.write_text("four\n")
    assert follower.read() == ["three", "four"]
    assert follower.read() == []


def test_recognises_truncation(workspace, path):
    follower = Follower(workspace, "grow.log")
    path.write_text("new\n")
    assert follower.read() == ["new"]


def test_foreign_cursor(workspace, path):
    with pytest.raises(FilewrightError) as caught:
        workspace.read("grow.log", cursor="x")
    assert caught.value.code == "invalid_input"


@pytest.mark.parametrize(
    "place",
    [{"start": 3}, {"line": 3}, {"pattern": "request"}, {"column": 3}],
    ids=lambda place: next(iter(place)),
)
def test_places_of_one_file(logs, place):
    with pytest.raises(FilewrightError, match=r"app\.log\* is several"):
        logs.run("read_content", {"path": "app.log*", **place})


def test_names_files_whose_times_are_not_in_order(logs, root):
    (root / "app.log.1").write_text("".join(LINES[300:400] + LINES[200:300]))
    result = logs.call("read_content", {"path": "app.log*", "since": "10:05"})
    assert numbers(result) == list(range(400, 600))
    assert "not in order: app.log.1;" in result.text
