"""Fences, marks and tags around the texts of a request."""

from __future__ import annotations

import pytest

from filewright.edit.repairs.wrappers import (
    fence_at_edge,
    remove_marks,
    remove_tags,
    repair_fence,
)


@pytest.mark.parametrize(
    ("search", "replacement", "repaired"),
    [
        ("```py\na\n```", "```py\nb\n```", ("a\n", "b\n")),
        ("~~~\na\n~~~\n", "b\n", ("a\n", "b\n")),
        ("```py\na\n```", "```py\nb", None),
        ("```py\na", "b", None),
        ("a", "```\nb\n```", None),
        ("```\na\n~~~", "b", None),
    ],
    ids=["both", "search", "half", "open", "replacement", "two marks"],
)
def test_fences(
    search: str, replacement: str, repaired: tuple[str, str] | None
) -> None:
    requests = [
        (request.search, request.replace)
        for request in repair_fence(search, replacement)
    ]
    assert requests == ([repaired] if repaired else [])


def test_fence_at_edge() -> None:
    assert fence_at_edge("````py\na") == "````"
    assert fence_at_edge("a\n```\n") == "```"
    assert fence_at_edge("a\n```\nb") == ""


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("<<<<<<< SEARCH\na\n=======\n", "a\n"),
        ("a\n>>>>>>> REPLACE", "a\n"),
        ("*** Begin Patch\na\n*** End Patch", "a\n"),
        ("a\n=======\nb", None),
        ("\na\n", "\na\n"),
    ],
    ids=["before", "behind", "patch", "inside", "none"],
)
def test_marks(text: str, inner: str | None) -> None:
    assert remove_marks(text) == inner


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("<old_string>\na\n</old_string>", "a\n"),
        ("a</search>\n", "a"),
        ("<![CDATA[a]]>", "a"),
        ("<|end|>", ""),
        ("<b>a</b>", "<b>a</b>"),
        ("\na", "\na"),
    ],
)
def test_tags(text: str, inner: str) -> None:
    assert remove_tags(text) == inner
