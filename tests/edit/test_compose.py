"""Edits of one call, composed: overlaps are refused, line ends stay."""

from __future__ import annotations

import pytest
from tests.edit.cases import plan_text, refused

from filewright.edit.request import TextEdit
from filewright.errors import Code

FILE = "one\ntwo\nthree\nfour\nfive\n"


def test_keeps_line_ends_of_file() -> None:
    assert (
        plan_text("a\r\n", TextEdit("a\n", "b"), TextEdit("b", "b\nc"))[0]
        == "b\r\nc\r\n"
    )


def test_keeps_line_end_after_earlier_edit() -> None:
    edits = (
        TextEdit("a\nx\n", "", number=0),
        TextEdit("b\nc\n", "b\nC\n", number=1),
    )
    assert plan_text("a\r\nx\r\nb\nc\n", *edits, in_turn=True)[0] == "b\nC\n"


OVERLAPPING = {
    "the same text": [("two", "2"), ("two", "zwei")],
    "one inside the other": [("one\ntwo\nthree", "x"), ("two", "2")],
    "what one changes is the other's context": [
        ("one\ntwo\n", "one\n2\n"),
        ("two\nthree\n", "two\n3\n"),
    ],
    "half a line each": [("one\ntw", "x"), ("wo\nthree", "y")],
    "what a chain changed": [
        ("two", "zwei"),
        ("zwei\nthree", "zwei\ndrei"),
        ("three\nfour", "three\n4"),
    ],
}


@pytest.mark.parametrize("name", OVERLAPPING)
def test_refuses_overlap_and_names_both_edits(name: str) -> None:
    error = refused(FILE, *(TextEdit(*edit) for edit in OVERLAPPING[name]))
    assert error.code == Code.OVERLAP
    last = len(OVERLAPPING[name])
    assert f"and {last} overlap" in error.message
    assert error.details["other_edit"] < last - 1
