"""Several edits of one call: order, results of earlier ones, overlaps, and what the outcome says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.files import ROOT, Windowed

from filewright.boundary.location import Location
from filewright.edit.changeset import Modify
from filewright.edit.model import Tier
from filewright.edit.outcome import EditPlan
from filewright.edit.overlay import Overlay
from filewright.edit.planning import plan_edits
from filewright.edit.request import Insertion, LineEdit, TextEdit
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply_splices, sort_splices

FILE = "one\ntwo\nthree\nfour\nfive\n"


def planned(file: str, *edits: TextEdit, **options: object) -> tuple[str, EditPlan]:
    data = file.encode()
    made = plan_edits(Snapshot(data), edits, **options)  # type: ignore[arg-type]
    return apply_splices(data, made.splices).decode(), made


def refusal(file: str, *edits: TextEdit, **options: object) -> FilewrightError:
    with pytest.raises(FilewrightError) as caught:
        planned(file, *edits, **options)
    return caught.value


TOGETHER = {
    "apart, in any order": ([("four", "4"), ("one", "1")], "1\ntwo\nthree\n4\nfive\n"),
    "neighbours": ([("one\n", "1\n"), ("two\n", "2\n")], "1\n2\nthree\nfour\nfive\n"),
    "unchanged context shared": (
        [("one\ntwo\n", "1\ntwo\n"), ("two\nthree\n", "two\n3\n")],
        "1\ntwo\n3\nfour\nfive\n",
    ),
    "two insertions at one place": (
        [("two\n", "two\na\n"), ("three\n", "b\nthree\n")],
        "one\ntwo\na\nb\nthree\nfour\nfive\n",
    ),
    "two insertions at one place, the lower first": (
        [("three\n", "b\nthree\n"), ("two\n", "two\na\n")],
        "one\ntwo\na\nb\nthree\nfour\nfive\n",
    ),
    "on the result of an earlier one": (
        [("two", "zwei"), ("zwei\nthree", "zwei\ndrei")],
        "one\nzwei\ndrei\nfour\nfive\n",
    ),
    "a chain": (
        [("one", "a1"), ("a1", "b2"), ("b2", "c3")],
        "c3\ntwo\nthree\nfour\nfive\n",
    ),
    "inside new text": (
        [("one\n", "one\nx\ny\nz\n"), ("x\ny\n", "y\n"), ("five", "5")],
        "one\ny\nz\ntwo\nthree\nfour\n5\n",
    ),
    "a deletion and an insertion": (
        [("two\n", ""), ("one\n", "one\n1.5\n")],
        "one\n1.5\nthree\nfour\nfive\n",
    ),
}


@pytest.mark.parametrize("name", TOGETHER)
def test_edits_of_one_call(name: str) -> None:
    edits, expected = TOGETHER[name]
    assert planned(FILE, *(TextEdit(*edit) for edit in edits))[0] == expected


def test_line_ends_are_those_of_the_file_though_an_edit_takes_the_last_of_them() -> (
    None
):
    assert (
        planned("a\r\n", TextEdit("a\n", "b"), TextEdit("b", "b\nc"))[0] == "b\r\nc\r\n"
    )


def test_a_line_keeps_its_end_though_an_earlier_edit_took_all_of_the_usual_ones() -> (
    None
):
    edits = TextEdit("a\nx\n", "", number=0), TextEdit("b\nc\n", "b\nC\n", number=1)
    assert planned("a\r\nx\r\nb\nc\n", *edits, in_turn=True)[0] == "b\nC\n"


OVERLAPPING = {
    "the same text": [("two", "2"), ("two", "zwei")],
    "one inside the other": [("one\ntwo\nthree", "x"), ("two", "2")],
    "what one changes is the other's context": [
        ("one\ntwo\n", "one\n2\n"),
        ("two\nthree\n", "two\n3\n"),
    ],
    "half a line each": [("one\ntw", "x"), ("wo\nthree", "y")],
    "what a chain changed": [
        ("two", "zwei"),
        ("zwei\nthree", "zwei\ndrei"),
        ("three\nfour", "three\n4"),
    ],
}


@pytest.mark.parametrize("name", OVERLAPPING)
def test_edits_that_touch_are_refused_and_both_named(name: str) -> None:
    error = refusal(FILE, *(TextEdit(*edit) for edit in OVERLAPPING[name]))
    assert error.code == Code.OVERLAP
    last = len(OVERLAPPING[name])
    assert f"and {last} overlap" in error.message
    assert error.details["other_edit"] < last - 1


@pytest.mark.parametrize("width", range(1, 6))
def test_of_two_indents_as_short_the_first_tells_how_the_others_are_meant(
    width: int,
) -> None:
    # A set has them in another order in every process: the same edit was made in one and refused in another.
    tabs, spaces = "\t" * width, " " * width
    file = (
        f"f {{\n{tabs}\tone(x)\n{tabs}}}\n\n{tabs}if x {{\n{tabs}\ttwo(x)\n{tabs}}}\n"
    )
    search = f"    {tabs}\tone(x)\n    {tabs}}}\n\n    {tabs}if x {{"
    replace = f"{tabs}\tone(x)\n{tabs}}}\n{spaces}three(y)\n{tabs}if x {{\n"
    after, _ = planned(file, TextEdit(search, replace))
    assert after == file.replace("}\n\n", f"}}\n{spaces}three(y)\n")


def test_all_or_nothing_and_every_refusal_is_told() -> None:
    error = refusal(
        FILE, TextEdit("one", "1"), TextEdit("six", "6"), TextEdit("seven", "7")
    )
    assert error.code == Code.NO_MATCH
    assert "edit 2 of 3" in error.message
    assert [refused["edit"] for refused in error.details["refusals"]] == [1, 2]


def test_a_text_that_stands_there_twice_is_not_made_clear_by_an_earlier_edit() -> None:
    error = refusal("a\nb\na\n", TextEdit("a\nb", "c\nb"), TextEdit("a", "d"))
    assert error.code == Code.AMBIGUOUS_MATCH


def test_the_outcome_names_lines_before_and_after() -> None:
    result, made = planned(
        FILE,
        TextEdit("four\n", "four\nfour and a half\n"),
        TextEdit("one\n", "zero\none\n"),
        TextEdit("three\n", ""),
    )
    assert result == "zero\none\ntwo\nfour\nfour and a half\nfive\n"
    lines = [(o.first, o.last, o.new_first, o.new_last) for o in made.outcomes]
    assert lines == [(4, 4, 4, 5), (1, 1, 1, 2), (3, 3, 4, 3)]
    assert [(o.places, o.similarity) for o in made.outcomes] == [
        (1, 1.0),
        (1, 1.0),
        (1, 1.0),
    ]


def test_the_outcome_says_what_was_looked_past() -> None:
    _, made = planned(
        "  a(b)\n  # the first\n",
        TextEdit("1: a(b)\n2: # the first\n", "1: c(d)\n2: # the first\n"),
    )
    outcome = made.outcomes[0]
    assert (outcome.tier, outcome.inner) == (Tier.REPAIRED, Tier.INDENT)
    assert "line numbers" in outcome.text
    assert outcome.data()["tier"] == "repaired"
    assert 0 < outcome.similarity < 1


def test_an_edit_on_a_result_says_so() -> None:
    _, made = planned(FILE, TextEdit("two", "zwei"), TextEdit("zwei", "due"))
    assert [outcome.on_result for outcome in made.outcomes] == [False, True]
    assert "result of the edits before" in made.outcomes[1].text


def test_an_edit_among_others_may_change_nothing() -> None:
    result, made = planned(FILE, TextEdit("one", "one"), TextEdit("two", "2"))
    assert result == FILE.replace("two", "2")
    assert [outcome.places for outcome in made.outcomes] == [0, 1]


def test_replace_all_counts_its_places() -> None:
    _, made = planned("a b a b a\n", TextEdit("a", "c", replace_all=True))
    assert [outcome.places for outcome in made.outcomes] == [3]


def test_limits_and_empty_calls() -> None:
    assert refusal(FILE).code == Code.INVALID_INPUT
    many = [TextEdit(f"line {i}\n", f"row {i}\n", number=i) for i in range(501)]
    text = "".join(f"line {i}\n" for i in range(501))
    assert refusal(text, *many).code == Code.TOO_LARGE
    assert planned(text, *many, total=501)[0] == text.replace("line", "row")


def test_five_hundred_edits_land_in_one_call() -> None:
    text = "".join(f"def f{i}():\n    return {i}\n\n" for i in range(500))
    edits = [
        TextEdit(
            f"def f{i}(): \n    return {i}\n", f"def f{i}(): \n    return {i} + 1\n"
        )
        for i in range(500)
    ]
    result, made = planned(text, *reversed(edits))
    assert result == "".join(f"def f{i}():\n    return {i} + 1\n\n" for i in range(500))
    assert {outcome.tier for outcome in made.outcomes} == {Tier.TRAILING}


def test_a_cancelled_task_stops() -> None:
    task = Task()
    task.cancel()
    assert refusal(FILE, TextEdit("one", "1"), task=task).code == Code.CANCELLED


def test_non_ascii_text_in_a_sampled_encoding_asks_for_a_check() -> None:
    from filewright.text.codec import Encoding

    class Sampled(Snapshot):
        encoding = Encoding("latin-1", is_sampled=True)  # type: ignore[assignment]

    snapshot = Sampled("é\nb\n".encode("latin-1"))
    for new, codec in (("ü", "latin-1"), ("u", None)):
        splices = plan_edits(snapshot, [TextEdit("b", new)]).splices
        assert (
            Modify.from_snapshot(
                Location(ROOT, (b"a",)), snapshot, splices
            ).encoding_check
            == codec
        )


splices = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 4), st.binary(max_size=3)), max_size=4
)


def taken(data: bytes, drawn: list[tuple[int, int, bytes]]) -> tuple[Splice, ...]:
    result: list[Splice] = []
    end = -1
    for offset, length, new in sorted(drawn):
        if offset > end and offset + length <= len(data) and (length or new):
            result.append(Splice(offset, length, new))
            end = offset + length
    return sort_splices(result, len(data))


@examples(83, derandomize=True)
@given(st.binary(min_size=1, max_size=12), splices, splices)
def test_an_overlay_reads_as_the_result_and_composes(
    data: bytes,
    first: list[tuple[int, int, bytes]],
    second: list[tuple[int, int, bytes]],
) -> None:
    one = taken(data, first)
    overlay = Overlay(Snapshot(data), one)
    middle = apply_splices(data, one)
    assert overlay.content == middle
    assert overlay.size == len(middle)
    two = taken(middle, second)
    assert apply_splices(
        data, sort_splices(overlay.compose(two), len(data))
    ) == apply_splices(middle, two)
    for offset in range(len(middle) + 1):
        assert overlay.original_offset(offset) <= overlay.original_offset(
            offset, end=True
        )


@examples(33, derandomize=True)
@given(
    st.binary(min_size=1, max_size=12), splices, st.integers(0, 14), st.integers(0, 14)
)
def test_an_overlay_of_a_file_that_is_not_held_reads_the_same(
    data: bytes, drawn: list[tuple[int, int, bytes]], offset: int, length: int
) -> None:
    one = taken(data, drawn)
    overlay = Overlay(Windowed(data), one)
    assert overlay.content is None
    assert (
        overlay.read(offset, length)
        == apply_splices(data, one)[offset : offset + length]
    )


def test_a_line_to_insert_before_that_is_past_the_end_is_named_as_it_was_given() -> (
    None
):
    error = refusal(FILE, Insertion(line=9, replace="six"))
    assert error.code == Code.INVALID_INPUT
    assert (
        "start_line 9 is past the end of the file, which has 5 lines" in error.message
    )
    assert "6 appends" in str(error.hint)
    assert planned(FILE, Insertion(line=6, replace="six"))[0] == FILE + "six\n"


@pytest.mark.parametrize("file", [b"a\nb\nc\nd\n", b"a\nb\nc\nd", b"a\r\nb\r\nc\r\nd"])
@pytest.mark.parametrize(
    "edits",
    [
        [Insertion(line=5, replace="X\n")],
        [
            Insertion(line=5, replace="X\n"),
            Insertion(line=5, replace="Y\nZ\n"),
            TextEdit("d", "D"),
        ],
        [Insertion(line=2, replace="X\n"), Insertion(line=2, replace="Y\n")],
        [
            LineEdit(first_line=1, last_line=2, replace="", named="lines"),
            Insertion(line=1, replace="X\n"),
        ],
        [
            Insertion(line=3, replace="X\n"),
            LineEdit(first_line=3, last_line=3, replace="Y\nZ\n", named="lines"),
            TextEdit("a\n", ""),
        ],
        [
            TextEdit("b\nc", "b\nX\nc"),
            Insertion(line=2, replace="Y\n"),
            TextEdit("d", "Z"),
        ],
    ],
)
def test_the_lines_after_an_edit_are_those_of_what_it_puts_there(
    edits: list[TextEdit], file: bytes
) -> None:
    made = plan_edits(Snapshot(file), edits)
    lines = apply_splices(file, made.splices).decode().splitlines()
    for edit, outcome in zip(edits, made.outcomes, strict=True):
        there = lines[outcome.new_first - 1 : outcome.new_last]
        assert outcome.new_first > 0
        assert set(edit.replace.splitlines()) <= set(there)
        assert len(there) == outcome.new_last - outcome.new_first + 1
