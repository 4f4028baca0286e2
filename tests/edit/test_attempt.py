"""One edit by itself: its splices, and the readings that must write the same."""

from __future__ import annotations

import pytest

from filewright.edit.attempt import changes_file, splices_of_match
from filewright.edit.locate import locate
from filewright.edit.model import EditMatch
from filewright.edit.request import TextEdit
from filewright.edit.source import Source
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

CODE = b"def f():\n    a()\n    b()\n"


@pytest.mark.parametrize(
    ("search", "replace", "changes"),
    [
        ("a()", "c()", True),
        ("a()", "a()", False),
        ("nowhere", "c()", False),
        ("()", "[]", False),
        ("", "x", False),
        ("a()\n", "\ud800\n", False),
        ("def f():\n  a()\n  b()\n", "def f():\n  # ...\n", False),
    ],
    ids=[
        "change",
        "the same",
        "no place",
        "several places",
        "invalid",
        "not to be encoded",
        "omission",
    ],
)
def test_changes_file(search: str, replace: str, changes: bool) -> None:
    source = Source(Snapshot(CODE))
    assert changes_file(source, TextEdit(search, replace)) is changes


def test_splices_of_match() -> None:
    source = Source(Snapshot(CODE))
    match = locate(source, TextEdit("a()\n", "a(1)\n"))
    assert isinstance(match, EditMatch)
    assert splices_of_match(source, match) == (Splice(13, 4, b"a(1)\n"),)
