"""Lines of a diff as HTML."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup
from tests.page.diff_views import view_of

from filewright.edit.diff import FileDiff
from filewright.page.render import render_row, row_renderer
from filewright.page.view import FileView, HunkView, RowView
from filewright.wording import to_one_line


@given(
    text=st.text(),
    path=st.sampled_from(
        ["a.py", "a.html", "a.md", "a", "a.c", "Makefile", "a.json"]
    ),
)
def test_html_is_the_text(text: str, path: str) -> None:
    lines = [to_one_line(line) for line in text.split("\n")]
    rows = tuple(
        RowView("+", line, None, number) for number, line in enumerate(lines, 1)
    )
    brush = row_renderer(
        FileView(FileDiff(path, path)), HunkView(1, 0, 1, len(rows), rows)
    )
    for row in rows:
        html = brush(row)
        assert (
            Markup(re.sub(r"</?span[^<>]*>", "", html)).unescape() == row.text
        )
        assert set(re.findall(r"<([^ >]*)", html)) <= {"span", "/span"}


def test_marks_spaces() -> None:
    (pair,) = view_of(b"a\tb\n", b"a  b \n").hunks[0].sides
    removed, added = (render_row(row, ()) for row in pair if row is not None)
    assert '<span class="tab">\t</span>' in removed
    assert added.count('<span class="sp"> </span>') == 3
