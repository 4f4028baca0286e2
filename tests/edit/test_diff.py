"""Diffs of files as values: shortened, joined, and rendered in git's style."""

from __future__ import annotations

import pytest

from filewright.edit.build_diff import build_file_diff, find_splices
from filewright.edit.diff import DiffRow, FileDiff
from filewright.text.snapshot import Snapshot


def between(before: bytes, after: bytes, **options: int) -> FileDiff:
    snapshot = Snapshot(before)
    return build_file_diff(
        FileDiff("f", "f"), snapshot, find_splices(snapshot, after), **options
    )


def rows_of(files: list[FileDiff]) -> list[DiffRow]:
    return [row for file in files for hunk in file.hunks for row in hunk.rows]


def test_brief_diff_keeps_line_numbers() -> None:
    before = b"".join(b"%d\n" % number for number in range(1, 30))
    after = (
        before.replace(b"\n4\n", b"\nfour\n")
        .replace(b"\n8\n", b"\n")
        .replace(b"\n20\n", b"\n20\n20.5\n")
    )
    bare = between(before, after).brief(0)
    assert bare is not None
    assert bare.partition("+++ b/f\n")[2] == (
        "@@ -4 +4 @@\n-4\n+four\n@@ -8 +7,0 @@\n-8\n@@ -20,0 +20 @@\n+20.5\n"
    )


@pytest.mark.parametrize(
    ("after", "loose_lines", "short"),
    [
        pytest.param(
            b"1\n2\nthree\n4\n5\n",
            [],
            "3:\n-3\n+three\n",
            id="replacement",
        ),
        pytest.param(
            b"1\n2\nthree\n4\n5\n",
            [range(3, 4)],
            "@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4\n",
            id="loose replacement",
        ),
        pytest.param(
            b"1\n2\n3\n3.5\n4\n5\n",
            [],
            "@@ -3,2 +3,3 @@\n 3\n+3.5\n 4\n",
            id="insertion",
        ),
        pytest.param(
            b"1\n2\n4\n5\n",
            [],
            "@@ -2,3 +2,2 @@\n 2\n-3\n 4\n",
            id="deletion",
        ),
        pytest.param(
            b"1\ntwo\n3\n5\n",
            [],
            "@@ -2,4 +2,3 @@\n-2\n+two\n 3\n-4\n 5\n",
            id="deletion behind a replacement",
        ),
        pytest.param(
            b"one\ntwo\n3\n4\n4.5\nfive\n",
            [],
            "1:\n-1\n-2\n+one\n+two\n@@ -5 +5,2 @@\n-5\n+4.5\n+five\n",
            id="lines below each other",
        ),
    ],
)
def test_short_diff_has_context_where_it_tells_something(
    after: bytes, loose_lines: list[range], short: str
) -> None:
    diff = between(b"1\n2\n3\n4\n5\n", after)
    assert diff.short(1, loose_lines=loose_lines) == short


@pytest.mark.parametrize(
    ("after", "text"),
    [
        (b"1\ntwo\n", "f:2:\n-2\n+two\n"),
        (b"1\n", "f:\n@@ -2 +1,0 @@\n-2\n"),
        (b"1\n1.5\n2\n", "f:\n@@ -1,2 +1,3 @@\n 1\n+1.5\n 2\n"),
    ],
    ids=["number", "header", "insertion"],
)
def test_names_the_file_above_its_hunks(after: bytes, text: str) -> None:
    diff = between(b"1\n2\n", after)
    assert diff.with_path(diff.short(0) or "") == text


@pytest.mark.parametrize(
    ("known", "left"),
    [
        pytest.param(range(3, 6), [], id="all"),
        pytest.param(range(2, 5), [], id="blank line above instead of below"),
        pytest.param(range(3, 4), ["two", ""], id="a part"),
        pytest.param(range(9, 12), ["one", "two", ""], id="elsewhere"),
    ],
)
def test_leaves_out_known_lines(known: range, left: list[str]) -> None:
    diff = between(b"a\n\nb\n", b"a\n\none\ntwo\n\nb\n")
    rest = diff.without_lines([], [known])
    rows = rows_of([rest])
    assert [row.text for row in rows if row.sign == "+"] == left
    assert rest.added == len(left)
