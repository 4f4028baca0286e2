"""Equal replacements of lines in several places."""

from __future__ import annotations

import pytest

from filewright.edit.build_diff import build_file_diff
from filewright.edit.diff import FileDiff
from filewright.edit.linediff import find_line_splices
from filewright.text.snapshot import Snapshot
from filewright.tools.equal_changes import group_equal_changes


def diff(name: str, before: bytes, after: bytes) -> FileDiff:
    return build_file_diff(
        FileDiff(name, name),
        Snapshot(before),
        find_line_splices(before, after),
        max_lines=100,
    )


def test_shows_equal_replacements_once() -> None:
    files = [
        diff("a", b"x\n\ny\n\nx\n", b"1\n\n2\n\n1\n"),
        diff("b", b"x\ny\n", b"1\n2\n"),
        diff("c", b"z\n\nw", b"3\n\n4"),
    ]
    assert group_equal_changes(files) == (
        "a:1,5, b:1:\n-x\n+1\n"
        "a:3, b:2:\n-y\n+2\n"
        "c:1:\n-z\n+3\n"
        "3:\n-w\n\\ No newline at end of file\n"
        "+4\n\\ No newline at end of file\n"
    )


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(diff("b", b"x\n", b"1\n2\n"), id="more lines"),
        pytest.param(diff("b", b"0\nx\ny\n", b"x\n1\n"), id="shifted"),
        pytest.param(FileDiff("b", "c"), id="renamed"),
        pytest.param(FileDiff("b", "b", binary=True), id="binary"),
    ],
)
def test_only_lines_replaced_in_place(other: FileDiff) -> None:
    assert not group_equal_changes([diff("a", b"x\n", b"1\n"), other])
