"""Corrections of context that is spelled wrong, where only one is possible."""

from __future__ import annotations

import pytest
from tests.edit.patch.hunks import read_hunks, source_of

from filewright.edit.patch.correct import Correction, find_correction

CODE = "def get(a, b):\n    x = 1\n    return x + a\n"
HUNK = "@@ -1,3 +1,3 @@\n def get(a, c):\n-    x = 1\n+    x = 2\n     return x + a\n"


def correct(content: str, hunk: str) -> Correction | None:
    (patch_hunk,) = read_hunks(hunk)
    return find_correction(patch_hunk, source_of(content))


def test_corrects_context() -> None:
    assert correct("\n" + CODE, HUNK) == Correction(2, {0: "def get(a, b):"})


def test_needs_no_correction() -> None:
    assert correct(CODE, HUNK.replace("a, c", "a, b")) == Correction(1)


@pytest.mark.parametrize(
    ("content", "hunk"),
    [
        pytest.param(CODE * 2, HUNK, id="two places"),
        pytest.param(CODE.replace("1", "3"), HUNK, id="removed line is absent"),
        pytest.param(
            CODE.replace("def get(a, b):", "import os"), HUNK, id="other line"
        ),
        pytest.param(
            CODE, HUNK.replace("x = 2", "x = c"), id="lost word is needed"
        ),
        pytest.param(
            CODE,
            HUNK.replace("return x + a", "return x + d"),
            id="most lines differ",
        ),
        pytest.param(
            CODE.replace("a, b", "a, \u202eb"), HUNK, id="unprintable"
        ),
        pytest.param("    x = 1\n    return x + a\n", HUNK, id="cut off"),
        pytest.param(
            CODE, "@@ -1 +1,2 @@\n def get(a, c):\n+x\n", id="nothing removed"
        ),
    ],
)
def test_refuses_uncertain(content: str, hunk: str) -> None:
    assert correct(content, hunk) is None
