"""The depth of new lines: explained by the request or the file, or refused."""

from __future__ import annotations

import pytest

from filewright.edit.comparison import leading_whitespace
from filewright.edit.depth_check import require_explained_depths
from filewright.edit.indentation import Indentation
from filewright.edit.model import AmbiguousWriteError, ByteRange, HunkPart


def check(
    old: str,
    new: str,
    file: str,
    written: str,
    *,
    unit: str = "    ",
    is_numbered: bool = False,
) -> None:
    """Check the lines `written` of a replacement, where `old` matched `file`."""
    old_lines = old.split("\n")
    pairs = zip(old_lines, file.split("\n"), strict=True)
    indentation = Indentation.of(
        (leading_whitespace(line), leading_whitespace(file_line))
        for line, file_line in pairs
    )
    assert indentation is not None
    part = HunkPart(
        (), ByteRange(0, 0), tuple(old_lines), tuple(new.split("\n")), {}
    )
    require_explained_depths(
        part, indentation, written.split("\n"), unit, is_numbered=is_numbered
    )


@pytest.mark.parametrize(
    ("old", "new", "file", "written"),
    [
        pytest.param("a", "a\n   b", "a", "a\n   b", id="same indents"),
        pytest.param(
            "if a:\n  b",
            "if a:\n  b\n  c",
            "if a:\n    b",
            "if a:\n    b\n    c",
            id="known depth",
        ),
        pytest.param(
            "if a:\n  b",
            "if a:\n  if c:\n    b",
            "if a:\n    b",
            "if a:\n    if c:\n        b",
            id="one step deeper",
        ),
        pytest.param(
            "a", "a\n * b", "    a", "    a\n     * b", id="block comment"
        ),
        pytest.param("a", "a\n\tb", "\ta", "\ta\n\t\tb", id="tabs"),
    ],
)
def test_accepts(old: str, new: str, file: str, written: str) -> None:
    check(old, new, file, written)


@pytest.mark.parametrize(
    ("old", "new", "file", "written", "message"),
    [
        pytest.param(
            "a",
            "if b:\na",
            "    a",
            "    if b:\n    a",
            "without a deeper line below it",
            id="lost block",
        ),
        pytest.param(
            "if a:\n    b",
            "  if a:\n    b",
            "  if a:\n      b",
            "    if a:\n      b",
            "of the replacement from the search text",
            id="left its block",
        ),
        pytest.param(
            "if a:\n  b",
            "if a:\n  b\n     c",
            "if a:\n    b",
            "if a:\n    b\n       c",
            "indentation of 'c' is unclear",
            id="no step",
        ),
        pytest.param(
            "    a",
            "    a\n     b",
            "        a",
            "        a\n         b",
            "would be 9 columns",
            id="part of a step",
        ),
    ],
)
def test_refuses(
    old: str, new: str, file: str, written: str, message: str
) -> None:
    with pytest.raises(AmbiguousWriteError, match=message):
        check(old, new, file, written)


def test_checks_numbered_lines_of_equal_indents() -> None:
    arguments = ("    a", "    a\n     b", "    a", "    a\n     b")
    check(*arguments)
    with pytest.raises(AmbiguousWriteError, match="indentation of 'b'"):
        check(*arguments, is_numbered=True)
