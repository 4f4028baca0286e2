"""The pairing of removed and added lines, and their changed words."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.page.diff_views import LINES, view_of

from filewright.page.view import RowView


@given(before=LINES, after=LINES)
def test_marks_all_differences(before: str, after: str) -> None:
    if before == after:
        return
    for hunk in view_of(before.encode(), after.encode()).hunks:
        for left, right in hunk.sides:
            if (
                left is None
                or right is None
                or not (left.changed or right.changed)
            ):
                continue
            assert unmarked(left) == unmarked(right)


def unmarked(row: RowView) -> str:
    marked = {at for start, end in row.changed for at in range(start, end)}
    return "".join(char for at, char in enumerate(row.text) if at not in marked)


WORDS = [
    ("return total", "return round(total)", "total", "round(total)"),
    ("a = 1", "a = 2", "1", "2"),
    ("    x", "\tx", "    ", "\t"),
    ("x", "x  ", "", "  "),
]


@pytest.mark.parametrize(("old", "new", "left", "right"), WORDS)
def test_marks_words(old: str, new: str, left: str, right: str) -> None:
    ((removed, added),) = (
        view_of(f"{old}\n".encode(), f"{new}\n".encode()).hunks[0].sides
    )
    assert removed is not None
    assert added is not None
    assert set("".join(removed.text[s:e] for s, e in removed.changed)) <= set(
        left
    )
    assert set("".join(added.text[s:e] for s, e in added.changed)) <= set(right)
    assert removed.changed or added.changed
