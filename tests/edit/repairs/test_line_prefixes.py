"""Prefixes before each line: marks of quotes, prompts and paths."""

from __future__ import annotations

import pytest

from filewright.edit.repairs.line_prefixes import has_prefixes, repair_prefixes


def repaired(search: str, replacement: str) -> list[tuple[str, str]]:
    """Return the requests that a repair has changed, without duplicates."""
    requests = [
        (request.search, request.replace)
        for request in repair_prefixes(search, replacement)
    ]
    return [
        request
        for request in dict.fromkeys(requests)
        if request != (search, replacement)
    ]


@pytest.mark.parametrize(
    ("search", "replacement", "requests"),
    [
        pytest.param(
            "> a\n> b",
            "> a\n> c",
            [("a\nb", "a\nc"), (" a\n b", " a\n c")],
            id="quote",
        ),
        pytest.param(
            ">>> a\n> b",
            ">>> c",
            [("a\nb", "c"), (" a\n b", " c")],
            id="a sign that begins as another",
        ),
        pytest.param(">a\n>b", ">c", [("a\nb", "c")], id="without a space"),
        pytest.param(
            "$ make", "$ make x", [("make", "make x"), (" make", " make x")],
            id="prompt",
        ),
        pytest.param(
            "> a\n\n> b", "> a", [("a\n\nb", "a"), (" a\n\n b", " a")], id="blank"
        ),
        pytest.param(
            "src/a.py:1:x\nsrc/a.py:2:y",
            "src/a.py:1:z",
            [("x\ny", "z")],
            id="path",
        ),
        pytest.param(
            "> a", "| b |", [("a", "| b |"), (" a", "| b |")], id="own sign"
        ),
        pytest.param("> a\nb", "> c", [], id="not on all lines"),
        pytest.param("a", "b", [], id="none"),
    ],
)  # fmt: skip
def test_repairs(
    search: str, replacement: str, requests: list[tuple[str, str]]
) -> None:
    assert repaired(search, replacement) == requests


def test_has_prefixes() -> None:
    assert has_prefixes("> a\nb")
    assert has_prefixes("a.py:1:x")
    assert not has_prefixes("a > b\n")
