"""The rows of a diff are the lines of the two files, whatever they hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.page.diff_views import LINES, view_of

from filewright.edit.build_diff import build_file_diff, find_splices
from filewright.edit.diff import Diff, FileDiff
from filewright.page.view import view_of as drawn
from filewright.text.snapshot import Snapshot
from filewright.wording import to_one_line


@given(before=LINES, after=LINES)
def test_rows_are_the_lines(before: str, after: str) -> None:
    if before == after:
        return
    view = view_of(before.encode(), after.encode())
    old, new = before.split("\n"), after.split("\n")
    for hunk in view.hunks:
        for row in hunk.rows:
            if row.old is not None:
                assert row.text == to_one_line(old[row.old - 1])
            if row.new is not None:
                assert row.text == to_one_line(new[row.new - 1])
        beside = [
            row
            for pair in hunk.sides
            for row in dict.fromkeys(pair)
            if row is not None
        ]
        assert sorted(map(hash, beside)) == sorted(map(hash, hunk.rows)), (
            "both layouts show the same rows"
        )


def test_marks_line_ends() -> None:
    rows = view_of(b"a\nb\nc\n", b"a\nb\r\nc\n").hunks[0].rows
    assert [
        (row.sign, row.text, row.mark) for row in rows if row.sign != " "
    ] == [
        ("-", "b", ""),
        ("+", "b", "␍␊"),
    ]
    (row,) = (
        row for row in view_of(b"a\n", b"a").hunks[0].rows if row.sign == "+"
    )
    assert row.unended


NAMES = [
    ("a.py", "a.py"),
    ("a b.py", "a b.py"),
    ("b/a b/c.py", "d e.py"),
    (None, "new file mode.py"),
    ("--- x", None),
    ('"\\377"', '"a\\nb"'),
    ('"\\342\\200\\256x"', '"\\342\\200\\256x"'),
    ("a and b", "a and b"),
]


@pytest.mark.parametrize(("old", "new"), NAMES)
def test_paths(old: str | None, new: str | None) -> None:
    view = view_of(
        b"" if old is None else b"x\n", b"" if new is None else b"y\n", old, new
    )
    assert (view.file.old_name, view.file.new_name) == (old, new)
    assert view.path == (new or old)


@pytest.mark.parametrize("added", [251, 900])
def test_long_block(
    added: int,
) -> None:
    old = [f"line {n}\n" for n in range(1000)]
    new = (
        [f"new {n}\n" for n in range(added)]
        + old[250:900]
        + ["INJECTED\n"]
        + old[901:]
    )
    before, after = "".join(old).encode(), "".join(new).encode()
    snapshot = Snapshot(before)
    view = drawn(
        build_file_diff(
            FileDiff("m.py", "m.py"),
            snapshot,
            find_splices(snapshot, after),
            max_lines=200,
        )
    )
    assert (view.file.added, view.file.removed) == (added + 1, 251)
    (hunk,) = view.hunks
    assert [(row.sign, row.hidden) for row in hunk.rows if row.hidden] == [
        ("-", 150),
        ("+", added - 100),
    ]
    assert (hunk.old + hunk.old_count, hunk.new + hunk.new_count) == (
        254,
        added + 4,
    )
    assert view.remarks == ["... 1 more change not shown"]
    assert [
        pair for pair in hunk.sides if pair[0] is not None and pair[0].hidden
    ] == [tuple(row for row in hunk.rows if row.hidden)]


def test_diff_as_json() -> None:
    snapshot = Snapshot(b"a\nb\r\nc")
    file = build_file_diff(
        FileDiff("x", "y", mode_before=0o644, mode_after=0o755),
        snapshot,
        find_splices(snapshot, b"a\nB\nc\n"),
    )
    diff = Diff(
        (file, FileDiff("i.png", None, binary=True, added=None)),
        omitted_files=3,
    )
    assert Diff.from_json(diff.json) == diff
