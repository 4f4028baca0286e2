"""Views of the diff of two texts, and texts to compare."""

from __future__ import annotations

from hypothesis import strategies as st

from filewright.edit.build_diff import build_file_diff, find_splices
from filewright.edit.diff import FileDiff
from filewright.page.view import FileView
from filewright.page.view import view_of as drawn
from filewright.text.snapshot import Snapshot


def view_of(
    before: bytes,
    after: bytes,
    old: str | None = "a.py",
    new: str | None = "a.py",
) -> FileView:
    """Return the view of the difference between two contents of a file."""
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
