"""Every refusal says what would make it succeed; following it literally succeeds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.files import named

from filewright.edit.nearest import show_whitespace
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


def refused(file: str, edit: TextEdit, **options: Any) -> FilewrightError:
    with pytest.raises(FilewrightError) as caught:
        plan_edits(Snapshot(file.encode()), [edit], **options)
    return caught.value


def follow(file: str, error: FilewrightError, number: int = 0) -> str:
    suggested = TextEdit(**error.details["suggestions"][number])
    planned = plan_edits(Snapshot(file.encode()), [suggested])
    return apply_splices(file.encode(), planned.splices).decode()


FOLLOWED: dict[str, tuple[str, TextEdit, Code, str]] = {
    "a token that differs": (
        CODE,
        TextEdit("def two(a):\n    return a + 2\n", "def two(a):\n    return a\n"),
        Code.NO_MATCH,
        CODE.replace("def two(a):\n    return a + 1", "def two(a):\n    return a"),
    ),
    "a line too many": (
        CODE,
        TextEdit(
            "def three(b):\n\treturn b\n\treturn c\n", "def three(b):\n\treturn b + 1\n"
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
def test_following_the_suggestion_succeeds(name: str) -> None:
    file, edit, code, expected = FOLLOWED[name]
    error = refused(file, edit)
    assert error.code == code
    assert error.hint
    assert follow(file, error) == expected


def test_each_of_the_equal_places_can_be_chosen() -> None:
    file = "a = 1\nb\n" * 3
    error = refused(file, TextEdit("a = 1", "a = 2"))
    assert error.details["lines"] == [1, 3, 5]
    assert "1, 3, 5" in (error.hint or "")
    chosen = {follow(file, error, number) for number in range(3)}
    assert len(chosen) == 3


def test_exact_only_names_the_tier_that_would_match() -> None:
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
    assert apply_splices(CODE.encode(), planned.splices).decode() == CODE.replace(
        "def two(a):\n    return a + 1\n", "x\n"
    )


def test_the_first_difference_shows_its_blanks() -> None:
    error = refused(
        "a\n\tif (x  == 1) \nb\n", TextEdit("a\n    if (x == 2)\nb\n", "c\n")
    )
    near = error.details["nearest"][0]
    assert (near["first_line"], near["last_line"], near["differs_at"]) == (1, 3, 2)
    assert near["asked"] == "····if (x == 2)"
    assert near["found"] == "→if (x··== 1)·"
    assert near["found"] in error.message


VISIBLE = {
    "  a b  ": "··a b··",
    "\ta\tb": "→a→b",
    "a   b": "a···b",
    "a\u00a0b": "a<U+00A0>b",
    "e\u0301": "e<U+0301>",
    "a\u202eb": "a\\u202eb",
    "": "",
    "   ": "···",
}


@pytest.mark.parametrize("line", VISIBLE)
def test_blanks_made_visible(line: str) -> None:
    assert show_whitespace(line) == VISIBLE[line]


def test_a_refusal_is_plain_values_and_bounded() -> None:
    long = "".join(f"the {i}th line of them, {'x' * 300}\n" for i in range(2_000))
    error = refused(long, TextEdit(long.replace("1999th", "1998th"), "short\n"))
    assert len(error.message) < 6_000
    json.dumps(error.details)
    many = refused("a\n" * 10_000, TextEdit("a", "b"))
    assert "more than 50" in many.message
    assert len(many.message) < 500
    json.dumps(many.details)


def test_bytes_that_are_no_text_are_shown_as_such() -> None:
    data = b"alpha = 1\nbeta = \xff\xfe2\ngamma = 3\n"
    with pytest.raises(FilewrightError) as caught:
        plan_edits(
            Snapshot(data, encoding="utf-8"),
            [TextEdit("alpha = 1\nbeta = 2\ngamma = 3\n", "x\n")],
        )
    assert "\ufffd" in caught.value.message
    json.dumps(caught.value.details).encode("utf-8")
    assert caught.value.details["suggestions"] == []


@pytest.mark.parametrize(
    "search",
    ["x", "???", "\t", "🙂", "a" * 5_000, "nothing of that kind\nis in here\n"],
)
def test_what_is_like_nothing_is_refused_plainly(search: str) -> None:
    error = refused("one\ntwo\n", TextEdit(search, "y"))
    assert error.code == Code.NO_MATCH
    assert error.details["suggestions"] == []
    assert error.hint


def test_the_path_is_named_as_it_was_asked_for() -> None:
    with pytest.raises(FilewrightError) as caught:
        plan_edits(named("src/a b.py", CODE.encode()), [TextEdit("nothing here", "x")])
    assert caught.value.message.startswith("src/a b.py: ")
