"""The matcher of requests with invisible characters that the file does not have."""

from __future__ import annotations

import pytest

from filewright.edit.matchers.invisible import match
from filewright.edit.model import TextPart
from filewright.edit.request import TextEdit
from filewright.edit.source import Source
from filewright.text.snapshot import Snapshot


@pytest.mark.parametrize(
    ("content", "search", "replace", "found"),
    [
        pytest.param("a b\n", "a\u200b b", "a\u200b c", ("a b", "a c"), id="both"),
        pytest.param("a b\n", "\ufeffa b", "c", ("a b", "c"), id="mark"),
        pytest.param(
            "a b\nx\u200b\n", "a\u200b b", "c", None, id="known to the file"
        ),
        pytest.param(
            "a b\nx\u200b\n",
            "\u2060a b",
            "c\u200b\u2060",
            ("a b", "c\u200b"),
            id="one of two is known",
        ),
        pytest.param(
            "a\u200b b\n",
            "\u2060a\u200b b",
            "c\u200b",
            ("a\u200b b", "c\u200b"),
            id="one of two is there",
        ),
        pytest.param("a b\n", "a b", "c\u200b", None, id="in the replacement"),
        pytest.param("a b\n", "\u200b", "c", None, id="nothing else"),
        pytest.param("a b\n", "x\u200b", "c", None, id="nowhere"),
    ],
)  # fmt: skip
def test_matches(
    content: str, search: str, replace: str, found: tuple[str, str] | None
) -> None:
    source = Source(Snapshot(content.encode()))
    readings = match(source, TextEdit(search, replace)).readings
    if found is None:
        assert not readings
        return
    (reading,) = readings
    ((part,),) = reading.candidates
    assert isinstance(part, TextPart)
    assert (part.search, part.replace) == found
