"""The text of a read, built from values alone."""

from __future__ import annotations

from dataclasses import replace

from filewright.tools.read import FileLine, LinePiece, LinesRead
from filewright.tools.read_rendering import (
    render_line,
    render_lines,
    render_piece,
)

LINE = FileLine(
    number=3,
    text="x = 1",
    size=5,
    end=6,
    has_terminator=True,
    is_cut=False,
    is_unfinished=False,
    is_invalid=False,
)
FORM = "utf-8; lf; version v1"


def test_line() -> None:
    assert render_line(LINE, numbered=True) == "3\tx = 1"
    assert render_line(LINE, numbered=False) == "x = 1"
    assert render_line(replace(LINE, text="\x1b"), numbered=True) == "3\t\\x1b"


def test_cut_line_says_where_it_continues() -> None:
    cut = replace(LINE, is_cut=True, size=2_000)
    assert render_line(cut, numbered=True) == (
        "3\tx = 1 …[line of 2,000 bytes, cut; continue with line=3, column=6]"
    )
    from_end = replace(cut, number=-2, is_unfinished=True)
    assert "line of more than 2,000 bytes" in render_line(
        from_end, numbered=True
    )
    assert "start=-2, column=6" in render_line(from_end, numbered=True)


def test_lines() -> None:
    read = LinesRead(
        "a.py",
        FORM,
        size=2_048,
        first_line=3,
        last_line=3,
        lines=(LINE,),
        notes=("more; continue with start=4",),
    )
    assert render_lines(read, numbered=True) == (
        f"[a.py: lines 3-3 of (not counted, 2.0 KB); {FORM}]\n"
        "3\tx = 1\n[more; continue with start=4]"
    )
    counted = replace(read, total_lines=1_000, notes=())
    assert render_lines(counted, numbered=True).startswith(
        "[a.py: lines 3-3 of 1,000; "
    )


def test_empty_file() -> None:
    empty = LinesRead("a.py", FORM, size=0, is_empty_file=True)
    assert render_lines(empty, numbered=True) == f"[a.py: empty file; {FORM}]"


def test_piece() -> None:
    piece = LinePiece(
        "a.js", FORM, line=2, column=5, text="abc", is_complete=False
    )
    assert render_piece(piece, numbered=True) == (
        f"[a.js: line 2, columns 5-7; {FORM}]\nabc\n"
        "[more of the line; continue with line=2, column=8]"
    )
    assert render_piece(
        replace(piece, is_complete=True), numbered=True
    ).endswith("\nabc")
