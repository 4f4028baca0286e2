"""Positions of a line: in code, in a string, or in a comment."""

from __future__ import annotations

import pytest

from filewright.edit.code_text import is_code, is_in_quotes


@pytest.mark.parametrize(
    ("line", "in_quotes", "code"),
    [
        ("x = ^1", False, True),
        ("x = 'a^b'", True, False),
        ("x = 'ab'^", False, True),
        (r"x = 'a\'^b'", True, False),
        ("x = 'ab' + ^b", False, True),
        ("x = f'a' + rb'b'^", False, True),
        ("x = f'a^b'", True, False),
        ("x = 'it's ^a'", True, False),
        ("the dogs' ^'ab'", False, True),
        ("don't ^", False, True),
        ("x  # a ^", False, False),
        ("x = '#'; ^", False, True),
        ("a#b ^", False, True),
        ("  // a ^", False, False),
        ("`a^`", True, False),
    ],
)
def test_positions(line: str, in_quotes: bool, code: bool) -> None:
    position = line.index("^")
    assert is_in_quotes(line, position) is in_quotes
    assert is_code(line, position) is code
