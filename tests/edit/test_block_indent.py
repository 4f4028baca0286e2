"""The unit of indentation of a text, and blocks that are moved to another depth."""

from __future__ import annotations

import pytest

from filewright.edit.block_indent import (
    common_indent_unit,
    detect_indent_unit,
    reindent_block,
    replace_indent,
)
from filewright.text.snapshot import Snapshot


@pytest.mark.parametrize(
    ("text", "indent", "unit", "expected"),
    [
        ("a\n    b\n", "  ", None, "  a\n      b\n"),
        ("  a\n    b\n", "", None, "a\n  b\n"),
        ("a\n    b\n        c\n", "\t", "\t", "\ta\n\t\tb\n\t\t\tc\n"),
        ("a\n\tb\n", "", "  ", "a\n  b\n"),
        ("a\n  b\n   c\n", "", "\t", "a\n\tb\n\t c\n"),
        ("a\n\n  b\n", "  ", None, "  a\n\n    b\n"),
        ("  a\nb\n", "    ", None, "  a\nb\n"),
        ("a\r\n  b\r\n", "  ", None, "  a\n    b\n"),
    ],
    ids=["in", "out", "to tabs", "to spaces", "alignment", "blank", "less", "crlf"],
)  # fmt: skip
def test_reindents(
    text: str, indent: str, unit: str | None, expected: str
) -> None:
    assert reindent_block(text, indent, unit=unit) == expected


def test_leaves_strings_in_place() -> None:
    text = 'x = """\nfree\n"""\ny\n'
    assert reindent_block(text, "  ", "python") == (
        '  x = """\nfree\n"""\n  y\n'
    )
    assert replace_indent(text, "", "\t", "python") == (
        '\tx = """\nfree\n"""\n\ty\n'
    )


@pytest.mark.parametrize(
    ("indents", "unit"),
    [
        ([], None),
        (["", ""], None),
        (["", "\t", "\t\t", "  "], "\t"),
        (["", "  ", "    ", ""], "  "),
        (["", "    ", "     ", "    "], "    "),
        (["", " ", ""], "    "),
    ],
)
def test_common_unit(indents: list[str], unit: str | None) -> None:
    assert common_indent_unit(indents) == unit


def test_detects_unit_of_file_and_lines() -> None:
    content = b"a\n  b\n    c\nd\n\te\n\t\tf\n"
    snapshot = Snapshot(content)
    assert detect_indent_unit(snapshot) == "  "
    assert detect_indent_unit(snapshot, lines=range(4, 7)) == "\t"
    assert detect_indent_unit(Snapshot(b"a\n")) is None


def test_replaces_indent() -> None:
    assert replace_indent("  a\n    b\nc\n\n", "  ", "\t") == (
        "\ta\n\t  b\n\tc\n\n"
    )
