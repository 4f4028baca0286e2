"""Refusals: bounded, plain values, and true of this place."""

from __future__ import annotations

import json

import pytest
from tests.edit.cases import Case, case_id, check_plan, refused
from tests.files import named

from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.errors import Code, FilewrightError

CODE = """\
import os

def one(a):
    # the first of them
    return a + 1

def two(a):
    return a + 1

def three(b):
\treturn b
"""


def test_refuses_edit_without_change() -> None:
    assert refused("a\n", TextEdit("a", "a")).code == Code.NO_CHANGE
    assert (
        refused("  a\n  b\n", TextEdit("a\nb\n", "a\nb\n")).code
        == Code.NO_CHANGE
    )
    assert (
        refused("teh\n", TextEdit("x", "x", replace_all=True)).code
        == Code.NO_MATCH
    )


def test_recognises_applied_change() -> None:
    error = refused(
        "import os\nimport sys\n", TextEdit("import re", "import sys")
    )
    assert error.code == Code.ALREADY_APPLIED
    assert error.details["lines"] == [2]


ELSEWHERE = [
    Case("a.py", f"def a():\n    {n}\n    {m}\n\nclass C:\n    def b():\n        {o}\n        {p}\n", f"    {o}\n    {p}", f"    {n}\n    {m}",
        f"def a():\n    {n}\n    {m}\n\nclass C:\n    def b():\n        {n}\n        {m}\n")
    for o, p, n, m in (
        ("x = old1", "y = old2", "x = new1", "y = new2"), ("open(a)", "read(a)", "load(a)", "check(a)"), ("a += 1", "b += 1", "a -= 1", "b -= 1"),
        ("return 1", "return 2", "return 3", "return 4"), ("go(a)", "stop(b)", "run(a)", "halt(b)"), ("import a", "import b", "import c", "import d"),
        ("p('x')", "p('y')", "p('z')", "p('w')"), ("if a: b", "if c: d", "if e: f", "if g: h"), ("x = [1]", "y = [2]", "x = [3]", "y = [4]"),
        ("raise A", "raise B", "raise C", "raise D"),
    )
]  # fmt: skip


@pytest.mark.parametrize("case", ELSEWHERE, ids=case_id)
def test_already_applied_only_at_this_place(case: Case) -> None:
    check_plan(case)


def test_refusal_is_bounded_plain_data() -> None:
    long = "".join(
        f"the {i}th line of them, {'x' * 300}\n" for i in range(2_000)
    )
    error = refused(long, TextEdit(long.replace("1999th", "1998th"), "short\n"))
    assert len(error.message) < 6_000
    json.dumps(error.details)
    many = refused("a\n" * 10_000, TextEdit("a", "b"))
    assert "more than 50" in many.message
    assert len(many.message) < 500
    json.dumps(many.details)


def test_names_requested_path() -> None:
    with pytest.raises(FilewrightError) as caught:
        plan_edits(
            named("src/a b.py", CODE.encode()), [TextEdit("nothing here", "x")]
        )
    assert caught.value.message.startswith("src/a b.py: ")
