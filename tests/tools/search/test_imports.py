"""Context of hits in blocks of imports."""

from __future__ import annotations

import pytest

PYTHON = """import os
import re
import sys

from .other import (
    alpha,
    beta,
    delta,
    gamma,
    guess,
    kappa,
    lambda_,
    omega,
    sigma,
)

RATE = 1


def f(x):
    y = 1
    return guess(x)
"""

SCRIPT = """import a from "a"
import b from "b"
import c from "c"
import { guess } from "d"
import e from "e"
import f from "f"
import g from "g"

export const x = 1
"""


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("a.py", PYTHON, "5 -- 8 9 10 11 12 -- 15 -- 17 18 19 20 21 22"),
        ("b.ts", SCRIPT, "2 3 4 5 6 -- 9"),
        ("c.py", "def f():\n    return 1\n" * 3 + "guess\n", "1 2 3 4 5 6 7"),
        ("d.py", "call(\n  a,\n  b,\n  guess,\n  c,\n  d)\n", "1 2 3 4 5 6"),
    ],
    ids=["names", "statements", "code", "arguments"],
)
def test_lines(root, workspace, name, text, shown):
    (root / name).write_text(text)
    result = workspace.search("guess", context=12, path=name)
    rows = [
        row.partition("-")[0].partition(":")[0] or "--"
        for row in result.text.splitlines()
        if row[:1].isdigit() or row == "--"
    ]
    assert " ".join(rows) == shown
    is_short = name in ("a.py", "b.ts")
    assert ("context of imports shortened" in result.text) == is_short


def test_programs_get_all_lines(root, workspace):
    (root / "a.py").write_text(PYTHON)
    hit = workspace.search("guess", context=12).results[0]
    assert len(hit.context_before) == 9
    assert len(hit.context_after) == 12
