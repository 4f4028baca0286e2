"""The choice of one candidate: start lines, ambiguity, and tiers."""

from __future__ import annotations

from typing import Any

import pytest
from tests.edit.cases import plan_tier, refused
from tests.files import Windowed

from filewright.edit.locate import locate
from filewright.edit.model import EditMatch, NotLocated, Tier
from filewright.edit.request import Insertion, TextEdit
from filewright.edit.source import Source
from filewright.errors import Code
from filewright.text.snapshot import Snapshot


@pytest.mark.parametrize("kind", [Snapshot, Windowed])
@pytest.mark.parametrize("search", ["failed", "failed\n"])
def test_start_line_chooses_among_many_places(kind: Any, search: str) -> None:
    data = b"failed\n" * 200 + b"failed failed\n" + b"failed\r\n" * 200
    source = Source(kind(data))
    for line in (1, 50, 51, 52, 150, 301):
        found = locate(
            source, TextEdit(search, "done\n"[: len(search)], start_line=line)
        )
        assert isinstance(found, EditMatch)
        assert source.line_number(found.span.start) == line


def test_start_line_of_two_places() -> None:
    for before in (0, 49, 50, 51, 100):
        data = b"failed\n" * before + b"failed failed\n" + b"failed\n" * 60
        found = locate(
            Source(Snapshot(data)),
            TextEdit("failed", "done", start_line=before + 1),
        )
        assert isinstance(found, NotLocated)
        assert found.code is Code.AMBIGUOUS_MATCH


AMBIGUOUS = {
    "twice exactly": ("a = 1\nb\na = 1\n", "a = 1"),
    "overlapping": ("aaa\n", "aa"),
    "twice, and once more indented": (
        "f()\ng()\n--\nf()\ng()\n--\n  f()\n  g()\n",
        "f()\ng()\n",
    ),
    "twice but for the indent": (
        "  f()\n  g()\n--\n    f()\n    g()\n",
        "f()\ng()",
    ),
    "twice but for trailing blanks": (
        "f() \ng()\n--\nf()\t\ng()\n",
        "f()\ng()",
    ),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_ambiguous_is_final(name: str) -> None:
    file, search = AMBIGUOUS[name]
    error = refused(file, TextEdit(search, "new text"))
    assert error.code == Code.AMBIGUOUS_MATCH
    assert len(error.details["lines"]) >= 2


def test_ambiguous_tier_ends_the_search() -> None:
    # Trailing blanks: two regions. Indentation alone would have a third; nothing may be chosen.
    file = "f() \ng()\n--\nf()\t\ng()\n--\n  f()\n  g()\n"
    error = refused(file, TextEdit("f()\ng()\n", "h()\n"))
    assert error.code == Code.AMBIGUOUS_MATCH
    assert error.details["reached"] == "trailing"


def test_stricter_region_wins() -> None:
    file = "f() \ng()\n--\n  f()\n  g()\n--\n    f()\n    g()\n"
    assert plan_tier(file, TextEdit("f()\ng()\n", "h()\ng()\n")) == (
        file.replace("f() \n", "h()\n", 1),
        Tier.TRAILING,
    )


LINES = "one\ntwo\n\ntwo\nend"


def test_start_line_chooses_between_equals() -> None:
    assert (
        plan_tier(LINES, TextEdit("two\n", "2\n", start_line=4))[0]
        == "one\ntwo\n\n2\nend"
    )
    assert (
        refused(LINES, TextEdit("two\n", "2\n", start_line=3)).code
        == Code.AMBIGUOUS_MATCH
    )


def test_start_line_moves_no_unique_text() -> None:
    assert (
        plan_tier(LINES, TextEdit("one", "1", start_line=4))[0]
        == "1\ntwo\n\ntwo\nend"
    )


def test_start_line_chooses_in_looser_tier() -> None:
    file = "  f()\n  g()\n--\n    f()\n    g()\n"
    assert (
        plan_tier(file, TextEdit("f()\ng()\n", "f()\n", start_line=4))[0]
        == "  f()\n  g()\n--\n    f()\n"
    )


def test_start_and_end_line_demand_text_there() -> None:
    assert (
        plan_tier(LINES, TextEdit("two\n", "2\n", start_line=4, end_line=4))[0]
        == "one\ntwo\n\n2\nend"
    )
    assert (
        plan_tier(LINES, TextEdit("two", "2", start_line=4, end_line=4))[0]
        == "one\ntwo\n\n2\nend"
    )
    assert (
        plan_tier(LINES, TextEdit("two\nend", "x", start_line=4, end_line=5))[0]
        == "one\ntwo\n\nx"
    )
    assert (
        plan_tier(
            LINES, TextEdit("two\nend\n", "x\n", start_line=4, end_line=5)
        )[0]
        == "one\ntwo\n\nx"
    )
    assert (
        plan_tier(LINES, TextEdit("", "blank", start_line=3, end_line=3))[0]
        == "one\ntwo\nblank\ntwo\nend"
    )
    for start, end in ((1, 1), (4, 5), (5, 5), (9, 9)):
        error = refused(
            LINES, TextEdit("two", "2", start_line=start, end_line=end)
        )
        assert error.code == Code.NO_MATCH


INSERTIONS = {
    "before the first line": (LINES, 1, "zero", "zero\n" + LINES),
    "before a line": (LINES, 5, "last\n", "one\ntwo\n\ntwo\nlast\nend"),
    "past an unended last line": (LINES, 6, "more", LINES + "\nmore"),
    "past an ended last line": ("a\n", 2, "b", "a\nb\n"),
    "into an empty file": ("", 1, "a\nb", "a\nb\n"),
    "two lines into CRLF": ("a\r\nb\r\n", 2, "x\ny\n", "a\r\nx\r\ny\r\nb\r\n"),
    "a blank line": ("a\nb\n", 2, "", "a\n\nb\n"),
}


@pytest.mark.parametrize("name", INSERTIONS)
def test_inserts_lines_before_start_line(name: str) -> None:
    file, line, text, expected = INSERTIONS[name]
    assert plan_tier(file, Insertion(line=line, replace=text))[0] == expected
