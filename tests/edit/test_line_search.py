"""Edits from a line on: the nth match is replaced, and no other byte."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright import system
from filewright.edit.line_search import LineSearch, find_line_edit
from filewright.edit.planning import plan_edits
from filewright.edit.replacements import compile_replacement
from filewright.errors import Code, FilewrightError
from filewright.search.pattern import compile_pattern
from filewright.settings import Settings
from filewright.text import splice
from filewright.text.snapshot import Snapshot

BOUNDED = examples(25, derandomize=True)


LINES = st.lists(
    st.tuples(
        st.sampled_from(["", " ", "  ", "\t"]),
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from(["\n", "\r\n", "\r"]),
    ),
    min_size=1,
    max_size=12,
)


def opened(data, folder, hold):
    """A snapshot of a file, held or read in windows."""
    path = folder / "f"
    path.write_bytes(data)
    limits = Settings() if hold else Settings(hold_bytes=0)
    return Snapshot.of_file(system.open_file(os.fsencode(path)), None, limits)


def made(data, edit, folder, *, hold=True):
    with opened(data, folder, hold) as snapshot:
        planned = plan_edits(
            snapshot, [find_line_edit(snapshot, edit)], fuzzy=False
        )
        return splice.apply_splices(data, planned.splices)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lines")


@pytest.mark.parametrize("hold", [True, False])
@BOUNDED
@given(
    lines=LINES,
    wanted=st.sampled_from("abc"),
    start=st.integers(1, 12),
    occurrence=st.integers(1, 3),
)
def test_replaces_nth_line_from_start(
    folder, hold, lines, wanted, start, occurrence
):
    data = "".join(map("".join, lines)).encode()
    edit = LineSearch(start, wanted, "new", occurrence=occurrence)
    places = [
        i
        for i, (_, text, _) in enumerate(lines)
        if text == wanted and i >= start - 1
    ]
    if len(places) < occurrence:
        with pytest.raises(FilewrightError) as refused:
            made(data, edit, folder, hold=hold)
        assert refused.value.code in (Code.NO_MATCH, Code.INVALID_INPUT)
        return
    at = places[occurrence - 1]
    expected = "".join(
        f"{indent}{'new' if i == at else text}{end}"
        for i, (indent, text, end) in enumerate(lines)
    )
    assert made(data, edit, folder, hold=hold) == expected.encode()


@pytest.mark.parametrize("hold", [True, False])
@BOUNDED
@given(lines=LINES, wanted=st.sampled_from("abc"))
def test_deletes_line_with_terminator(folder, hold, lines, wanted):
    places = [i for i, (_, text, _) in enumerate(lines) if text == wanted]
    if not places:
        return
    data = "".join(map("".join, lines)).encode()
    expected = "".join(
        "".join(line) for i, line in enumerate(lines) if i != places[0]
    )
    assert (
        made(data, LineSearch(1, wanted), folder, hold=hold)
        == expected.encode()
    )


CODE = "def f():\n    if a:\n        x = 1\n    return x\n"


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (
            LineSearch(1, "x = 1", "x = 2\ny = 3"),
            "        x = 1\n",
            "        x = 2\n        y = 3\n",
        ),
        (
            LineSearch(1, "x = 1", "x = 2\n\ny = 3"),
            "        x = 1\n",
            "        x = 2\n\n        y = 3\n",
        ),
        (
            LineSearch(1, "if a:\n    x = 1", "if b:\n    x = 2"),
            "a:\n        x = 1\n",
            "b:\n        x = 2\n",
        ),
        (LineSearch(1, "x = 1", "        x = 2"), "x = 1", "x = 2"),
        (
            LineSearch(1, "x = 1", "x = 2", keep_indent=False),
            "        x = 1\n",
            "x = 2\n",
        ),
        (
            LineSearch(4, None, "y = 2"),
            "    return",
            "        y = 2\n    return",
        ),
        (
            LineSearch(4, None, "y = 2", keep_indent=False),
            "    return",
            "y = 2\n    return",
        ),
        (LineSearch(5, None, "end"), "return x\n", "return x\n    end\n"),
        (LineSearch(1, "return", "yield"), "return x", "yield x"),
        (LineSearch(1, "x = 1\n", "x = 2\n"), "x = 1", "x = 2"),
    ],
)
def test_indentation_and_places(edit, old, new, folder):
    assert CODE.count(old) == 1
    assert made(CODE.encode(), edit, folder) == CODE.replace(old, new).encode()


@pytest.mark.parametrize(
    ("pattern", "template", "start", "expected"),
    [
        (r"(\w) = (\d)", "$2 = $1", 1, "1 = k\nm = 2\n"),
        (r"(\w) = (\d)", "$2 = $1", 2, "k = 1\n2 = m\n"),
        (r"k = 1\nm", "both", 1, "both = 2\n"),
        (r" = \d", None, 2, "k = 1\nm\n"),
        (r" = 1\n", " ", 1, "k m = 2\n"),
        (r"k = 1\n", None, 1, "m = 2\n"),
        (r"\w = \d", "", 2, "k = 1\n\n"),
    ],
)
def test_patterns(pattern, template, start, expected, folder):
    compiled = compile_pattern(
        pattern, mode="regex", case="sensitive", multiline="\\n" in pattern
    )
    checked = (
        None if template is None else compile_replacement(template, compiled)
    )
    edit = LineSearch(
        start, pattern, template, pattern=compiled, template=checked
    )
    assert made(b"k = 1\nm = 2\n", edit, folder) == expected.encode()


def test_leading_blanks_count_on_request(folder):
    with pytest.raises(FilewrightError) as refused:
        made(b"  x\n", LineSearch(1, "\tx", "y", ignore_indent=False), folder)
    assert refused.value.code is Code.NO_MATCH


def test_absent_blank_line_has_no_place(folder):
    with pytest.raises(FilewrightError) as refused:
        made(b"ab\ncd\n", LineSearch(1, "\n", "q"), folder)
    assert refused.value.code is Code.NO_MATCH


@pytest.mark.parametrize("start", [3, 50])
def test_refuses_line_past_end(start, folder):
    with pytest.raises(FilewrightError) as refused:
        made(b"x\n", LineSearch(start, None, "y"), folder)
    assert refused.value.code is Code.INVALID_INPUT
    assert refused.value.details["line_count"] == 1
