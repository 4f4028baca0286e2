"""Several edits of one call: order, results of earlier edits, limits, and outcomes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.edit.cases import Editor, Turn, case_id, plan_text, refused
from tests.examples import examples

from filewright.edit.model import Tier
from filewright.edit.planning import plan_edits
from filewright.edit.request import Insertion, LineEdit, TextEdit
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import splice
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices

FILE = "one\ntwo\nthree\nfour\nfive\n"


TOGETHER = {
    "apart, in any order": (
        [("four", "4"), ("one", "1")],
        "1\ntwo\nthree\n4\nfive\n",
    ),
    "neighbours": (
        [("one\n", "1\n"), ("two\n", "2\n")],
        "1\n2\nthree\nfour\nfive\n",
    ),
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
    assert plan_text(FILE, *(TextEdit(*edit) for edit in edits))[0] == expected


def test_reports_each_refusal() -> None:
    error = refused(
        FILE, TextEdit("one", "1"), TextEdit("six", "6"), TextEdit("seven", "7")
    )
    assert error.code == Code.NO_MATCH
    assert "edit 2 of 3" in error.message
    assert [refused["edit"] for refused in error.details["refusals"]] == [1, 2]


def test_earlier_edit_resolves_no_ambiguity() -> None:
    error = refused("a\nb\na\n", TextEdit("a\nb", "c\nb"), TextEdit("a", "d"))
    assert error.code == Code.AMBIGUOUS_MATCH


def test_outcome_has_lines_before_and_after() -> None:
    result, made = plan_text(
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


def test_outcome_names_repair() -> None:
    _, made = plan_text(
        "  a(b)\n  # the first\n",
        TextEdit("1: a(b)\n2: # the first\n", "1: c(d)\n2: # the first\n"),
    )
    outcome = made.outcomes[0]
    assert (outcome.tier, outcome.inner) == (Tier.REPAIRED, Tier.INDENT)
    assert "line numbers" in outcome.text
    assert outcome.data()["tier"] == "repaired"
    assert 0 < outcome.similarity < 1


def test_outcome_names_edit_on_result() -> None:
    _, made = plan_text(FILE, TextEdit("two", "zwei"), TextEdit("zwei", "due"))
    assert [outcome.on_result for outcome in made.outcomes] == [False, True]
    assert "result of earlier edits" in made.outcomes[1].text


def test_edit_among_others_may_change_nothing() -> None:
    result, made = plan_text(FILE, TextEdit("one", "one"), TextEdit("two", "2"))
    assert result == FILE.replace("two", "2")
    assert [outcome.places for outcome in made.outcomes] == [0, 1]


def test_replace_all_counts_its_places() -> None:
    _, made = plan_text("a b a b a\n", TextEdit("a", "c", replace_all=True))
    assert [outcome.places for outcome in made.outcomes] == [3]


def test_limits() -> None:
    assert refused(FILE).code == Code.INVALID_INPUT
    many = [TextEdit(f"line {i}\n", f"row {i}\n", number=i) for i in range(501)]
    text = "".join(f"line {i}\n" for i in range(501))
    assert refused(text, *many).code == Code.TOO_LARGE
    assert plan_text(text, *many, total=501)[0] == text.replace("line", "row")


@pytest.mark.parametrize(
    "count", [100, pytest.param(500, marks=pytest.mark.sweep)]
)
def test_very_many_edits(count: int) -> None:
    text = "".join(f"def f{i}():\n    return {i}\n\n" for i in range(count))
    edits = [
        TextEdit(
            f"def f{i}(): \n    return {i}\n",
            f"def f{i}(): \n    return {i} + 1\n",
        )
        for i in range(count)
    ]
    result, made = plan_text(text, *reversed(edits))
    assert result == "".join(
        f"def f{i}():\n    return {i} + 1\n\n" for i in range(count)
    )
    assert {outcome.tier for outcome in made.outcomes} == {Tier.TRAILING}


def test_stops_when_cancelled() -> None:
    task = Task()
    task.cancel()
    assert refused(FILE, TextEdit("one", "1"), task=task).code == Code.CANCELLED


def test_refuses_insertion_past_end() -> None:
    error = refused(FILE, Insertion(line=9, replace="six"))
    assert error.code == Code.INVALID_INPUT
    assert (
        "start_line 9 is past the end of the file, which has 5 lines"
        in error.message
    )
    assert "6 appends" in str(error.hint)
    assert (
        plan_text(FILE, Insertion(line=6, replace="six"))[0] == FILE + "six\n"
    )


@pytest.mark.parametrize(
    "file", [b"a\nb\nc\nd\n", b"a\nb\nc\nd", b"a\r\nb\r\nc\r\nd"]
)
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
            LineEdit(
                first_line=3, last_line=3, replace="Y\nZ\n", named="lines"
            ),
            TextEdit("a\n", ""),
        ],
        [
            TextEdit("b\nc", "b\nX\nc"),
            Insertion(line=2, replace="Y\n"),
            TextEdit("d", "Z"),
        ],
    ],
)
def test_outcome_lines_hold_new_text(
    edits: list[TextEdit], file: bytes
) -> None:
    made = plan_edits(Snapshot(file), edits)
    lines = apply_splices(file, made.splices).decode().splitlines()
    for edit, outcome in zip(edits, made.outcomes, strict=True):
        there = lines[outcome.new_first - 1 : outcome.new_last]
        assert outcome.new_first > 0
        assert set(edit.replace.splitlines()) <= set(there)
        assert len(there) == outcome.new_last - outcome.new_first + 1


METHOD = (
    "class K:\n    def a(self):\n        go(2)\n\n\ndef a(self):\n    go(1)\n"
)


TURNS = [
    # A twin elsewhere that is alike but for its depth, its blanks, its quotes.
    Turn("a.py", METHOD, [("def a(self):\n    go(1)", "def a(self):\n    go(2)"), ("def a(self):\n    go(2)", "def a(self):\n    go(3)")],
         METHOD.replace("\n    go(1)", "\n    go(3)")),
    Turn("a.py", "a = 2  \nb = 3\n\na = 1\nb = 3\n", [("a = 1\nb = 3", "a = 2\nb = 3"), ("a = 2\nb = 3", "a = 4\nb = 3")], "a = 2  \nb = 3\n\na = 4\nb = 3\n"),
    Turn("a.js", "f(“x”);\ng();\n\nf('y');\ng();\n", [("f('y');\ng();", 'f("x");\ng();'), ('f("x");\ng();', 'f("z");\ng();')],
         'f(“x”);\ng();\n\nf("z");\ng();\n'),
    Turn("a.py", "x  =  2\ny = 1\n", [("y = 1", "x = 2"), ("x = 2", "x = 3")], "x  =  2\nx = 3\n"),
    Turn("a.py", "one = 1\n\n\ntwo = 2\n\none = 0\ntwo = 2\n", [("one = 0\n", "one = 1\n"), ("one = 1\ntwo = 2", "one = 5\ntwo = 2")],
         "one = 1\n\n\ntwo = 2\n\none = 5\ntwo = 2\n"),
    Turn("a.c", "\tgo(2);\n\tstop();\n}\n  go(1);\n  stop();\n", [("  go(1);\n  stop();", "  go(2);\n  stop();"), ("  go(2);\n  stop();", "  go(3);\n  stop();")],
         "\tgo(2);\n\tstop();\n}\n  go(3);\n  stop();\n"),
    Turn("a.md", "It’s two.\n\nIt's one.\n", [("It's one.", "It's two."), ("It's two.", "It's three.")], "It’s two.\n\nIt's three.\n"),
    Turn("a.tsv", "a\t2\nb 1\n", [("b 1", "a 2"), ("a 2", "a 3")], "a\t2\na 3\n"),
    # A text that is changed and used again.
    Turn("a.py", "a = 1\nb = 2\n", [("a = 1", "a = 2"), ("a = 2", "a = 3")], "a = 3\nb = 2\n"),
    Turn("a.py", "a = 1\nb = 2\n", [("a = 1", "a = 1\nc = 3"), ("c = 3", "c = 4")], "a = 1\nc = 4\nb = 2\n"),
    Turn("a.py", "a = 1\nb = 2\n", [("b = 2", "b = a"), ("a = 1", "a = 5")], "a = 5\nb = a\n"),
    Turn("a.py", "import os\nos.a()\n", [("import os", "import os\nimport re"), ("import re", "import sys"), ("os.a()", "os.b()")],
         "import os\nimport sys\nos.b()\n"),
    # An exact place in the file and one on the result: a text that is twice by then.
    Turn("a.py", "a = 1\nb = 2\n", [("b = 2", "a = 1"), ("a = 1", "a = 3")], "a = 3\na = 1\n", must=False),
    Turn("a.py", "a = 1\nb = 1\n", [("a = 1", "x = 1"), ("b = 1", "y = 1")], "x = 1\ny = 1\n"),
    # A loose match where nothing is exact.
    Turn("a.py", "a  =  1\nb = 2\n", [("b = 2", "b = 3"), ("a = 1\nb = 3", "a = 4\nb = 3")], "a  =  4\nb = 3\n", must=False),
    Turn("a.py", "def f():\n    a()\n    b()\n", [("a()\nb()", "c()\nb()"), ("def f():", "def g():")], "def g():\n    c()\n    b()\n"),
    # Blank lines that are asked for go.
    Turn("a.py", "a\n\n\nb\n", [("a\n\n\nb", "a\n\nb"), ("a\n\nb", "a\nb")], "a\nb\n"),
    Turn("a.py", "a\n\nb\nc\n", [("b\n", ""), ("a\n\nc", "a\nc")], "a\nc\n"),
]  # fmt: skip


@pytest.mark.parametrize("turn", TURNS, ids=case_id)
def test_exact_place_on_result_wins(editor: Editor, turn: Turn) -> None:
    edits = [
        {"search": search, "replace": replace} for search, replace in turn.edits
    ]
    result = editor.edit(turn.name, turn.file, edits)
    if turn.must or result.text is not None:
        assert result.text == turn.expected, result.answer


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_chain_of_edits_stays_in_place(editor: Editor, depth: int) -> None:
    twin = "".join(f"\tstep({number})\n" for number in range(depth + 2))
    file = f"{twin}\n    step(0)\n"
    edits = [
        {"search": f"    step({at})\n", "replace": f"    step({at + 1})\n"}
        for at in range(depth)
    ]
    result = editor.edit("a.py", file, edits)
    assert result.text == f"{twin}\n    step({depth})\n", result.answer


TEXT = st.text(alphabet="ab \n", min_size=1, max_size=4)


EDITS = st.lists(st.tuples(TEXT, TEXT, st.booleans()), min_size=1, max_size=4)


def outcome(data, edits, **how):
    """The result of one call, or the edit that was refused and why."""
    try:
        planned = plan_edits(
            Snapshot(data, encoding="utf-8"), edits, fuzzy=False, **how
        )
    except FilewrightError as error:
        return error.details.get("edit"), error.code
    return splice.apply_splices(data, planned.splices)


def one_by_one(data, edits):
    for index, edit in enumerate(edits):
        found = outcome(data, [edit])
        if isinstance(found, tuple):
            return index, found[1]
        data = found
    return data


@examples(34, derandomize=True)
@given(text=st.text(alphabet="ab \r\n", max_size=20), wanted=EDITS)
def test_in_turn_equals_single_calls(text, wanted):
    data = text.encode()
    edits = [
        TextEdit(old, new, everywhere)
        for old, new, everywhere in wanted
        if old != new
    ]
    if not edits:
        return
    expected = one_by_one(data, edits)
    if (
        expected == data
    ):  # edits that take each other back change nothing, and that is refused
        expected = (0, Code.NO_CHANGE)
    found = outcome(data, edits, in_turn=True)
    if (
        isinstance(found, tuple) and found[0] is None
    ):  # a request that is wrong in itself
        found = (expected[0], found[1])
    assert found == expected


@pytest.mark.parametrize("fuzzy", [[True, False], [False, True]])
def test_edits_have_own_tolerance(fuzzy):
    data = b"    one\n    two\n"
    edits = [TextEdit("  one\n", "  1\n"), TextEdit("  two\n", "  2\n")]
    strict = [index for index, loose in enumerate(fuzzy) if not loose]
    exact = [TextEdit("    one", "    1"), TextEdit("    two", "    2")]
    given_edits = [
        exact[i] if i in strict else edit for i, edit in enumerate(edits)
    ]
    planned = plan_edits(
        Snapshot(data, encoding="utf-8"), given_edits, fuzzy=fuzzy
    )
    assert splice.apply_splices(data, planned.splices) == b"    1\n    2\n"
