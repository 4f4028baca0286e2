"""Headings of hunks: conditions, choices between places, and remarks."""

from __future__ import annotations

import pytest
from tests.edit.patch.hunks import read_sections, source_of

from filewright.edit.patch.headings import HeadingFilter, is_remark
from filewright.edit.patch.placement import LineBudget, NoPlace

CODE = (
    "class A:\n    def f(self):\n        x\n    def g(self):\n        x\n"
    "class B(A):\n    def f(self):\n        x\n"
)


def choose(
    headings: list[str],
    starts: list[int],
    *,
    is_exact: bool = True,
    budget: int = 1_000,
) -> list[int] | NoPlace:
    section = "".join(f"@@ {heading}\n" for heading in headings)
    hunks = read_sections(f"{section}-x\n+y\n").hunks
    assert list(hunks[0].headings) == headings
    heading_filter = HeadingFilter(hunks, source_of(CODE), LineBudget(budget))
    return heading_filter.filter(headings, starts, is_exact=is_exact)


@pytest.mark.parametrize(
    ("headings", "chosen"),
    [
        (["def g(self):"], [4]),
        (["class B"], [7]),
        (["class A:", "def f(self):"], [2]),
        (["class B", "def f(self):"], [7]),
        (["def f(self):"], [2, 7]),
        (["class A:"], [2, 4]),
    ],
)
def test_chooses_inside_blocks(headings: list[str], chosen: list[int]) -> None:
    assert choose(headings, [2, 4, 7]) == chosen


@pytest.mark.parametrize(
    ("headings", "starts", "no_place"),
    [
        (["class C"], [2], NoPlace("heading", (), "class C")),
        (["class B"], [2], NoPlace("heading", (6,), "class B")),
        (
            ["class B", "def g(self):"],
            [7],
            NoPlace("heading", (), "def g(self):"),
        ),
        (["class Appl"], [2], NoPlace("heading", (), "class Appl")),
    ],
    ids=["absent", "below", "in another order", "another word"],
)
def test_refuses(
    headings: list[str], starts: list[int], no_place: NoPlace
) -> None:
    assert choose(headings, starts) == no_place


def test_remark_is_no_condition_of_certain_place() -> None:
    assert choose(["the last method"], [2]) == [2]
    for options in ({"is_exact": False}, {"budget": -1}):
        assert isinstance(choose(["the last method"], [2], **options), NoPlace)
    assert isinstance(choose(["the last method"], [2, 4]), NoPlace)


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("the import section", True),
        ("lines 10-20", True),
        ("64,3 +64,7", True),
        ("createFromNodeStream function", True),
        ("class A", False),
        ("def f(self):", False),
        ("x = 1", False),
        ("word", False),
        ("SELECT name", False),
    ],
)
def test_remarks(heading: str, expected: bool) -> None:
    assert is_remark(heading) is expected
