"""Signs of a diff before the lines of a request."""

from __future__ import annotations

import pytest

from filewright.edit.repairs.diff_signs import repair_diff_signs


@pytest.mark.parametrize(
    ("search", "replacement", "repaired"),
    [
        pytest.param(" a\n-b", " a\n+c", ("a\nb", "a\nc"), id="two sides"),
        pytest.param("+a\n+b", "+a\n+c", ("a\nb", "a\nc"), id="added lines"),
        pytest.param(
            " a\n b", " a\n-b\n+c", ("a\nb", "a\nc"), id="hunk for the old side"
        ),
        pytest.param("-a\n b", " b", ("a\nb", "b"), id="removal alone"),
        pytest.param(
            " a\n\n-b", " a\n\n+c", ("a\n\nb", "a\n\nc"), id="blank line"
        ),
    ],
)
def test_repairs(
    search: str, replacement: str, repaired: tuple[str, str]
) -> None:
    request = repair_diff_signs(search, replacement)
    assert request is not None
    assert (request.search, request.replace) == repaired
    assert request.whole_lines


@pytest.mark.parametrize(
    ("search", "replacement"),
    [
        ("- a\n- b", "- a\n- c"),
        (" a\n b", " a\n c"),
        ("a\n-b", "a\n+c"),
        ("-a", "c"),
        (" a\n b", " x\n-b\n+c"),
        ("-a\n b", " c"),
    ],
    ids=["list", "indent", "no sign", "no side", "other old side", "no plus"],
)
def test_leaves_text(search: str, replacement: str) -> None:
    assert repair_diff_signs(search, replacement) is None
