"""Edits of text that another process has changed since it was shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.edit.diff3 import LineMerge, merge_lines
from filewright.edit.model import Tier
from filewright.edit.planning import plan_edits
from filewright.edit.request import Edit, Insertion, LineEdit, TextEdit
from filewright.errors import Code, FilewrightError
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices

SHOWN = """\
import os

def area(width, height):
    # in metres
    check(width)
    check(height)
    return width * height

def volume(width, height, depth):
    return area(width, height) * depth
"""


SEARCH = SHOWN[SHOWN.index("def area") : SHOWN.index("def volume")]


COMMENTED = SHOWN.replace("# in metres", "# in metres, as everywhere")


def lines_of(merged: LineMerge[bytes]) -> list[bytes]:
    """The merged lines; at a conflict, ours."""
    return [
        line
        for chunk in merged.chunks
        for line in (
            merged.theirs[slice(*chunk.theirs)]
            if chunk.kind == "theirs"
            else merged.ours[slice(*chunk.ours)]
        )
    ]


def changed(old: str, new: str) -> TextEdit:
    assert old in SEARCH
    return TextEdit(SEARCH, SEARCH.replace(old, new))


def session(shown: str, now: str, *edits: TextEdit) -> tuple[str, Tier]:
    data = now.encode()
    planned = plan_edits(Snapshot(data), edits, bases=(shown.encode(),))
    return apply_splices(data, planned.splices).decode(), planned.outcomes[
        0
    ].tier


CLEAN = {
    "another line changed": (COMMENTED, ("return width * height", "return 0")),
    "a line inserted": (
        SHOWN.replace("    check(width)", "    log()\n    check(width)"),
        ("return width * height", "return 0"),
    ),
    "a line deleted": (
        SHOWN.replace("    # in metres\n", ""),
        ("return width * height", "return 0"),
    ),
    "a deletion by the edit": (
        SHOWN.replace("width * height\n", "height * width\n"),
        ("    # in metres\n", ""),
    ),
    "an insertion by the edit": (
        COMMENTED,
        ("    return width", "    log()\n    return width"),
    ),
    "lines above and below too": (
        "# new\n" + COMMENTED + "# end\n",
        ("return width * height", "return 0"),
    ),
}


@pytest.mark.parametrize("name", CLEAN)
def test_merges_separate_changes(name: str) -> None:
    now, (old, new) = CLEAN[name]
    assert session(SHOWN, now, changed(old, new)) == (
        now.replace(old, new),
        Tier.DRIFT,
    )


@pytest.mark.parametrize("name", CLEAN)
def test_keeps_terminators(name: str) -> None:
    now, (old, new) = CLEAN[name]
    crlf = now.replace("\n", "\r\n")
    assert session(SHOWN, crlf, changed(old, new))[0] == now.replace(
        old, new
    ).replace("\n", "\r\n")


def test_shown_range_is_a_base() -> None:
    edit = changed("return width * height", "return 0")
    shown = SHOWN[SHOWN.index("def area") :]
    assert session(shown, COMMENTED, edit)[0] == COMMENTED.replace(
        "return width * height", "return 0"
    )


def test_merges_dedented_request() -> None:
    search, replace = (
        text.replace("\n    ", "\n  ")
        for text in (SEARCH, SEARCH.replace("width * height", "0"))
    )
    assert session(SHOWN, COMMENTED, TextEdit(search, replace))[
        0
    ] == COMMENTED.replace("width * height", "0")


def test_merges_one_edit_of_many() -> None:
    edits = (
        TextEdit("import os\n", "import re\n"),
        changed("return width * height", "return 0"),
    )
    result, _ = session(SHOWN, COMMENTED, *edits)
    assert result == COMMENTED.replace(
        "return width * height", "return 0"
    ).replace("os", "re")


def refused(
    shown: str, now: str, edit: TextEdit, *, fuzzy: bool = True
) -> FilewrightError:
    with pytest.raises(FilewrightError) as caught:
        plan_edits(
            Snapshot(now.encode()), [edit], bases=(shown.encode(),), fuzzy=fuzzy
        )
    return caught.value


CONFLICTS = {
    "the same line": (
        SHOWN.replace("return width * height", "return width + height"),
        ("return width * height", "return 0"),
    ),
    "the next line": (
        SHOWN.replace("check(height)", "verify(height)"),
        ("return width * height", "return 0"),
    ),
    "the line is gone": (
        SHOWN.replace("    return width * height\n", ""),
        ("return width * height", "return 0"),
    ),
}


@pytest.mark.parametrize("name", CONFLICTS)
def test_touching_changes_show_both_sides(name: str) -> None:
    now, (old, new) = CONFLICTS[name]
    error = refused(SHOWN, now, changed(old, new))
    assert error.code == Code.STALE_VERSION
    conflict = error.details["conflicts"][0]
    assert conflict["shown"] in SHOWN
    assert conflict["there"] in now
    assert new in conflict["wanted"]
    assert "as it is now:" in error.message


def test_refuses_deleted_text() -> None:
    now = "import os\n\ndef volume(width, height, depth):\n    return width * height * depth\n"
    assert (
        refused(SHOWN, now, changed("return width * height", "return 0")).code
        == Code.STALE_VERSION
    )


def test_refuses_without_base() -> None:
    edit = changed("return width * height", "return 0")
    assert refused("something else\n", COMMENTED, edit).code == Code.NO_MATCH
    assert refused(SHOWN, COMMENTED, edit, fuzzy=False).code == Code.NO_MATCH


def test_takes_no_twin_of_changed_text() -> None:
    twin = "class Box:\n" + SEARCH.replace("\n", "\n    ").rstrip(" ")
    edit = changed("return width * height", "return 0")
    result, tier = session(SHOWN + twin, COMMENTED + twin, edit)
    assert tier is Tier.DRIFT
    assert (
        result == COMMENTED.replace("return width * height", "return 0") + twin
    )
    gone = SHOWN.replace("return width * height", "return 1") + twin
    assert refused(SHOWN + twin, gone, edit).code == Code.STALE_VERSION


def test_finds_reindented_text() -> None:
    now = SHOWN.replace("    ", "  ")
    result, tier = session(
        SHOWN, now, changed("return width * height", "return 0")
    )
    assert (result, tier) == (
        now.replace("return width * height", "return 0"),
        Tier.INDENT,
    )


def test_refuses_text_that_base_has_twice() -> None:
    shown = SHOWN + SEARCH
    assert (
        refused(
            shown, COMMENTED, changed("return width * height", "return 0")
        ).code
        == Code.NO_MATCH
    )


def test_recognises_same_change_of_others() -> None:
    now = COMMENTED.replace("return width * height", "return 0")
    error = refused(SHOWN, now, changed("return width * height", "return 0"))
    assert error.code == Code.ALREADY_APPLIED


def test_exact_text_needs_no_base() -> None:
    assert (
        session(
            "def volume(w):\n", SHOWN, TextEdit("import os\n", "import re\n")
        )[1]
        is Tier.EXACT
    )


words = st.lists(
    st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]),
    min_size=3,
    max_size=9,
)


@examples(25, derandomize=True)
@given(words, words, st.data())
def test_equals_clean_three_way_merge(
    shown: list[str], now: list[str], data: st.DataObject
) -> None:
    base = [f"{index} {word}" for index, word in enumerate(shown)]
    ours = [
        base[index] if index < len(base) and data.draw(st.booleans()) else word
        for index, word in enumerate(now)
    ]
    at = data.draw(st.integers(0, len(base) - 1))
    theirs = [*base[:at], "wanted", *base[at + 1 :]]
    merged = merge_lines(
        *([line.encode() for line in side] for side in (base, ours, theirs))
    )
    search, replace, there = (
        "".join(f"{line}\n" for line in side) for side in (base, theirs, ours)
    )
    if search in there:  # which needs no merge
        return
    try:
        result, _ = session(search, there, TextEdit(search, replace))
    except FilewrightError:
        return
    assert merged.clean
    assert result == "".join(f"{line.decode()}\n" for line in lines_of(merged))


@pytest.mark.parametrize(
    "last",
    ["four = 44", "", "four = 4\nfive = 5"],
    ids=["changed", "gone", "another behind"],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_keeps_unended_last_line(last: str, end: str) -> None:
    shown = "one = 1\ntwo = 2\nthree = 3\nfour = 4"
    wanted = shown.replace("four = 4", last)
    now, expected = (
        text.replace("one = 1", "zero = 0\none = 11").replace("\n", end)
        for text in (shown, wanted)
    )
    result, tier = session(
        shown.replace("\n", end), now, TextEdit(shown, wanted)
    )
    assert (result, tier) == (expected, Tier.DRIFT)


@pytest.mark.parametrize("new", ["\n", "c\n\n", "c\nd\n", "c", ""])
@pytest.mark.parametrize("lines", [(7, None), (6, 6), (5, 6)])
def test_keeps_new_lines_at_unended_end(
    new: str, lines: tuple[int, int | None]
) -> None:
    first, last = lines
    if not new and last is None:
        return  # nothing is put in
    base = b"1\n2\n3\n4\naaa\nbbb"
    named = "by its lines"
    edit: Edit = Insertion(line=first, replace=new, base=base, named=named)
    if last is not None:
        edit = LineEdit(
            first_line=first,
            last_line=last,
            replace=new,
            base=base,
            named=named,
        )
    made = apply_splices(base, plan_edits(Snapshot(base), [edit]).splices)
    now = b"1\n2\nthere\n3\n4\naaa\nbbb"
    assert apply_splices(
        now, plan_edits(Snapshot(now), [edit]).splices
    ) == made.replace(b"2\n", b"2\nthere\n")


def test_refuses_new_mark_before_changed_lines() -> None:
    with pytest.raises(FilewrightError) as caught:
        session("one\ntwo\n", "uno\ntwo\n", TextEdit("one", "\ufeffone"))
    assert caught.value.code == Code.STALE_VERSION
