"""The pairing of removed and added lines, and their changed words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filewright.edit.build_diff import build_file_diff, find_splices
from filewright.edit.diff import FileDiff
from filewright.page.view import FileView, RowView
from filewright.page.view import view_of as drawn
from filewright.text.snapshot import Snapshot


def view_of(
    before: bytes,
    after: bytes,
    old: str | None = "a.py",
    new: str | None = "a.py",
) -> FileView:
    snapshot = Snapshot(before)
    return drawn(
        build_file_diff(
            FileDiff(old, new), snapshot, find_splices(snapshot, after)
        )
    )


LINES = st.lists(
    st.text(
        st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=12
    ),
    max_size=30,
).map(lambda lines: "".join(f"{line}\n" for line in lines))


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
