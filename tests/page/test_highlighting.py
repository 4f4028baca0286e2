"""Syntax highlighting of lines."""

from __future__ import annotations

from filewright.page.highlighting import (
    MAX_HIGHLIGHTED_CHARS,
    highlight_cells,
    highlight_lines,
)


def test_lines_are_highlighted_together() -> None:
    first, second, third = highlight_lines("a.py", ['x = """', "def", '"""'])
    assert {css_class for _, _, css_class in second} == {"s2"}
    assert first
    assert third


def test_leaves_plain_text() -> None:
    assert [*highlight_lines("a.unknown", ["def", ""])] == [[], []]
    long = "x" * (MAX_HIGHLIGHTED_CHARS + 1)
    assert [*highlight_lines("a.py", [long])] == [[]]


def test_cells_by_their_kind() -> None:
    lines = [
        "# %% cell 1: code",
        "def f(): 1",
        "# %% cell 2: raw",
        "def f(): 1",
    ]
    heading, code, other, raw = highlight_cells("python", lines)
    assert not heading
    assert not other
    assert code
    assert not raw
