"""The text of one line of a search."""

from __future__ import annotations

import pytest

from filewright.tools.search.excerpt import ExcerptLine, LineRole
from filewright.tools.search.lines import (
    excerpt_chars,
    render_after_number,
    render_line,
)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (ExcerptLine(12, "a hit", LineRole.HIT), "12: a hit"),
        (ExcerptLine(13, "near", LineRole.CONTEXT), "13- near"),
        (ExcerptLine(13, "more", LineRole.CONTINUATION), "13: more"),
        (ExcerptLine(14, "[2 more]", LineRole.OMISSION), "[2 more]"),
        (ExcerptLine(5, "piece", LineRole.HIT, column=90), "5:90: piece"),
        (
            ExcerptLine(5, "x", LineRole.HIT, notes=("in C.m", "once")),
            "5: x   [in C.m]   [once]",
        ),
        (ExcerptLine(1, "a\x1b[31m", LineRole.HIT), "1: a\\x1b[31m"),
        (
            ExcerptLine(1, "x", LineRole.CONTEXT, notes=("in a\x07b",)),
            "1- x   [in a\\x07b]",
        ),
    ],
)
def test_line(line: ExcerptLine, text: str) -> None:
    assert render_line(line) == text
    assert text.endswith(render_after_number(line))


@pytest.mark.parametrize("with_path", [False, True])
def test_counts_chars(with_path: bool) -> None:
    lines = [
        ExcerptLine(9, "a\x1bb", LineRole.HIT, 7, ("a note",)),
        ExcerptLine(10, "c", LineRole.CONTEXT),
    ]
    text = "".join(f"{render_line(line)}\n" for line in lines)
    path = "a\\x1b.py\n" if with_path else ""
    chars = excerpt_chars("a\x1b.py", lines, with_path=with_path)
    assert chars == len(path + text)
