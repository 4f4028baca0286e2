"""Hunks that a patch has twice for one place."""

from __future__ import annotations

import pytest
from tests.edit.patch.hunks import read_hunks, read_sections

from filewright.edit.patch.repeated_hunks import find_repeated_hunks

BODY = " b\n-x\n+X\n c\n"


@pytest.mark.parametrize(
    ("starts", "repeated"),
    [
        ([1, 1], {1}),
        ([1, 3], {1}),
        ([1, 4], set()),
        ([4, 1], set()),
        ([3, 1], {1}),
        ([1, 9, 2, 9], {2, 3}),
        ([1, 3, 5], {1}),
        ([9, 1, 10], {2}),
    ],
)
def test_finds_by_line(starts: list[int], repeated: set[int]) -> None:
    patch = "".join(f"@@ -{start},3 +{start},3 @@\n{BODY}" for start in starts)
    assert find_repeated_hunks(read_hunks(patch)) == repeated


def test_needs_equal_lines_and_numbers() -> None:
    other = BODY.replace("X", "Y")
    hunks = read_hunks(f"@@ -1,3 +1,3 @@\n{BODY}@@ -1,3 +1,3 @@\n{other}")
    assert not find_repeated_hunks(hunks)
    assert not find_repeated_hunks(read_sections(f"@@\n{BODY}" * 2).hunks)
