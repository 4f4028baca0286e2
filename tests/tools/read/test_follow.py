"""Reads of a file that grows."""

import gzip
import re
import threading

import pytest

from filewright import FilewrightError

LINES = [
    f"2026-11-28 10:{number // 60:02}:{number % 60:02} request {number}\n"
    for number in range(600)
]


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
