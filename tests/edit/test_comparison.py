"""The forms in which lines are compared, and the lines of a request."""

from __future__ import annotations

import pytest

from filewright.edit.comparison import (
    RequestLines,
    collapse,
    fold,
    has_invisible,
    indent_width,
    is_typographic,
    leading_whitespace,
    verbatim_runs,
    word_similarity,
)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("plain", "plain"),
        ("\u201ca\u201d \u2013 b", '"a" - b'),
        ("e\u0301", "\u00e9"),
        ("a\u200bb\ufeff", "ab"),
        ("a\u00a0b", "a b"),
    ],
    ids=["ascii", "signs", "composed", "invisible", "space"],
)
def test_folds(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_collapses_slips_and_no_layout() -> None:
    assert collapse("  a \t b\u00a0 ") == "a b"
    wide = "a" + " " * 300 + "b"
    assert collapse(f" {wide} ") == wide


def test_kinds_of_characters() -> None:
    assert has_invisible("a\u200b")
    assert not has_invisible("\u00e9")
    assert is_typographic("\u2019")
    assert not is_typographic("\u00e9")


@pytest.mark.parametrize(
    ("line", "other", "similarity"),
    [("a", "a", 1), ("a", "b", 0), ("", "", 0), ("f(a)", "f(b)", 0.75)],
)
def test_similarity(line: str, other: str, similarity: float) -> None:
    assert word_similarity(line, other) == similarity


def test_whitespace_before_a_line() -> None:
    assert leading_whitespace(" \t\u00a0x") == " \t"
    assert indent_width("  \tx") == 4
    assert indent_width("x") == 0


def test_verbatim_runs_are_in_any_equal_line() -> None:
    line = "path = get_\u00e9('key') - ne\u0301e"
    runs = verbatim_runs(line)
    assert "path" in runs
    assert all(run in fold(line) for run in runs)
    assert not any(sign in "".join(runs) for sign in "'\"- ")


def test_lines_of_request() -> None:
    lines = RequestLines.of("\na\n\n  b \n\n")
    assert lines.solid == ("a", "  b ")
    assert (lines.before, lines.blank, lines.after) == (("",), (("",),), ("",))
    assert lines.lines == ("a", "", "  b ")
    assert lines.keys == ("a", "b")
    assert RequestLines.of("") == RequestLines((), (), (), ())
