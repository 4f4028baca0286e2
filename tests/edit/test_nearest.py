"""The nearest text of a refusal, with its blanks made visible."""

from __future__ import annotations

import json

import pytest
from tests.edit.cases import refused

from filewright.edit.nearest import show_whitespace
from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.errors import Code, FilewrightError
from filewright.text.snapshot import Snapshot


def test_first_difference_shows_blanks() -> None:
    error = refused(
        "a\n\tif (x  == 1) \nb\n", TextEdit("a\n    if (x == 2)\nb\n", "c\n")
    )
    near = error.details["nearest"][0]
    assert (near["first_line"], near["last_line"], near["differs_at"]) == (
        1,
        3,
        2,
    )
    assert near["asked"] == "····if (x == 2)"
    assert near["found"] == "→if (x··== 1)·"
    assert near["found"] in error.message


VISIBLE = {
    "  a b  ": "··a b··",
    "\ta\tb": "→a→b",
    "a   b": "a···b",
    "a\u00a0b": "a<U+00A0>b",
    "e\u0301": "e<U+0301>",
    "a\u202eb": "a\\u202eb",
    "": "",
    "   ": "···",
}


@pytest.mark.parametrize("line", VISIBLE)
def test_shows_whitespace(line: str) -> None:
    assert show_whitespace(line) == VISIBLE[line]


def test_shows_invalid_bytes() -> None:
    data = b"alpha = 1\nbeta = \xff\xfe2\ngamma = 3\n"
    with pytest.raises(FilewrightError) as caught:
        plan_edits(
            Snapshot(data, encoding="utf-8"),
            [TextEdit("alpha = 1\nbeta = 2\ngamma = 3\n", "x\n")],
        )
    assert "\ufffd" in caught.value.message
    json.dumps(caught.value.details).encode("utf-8")
    assert caught.value.details["suggestions"] == []


@pytest.mark.parametrize(
    "search",
    ["x", "???", "\t", "🙂", "a" * 5_000, "nothing of that kind\nis in here\n"],
)
def test_refuses_text_like_nothing(search: str) -> None:
    error = refused("one\ntwo\n", TextEdit(search, "y"))
    assert error.code == Code.NO_MATCH
    assert error.details["suggestions"] == []
    assert error.hint
