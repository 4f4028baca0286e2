"""The report of an undo."""

from __future__ import annotations

import pytest

from filewright.changes.model import ChangeRecord
from filewright.changes.selection import Selection
from filewright.changes.undo_report import (
    Conflict,
    FileRefusedError,
    LaterLines,
    ReportBuilder,
    WaysOut,
    build_refusal,
)
from filewright.errors import Code

MERGE = Conflict("a", "has changed", (2, 3), "ours", "")


def test_names_files_once() -> None:
    builder = ReportBuilder()
    for _ in range(2):
        builder.add_note("a note")
        builder.add_merged("a")
        builder.add_grown("b")
    report = builder.build()
    assert report.merged == ("a", "b")
    assert report.notes == (
        "a note",
        "later changes stay (merged): a",
        "b: text added at the end since stays",
    )


def test_names_lines_of_later_changes() -> None:
    builder = ReportBuilder()
    lines = [
        LaterLines.of(3, [b"\n", b"\tx = 1\r\n"]),
        LaterLines.of(9, [b"y" * 50]),
    ]
    builder.add_merged("a.py", lines[:1])
    builder.add_merged("a.py", lines)
    builder.add_merged("b.py")
    assert builder.build().notes == (
        f"later changes stay (merged): a.py:3-4 x = 1, 9 {'y' * 39}…; b.py",
    )
    builder.add_merged("b.py", lines[:1] * 8)
    assert builder.build().notes == (
        "later changes stay (merged): a.py:3-4, 9; "
        "b.py:3-4, 3-4, 3-4, 3-4, 3-4, 3-4, and 2 more",
    )


def test_first_reason_stays() -> None:
    builder = ReportBuilder()
    for why in ("is gone", "is another file"):
        with pytest.raises(FileRefusedError):
            builder.refuse("a", why)
    assert builder.build().conflicts == (Conflict("a", "is gone"),)
    assert builder.conflict_count == 1


def test_conflicts_of_files_that_are_undone_otherwise() -> None:
    builder = ReportBuilder()
    for path in ("a", "b"):
        builder.add_merge_conflict(path, (1, 1), [b"x\r\n"], [b"y\n"])
    with pytest.raises(FileRefusedError):
        builder.refuse_merge("b", is_divisible=True)
    report = builder.build()
    assert [conflict.path for conflict in report.left_conflicts] == ["a"]
    assert [conflict.path for conflict in report.conflicts] == ["b"]
    assert report.divisible_paths == {"b"}
    # A file that is refused whole has no parts.
    with pytest.raises(FileRefusedError):
        builder.refuse("b", "is gone")
    assert builder.build().divisible_paths == frozenset()


def test_excerpt_is_short_and_safe() -> None:
    builder = ReportBuilder()
    lines = [b"\x1b[31m" + b"x" * 1000 + b"\n"] * 20
    builder.add_merge_conflict("a", (1, 20), lines, [])
    (conflict,) = builder.build().left_conflicts
    assert conflict.now is not None
    assert "\x1b" not in conflict.now
    assert conflict.now.endswith("\n... 8 more lines")
    assert len(conflict.now) < 3_000


@pytest.mark.parametrize(
    ("conflict", "at", "sides"),
    [
        (Conflict("a", "is gone"), "", "\na is gone"),
        (
            MERGE,
            " (lines 2 to 3)",
            "\na (lines 2 to 3)\n<<<<<<< now\nours\n=======\n>>>>>>> undone",
        ),
        (
            Conflict("a", "", (2, 2), "", "x"),
            " (line 2)",
            "\na (line 2)\n<<<<<<< now\n=======\nx\n>>>>>>> undone",
        ),
    ],
    ids=["file", "lines", "line"],
)
def test_conflict_in_words(conflict: Conflict, at: str, sides: str) -> None:
    assert (conflict.at, conflict.sides) == (at, sides)


def test_refusal() -> None:
    record = ChangeRecord(number=1, tool="t", summary="s", file_changes=())
    selection = Selection(record, ("1",), "change 1", "s", {"change": "1"})
    error = build_refusal(selection, [MERGE, Conflict("b", "is gone")])
    assert error.code is Code.STALE_VERSION
    assert error.message.startswith(
        "change 1 cannot be undone: a has changed (lines 2 to 3), and 1 more;"
    )
    assert error.details["change"] == "1"
    assert error.details["conflict_count"] == 2
    assert error.details["conflicts"][0]["lines"] == [2, 3]


@pytest.mark.parametrize(
    ("ways", "words"),
    [
        (WaysOut(False, False, False), []),
        (WaysOut(True, False, True), ["partial=true", "force=true"]),
        (WaysOut(False, True, False), ["undo the later changes"]),
    ],
)
def test_ways_out(ways: WaysOut, words: list[str]) -> None:
    hint = ways.describe()
    assert "edit the file by hand" in hint
    for word in ("partial=true", "force=true", "undo the later changes"):
        assert (word in hint) == (word in words)
