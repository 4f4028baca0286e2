"""Lines of a diff as HTML."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError
from markupsafe import Markup
from tests.page.diff_views import view_of

from filewright.edit.diff import FileDiff
from filewright.page.notebooks import CellHeading
from filewright.page.render import (
    SCRIPTS,
    read_static_file,
    render,
    render_heading,
    render_row,
    row_renderer,
)
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


def test_heading_of_a_cell() -> None:
    hunk = HunkView(1, 1, 1, 1, (RowView("+", "# %% cell 2: code", None, 1),))
    view = FileView(FileDiff("n.ipynb", "n.ipynb"), language="python")
    assert ">Cell 2 · code</span>" in row_renderer(view, hunk)(hunk.rows[0])


def test_heading_is_escaped() -> None:
    heading = CellHeading(1, "code", '"><b>', "1 image")
    assert render_heading(heading) == (
        '<span class="cell-head" title="id &#34;&gt;&lt;b&gt;">'
        "Cell 1 · code · 1 image</span>"
    )


def test_marks_trailing_blanks_of_added_rows() -> None:
    text = "a <b> "
    assert render_row(RowView("+", text, None, 1), ()) == (
        'a &lt;b&gt;<span class="edge"><span class="sp"> </span></span>'
    )
    assert render_row(RowView("-", text, 1, None), ()) == "a &lt;b&gt; "


def test_value_that_is_missing() -> None:
    with pytest.raises(UndefinedError, match="message"):
        render("problem.html", base="", hint=None)


def test_static_files() -> None:
    for name in SCRIPTS:
        content, media_type = read_static_file(name)
        assert content
        assert media_type == "text/javascript"
    with pytest.raises(KeyError):
        read_static_file("../render.py")
