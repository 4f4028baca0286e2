"""Edits in turn: one call of several is the same as several calls of one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.errors import Code, FilewrightError
from filewright.text import splice
from filewright.text.snapshot import Snapshot

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


@examples(67, derandomize=True)
@given(text=st.text(alphabet="ab \r\n", max_size=20), wanted=EDITS)
def test_in_turn_is_one_after_the_other(text, wanted):
    data = text.encode()
    edits = [
        TextEdit(old, new, everywhere) for old, new, everywhere in wanted if old != new
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
def test_each_edit_has_its_own_tolerance(fuzzy):
    data = b"    one\n    two\n"
    edits = [TextEdit("  one\n", "  1\n"), TextEdit("  two\n", "  2\n")]
    strict = [index for index, loose in enumerate(fuzzy) if not loose]
    exact = [TextEdit("    one", "    1"), TextEdit("    two", "    2")]
    given_edits = [exact[i] if i in strict else edit for i, edit in enumerate(edits)]
    planned = plan_edits(Snapshot(data, encoding="utf-8"), given_edits, fuzzy=fuzzy)
    assert splice.apply_splices(data, planned.splices) == b"    1\n    2\n"
