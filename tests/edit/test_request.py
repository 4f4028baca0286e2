"""Requests without a meaning are refused as invalid."""

from __future__ import annotations

import pytest
from tests.edit.cases import refused

from filewright.edit.request import Insertion, TextEdit
from filewright.errors import Code

INVALID = [
    TextEdit("", "x"),
    TextEdit("a\ud83d", "x"),
    TextEdit("a", "\udc00"),
    TextEdit("a", "x", end_line=2),
    TextEdit("a", "x", start_line=3, end_line=2),
    TextEdit("a", "x", start_line=0),
    TextEdit("a", "x", replace_all=True, start_line=1),
    Insertion(line=9, replace="x"),
]


@pytest.mark.parametrize("edit", INVALID)
def test_refuses_invalid_request(edit: TextEdit) -> None:
    error = refused("a\nb\n", edit)
    assert error.code == Code.INVALID_INPUT
    assert error.hint


def test_half_emoji_is_invalid() -> None:
    assert (
        refused("x = '😀'\n", TextEdit("\ud83d", "y")).code
        == Code.INVALID_INPUT
    )
