"""Places that `read_content` reads: lines, a pattern, the end of a file."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.tools.compressed_log import COMPRESSED_LINES

from filewright import FilewrightError, Workspace

LONG = "".join(f"line {n}\n" for n in range(100))


LINES = b"".join(b"line %d\n" % n for n in range(1, 101))


@pytest.mark.parametrize(
    ("arguments", "first", "last", "following"),
    [
        ({}, 1, 100, None),
        ({"limit": 10}, 1, 10, 11),
        ({"start": 91}, 91, 100, None),
        ({"start": 95, "limit": 2}, 95, 96, 97),
        ({"mode": "head", "limit": 3}, 1, 3, 4),
        ({"line": 50, "limit": 5}, 48, 52, 53),
        ({"line": 1, "limit": 5}, 1, 5, 6),
        ({"line": 50}, 40, 60, 61),
        ({"line": 95}, 85, 100, None),
        ({"line": 50, "limit": 400}, 1, 100, None),
    ],
)
def test_ranges(tiered, root, arguments, first, last, following):
    (root / "f").write_bytes(LINES)
    result = tiered.read("f", **arguments)
    assert result.data["content"] == "\n".join(
        f"line {n}" for n in range(first, last + 1)
    )
    assert (result.data["start_line"], result.data["end_line"]) == (first, last)
    assert (result.data["next"] or {}).get("start") == following
    assert f"\n{first}\tline {first}\n" in result.text + "\n"


def test_line_of_an_item(tiered, root):
    (root / "f").write_bytes(LINES)
    part = tiered.read(items=[{"path": "f", "line": 50}]).files[0]
    assert (part.start_line, part.end_line) == (40, 60)


@pytest.mark.parametrize(
    "arguments", [{"mode": "tail", "limit": 3}, {"start": -3}]
)
def test_tail(tiered, root, arguments):
    (root / "f").write_bytes(LINES)
    result = tiered.read("f", **arguments)
    assert result.data["content"] == "line 98\nline 99\nline 100"
    assert result.data["next"] is None


def test_tail_keeps_newest_lines(tiered, root):
    (root / "log").write_text(
        "".join(f"{n:05} {'z' * 104}\n" for n in range(1, 5001))
    )
    result = tiered.read("log", mode="tail", limit=1000)
    assert "05000 " in result.content.split("\n")[-1]
    older = 1000 - result.lines_returned
    assert older > 0
    assert result.truncated
    assert f"{older} older lines left out; continue with start=" in result.text
    rest = tiered.read("log", start=result.next.start, limit=older)
    assert rest.content.split("\n")[0].startswith("04001 ")


def test_tail_of_whole_file(tiered, root):
    (root / "f").write_bytes(b"a\nb")
    result = tiered.read("f", mode="tail", limit=10)
    assert result.data["content"] == "a\nb"
    assert result.data["start_line"] == 1


def test_columns_around_match(root: Path, workspace: Workspace) -> None:
    words = " ".join(f"w{n}" for n in range(20_000))
    (root / "r.js").write_text("x\n" * 100 + f"HIT {words} HIT end\n")
    read = workspace.read("r.js", pattern="w15000 ")
    assert "w15000 " in read.content
    assert (read.start_line, read.match_line) == (101, 101)
    second = workspace.read("r.js", pattern="HIT", occurrence=2)
    assert second.content.rstrip().endswith("w19999 HIT end")
    assert workspace.read("r.js", pattern="HIT").start_line < 101
    with pytest.raises(FilewrightError, match="2 matches"):
        workspace.read("r.js", pattern="HIT", occurrence=3)


@pytest.mark.parametrize(
    ("arguments", "first", "last"),
    [
        ({"limit": 2}, 1, 2),
        ({"line": 6_000, "limit": 3}, 5_999, 6_001),
        ({"pattern": "ERROR", "limit": 1}, 4_001, 4_001),
    ],
)
def test_compressed_log(compressed_log, arguments, first, last):
    result = compressed_log.read("app.log.gz", **arguments)
    assert (result.start_line, result.end_line) == (first, last)
    assert (
        result.content
        == b"\n".join(COMPRESSED_LINES.splitlines()[first - 1 : last]).decode()
    )
    assert "gzip, utf-8" in result.text.splitlines()[0]


def test_tail_of_a_compressed_log(compressed_log):
    assert compressed_log.read("app.log.gz", mode="tail", limit=1).rows == [
        "2026-11-01T00:00:19Z INFO request 7999"
    ]


def test_binary_inside(compressed_log, root):
    (root / "image.gz").write_bytes(gzip.compress(bytes(300_000)))
    with pytest.raises(FilewrightError) as caught:
        compressed_log.read("image.gz")
    assert caught.value.code == "is_binary"
