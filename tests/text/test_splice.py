"""Splices: applied, ordered and refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.errors import Code, FilewrightError
from filewright.text import splice
from filewright.text.splice import Splice


@examples(17)
@given(
    data=st.binary(max_size=80),
    cuts=st.lists(
        st.tuples(
            st.integers(0, 80), st.integers(0, 10), st.binary(max_size=5)
        ),
        max_size=6,
    ),
)
def test_keeps_bytes_outside_splices(data, cuts):
    candidates, position = [], 0
    for offset, length, replacement in sorted(cuts):
        if offset < position or offset + length > len(data):
            continue
        candidates.append(Splice(offset, length, replacement))
        position = offset + length + 1
    splices = splice.sort_splices(candidates, len(data))
    result = splice.apply_splices(data, splices)
    position = shift = 0
    for applied in splices:
        assert (
            result[position + shift : applied.offset + shift]
            == data[position : applied.offset]
        )
        assert (
            result[
                applied.offset + shift : applied.offset
                + shift
                + len(applied.replacement)
            ]
            == applied.replacement
        )
        shift += len(applied.replacement) - applied.length
        position = applied.end
    assert result[position + shift :] == data[position:]


@pytest.mark.parametrize(
    ("splices", "code"),
    [
        ([Splice(0, 3, b""), Splice(2, 1, b"")], Code.OVERLAP),
        ([Splice(1, 0, b"x"), Splice(1, 0, b"y")], Code.OVERLAP),
        ([Splice(4, 3, b"")], Code.INVALID_INPUT),
        ([Splice(-1, 1, b"")], Code.INVALID_INPUT),
    ],
    ids=["overlap", "two-insertions", "past-end", "before-start"],
)
def test_refuses_invalid_splices(splices, code):
    with pytest.raises(FilewrightError) as caught:
        splice.sort_splices(splices, 5)
    assert caught.value.code == code
