"""The lines that splices change, in hunks."""

from __future__ import annotations

import pytest

from filewright.edit.changed_lines import find_changed_lines, group_into_hunks
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

TEN = b"".join(b"%d\n" % number for number in range(10))


@pytest.mark.parametrize(
    ("content", "splices", "changes"),
    [
        pytest.param(
            TEN, [Splice(2, 1, b"x")], [(2, [b"1\n"], [b"x\n"])], id="a line"
        ),
        pytest.param(
            TEN, [Splice(2, 0, b"x\n")], [(2, [], [b"x\n"])], id="insertion"
        ),
        pytest.param(
            TEN, [Splice(2, 4, b"")], [(2, [b"1\n", b"2\n"], [])], id="deletion"
        ),
        pytest.param(
            TEN,
            [Splice(2, 4, b"1\ny\n")],
            [(3, [b"2\n"], [b"y\n"])],
            id="equal lines of a splice",
        ),
        pytest.param(
            TEN,
            [Splice(2, 1, b"x"), Splice(3, 0, b"y"), Splice(6, 1, b"z")],
            [(2, [b"1\n"], [b"xy\n"]), (4, [b"3\n"], [b"z\n"])],
            id="splices of one line",
        ),
        pytest.param(
            b"a\rb", [Splice(2, 0, b"\n")], [(1, [b"a\r"], [b"a\r\n"])], id="cr"
        ),
        pytest.param(
            b"\xef\xbb\xbfa\n",
            [Splice(3, 1, b"b")],
            [(1, [b"a\n"], [b"b\n"])],
            id="byte-order mark",
        ),
        pytest.param(
            b"", [Splice(0, 0, b"a")], [(1, [], [b"a"])], id="empty file"
        ),
    ],
)
def test_changes(
    content: bytes,
    splices: list[Splice],
    changes: list[tuple[int, list[bytes], list[bytes]]],
) -> None:
    found = [*find_changed_lines(Snapshot(content), splices)]
    assert [(lines.line, lines.old, lines.new) for lines in found] == changes
    for lines in found:
        assert content[lines.offset : lines.end] == b"".join(lines.old)


def test_counts_hunks_and_new_lines() -> None:
    content = b"".join(b"%02d\n" % number for number in range(30))
    splices = [
        Splice(0, 0, b"x\ny\n"),
        Splice(3 * 6, 3, b""),
        Splice(3 * 20, 2, b"zz"),
    ]
    hunks = group_into_hunks(Snapshot(content), splices)
    numbers = [
        [(lines.line, lines.new_line, lines.hunk_number) for lines in hunk]
        for hunk in hunks
    ]
    assert numbers == [[(1, 1, 1), (7, 9, 1)], [(21, 22, 2)]]


def test_many_lines_without_a_gap() -> None:
    """They are compared in several parts, but are one hunk."""
    # The lines end with a lone return where the first part would be full.
    content = b"a\n" * 9_000 + b"a\r" * 3_000 + b"a\n" * 13_000
    splices = [Splice(2 * line, 1, b"b") for line in range(25_000)]
    (hunk,) = group_into_hunks(Snapshot(content), splices)
    assert [lines.line for lines in hunk] == [1, 12_002, 22_002]
    assert [lines.old_count for lines in hunk] == [12_001, 10_000, 2_999]
    assert b"".join(
        line for lines in hunk for line in lines.new
    ) == content.replace(b"a", b"b")
