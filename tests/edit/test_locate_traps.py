"""Requests that must be refused, and exact texts that a repair would damage."""

from __future__ import annotations

import pytest

from filewright.edit.model import Tier
from filewright.edit.planning import plan_edits
from filewright.edit.request import Insertion, TextEdit
from filewright.errors import Code, FilewrightError
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices


def done(file: str, *edits: TextEdit, fuzzy: bool = True) -> tuple[str, Tier]:
    data = file.encode()
    planned = plan_edits(Snapshot(data), edits, fuzzy=fuzzy)
    return apply_splices(data, planned.splices).decode(), planned.outcomes[0].tier


def refusal(file: str, *edits: TextEdit, fuzzy: bool = True) -> FilewrightError:
    with pytest.raises(FilewrightError) as caught:
        done(file, *edits, fuzzy=fuzzy)
    return caught.value


# The text stands there exactly, so it is taken literally, however much it looks like damage.
LITERAL = {
    "a numbered list": ("1: one\n2: two\n", "1: one\n2: two\n", "1: uno\n2: two\n"),
    "a fence that is content": (
        "a\n```py\nx\n```\nb\n",
        "```py\nx\n```",
        "```py\ny\n```",
    ),
    "escapes that are content": ('s = "a\\nb"\n', '"a\\nb"', '"a\\tb\\nc"'),
    "dots that are content": (
        "def f():\n    ...\n",
        "def f():\n    ...\n",
        "def g():\n    ...\n",
    ),
    "reindenting": ("    a\n    b\n", "    a\n    b\n", "  a\n  b\n"),
    "taking trailing blanks away": ("a  \nb\n", "a  \nb\n", "a\nb\n"),
    "adding a blank line": ("a\nb\n", "a\nb\n", "\na\n\nb\n"),
    "to typographic quotes": ('say "x"\n', 'say "x"', "say “x”"),
    "to plain quotes": ("say “x”\n", "say “x”", 'say "x"'),
    "entities that are content": ("&lt;b&gt;\n", "&lt;b&gt;", "&lt;i&gt;"),
}


@pytest.mark.parametrize("name", LITERAL)
def test_exact_text_is_never_repaired(name: str) -> None:
    file, search, replace = LITERAL[name]
    assert done(file, TextEdit(search, replace)) == (
        file.replace(search, replace),
        Tier.EXACT,
    )


@pytest.mark.parametrize("twin_first", [True, False])
def test_a_whitespace_twin_does_not_disturb_an_exact_text(twin_first: bool) -> None:
    exact, twin = (
        "if a:\n    b()\n    c()\n",
        "        if a:\n            b()\n            c()\n",
    )
    file = twin + exact if twin_first else exact + twin
    search = "\nif a:\n    b()\n    c()\n" if twin_first else exact
    if twin_first:
        file = "x\n" + file.replace(exact, "\n" + exact)
    result, tier = done(file, TextEdit(search, search.replace("c()", "d()")))
    assert tier is Tier.EXACT
    assert twin in result


AMBIGUOUS = {
    "twice exactly": ("a = 1\nb\na = 1\n", "a = 1"),
    "overlapping": ("aaa\n", "aa"),
    "twice, and once more indented": (
        "f()\ng()\n--\nf()\ng()\n--\n  f()\n  g()\n",
        "f()\ng()\n",
    ),
    "twice but for the indent": ("  f()\n  g()\n--\n    f()\n    g()\n", "f()\ng()"),
    "twice but for trailing blanks": ("f() \ng()\n--\nf()\t\ng()\n", "f()\ng()"),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_ambiguous_is_final(name: str) -> None:
    file, search = AMBIGUOUS[name]
    error = refusal(file, TextEdit(search, "new text"))
    assert error.code == Code.AMBIGUOUS_MATCH
    assert len(error.details["lines"]) >= 2


def test_ambiguous_never_falls_to_a_looser_tier_that_is_unique() -> None:
    # Trailing blanks: two regions. Indentation alone would have a third; nothing may be chosen.
    file = "f() \ng()\n--\nf()\t\ng()\n--\n  f()\n  g()\n"
    error = refusal(file, TextEdit("f()\ng()\n", "h()\n"))
    assert error.code == Code.AMBIGUOUS_MATCH
    assert error.details["reached"] == "trailing"


def test_a_stricter_unique_region_wins_over_looser_ones() -> None:
    file = "f() \ng()\n--\n  f()\n  g()\n--\n    f()\n    g()\n"
    assert done(file, TextEdit("f()\ng()\n", "h()\ng()\n")) == (
        file.replace("f() \n", "h()\n", 1),
        Tier.TRAILING,
    )


ONE_TOKEN = [
    ("total = price * count\n", "total = price * counts\n"),
    ("call(value)\n", "call(valve)\n"),
    ("x = 10\n", "x = 11\n"),
    ("if a < b:\n", "if a <= b:\n"),
    ("return result\n", "return _result\n"),
    ("return result\n", "return resultx\n"),
    (
        'raise Error("the file is missing from here")\n',
        'raise Error("the file is mising from here")\n',
    ),
    ("import math\n", "import maths\n"),
    ("use std::io::Write;\n", "use std::io::Writx;\n"),
    ("x = await load(a)\n", "x = load(a)\n"),
    ("half = total // count\n", "half = total // cuont\n"),
    ("#define LIMIT size\n", "#define LIMIT sise\n"),
    ("SELECT name FROM users WHERE age\n", "SELECT name FROM user WHERE age\n"),
    ("url = 'http://the.host/of/this'\n", "url = 'http://the.hosts/of/this'\n"),
    ("# see version 2 of it\n", "# see version 3 of it\n"),
    ("# call the_thing here\n", "# call the_thin here\n"),
    ("# a word changed here\n", "# a word replaced here\n"),
    ("for item in items and others:\n", "for item in item and others:\n"),
]


@pytest.mark.parametrize(("line", "asked"), ONE_TOKEN)
def test_one_token_of_code_is_another_text(line: str, asked: str) -> None:
    file = f"begin()\n{line}end()\n"
    error = refusal(file, TextEdit(f"begin()\n{asked}end()\n", "begin()\nend()\n"))
    assert error.code == Code.NO_MATCH
    assert error.details["nearest"][0]["differs_at"] == 2


def test_two_words_of_prose_are_another_text() -> None:
    file = "# the first of these words\nx\n"
    assert (
        refusal(file, TextEdit("# the frist of thees words\nx\n", "x\n")).code
        == Code.NO_MATCH
    )


def test_indents_that_are_no_function_are_another_text() -> None:
    file = "if a:\n    b\nc\n"
    assert (
        refusal(file, TextEdit("if a:\nb\nc\n", "if a:\nd\nc\n")).code == Code.NO_MATCH
    )


ELISION = {
    "unequal numbers of dots": ("a\nb\nc\nd\n", "a\n...\nd\n", "a\nd\n"),
    "a stretch that is there twice": ("a\nb\nc\nd\nd\n", "a\n...\nd\n", "a\n...\ne\n"),
    "stretches out of order": (
        "alpha\nb\nomega\n",
        "omega\n...\nalpha\n",
        "omega\n...\nbeta\n",
    ),
    "a stretch that is not there": (
        "alpha\nb\nomega\n",
        "alpha\n...\nomegas\n",
        "alpha\n...\nbeta\n",
    ),
}


@pytest.mark.parametrize("name", ELISION)
def test_an_elision_that_is_not_certain_is_refused(name: str) -> None:
    file, search, replace = ELISION[name]
    assert refusal(file, TextEdit(search, replace)).code in (
        Code.NO_MATCH,
        Code.AMBIGUOUS_MATCH,
    )


REPAIRS = {
    "numbers that are not consecutive": (
        "alpha\nbeta\n",
        "1: alpha\n3: beta\n",
        "1: alpha\n3: gamma\n",
    ),
    "numbers not on every line": (
        "alpha\nbeta\n",
        "1: alpha\nbeta\n",
        "1: alpha\ngamma\n",
    ),
    "a replacement numbered in part": (
        "alpha\nbeta\n",
        "1: alpha\n2: beta\n",
        "1: alpha\ngamma\n",
    ),
    "a fence that does not close": (
        "alpha\nbeta\n",
        "```\nalpha\nbeta\n",
        "```\nalpha\n",
    ),
}


@pytest.mark.parametrize("name", REPAIRS)
def test_damage_in_part_is_not_repaired(name: str) -> None:
    file, search, replace = REPAIRS[name]
    assert refusal(file, TextEdit(search, replace)).code == Code.NO_MATCH


def test_a_replacement_without_the_damage_is_left_as_it_is() -> None:
    file = 'log("a")\nlog("b")\n'
    search = 'log(\\"a\\")\\nlog(\\"b\\")'
    replace = 'log("a\\n")\nlog("b")'
    assert done(file, TextEdit(search, replace)) == (
        'log("a\\n")\nlog("b")\n',
        Tier.REPAIRED,
    )


INVALID = [
    TextEdit("", "x"),
    TextEdit("a\ud83d", "x"),
    TextEdit("a", "\udc00"),
    TextEdit("a", "x", end_line=2),
    TextEdit("a", "x", start_line=3, end_line=2),
    TextEdit("a", "x", start_line=0),
    TextEdit("a", "x", replace_all=True, start_line=1),
    Insertion(line=9, replace="x"),
]


@pytest.mark.parametrize("edit", INVALID)
def test_a_request_without_a_meaning_is_invalid(edit: TextEdit) -> None:
    error = refusal("a\nb\n", edit)
    assert error.code == Code.INVALID_INPUT
    assert error.hint


def test_half_an_emoji_never_matches_a_whole_one() -> None:
    assert refusal("x = '😀'\n", TextEdit("\ud83d", "y")).code == Code.INVALID_INPUT


@pytest.mark.parametrize("text", ["null", "[1,2]", "123", "true"])
def test_text_that_looks_like_a_value_is_text(text: str) -> None:
    assert done(f"a {text}\n", TextEdit(text, "None"))[0] == "a None\n"


LINES = "one\ntwo\n\ntwo\nend"


def test_a_start_line_chooses_between_equals() -> None:
    assert (
        done(LINES, TextEdit("two\n", "2\n", start_line=4))[0] == "one\ntwo\n\n2\nend"
    )
    assert (
        refusal(LINES, TextEdit("two\n", "2\n", start_line=3)).code
        == Code.AMBIGUOUS_MATCH
    )


def test_a_start_line_alone_does_not_move_a_unique_text() -> None:
    assert done(LINES, TextEdit("one", "1", start_line=4))[0] == "1\ntwo\n\ntwo\nend"


def test_a_start_line_chooses_between_equals_of_a_looser_tier() -> None:
    file = "  f()\n  g()\n--\n    f()\n    g()\n"
    assert (
        done(file, TextEdit("f()\ng()\n", "f()\n", start_line=4))[0]
        == "  f()\n  g()\n--\n    f()\n"
    )


def test_both_lines_demand_exactly_that_text_there() -> None:
    assert (
        done(LINES, TextEdit("two\n", "2\n", start_line=4, end_line=4))[0]
        == "one\ntwo\n\n2\nend"
    )
    assert (
        done(LINES, TextEdit("two", "2", start_line=4, end_line=4))[0]
        == "one\ntwo\n\n2\nend"
    )
    assert (
        done(LINES, TextEdit("two\nend", "x", start_line=4, end_line=5))[0]
        == "one\ntwo\n\nx"
    )
    assert (
        done(LINES, TextEdit("two\nend\n", "x\n", start_line=4, end_line=5))[0]
        == "one\ntwo\n\nx"
    )
    assert (
        done(LINES, TextEdit("", "blank", start_line=3, end_line=3))[0]
        == "one\ntwo\nblank\ntwo\nend"
    )
    for start, end in ((1, 1), (4, 5), (5, 5), (9, 9)):
        error = refusal(LINES, TextEdit("two", "2", start_line=start, end_line=end))
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
def test_an_empty_search_with_a_start_line_inserts_lines(name: str) -> None:
    file, line, text, expected = INSERTIONS[name]
    assert done(file, Insertion(line=line, replace=text))[0] == expected


def test_replace_all_takes_every_exact_occurrence_and_nothing_else() -> None:
    assert done("aXbXc x\n", TextEdit("X", "--", replace_all=True))[0] == "a--b--c x\n"
    assert done("aaa\n", TextEdit("aa", "b", replace_all=True))[0] == "ba\n"
    assert (
        done("x\r\ny\r\nx\r\ny\r\n", TextEdit("x\ny\n", "z\n", replace_all=True))[0]
        == "z\r\nz\r\n"
    )
    assert (
        refusal("  a\n", TextEdit("a\n\n", "b", replace_all=True)).code == Code.NO_MATCH
    )


def test_no_change_is_refused() -> None:
    assert refusal("a\n", TextEdit("a", "a")).code == Code.NO_CHANGE
    assert refusal("  a\n  b\n", TextEdit("a\nb\n", "a\nb\n")).code == Code.NO_CHANGE
    assert refusal("teh\n", TextEdit("x", "x", replace_all=True)).code == Code.NO_MATCH


def test_an_applied_change_is_recognised() -> None:
    error = refusal("import os\nimport sys\n", TextEdit("import re", "import sys"))
    assert error.code == Code.ALREADY_APPLIED
    assert error.details["lines"] == [2]
