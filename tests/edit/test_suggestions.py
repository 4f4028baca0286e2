"""Suggestions of a refusal: following one literally succeeds."""

from __future__ import annotations

import pytest
from tests.edit.cases import refused

from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.errors import Code, FilewrightError
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices

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


def follow(file: str, error: FilewrightError, number: int = 0) -> str:
    suggested = TextEdit(**error.details["suggestions"][number])
    planned = plan_edits(Snapshot(file.encode()), [suggested])
    return apply_splices(file.encode(), planned.splices).decode()


FOLLOWED: dict[str, tuple[str, TextEdit, Code, str]] = {
    "a token that differs": (
        CODE,
        TextEdit(
            "def two(a):\n    return a + 2\n", "def two(a):\n    return a\n"
        ),
        Code.NO_MATCH,
        CODE.replace(
            "def two(a):\n    return a + 1", "def two(a):\n    return a"
        ),
    ),
    "a line too many": (
        CODE,
        TextEdit(
            "def three(b):\n\treturn b\n\treturn c\n",
            "def three(b):\n\treturn b + 1\n",
        ),
        Code.NO_MATCH,
        CODE.replace("\treturn b", "\treturn b + 1"),
    ),
    "indents that are no function": (
        CODE,
        TextEdit("def three(b):\nreturn b\n", "def three(b):\n\treturn 3\n"),
        Code.NO_MATCH,
        CODE.replace("\treturn b", "\treturn 3"),
    ),
    "twice": (
        CODE,
        TextEdit("    return a + 1\n", "    return a\n"),
        Code.AMBIGUOUS_MATCH,
        CODE.replace("a + 1", "a", 1),
    ),
    "twice in one line": (
        "x = a + a\n",
        TextEdit("a", "b"),
        Code.AMBIGUOUS_MATCH,
        "x = b + a\n",
    ),
    "twice by a looser tier": (
        "  f()\n  g()\n--\n    f()\n    g()\n",
        TextEdit("f()\ng()\n", "f()\n"),
        Code.AMBIGUOUS_MATCH,
        "  f()\n--\n    f()\n    g()\n",
    ),
    "other lines than given": (
        CODE,
        TextEdit("def two(a):\n", "def zwei(a):\n", start_line=3, end_line=3),
        Code.NO_MATCH,
        CODE.replace("two", "zwei"),
    ),
    "other text at the lines given": (
        CODE,
        TextEdit("import sys\n", "import re\n", start_line=1, end_line=1),
        Code.NO_MATCH,
        CODE.replace("import os\n", "import re\n"),
    ),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_following_suggestion_succeeds(name: str) -> None:
    file, edit, code, expected = FOLLOWED[name]
    error = refused(file, edit)
    assert error.code == code
    assert error.hint
    assert follow(file, error) == expected


def test_suggests_each_equal_place() -> None:
    file = "a = 1\nb\n" * 3
    error = refused(file, TextEdit("a = 1", "a = 2"))
    assert error.details["lines"] == [1, 3, 5]
    assert "1, 3, 5" in (error.hint or "")
    chosen = {follow(file, error, number) for number in range(3)}
    assert len(chosen) == 3


def test_names_looser_tier_without_fuzzy() -> None:
    error = refused(
        CODE, TextEdit("return a + 1  \n\ndef three(b):\n", "x\n"), fuzzy=False
    )
    assert error.code == Code.NO_MATCH
    loose = refused(
        CODE, TextEdit("def two(a):  \n    return a + 1\n", "x\n"), fuzzy=False
    )
    assert "trailing" in loose.message
    suggested = TextEdit(**loose.details["suggestions"][0])
    planned = plan_edits(Snapshot(CODE.encode()), [suggested], fuzzy=False)
    assert apply_splices(
        CODE.encode(), planned.splices
    ).decode() == CODE.replace("def two(a):\n    return a + 1\n", "x\n")


ELSEWHERE: dict[str, tuple[str, TextEdit]] = {
    "a line of another list": (
        "- sync_: the server of it is 2\n\n## The path\n\n- north: the message of it is 1\n"
        "- async_: the it of it is 1\n- item: the keeps of it is 2\n",
        TextEdit(
            "- async_: the it of it is 1\n\n## The path", "new\n\n## The path"
        ),
    ),
    "a line of another depth": (
        "def path(load):\n    if load < 2:\n    if load < 0:\n        cat(load)\n\n"
        "  def path(load):\n      if load < 2:\n          path(load)\n",
        TextEdit(
            "def path(load):\n    if load < 2:\n    if load < 0:\n\n  def path(load):",
            "def path(load):\n    if load < 2:\n    if load < 0:\n",
        ),
    ),
    "a line once more": (
        "items:\n  - user\nname: user\nbat:\n  - path\n  - user\nend: 1\n",
        TextEdit(
            "items:\n  - user\nname: user\nbat:\n  - user",
            "items:\n  - user\nname: user\nbat:\n  new",
        ),
    ),
    "brackets": (
        "f {\n\tif {\n\t}\n}\ng {\n\tif {\n\t}\n\n\tx\n}\n",
        TextEdit("\t}\n\n}", "\t}\nnew\n\n}"),
    ),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_suggests_nothing_for_line_elsewhere(name: str) -> None:
    file, edit = ELSEWHERE[name]
    error = refused(file, edit)
    assert error.code is Code.NO_MATCH
    assert error.details["nearest"]
    assert error.details["suggestions"] == []
